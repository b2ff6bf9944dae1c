package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/parley-rpc/parley/core"
)

// Serve runs a session until it ends: what a server's main does. options.Mux is set to mux. It
// returns nil after a clean end; when ctx ends, the session is closed first, bounded by
// Config.GraceNs and ShutdownNs.
func Serve(ctx context.Context, transport *Transport, mux *Mux, options Options) error {
	options.Mux = mux
	p, err := New(transport, options)
	if err != nil {
		return err
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
	}
	return p.Close()
}

// request is one item of the peer's that is not ended.
type request struct {
	id     core.ReqID
	params json.RawMessage
	route  *route
	ctx    context.Context
	cancel context.CancelCauseFunc

	next    *request // of the crew's
	ordinal uint64
	retired chan struct{} // closed with the item's end; nil: nobody waits for it
}

var errCanceledByPeer = fmt.Errorf("the peer cancelled the request: %w", context.Canceled)

// startHandler has the crew run one item; the machine is the semaphore (REQ-1). Peer.mu is held.
func (p *Peer) startHandler(ev *core.Event) {
	r := &request{id: ev.Req, ordinal: ev.Ordinal, params: bytes.Clone(ev.Body)}
	r.route = p.mux.routes[string(ev.Method)]
	if r.route == nil {
		r.route = unknownRoute(string(ev.Method), ev.Kind)
	}
	r.ctx, r.cancel = context.WithCancelCause(p.handlers)
	p.requests[r.id] = r
	p.enlist(r)
}

// unknownRoute serves what no method matches: core delivers that only to a table without methods
// (REQ-5).
func unknownRoute(method string, kind core.EventKind) *route {
	return &route{
		method:       method,
		notification: kind == core.EventNotification,
		serve: func(context.Context, json.RawMessage) (json.RawMessage, error) {
			if kind == core.EventNotification {
				return nil, nil
			}
			return nil, &RPCError{Code: MethodNotFound, Message: usualText(MethodNotFound)}
		},
	}
}

// handle runs a handler and ends its item, also when the handler ends its goroutine.
func (p *Peer) handle(r *request) {
	var result json.RawMessage
	err := errExited
	handshake := r.route.method == "initialize"
	defer func() {
		if handshake && err != nil {
			p.handshake.Store(nil)
		}
		p.answer(r, result, err)
	}()
	if handshake {
		p.noteOffer(r.params) // nothing else runs meanwhile (SCHED-6)
	}
	result, err = p.serve(r)
}

// errExited is a handler that ended its goroutine (runtime.Goexit) instead of returning.
var errExited = errors.New("the handler ended its goroutine")

// answer sends what a handler returned and ends its item, in one turn. Of a failure that is no
// *RPCError the details stay here: core answers what is left unanswered, -32603, or for a request
// that the peer cancelled as its profile says (REQ-5).
func (p *Peer) answer(r *request, result json.RawMessage, err error) {
	var rpcErr *RPCError
	cancelled := r.ctx.Err() != nil && errors.Is(err, context.Canceled)
	if !cancelled {
		rpcErr, _ = errors.AsType[*RPCError](err)
	}
	if err != nil && !cancelled && (r.route.notification || rpcErr == nil) {
		p.log.Error("handler failed", "method", oneLine(r.route.method), "error", oneLine(err.Error()))
	}
	err = p.whenRoom(context.Background(), core.Never, func(m Machine) error {
		var refused error
		switch {
		case r.route.notification:
		case rpcErr != nil:
			refused = m.Fail(r.id, rpcErr.Code, rpcErr.Message, rpcErr.Data)
		case err == nil:
			refused = m.Reply(r.id, orNull(result))
		}
		if refused == core.ErrOutputFull {
			return refused
		}
		p.retire(r.id)
		p.lone.isAwaited = true
		return errors.Join(refused, m.Done(r.id))
	})
	if err != nil && !errors.Is(err, ErrClosed) && !errors.Is(err, ErrCanceled) {
		p.log.Error("answer refused", "method", oneLine(r.route.method), "error", oneLine(err.Error()))
	}
}

// retire forgets an item that has ended, and tells who waits for that. Peer.mu is held.
func (p *Peer) retire(id core.ReqID) {
	r := p.requests[id]
	if r == nil {
		return
	}
	delete(p.requests, id)
	r.cancel(nil)
	if r.retired != nil {
		close(r.retired)
	}
}

// serve calls the handler, once its method has a turn for it, and contains its panic.
func (p *Peer) serve(r *request) (result json.RawMessage, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	if turns := p.turns[r.route]; turns != nil {
		select {
		case turns <- struct{}{}:
			defer func() { <-turns }()
		case <-r.ctx.Done():
			return nil, r.ctx.Err()
		}
	}
	return r.route.serve(r.ctx, r.params)
}
