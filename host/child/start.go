package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/parley-rpc/parley/host"
)

// Option is one optional part of starting a child.
type Option func(*options)

type options struct {
	noStdin bool
	bounds  Bounds
}

// NoStdin gives the child the null device as its stdin. A session with it can only receive:
// whatever sends is host.ErrUnsupported (API-3).
func NoStdin() Option { return func(o *options) { o.noStdin = true } }

// WithBounds replaces the times a child is given to leave.
func WithBounds(b Bounds) Option { return func(o *options) { o.bounds = b } }

// StartProcess starts cmd, which it then owns: not even Wait may be called on it. It fails with a
// *StartError.
//
// Of cmd, Stdin and Stderr mean what they do in os/exec, with these differences: what Stdin yields
// goes to the child first, until its end, then what is written to Process.Stdin (API-3); Stderr
// gets its text from a goroutine of its own, loses what it is too slow for, and never holds up
// the child (STOP-7). Stdout must be nil: it is read through Process.Stdout. The child gets
// NO_COLOR=1 and TERM=dumb where its environment does not say otherwise.
func StartProcess(cmd *exec.Cmd, opts ...Option) (*Process, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	bounds, err := o.bounds.withDefaults()
	if err != nil {
		return nil, startError(cmd, err)
	}
	if cmd.Stdout != nil {
		return nil, startError(cmd, fmt.Errorf("the command has a Stdout, but it is read through a pipe of ours: %w", host.ErrUnsupported))
	}
	if o.noStdin && cmd.Stdin != nil {
		return nil, startError(cmd, fmt.Errorf("the command has a Stdin under NoStdin: %w", host.ErrUnsupported))
	}

	pipes, err := openPipes(!o.noStdin)
	if err != nil {
		return nil, startError(cmd, err)
	}
	defer pipes.closeTheirs()
	first, sink := cmd.Stdin, cmd.Stderr
	cmd.Stdin, cmd.Stdout, cmd.Stderr = nil, pipes.stdout.theirs, pipes.stderr.theirs
	if !o.noStdin {
		cmd.Stdin = pipes.stdin.theirs // not assigned when nil: an interface around it is not nil
	}
	cmd.Env = plainTerminal(cmd.Environ())
	group, err := startGroup(cmd)
	if err != nil {
		pipes.closeOurs()
		return nil, startError(cmd, err)
	}
	return supervise(cmd.Path, group, bounds, pipes, first, sink), nil
}

// supervise sets the goroutines of a started child going: its stderr, its stdin's first bytes,
// and the ladder.
func supervise(program string, g group, bounds Bounds, pipes *pipes, first io.Reader, sink io.Writer) *Process {
	p := &Process{
		Stdout:  newOutput(pipes.stdout.ours),
		Stderr:  newTail(pipes.stderr.ours, sink),
		program: program,
		bounds:  bounds,
		stop:    make(chan struct{}),
		ended:   make(chan struct{}),
	}
	dropInput := func() {}
	if pipes.stdin.ours != nil {
		p.Stdin = newInput(pipes.stdin.ours, first)
		p.stdin = p.Stdin
		dropInput = p.Stdin.drop
	}
	p.ladder = newLadder(g, bounds, p.stop, p.Stdout.ended, dropInput, p.Stdout.cut)
	go p.ladder.run()
	go func() {
		<-p.ladder.ended
		p.Stderr.finish(bounds.Output)
		close(p.ended)
	}()
	return p
}

// StartError says that a child could not be started, and why. Nothing of it is left.
type StartError struct {
	Program string
	// Err matches exec.ErrNotFound or fs.ErrNotExist (no such program), fs.ErrPermission (not
	// executable), syscall.EISDIR (a directory), host.ErrUnsupported (not with these settings or
	// on this system).
	Err error
}

func (e *StartError) Error() string { return fmt.Sprintf("child: start %q: %v", e.Program, e.Err) }

// Unwrap returns what the system said.
func (e *StartError) Unwrap() error { return e.Err }

// startError strips what os/exec puts around the reason: operation and path are said already.
func startError(cmd *exec.Cmd, err error) *StartError {
	var path *os.PathError
	var lookup *exec.Error
	switch {
	case errors.As(err, &path) && path.Path == cmd.Path:
		err = path.Err
	case errors.As(err, &lookup):
		err = lookup.Err
	}
	program := cmd.Path
	if program == "" && len(cmd.Args) > 0 {
		program = cmd.Args[0]
	}
	return &StartError{Program: program, Err: err}
}

// plainTerminal adds, where env does not set them, the variables that keep colours and cursor
// movements out of a child's output (STOP-6).
func plainTerminal(env []string) []string {
	for _, plain := range []string{"NO_COLOR=1", "TERM=dumb"} {
		name := plain[:strings.IndexByte(plain, '=')+1]
		if !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, name) }) {
			env = append(env, plain)
		}
	}
	return env
}
