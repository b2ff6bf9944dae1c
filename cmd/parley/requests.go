package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/parley-rpc/parley/host/control"
)

// requestsCmd is "parley requests".
type requestsCmd struct {
	Session string        `placeholder:"ID" complete:"session" help:"Only those of one session."`
	Watch   bool          `help:"Go on, and print each request that comes, starts, is cancelled or ends."`
	Every   time.Duration `default:"500ms" help:"How often --watch looks."`
	JSON    bool          `name:"json" help:"Print one document, or with --watch one for each line."`
	attachFlags
}

// Help is the part of the help below the flags' summary.
func (requestsCmd) Help() string {
	return `Lists the messages of their peers that running sessions work on, oldest first. REQUEST is what parley cancel takes.
GENERATION is the state that a request works on: each write that succeeds raises it. What comes and goes between two looks
of --watch is not seen; parley trace records every step.

Examples:

  parley requests
  parley requests --session 4711.1 --watch`
}

// Validate is called by kong.
func (c *requestsCmd) Validate() error {
	if c.Every <= 0 {
		return errors.New("--every is not positive")
	}
	return c.attachFlags.Validate()
}

// requestsDocument is what requests --json prints. Names are stable.
type requestsDocument struct {
	Requests  []control.Request `json:"requests"`
	Truncated bool              `json:"truncated"`
}

// Run lists them, once or until it is interrupted.
func (c *requestsCmd) Run(ctx context.Context, e *env) error {
	v, err := c.lookOnce(ctx, e)
	if err != nil {
		return err
	}
	if c.Watch {
		return c.watch(ctx, e, v)
	}
	listed := oldest(v.requests)
	if c.JSON {
		return writeJSON(e.stdout, requestsDocument{append([]control.Request{}, listed...), v.truncated})
	}
	if v.truncated {
		fmt.Fprintln(e.stderr, "parley: there are more requests than are shown")
	}
	if len(listed) == 0 {
		fmt.Fprintln(e.stderr, "parley: nothing is in work")
		return nil
	}
	return table(e.stdout, requestsHeading, requestRows(listed))
}

func (c *requestsCmd) lookOnce(ctx context.Context, e *env) (view, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	v, err := c.look(ctx, e, c.Session)
	if err == nil && c.Session != "" && !v.has(c.Session) {
		return v, usageError{"no session " + oneLine(c.Session) + " is running"}
	}
	return v, err
}

func (v *view) has(session string) bool {
	for _, s := range sessionsOf(v.Discovery) {
		if s.ID == session {
			return true
		}
	}
	return false
}

const requestsHeading = "REQUEST METHOD MODE PHASE GENERATION AGE"

func requestRows(requests []control.Request) [][]string {
	var rows [][]string
	for _, r := range requests {
		rows = append(rows, []string{r.CorrelationID, r.Method, r.Mode, requestPhase(r), generationText(r), duration(r.AgeMs)})
	}
	return rows
}

// requestPhase is the phase, or that it was told to end and has not.
func requestPhase(r control.Request) string {
	if r.Cancelled {
		return "cancelling"
	}
	return r.Phase
}

func generationText(r control.Request) string {
	if r.Generation == nil {
		return ""
	}
	return strconv.FormatUint(*r.Generation, 10)
}

// requestChange is a line of --watch. Phase is a request's, cancelling, or ended.
type requestChange struct {
	Phase   string          `json:"phase"`
	Request control.Request `json:"request"`
}

// watch prints what changes from one look to the next, until it is interrupted or the session that was
// asked for has ended.
func (c *requestsCmd) watch(ctx context.Context, e *env, v view) error {
	known := map[string]control.Request{}
	ticker := time.NewTicker(c.Every)
	defer ticker.Stop()
	for {
		for _, change := range changes(known, v.requests) {
			if err := c.printChange(e, change); err != nil {
				return err
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		var err error
		if v, err = c.lookOnce(ctx, e); err != nil {
			return err
		}
	}
}

// changes lists what differs from what was known, and keeps what is known now.
func changes(known map[string]control.Request, seen []control.Request) []requestChange {
	var found []requestChange
	now := map[string]bool{}
	for _, r := range oldest(seen) {
		now[r.CorrelationID] = true
		before, was := known[r.CorrelationID]
		if !was || requestPhase(before) != requestPhase(r) {
			found = append(found, requestChange{requestPhase(r), r})
		}
		known[r.CorrelationID] = r
	}
	for id, r := range known {
		if !now[id] {
			found = append(found, requestChange{"ended", r})
			delete(known, id)
		}
	}
	return found
}

func (c *requestsCmd) printChange(e *env, change requestChange) error {
	if c.JSON {
		return writeJSON(e.stdout, change)
	}
	r := change.Request
	_, err := fmt.Fprintf(e.stdout, "%-10s  %s  %s  %s\n", change.Phase, oneLine(r.CorrelationID), oneLine(r.Method), duration(r.AgeMs))
	return err
}
