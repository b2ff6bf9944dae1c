// Command digest plays every conformance vector in every home and prints one line a home: its name
// and the digest of all observations. The lines are equal where the homes agree.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/parley-rpc/parley/conformance"
)

func main() {
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
	homes, err := conformance.Homes(nil)
	if err != nil {
		return err
	}
	var failures []error
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
