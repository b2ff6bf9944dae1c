package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/parley-rpc/parley/host/control"
)

// controlCommands look into running processes, over their control connections.
type controlCommands struct {
	Cancel   cancelCmd   `cmd:"" group:"Running sessions" help:"Cancel a request that a running session works on."`
	Requests requestsCmd `cmd:"" group:"Running sessions" help:"List what the running sessions work on."`
	Sessions sessionsCmd `cmd:"" group:"Running sessions" help:"List the running sessions."`
	Stats    statsCmd    `cmd:"" group:"Running sessions" help:"Count what a running session, or a capture, holds by method."`
	Top      topCmd      `cmd:"" group:"Running sessions" help:"Watch the running sessions on a dashboard."`
	Trace    traceCmd    `cmd:"" group:"Running sessions" help:"Record each step of a running session's requests."`
}

// attachFlags are those of a command that looks into running processes.
type attachFlags struct {
	ControlDirectory string        `placeholder:"DIR" help:"Where the control sockets are, in place of .parley/sockets in your account's home."`
	Timeout          time.Duration `default:"10s" help:"How long this may take."`
}

// Validate is called by kong.
func (f *attachFlags) Validate() error {
	if f.Timeout <= 0 {
		return fmt.Errorf("--timeout is %v, want more than 0", f.Timeout)
	}
	return nil
}

// discover finds the processes that can be looked into. Those that do not answer are told of on stderr.
func (f *attachFlags) discover(ctx context.Context, e *env) (control.Discovery, error) {
	found, err := control.Discover(ctx, f.ControlDirectory, e.clock)
	if err == nil {
		f.complain(e, found)
	}
	return found, err
}

// complain says on stderr what is missing in what was found.
func (f *attachFlags) complain(e *env, found control.Discovery) {
	for _, silent := range found.Silent {
		fmt.Fprintf(e.stderr, "parley: process %d does not answer: %s\n", silent.PID, oneLine(silent.Err.Error()))
	}
	if found.Truncated {
		fmt.Fprintln(e.stderr, "parley: there are more sessions than are shown")
	}
}

// placed is a session and the process it is in.
type placed struct {
	control.Session
	process *control.Process
}

func sessionsOf(found control.Discovery) []placed {
	var all []placed
	for i := range found.Processes {
		for _, s := range found.Processes[i].Sessions {
			all = append(all, placed{s, &found.Processes[i]})
		}
	}
	return all
}

// session finds the one of an id, or, without an id, the only one there is.
func (f *attachFlags) session(ctx context.Context, e *env, id string) (placed, error) {
	found, err := f.discover(ctx, e)
	if err != nil {
		return placed{}, err
	}
	all := sessionsOf(found)
	fits := slices.DeleteFunc(slices.Clone(all), func(p placed) bool { return id != "" && p.ID != id })
	switch {
	case len(fits) == 1:
		return fits[0], nil
	case len(all) == 0:
		return placed{}, usageError{"no session is running"}
	case len(fits) == 0:
		return placed{}, usageError{fmt.Sprintf("no session %s is running; there are %s", oneLine(id), idsOf(all))}
	case id == "":
		return placed{}, usageError{"which session? Give --session: " + idsOf(all)}
	}
	return placed{}, usageError{fmt.Sprintf("%d processes have a session %s; their programs gave it the same id", len(fits), oneLine(id))}
}

// idsOf lists the first sessions' ids.
func idsOf(all []placed) string {
	const shownMax = 8
	var ids []string
	for _, p := range all[:min(len(all), shownMax)] {
		ids = append(ids, oneLine(p.ID))
	}
	if len(all) > shownMax {
		ids = append(ids, "…")
	}
	return strings.Join(ids, ", ")
}

// inquiry is what a command asks the process of a session.
type inquiry func(ctx context.Context, client *control.Client, session string) error

// ask finds the session of an id, as session does, and asks its process, all within the timeout.
func (f *attachFlags) ask(ctx context.Context, e *env, id string, q inquiry) error {
	ctx, cancel := context.WithTimeout(ctx, f.Timeout)
	defer cancel()
	found, err := f.session(ctx, e, id)
	if err != nil {
		return err
	}
	return found.ask(ctx, e, q)
}

func (p placed) ask(ctx context.Context, e *env, q inquiry) error {
	client, err := control.NewClient(p.process.Path, e.clock)
	if err != nil {
		return err
	}
	defer client.Close()
	return q(ctx, client, p.ID)
}

// view is what is seen of all processes at one moment.
type view struct {
	control.Discovery
	requests  []control.Request // those of the oldest process first, oldest first
	truncated bool
}

// look asks every process for its sessions and for what they work on. A process that leaves meanwhile
// is one that is not there.
func (f *attachFlags) look(ctx context.Context, e *env, session string) (view, error) {
	found, err := control.Discover(ctx, f.ControlDirectory, e.clock)
	if err != nil {
		return view{}, err
	}
	v := view{Discovery: found}
	lists := make([]control.Requests, len(found.Processes))
	var asking sync.WaitGroup
	for i, process := range found.Processes {
		if !slices.ContainsFunc(process.Sessions, func(s control.Session) bool { return session == "" || s.ID == session }) {
			continue
		}
		asking.Go(func() {
			client, err := control.NewClient(process.Path, e.clock)
			if err != nil {
				return // Discover has just used this path
			}
			defer client.Close()
			lists[i], _ = client.Requests(ctx, session)
		})
	}
	asking.Wait()
	for _, list := range lists {
		v.requests = append(v.requests, list.Requests...)
		v.truncated = v.truncated || list.Truncated
	}
	return v, ctx.Err()
}

// oldest orders requests by their age, whatever process they are in.
func oldest(requests []control.Request) []control.Request {
	sorted := slices.Clone(requests)
	slices.SortStableFunc(sorted, func(a, b control.Request) int { return cmp.Compare(b.AgeMs, a.AgeMs) })
	return sorted
}
