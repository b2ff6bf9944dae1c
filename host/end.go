package host

import (
	"context"
	"errors"
	"time"

	"github.com/parley-rpc/parley/core"
)

// explainMax is how long an error waits for Options.Explain (STOP-4).
const explainMax = 500 * time.Millisecond

// end is how far the session's end has come. Guarded by Peer.mu, but err, which is written before
// described is closed and read after.
type end struct {
	begun     bool // the reason is known, its description under way
	inputOver bool // no further message will arrive
	closing   bool // Shutdown or Close was called
	over      bool // nothing reaches the machine any more

	described chan struct{}
	err       *SessionError

	state core.State // at the end; the machine may be gone
	stats core.Stats
}

// beginEnd starts to find out why the session ended; the first reason stays. Peer.mu is held.
func (p *Peer) beginEnd(reason core.Reason) {
	if p.end.begun {
		return
	}
	p.end.begun = true
	state := p.machine.State()
	err := &SessionError{Reason: reason}
	switch trap := p.machine.Err(); {
	case trap != nil:
		err.Trapped, err.Err = true, trap
	case state.Err != nil:
		err.Err = state.Err
	case reason == core.ReasonWriteFailed:
		err.Err = p.writeErr
	case reason == core.ReasonReadFailed:
		err.Err = p.readErr
	}
	go p.describe(err)
}

// describe asks Explain, where the end was not our own doing, and publishes the session's error.
func (p *Peer) describe(err *SessionError) {
	if p.explain != nil && err.Reason != core.ReasonShutdown && err.Reason != core.ReasonAborted {
		ctx, cancel := context.WithTimeout(context.Background(), explainMax)
		defer cancel()
		explained := make(chan string, 1)
		go func() { explained <- p.explain(ctx) }()
		select {
		case err.Detail = <-explained:
		case <-ctx.Done():
		}
	}
	p.end.err = err
	close(p.end.described)
}

// inputOver: the reader stops, and Messages ends after what is retained. Peer.mu is held.
func (p *Peer) inputOver() {
	p.end.inputOver = true
	p.mayRead.Broadcast()
	p.inbox.wake()
	p.room.wakeFirst()
}

// abort ends everything now. A handler that ignores its context does not hold the session.
func (p *Peer) abort() {
	_ = p.update(func(m Machine) error {
		m.Abort()
		return nil
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.end.over {
		p.beginEnd(core.ReasonAborted)
		p.finish()
	}
}

// finish is the last thing under the lock: whatever is still open is lost, everybody is woken, and
// the transport is closed behind. Peer.mu is held.
func (p *Peer) finish() {
	if p.end.over {
		return
	}
	p.end.over = true
	p.end.state, p.end.stats = p.machine.State(), p.machine.Stats()
	for id := range p.calls { // none is left after EventClosed
		p.settle(&core.Event{Kind: core.EventLost, Call: id, Reason: p.end.state.Reason})
	}
	p.settleFlushes()
	p.inputOver()
	p.mayWrite.Broadcast()
	p.mayServe.Broadcast()
	p.timer.Stop()
	go p.release()
}

// release closes what the session holds. The reader ends with its transport.
func (p *Peer) release() {
	p.cancelHandlers(ErrClosed)
	err := p.transport.Close()
	p.mu.Lock()
	err = errors.Join(err, p.machine.Close())
	p.mu.Unlock()
	if err != nil {
		p.log.Debug("closing the session failed", "error", oneLine(err.Error()))
	}
	<-p.end.described
	p.stopObserving()
	close(p.done)
}

// Done is closed once the session has ended, its transport is closed and every call has its
// outcome. Messages that are retained for Messages hold it open until they are fetched, or until
// Shutdown or Close lets go of them. A handler that ignores its context may still run.
func (p *Peer) Done() <-chan struct{} { return p.done }

// Err is nil while nothing has gone wrong and after a clean end: the peer's end of output, Shutdown,
// exit. Otherwise it is a *SessionError, also while the peer may still speak (SEND-5).
func (p *Peer) Err() error {
	select {
	case <-p.end.described:
	default:
		return nil
	}
	if p.end.err.clean() {
		return nil
	}
	return p.end.err
}

// endError is the end as a lost call tells it: with its explanation, for which it waits.
func (p *Peer) endError() error {
	<-p.end.described
	return p.end.err
}

// closedBy is what stands for ErrClosed: the end, or that only our direction has been closed.
func (p *Peer) closedBy() error {
	p.mu.Lock()
	begun, reason := p.end.begun, p.state().Reason
	if p.end.closing && reason == core.ReasonNone {
		reason = core.ReasonShutdown
	}
	p.mu.Unlock()
	if begun {
		return p.endError()
	}
	return &SessionError{Reason: reason}
}

// errCut is a shutdown that ran into its bounds.
var errCut = errors.New("what was owed to the peer is not all written")

// Shutdown ends the session in order: nothing new is accepted, our open calls and the handlers that
// run may finish within Config.GraceNs, what is owed is written within ShutdownNs (STOP-2). When
// ctx ends first, the session is aborted. Messages that nobody is fetching are dropped. It returns
// Err, or a *SessionError where a bound cut off what was owed.
func (p *Peer) Shutdown(ctx context.Context) error {
	p.stop(func(m Machine) {
		if !p.inbox.consumed {
			p.discardMessages(m)
		}
	})
	select {
	case <-p.done:
	case <-ctx.Done():
		p.abort()
		<-p.done
	}
	return p.stopped()
}

// Close is Shutdown by an owner who wants no more of the session: our open calls fail with
// ErrClosed, the peer is told of their cancelling, and Messages ends. It is repeatable, and bounded
// by Config.GraceNs and ShutdownNs together.
func (p *Peer) Close() error {
	p.stop(func(m Machine) {
		for _, id := range sortedKeys(p.calls) {
			p.calls[id].closing = true
			_ = m.Cancel(id) // its outcome comes either way
		}
		p.discardMessages(m)
	})
	<-p.done
	return p.stopped()
}

// stop shuts the machine down, and lets go of what f says in the same turn.
func (p *Peer) stop(letGo func(m Machine)) {
	_ = p.update(func(m Machine) error { // a session that has ended is stopped
		p.end.closing = true
		m.Shutdown()
		letGo(m)
		return nil
	})
}

func (p *Peer) stopped() error {
	err := p.Err()
	if state := p.State(); err == nil && state.Output == core.OutputFailed {
		return &SessionError{Reason: state.Reason, Err: errCut}
	}
	return err
}

// FinishInput closes the peer's input behind everything queued and returns when that is done. It
// is repeatable; once begun, ctx ends the waiting and not the closing. Where the transport has no
// half-close it is ErrUnsupported (STOP-5).
func (p *Peer) FinishInput(ctx context.Context) error {
	err := error(ErrUnsupported)
	if p.transport.closeWrite != nil {
		err = p.finishInput(ctx)
	}
	if err != nil {
		return p.failed(ctx, "finish input", "", "", err)
	}
	return nil
}

func (p *Peer) finishInput(ctx context.Context) error {
	if ctx.Err() != nil {
		return endOf(ctx)
	}
	if err := p.update(func(m Machine) error { return m.FinishInput() }); err != nil {
		return err
	}
	select {
	case <-p.outputClosed:
	case <-ctx.Done():
		return endOf(ctx)
	}
	if p.State().Output != core.OutputDone {
		return ErrClosed
	}
	return nil
}
