package main

import "fmt"

// findings are what lint, replay, diff or doctor has found, and printed.
type findings struct {
	count     int
	one, many string // "finding", "findings"
	in        string // what was looked at, "8 messages"; empty: it goes without saying
}

func (f findings) Error() string {
	text := count(f.count, f.one, f.many)
	if f.in != "" {
		text += " in " + f.in
	}
	return text
}

// end is the outcome of a command that looked for something. Where it found nothing stdout stays empty, and
// stderr says that it has looked, and at how much.
func (f findings) end(e *env) error {
	if f.count > 0 {
		return f
	}
	fmt.Fprintf(e.stderr, "parley: no %s in %s\n", f.many, f.in)
	return nil
}
