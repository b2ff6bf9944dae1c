package main

import (
	"context"
	"fmt"

	"github.com/parley-rpc/parley/host/control"
)

// cancelCmd is "parley cancel".
type cancelCmd struct {
	Request string `arg:"" complete:"request" help:"The request, as parley requests names it."`
	JSON    bool   `name:"json" help:"Print one document."`
	attachFlags
}

// Help is the part of the help below the flags' summary.
func (cancelCmd) Help() string {
	return `Cancels one request, as the owner of its session, and waits until it has ended. Its own client hears an error. When the
time is up first, the request stays cancelled.

Examples:

  parley requests
  parley cancel 4711.1-17

Exit codes:

  1    the request had ended already, or never was`
}

// Run cancels.
func (c *cancelCmd) Run(ctx context.Context, e *env) error {
	id, _, err := control.ParseCorrelationID(c.Request)
	if err != nil {
		return usageError{err.Error()}
	}
	return c.ask(ctx, e, id, func(ctx context.Context, client *control.Client, _ string) error {
		cancelled, err := client.Cancel(ctx, c.Request)
		if err != nil {
			return err
		}
		if c.JSON {
			err = writeJSON(e.stdout, control.Cancelled{CorrelationID: c.Request, Cancelled: cancelled})
		} else if cancelled {
			_, err = fmt.Fprintln(e.stdout, "cancelled "+oneLine(c.Request))
		}
		if err == nil && !cancelled {
			return foundNothing{"nothing to cancel: " + c.Request + " has ended, or never was"}
		}
		return err
	})
}

// foundNothing is a question that was understood, and whose answer is no.
type foundNothing struct{ text string }

func (e foundNothing) Error() string { return e.text }
