package host

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/parley-rpc/parley/core"
)

// progressMax is how many progress notifications wait for one call; then the oldest is dropped.
const progressMax = 64

// WithProgress hands fn the params of every progress notification that carries the call's token, a
// JSON string or integer that the call's own params name as the protocol says (CALL-10). fn runs in
// the caller's goroutine before the call returns. When it falls 64 behind, the oldest is dropped.
// A profile without progress refuses the call: ErrUnsupported.
func WithProgress(token json.RawMessage, fn func(params json.RawMessage)) CallOption {
	return func(o callOptions) callOptions {
		o.token, o.onProgress = token, fn
		return o
	}
}

// WithExtension lets progress restart the budget of the call: it then lasts extend from each
// notification on, but never longer than budgetMax from the start, nor than the context allows
// (CALL-4). It needs WithProgress.
func WithExtension(extend, budgetMax time.Duration) CallOption {
	return func(o callOptions) callOptions {
		o.extend, o.budgetMax = extend, budgetMax
		return o
	}
}

// progress is what has been reported of a call and not yet handed to its caller. Guarded by
// Peer.mu.
type progress struct {
	waiting []json.RawMessage
	arrived chan struct{} // capacity 1; nil: nobody asked
}

// noteProgress keeps one notification for its call's caller. Peer.mu is held.
func (p *Peer) noteProgress(ev *core.Event) {
	c, open := p.calls[ev.Call]
	if !open || c.progress.arrived == nil {
		return
	}
	if len(c.progress.waiting) == progressMax {
		c.progress.waiting = c.progress.waiting[1:]
	}
	c.progress.waiting = append(c.progress.waiting, bytes.Clone(ev.Body))
	select {
	case c.progress.arrived <- struct{}{}:
	default: // the caller has not looked since the last one
	}
}

// reportProgress hands out what waits, in order and without the lock.
func (p *Peer) reportProgress(c *pendingCall, fn func(params json.RawMessage)) {
	p.mu.Lock()
	waiting := c.progress.waiting
	c.progress.waiting = nil
	p.mu.Unlock()
	for _, params := range waiting {
		fn(params)
	}
}
