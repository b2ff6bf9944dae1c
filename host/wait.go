package host

import (
	"context"
	"slices"

	"github.com/parley-rpc/parley/core"
)

// room is the line of commands that found the output queue full: first come, first served, and a
// newcomer joins at the end even when it would fit (SEND-2). Guarded by Peer.mu.
type room struct{ line []*waiter }

// waiter is one place in the line. wake holds a token when it is worth another try.
type waiter struct{ wake chan struct{} }

func (r *room) join() *waiter {
	w := &waiter{wake: make(chan struct{}, 1)}
	r.line = append(r.line, w)
	return w
}

// leave gives up a place. Whoever is first now tries: there may be room for it, or an end to learn.
func (r *room) leave(w *waiter) {
	i := slices.Index(r.line, w)
	r.line = slices.Delete(r.line, i, i+1)
	if i == 0 {
		r.wakeFirst()
	}
}

func (r *room) wakeFirst() {
	if len(r.line) == 0 {
		return
	}
	select {
	case r.line[0].wake <- struct{}{}:
	default: // it has its token already
	}
}

// send is whenRoom for what needs a transport that can send (API-3).
func (p *Peer) send(ctx context.Context, due core.Time, command func(m Machine) error) error {
	if p.transport.writer == nil {
		return ErrUnsupported
	}
	return p.whenRoom(ctx, due, command)
}

// whenRoom gives the machine a command that may need room in the output queue, and waits for room
// as long as ctx and due allow. Nothing of a command that gave up has been copied.
func (p *Peer) whenRoom(ctx context.Context, due core.Time, command func(m Machine) error) error {
	var w *waiter
	err := p.update(func(m Machine) error {
		if len(p.room.line) == 0 {
			if err := command(m); err != core.ErrOutputFull {
				return err
			}
		}
		w = p.room.join()
		return nil
	})
	if w == nil {
		return err
	}
	return p.waitForRoom(ctx, due, w, command)
}

func (p *Peer) waitForRoom(ctx context.Context, due core.Time, w *waiter, command func(m Machine) error) error {
	expired := make(chan struct{})
	if due != core.Never {
		timer := p.clock.AfterFunc(untilDue(p.clock.Now(), due), func() { close(expired) })
		defer timer.Stop()
	}
	defer p.leaveRoom(w)
	for {
		select {
		case <-w.wake:
		case <-expired:
			return ErrTimeout
		case <-ctx.Done():
			return endOf(ctx)
		}
		if err := p.update(command); err != core.ErrOutputFull {
			return err
		}
	}
}

// leaveRoom is a door of its own: whoever waits behind must learn of the session's end, too.
func (p *Peer) leaveRoom(w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.room.leave(w)
}

// ctxError is nil while a context goes on, else its sentinel.
func ctxError(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return endOf(ctx)
}

// endOf is the sentinel for a context that has ended.
func endOf(ctx context.Context) error {
	if ctx.Err() == context.DeadlineExceeded {
		return ErrTimeout
	}
	return ErrCanceled
}
