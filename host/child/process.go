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

// obituary says what became of the process in one line: program, status, tail of stderr (STOP-4).
// It waits for these until ctx ends, but no longer than obituaryWait.
func (p *Process) obituary(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, obituaryWait)
	defer cancel()
	status := "still running"
	select {
	case <-p.ladder.exited:
		status = p.exitStatus(ctx)
		select {
		case <-p.Stderr.ended:
		case <-ctx.Done():
		}
	case <-ctx.Done():
	}
	text := p.program + ": " + status
	if said := p.Stderr.lastLine(); said != "" {
		text += "; stderr: " + said
	}
	return text
}

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
