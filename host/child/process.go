package child

import (
	"context"
	"os"
	"sync"
	"time"
)

// Process is a running program with pipes as its stdio, leader of a process group of its own.
// Every method may be called from any goroutine.
type Process struct {
	Stdin  *Input  // nil under NoStdin, and once a session has claimed it (API-1)
	Stdout *Output // read it to its end, or Close it; nil once a session has claimed it (API-1)
	Stderr *Tail

	stdin *Input // what Stop closes, whoever writes to it

	program string
	bounds  Bounds
	ladder  *ladder
	stop    chan struct{}
	request sync.Once
	ended   chan struct{}
}

// Wait returns how the process ended, once it has. The state is nil where the system lost it. When
// ctx ends first, Wait returns its cause.
func (p *Process) Wait(ctx context.Context) (*os.ProcessState, error) {
	select {
	case <-p.ladder.reaped:
		return p.ladder.state, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Stop closes stdin, waits Bounds.Grace for the process to leave, then ends its group, and returns
// once nothing of it is left and stderr is read. It is repeatable. It does not read Stdout: go on
// reading, or Close it, lest a child that is busy writing has to be killed. ErrSurvived is its
// only error.
func (p *Process) Stop() error {
	if p.stdin != nil {
		// Even where it fails, a pipe is closed.
		_ = p.stdin.Close()
	}
	p.askToStop()
	<-p.ended
	return p.ladder.err
}

// askToStop starts the ladder and leaves stdin to whoever is still writing to it.
func (p *Process) askToStop() { p.request.Do(func() { close(p.stop) }) }

// obituaryWait is less than the 500 ms that STOP-4 lets an error wait, so that what is known by
// then is in time.
const obituaryWait = 450 * time.Millisecond

// Obituary says what became of a process (STOP-4).
type Obituary struct {
	Program string
	Exited  bool
	Status  string // as os.ProcessState has it, or "still running"
	Stderr  string // the end of it, quoted into one printable line; "" where there is none
}

// String is the obituary in one line.
func (o Obituary) String() string {
	text := o.Program + ": " + o.Status
	if o.Stderr != "" {
		text += "; stderr: " + o.Stderr
	}
	return text
}

// Obituary waits for the exit and for the end of stderr until ctx ends, but no longer than 450 ms, and
// says what is known by then.
func (p *Process) Obituary(ctx context.Context) Obituary {
	ctx, cancel := context.WithTimeout(ctx, obituaryWait)
	defer cancel()
	o := Obituary{Program: p.program, Status: "still running"}
	select {
	case <-p.ladder.exited:
		o.Exited, o.Status = true, p.exitStatus(ctx)
		select {
		case <-p.Stderr.ended:
		case <-ctx.Done():
		}
	case <-ctx.Done():
	}
	o.Stderr = p.Stderr.lastLine()
	return o
}

// obituary is Obituary as host.Options.Explain wants it.
func (p *Process) obituary(ctx context.Context) string { return p.Obituary(ctx).String() }

// exitStatus is how a process that has exited ended. It need not be reaped for that, which takes as
// long as a descendant holds its output.
func (p *Process) exitStatus(ctx context.Context) string {
	if p.ladder.status != "" {
		return p.ladder.status
	}
	if state, err := p.Wait(ctx); err == nil && state != nil {
		return state.String()
	}
	return "ended with unknown status"
}
