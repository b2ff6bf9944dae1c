package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host/control"
)

// topCmd is "parley top".
type topCmd struct {
	Every time.Duration `default:"1s" help:"How often to look."`
	Once  bool          `help:"Print what there is, and end. So it does where stdout is no terminal."`
	JSON  bool          `name:"json" help:"Print one document, and end."`
	attachFlags
}

// Help is the part of the help below the flags' summary.
func (topCmd) Help() string {
	return `Watches the sessions of all processes that have a control connection: what they work on, for how long, how full
their queues are, and how long each method takes.

Keys: up and down choose, tab changes between sessions and requests, c cancels the chosen request after a question, t
starts the chosen session's trace and shows it when pressed again, space holds the picture, q leaves.

Examples:

  parley top
  parley top --once | less`
}

// Validate is called by kong.
func (c *topCmd) Validate() error {
	if c.Every <= 0 {
		return errors.New("--every is not positive")
	}
	return c.attachFlags.Validate()
}

// Run shows the dashboard, or prints one picture.
func (c *topCmd) Run(ctx context.Context, e *env) error {
	if !c.Once && !c.JSON && isTerminal(e.stdin) && isTerminal(e.stdout) {
		return c.dashboard(ctx, e)
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	v, err := c.look(ctx, e, "")
	if err != nil {
		return err
	}
	c.complain(e, v.Discovery)
	if c.JSON {
		return c.printJSON(ctx, e, v)
	}
	return c.print(ctx, e, v)
}

func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(file.Fd())
}

func (c *topCmd) print(ctx context.Context, e *env, v view) error {
	all := sessionsOf(v.Discovery)
	if len(all) == 0 {
		fmt.Fprintln(e.stderr, "parley: no session is running")
		return nil
	}
	if err := table(e.stdout, sessionsHeading, sessionRows(all)); err != nil {
		return err
	}
	if len(v.requests) > 0 {
		fmt.Fprintln(e.stdout)
		if err := table(e.stdout, requestsHeading, requestRows(oldest(v.requests))); err != nil {
			return err
		}
	}
	for _, session := range all {
		stats, err := session.stats(ctx, e)
		if err != nil {
			fmt.Fprintln(e.stderr, "parley: "+oneLine(err.Error()))
			continue
		}
		if len(stats.Methods) == 0 {
			continue
		}
		fmt.Fprintf(e.stdout, "\nSESSION %s\n", oneLine(session.ID))
		if err := table(e.stdout, methodsHeading, methodRows(stats.Methods)); err != nil {
			return err
		}
	}
	return nil
}

// topDocument is what top --json prints. Names are stable.
type topDocument struct {
	sessionsDocument
	Requests []control.Request `json:"requests"`
	Stats    []control.Stats   `json:"stats"`
}

func (c *topCmd) printJSON(ctx context.Context, e *env, v view) error {
	document := topDocument{
		sessionsDocument: newSessionsDocument(v.Discovery),
		Requests:         append([]control.Request{}, oldest(v.requests)...), Stats: []control.Stats{},
	}
	document.Truncated = document.Truncated || v.truncated
	for _, session := range sessionsOf(v.Discovery) {
		stats, err := session.stats(ctx, e)
		if err != nil {
			fmt.Fprintln(e.stderr, "parley: "+oneLine(err.Error()))
			continue
		}
		document.Stats = append(document.Stats, stats)
	}
	return writeJSON(e.stdout, document)
}

// stats asks the session's process for its counters.
func (p placed) stats(ctx context.Context, e *env) (stats control.Stats, err error) {
	err = p.ask(ctx, e, func(ctx context.Context, client *control.Client, session string) error {
		stats, err = client.Stats(ctx, session)
		return err
	})
	return stats, err
}

// watched is what the dashboard asks. Its methods are called from other goroutines.
type watched interface {
	// observe looks at everything, and at the counters of one session; "" is the first.
	observe(session string) observation
	stats(p placed) (control.Stats, error)
	cancel(p placed, correlationID string) (bool, error)
	traceStart(p placed) error
	traceStop(p placed) (control.Trace, error)
}

// observation is one look.
type observation struct {
	at    core.Time
	view  view
	stats control.Stats // of the session chosen, where it is still there
	err   error
}

// attached asks the running processes.
type attached struct {
	ctx   context.Context
	env   *env
	flags *attachFlags
}

func (a attached) observe(session string) observation {
	ctx, cancel := context.WithTimeout(a.ctx, a.flags.Timeout)
	defer cancel()
	v, err := a.flags.look(ctx, a.env, "")
	o := observation{at: a.env.clock.Now(), view: v, err: err}
	for _, p := range sessionsOf(v.Discovery) {
		if session == "" || p.ID == session {
			o.stats, _ = p.stats(ctx, a.env) // it has ended since
			break
		}
	}
	return o
}

func (a attached) stats(p placed) (control.Stats, error) { return p.stats(a.ctx, a.env) }

func (a attached) cancel(p placed, correlationID string) (cancelled bool, err error) {
	err = a.ask(p, func(ctx context.Context, client *control.Client, _ string) error {
		cancelled, err = client.Cancel(ctx, correlationID)
		return err
	})
	return cancelled, err
}

func (a attached) traceStart(p placed) error {
	return a.ask(p, func(ctx context.Context, client *control.Client, session string) error {
		_, err := client.TraceStart(ctx, session)
		return err
	})
}

func (a attached) traceStop(p placed) (trace control.Trace, err error) {
	err = a.ask(p, func(ctx context.Context, client *control.Client, session string) error {
		trace, err = client.TraceStop(ctx, session)
		return err
	})
	return trace, err
}

func (a attached) ask(p placed, q inquiry) error {
	ctx, cancel := context.WithTimeout(a.ctx, a.flags.Timeout)
	defer cancel()
	return p.ask(ctx, a.env, q)
}
