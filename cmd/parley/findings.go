package main

import "fmt"

// findings are what lint, replay, diff or doctor has found, and printed.
type findings struct {
	count     int
	one, many string // "finding", "findings"
}

func (f findings) Error() string { return count(f.count, f.one, f.many) }

// in is the outcome of a command that looked for them in what it names, "8 messages". Where it found nothing
// stdout stays empty, and stderr says that it has looked, and at how much.
func (f findings) in(e *env, what string) error {
	if f.count > 0 {
		return f
	}
	fmt.Fprintf(e.stderr, "parley: no %s in %s\n", f.many, what)
	return nil
}
