package child

import (
	"context"
	"io"
	"os"

	"github.com/parley-rpc/parley/host"
)

// Guest is a program that runs inside this one, in a sandbox, and is otherwise a child like any
// other: pipes are its stdio, and the ladder ends it (STOP-6).
type Guest struct {
	Name string // names it in errors
	// Run runs the program, once, and says how it ended in the words of os.ProcessState, such as
	// "exit status 3". The files are its stdio; they are closed once Run has returned.
	Run func(stdin, stdout, stderr *os.File) (status string)
	// Interrupt makes Run return, whatever the program does, also where it is called before Run. It
	// stands for both signals, may be called again, and must not block. Stdin has ended by then.
	Interrupt func()
	Stderr    io.Writer // as in exec.Cmd, see StartProcess; nil for none
}

// StartGuest starts the guest and a session over its stdio, as Start does for a process. ctx bounds
// the start alone. It fails with a *StartError, or with host.New's error. Of Process, the state that
// Wait returns is nil. ErrSurvived says that the guest did not heed Interrupt.
func StartGuest(ctx context.Context, g *Guest, opts host.Options, more ...Option) (*Peer, error) {
	if ctx.Err() != nil {
		return nil, &StartError{g.Name, context.Cause(ctx)}
	}
	var o options
	for _, opt := range more {
		opt(&o)
	}
	bounds, err := o.bounds.withDefaults()
	if err != nil {
		return nil, &StartError{g.Name, err}
	}
	pipes, err := openPipes(!o.noStdin)
	if err != nil {
		return nil, &StartError{g.Name, err}
	}
	return open(supervise(g.Name, runGuest(g, pipes), bounds, pipes, nil, g.Stderr), opts)
}

// guestGroup is a guest as the ladder sees it: a leader that never has descendants.
type guestGroup struct {
	interrupt func()
	ended     chan struct{} // closed once status is valid
	status    string
}

func runGuest(g *Guest, pipes *pipes) *guestGroup {
	group := &guestGroup{interrupt: g.Interrupt, ended: make(chan struct{})}
	go func() {
		group.status = g.Run(pipes.stdin.theirs, pipes.stdout.theirs, pipes.stderr.theirs)
		pipes.closeTheirs()
		close(group.ended)
	}()
	return group
}

func (g *guestGroup) awaitExit() string {
	<-g.ended
	return g.status
}

func (g *guestGroup) reap() *os.ProcessState { return nil }
func (g *guestGroup) signal(signal)          { g.interrupt() }
func (g *guestGroup) empty() bool            { return isClosed(g.ended) }
