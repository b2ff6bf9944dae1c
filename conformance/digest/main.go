// Command digest plays every conformance vector in every home and prints one line a home: its name
// and the digest of all observations. The lines are equal where the homes agree. PARLEY_WASM names
// another reactor than the published one.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/parley-rpc/parley/conformance"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "digest: want the files of the command and of its runner for Node: make digest builds them")
		os.Exit(2)
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "digest:", err)
		os.Exit(1)
	}
}

func run() error {
	files, err := conformance.Files()
	if err != nil {
		return err
	}
	modules := conformance.Modules{Command: os.Args[1], Runner: os.Args[2]}
	if file := os.Getenv("PARLEY_WASM"); file != "" {
		if modules.Reactor, err = os.ReadFile(file); err != nil {
			return err
		}
	}
	homes, err := conformance.Homes(modules)
	failures := []error{err}
	for i := range homes {
		played, err := conformance.Play(&homes[i], files)
		if err == nil {
			_, total := conformance.Digest(played)
			fmt.Println(homes[i].Name, total)
		}
		failures = append(failures, err, homes[i].Close())
	}
	return errors.Join(failures...)
}
