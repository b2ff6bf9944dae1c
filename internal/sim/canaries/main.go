//go:build canary

// Command canaries shows within how many runs the simulation finds each bug planted in the core. Its
// last line is the tally, and it exits with 1 when one escapes. Build it with the tags canary and
// verify.
package main

import (
	"fmt"
	"os"

	"github.com/parley-rpc/parley/internal/sim"
)

func main() {
	if err := sim.Canaries(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "canaries:", err)
		os.Exit(1)
	}
}
