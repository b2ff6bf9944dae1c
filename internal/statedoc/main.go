// Statedoc draws docs/states.md from the tables in core/phase.go, so that the picture cannot differ
// from what runs.
package main

import (
	"fmt"
	"os"
)

//go:generate go run .

const (
	phaseFile = "../../core/phase.go"
	docFile   = "../../docs/states.md"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "statedoc:", err)
		os.Exit(1)
	}
}

func run() error {
	text, err := os.ReadFile(phaseFile)
	if err != nil {
		return err
	}
	tables, err := readTables(text)
	if err != nil {
		return err
	}
	return os.WriteFile(docFile, render(tables), 0o644)
}
