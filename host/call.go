package host

import (
	"context"
	"encoding/json"
	"time"
)

// Caller is what Call needs: a *Peer, or something that embeds one.
type Caller interface {
	CallRaw(ctx context.Context, method string, params json.RawMessage, opts ...CallOption) (json.RawMessage, error)
	Codec() Codec
}

// CallOption is one optional part of a call.
type CallOption func(*callOptions)

type callOptions struct {
	timeout    time.Duration
	hasTimeout bool
	id         json.RawMessage
	quiet      bool
}

// WithTimeout bounds the whole call: waiting for room, writing, waiting for the answer. The
// earlier of it and the context's deadline counts. 0 fails at once with ErrTimeout, nothing
// written; a negative budget is refused (CALL-4).
func WithTimeout(d time.Duration) CallOption {
	return func(o *callOptions) { o.timeout, o.hasTimeout = d, true }
}

// WithID chooses the wire id, a JSON string or integer (CALL-1).
func WithID(id json.RawMessage) CallOption { return func(o *callOptions) { o.id = id } }

// Quiet sends the peer no cancel notice when the call times out or is cancelled (CALL-6).
func Quiet() CallOption { return func(o *callOptions) { o.quiet = true } }

// Call sends a request and returns its result as an R. params nil sends none. It fails with
// *RPCError when the peer answers with an error, *ParseError when the result does not fit R, a
// null for an R that cannot hold it included (API-6), else *CallError: ErrTimeout, ErrCanceled,
// ErrClosed, ErrTooLarge, ErrUnsupported.
func Call[R any](ctx context.Context, c Caller, method string, params any, opts ...CallOption) (R, error) {
	var result R
	return result, ErrUnsupported
}

// CallRaw is Call with JSON text in both directions. params nil sends none; a null result is the
// text null (API-5). The result is the caller's own.
func (p *Peer) CallRaw(ctx context.Context, method string, params json.RawMessage, opts ...CallOption) (json.RawMessage, error) {
	return nil, ErrUnsupported
}

// Notify sends a notification. It returns when the frame is accepted into the queue (API-8) and
// waits, as long as ctx allows, for room (SEND-2).
func (p *Peer) Notify(ctx context.Context, method string, params any) error { return ErrUnsupported }

// NotifyRaw is Notify with JSON text; nil sends no params.
func (p *Peer) NotifyRaw(ctx context.Context, method string, params json.RawMessage) error {
	return ErrUnsupported
}
