package child

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"sync"
	"sync/atomic"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// Peer is a session with a child and the child itself. When the session ends, for whatever reason,
// the child is ended too; when the child ends, so does the session, and the error of what was
// pending names program, exit status and the tail of stderr (STOP-4).
type Peer struct {
	*host.Peer
	Process *Process

	lifecycle bool                     // farewells apply: an LSP client
	farewell  atomic.Pointer[farewell] // nil: none is due
	closing   sync.Once
	closeErr  error
}

// farewell is what a language server expects to hear before its stdin is closed (STOP-10).
type farewell struct{ shutdown, exit string }

// farewells are keyed by the handshake after which they are due: LSP's, and BSP's.
var farewells = map[string]*farewell{
	"initialize":       {"shutdown", "exit"},
	"build/initialize": {"build/shutdown", "build/exit"},
}

// Start starts cmd and a session over its stdio. ctx bounds the start alone. It fails with a
// *StartError where the child, and with host.New's error where the session is refused; either way
// nothing is left running. For cmd see StartProcess. Options.Explain, if nil, is the child's end.
func Start(ctx context.Context, cmd *exec.Cmd, opts host.Options, more ...Option) (*Peer, error) {
	if ctx.Err() != nil {
		return nil, startError(cmd, context.Cause(ctx))
	}
	process, err := StartProcess(cmd, more...)
	if err != nil {
		return nil, err
	}
	return open(process, opts)
}

// open makes the session of a child that has just been started, and ends the child where it is
// refused.
func open(process *Process, opts host.Options) (*Peer, error) {
	if opts.Explain == nil {
		opts.Explain = process.obituary
	}
	var stdin io.WriteCloser
	if process.Stdin != nil {
		stdin = process.Stdin.writer()
	}
	session, err := host.New(host.Pipes(process.Stdout, stdin), opts)
	if err != nil {
		// Close of an Output has no error.
		_ = process.Stdout.Close()
		return nil, errors.Join(err, process.Stop())
	}
	process.Stdin, process.Stdout = nil, nil // the session's alone from here on (API-1)
	p := &Peer{
		Peer: session, Process: process,
		lifecycle: opts.Config.Profile == core.ProfileLSP && opts.Config.Role == core.RoleClient,
	}
	go func() {
		<-session.Done()
		process.askToStop()
	}()
	return p, nil
}

// CallRaw is host.Peer.CallRaw. It notes the handshake of a language server, for Close.
func (p *Peer) CallRaw(ctx context.Context, method string, params json.RawMessage, opts ...host.CallOption) (json.RawMessage, error) {
	result, err := p.Peer.CallRaw(ctx, method, params, opts...)
	if err != nil || !p.lifecycle {
		return result, err
	}
	if due := farewells[method]; due != nil {
		p.farewell.Store(due)
	} else if due := p.farewell.Load(); due != nil && method == due.shutdown {
		p.farewell.Store(&farewell{exit: due.exit})
	}
	return result, nil
}

// Close ends session and child. Where a language server has answered its handshake it is told
// shutdown, and exit once it has answered that within Bounds.Grace (STOP-10). Then open calls fail
// with host.ErrClosed, what is queued is written, stdin closed, and the child's group ended as by
// Process.Stop (STOP-6). Close is repeatable and may be called from any goroutine; all calls
// return what the first does: ErrSurvived, or why the farewell failed. Why the session ended is Err.
func (p *Peer) Close() error {
	p.closing.Do(func() { p.closeErr = p.end() })
	return p.closeErr
}

func (p *Peer) end() error {
	farewellErr := p.sayFarewell()
	// From here on the ladder's times count: its rungs end a session that cannot end by itself.
	p.Process.askToStop()
	// It returns Err, which stays readable.
	_ = p.Peer.Close()
	return errors.Join(farewellErr, p.Process.Stop())
}

// sayFarewell gives the server Bounds.Grace to answer. A session that is over needs none.
func (p *Peer) sayFarewell() error {
	due := p.farewell.Load()
	if due == nil || isClosed(p.Done()) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), p.Process.bounds.Grace)
	defer cancel()
	if due.shutdown != "" {
		if _, err := p.Peer.CallRaw(ctx, due.shutdown, nil); err != nil {
			return err
		}
	}
	return p.NotifyRaw(ctx, due.exit, nil)
}
