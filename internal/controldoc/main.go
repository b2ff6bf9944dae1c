// Controldoc writes docs/control.md, the reference of the control connection, from the types that both
// of its sides use, so that it says what runs (CTL-8).
package main

import (
	"fmt"
	"os"
)

//go:generate go run .

const docFile = "../../docs/control.md"

// sourceFiles hold the contract: the methods, and the types with their comments.
var sourceFiles = []string{"../../host/control/contract.go", "../../host/counters.go"}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "controldoc:", err)
		os.Exit(1)
	}
}

func run() error {
	page, err := generate()
	if err != nil {
		return err
	}
	return os.WriteFile(docFile, page, 0o644)
}

func generate() ([]byte, error) {
	var c contract
	for _, name := range sourceFiles {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := c.read(name, text); err != nil {
			return nil, err
		}
	}
	return c.render()
}
