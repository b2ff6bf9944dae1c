package main

import (
	"context"
	"slices"
)

// startsNothing reports whether a command only reads and prints: it can be left where it stands.
func startsNothing(verb string) bool {
	return slices.Contains([]string{"cat", "convert", "diff", "filter", "frame", "lint", "stats", "unframe"}, verb)
}

// interruptible runs f until ctx ends. Then f is left behind, since nothing else ends a read of a terminal or
// of a named pipe: it must have started nothing, and what it was to set must not be looked at.
func interruptible(ctx context.Context, f func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- f() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
