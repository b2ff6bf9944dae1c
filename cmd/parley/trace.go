package main

import (
	"context"
	"fmt"

	"github.com/parley-rpc/parley/host/control"
)

// traceCmd is "parley trace".
type traceCmd struct {
	Start traceStartCmd `cmd:"" help:"Start a session's trace."`
	Stop  traceStopCmd  `cmd:"" help:"Stop a session's trace and print it."`
}

// Help is the part of the help below the flags' summary.
func (traceCmd) Help() string {
	return `Between start and stop, each step of each message from a session's peer is kept, the last 1,024 of them.

Examples:

  parley trace start
  parley trace stop
  parley trace stop --session 4711.1 --json | jq -r '.steps[].method'`
}

// traceFlags are those of both.
type traceFlags struct {
	Session string `placeholder:"ID" complete:"session" help:"The session; not needed where there is one only."`
	JSON    bool   `name:"json" help:"Print one document."`
	attachFlags
}

// traceStartCmd is "parley trace start".
type traceStartCmd struct{ traceFlags }

// Help is the part of the help below the flags' summary.
func (traceStartCmd) Help() string {
	return `From now on each step of each message is kept, the last 1,024 of them. What an earlier trace kept is gone.

Examples:

  parley trace start
  parley trace start --session 4711.1

Exit codes:

  1    the trace runs already`
}

// Run starts it.
func (c *traceStartCmd) Run(ctx context.Context, e *env) error {
	return c.ask(ctx, e, c.Session, func(ctx context.Context, client *control.Client, session string) error {
		started, err := client.TraceStart(ctx, session)
		if err != nil {
			return err
		}
		if c.JSON {
			return writeJSON(e.stdout, started)
		}
		_, err = fmt.Fprintf(e.stdout, "tracing %s, the last %d steps; parley trace stop prints them\n", oneLine(session), started.StepsMax)
		return err
	})
}

// traceStopCmd is "parley trace stop".
type traceStopCmd struct{ traceFlags }

// Help is the part of the help below the flags' summary.
func (traceStopCmd) Help() string {
	return `Prints the steps in order, each with its age.

Examples:

  parley trace stop
  parley trace stop --session 4711.1 --json | jq -r '.steps[].method'

Exit codes:

  1    no trace runs`
}

// Run stops it and prints what it recorded.
func (c *traceStopCmd) Run(ctx context.Context, e *env) error {
	return c.ask(ctx, e, c.Session, func(ctx context.Context, client *control.Client, session string) error {
		trace, err := client.TraceStop(ctx, session)
		if err != nil {
			return err
		}
		if c.JSON {
			return writeJSON(e.stdout, trace)
		}
		if trace.Dropped > 0 {
			fmt.Fprintf(e.stderr, "parley: %d earlier steps were not kept\n", trace.Dropped)
		}
		if len(trace.Steps) == 0 {
			fmt.Fprintln(e.stderr, "parley: nothing came while the trace ran")
			return nil
		}
		var rows [][]string
		for _, s := range trace.Steps {
			rows = append(rows, []string{duration(s.AgoMs), s.CorrelationID, s.Method, s.Phase})
		}
		return table(e.stdout, "AGO REQUEST METHOD PHASE", rows)
	})
}
