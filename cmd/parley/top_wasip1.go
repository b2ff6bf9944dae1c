package main

import "context"

// dashboard has no terminal to draw on here.
func (c *topCmd) dashboard(context.Context, *env) error {
	return usageError{"no dashboard here; use --once"}
}
