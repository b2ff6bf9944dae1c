package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/parley-rpc/parley/core"
)

// Caller is what Call needs: a *Peer, or something that embeds one.
type Caller interface {
	CallRaw(ctx context.Context, method string, params json.RawMessage, opts ...CallOption) (json.RawMessage, error)
	Codec() Codec
}

// CallOption is one optional part of a call.
type CallOption func(callOptions) callOptions

type callOptions struct {
	timeout    time.Duration
	hasTimeout bool
	id         json.RawMessage
	quiet      bool
	token      json.RawMessage
	onProgress func(params json.RawMessage)
	extend     time.Duration
	budgetMax  time.Duration
}

// WithTimeout bounds the whole call: waiting for room, writing, waiting for the answer. The
// earlier of it and the context's deadline counts. 0 fails at once with ErrTimeout, nothing
// written; a negative budget is refused (CALL-4).
func WithTimeout(budget time.Duration) CallOption {
	return func(o callOptions) callOptions {
		o.timeout, o.hasTimeout = budget, true
		return o
	}
}

// WithID chooses the wire id, a JSON string or integer (CALL-1).
func WithID(id json.RawMessage) CallOption {
	return func(o callOptions) callOptions {
		o.id = id
		return o
	}
}

// Quiet sends the peer no cancel notice when the call times out or is cancelled (CALL-6).
func Quiet() CallOption {
	return func(o callOptions) callOptions {
		o.quiet = true
		return o
	}
}

// Call sends a request and returns its result as an R. params nil sends none. It fails with
// *RPCError when the peer answers with an error, *ParseError when the result does not fit R, a
// null for an R that cannot hold it included (API-6), else *CallError: ErrTimeout, ErrCanceled,
// ErrClosed, ErrTooLarge, ErrUnsupported.
func Call[R any](ctx context.Context, c Caller, method string, params any, opts ...CallOption) (R, error) {
	var result R
	codec := c.Codec()
	raw, err := encodeParams(codec, "call", method, params)
	if err != nil {
		return result, err
	}
	answer, err := c.CallRaw(ctx, method, raw, opts...)
	if err != nil {
		return result, err
	}
	if err := decodeResult(codec, method, answer, &result); err != nil {
		var zero R
		return zero, err
	}
	return result, nil
}

// decodeResult stores an answer where into points (API-6).
func decodeResult(codec Codec, method string, answer json.RawMessage, into any) error {
	if t := reflect.TypeOf(into).Elem(); isNull(answer) && !holdsNull(t) {
		return &ParseError{Method: method, Raw: answer, Err: fmt.Errorf("null is no %v", t)}
	}
	if err := codec.Unmarshal(answer, into); err != nil {
		return &ParseError{Method: method, Raw: answer, Err: err}
	}
	return nil
}

// CallRaw is Call with JSON text in both directions. params nil sends none; a null result is the
// text null (API-5). The result is the caller's own.
func (p *Peer) CallRaw(ctx context.Context, method string, params json.RawMessage, opts ...CallOption) (json.RawMessage, error) {
	var options callOptions
	for _, opt := range opts {
		options = opt(options)
	}
	if err := p.refuseUnmet("call", method); err != nil {
		return nil, err
	}
	due, err := p.due(ctx, options)
	if err != nil {
		return nil, p.failed(ctx, "call", method, "", err)
	}
	spelled := p.coreOptions(ctx, due, options)
	var id core.CallID
	var c *pendingCall
	err = p.send(ctx, due, func(m Machine) error {
		accepted, err := m.Call(method, params, spelled)
		if err == nil {
			id, c = accepted, p.newCall(options)
			p.calls[id] = c
			p.lone.isAwaited = true
		}
		return err
	})
	if err != nil {
		return nil, p.failed(ctx, "call", method, "", err)
	}
	p.await(ctx, id, c, options)
	result, err := p.outcome(ctx, method, c)
	p.freeCall(c)
	if err == nil && method == "initialize" {
		p.noteHandshake(params, result)
	}
	return result, err
}

// await waits for a call's outcome, and reports its progress meanwhile.
func (p *Peer) await(ctx context.Context, id core.CallID, c *pendingCall, options callOptions) {
	for {
		select {
		case <-c.progress.arrived:
			p.reportProgress(c, options.onProgress)
			continue
		case <-c.settled:
		case <-ctx.Done():
			p.giveUp(ctx, id)
			<-c.settled
		}
		break
	}
	if options.onProgress != nil {
		p.reportProgress(c, options.onProgress) // what came before the outcome
	}
}

// Notify sends a notification. It returns when the frame is accepted into the queue (API-8) and
// waits, as long as ctx allows, for room (SEND-2).
func (p *Peer) Notify(ctx context.Context, method string, params any) error {
	raw, err := encodeParams(p.codec, "notify", method, params)
	if err != nil {
		return err
	}
	return p.NotifyRaw(ctx, method, raw)
}

// NotifyRaw is Notify with JSON text; nil sends no params.
func (p *Peer) NotifyRaw(ctx context.Context, method string, params json.RawMessage) error {
	if err := p.refuseUnmet("notify", method); err != nil {
		return err
	}
	due, err := p.due(ctx, callOptions{})
	if err == nil {
		err = p.send(ctx, due, func(m Machine) error { return m.Notify(method, params) })
	}
	if err != nil {
		return p.failed(ctx, "notify", method, "", err)
	}
	return nil
}

var errNegativeTimeout = errors.New("a negative timeout")

// due turns the caller's context and timeout into one deadline on the session's clock (CALL-4).
func (p *Peer) due(ctx context.Context, options callOptions) (core.Time, error) {
	switch {
	case ctx.Err() != nil:
		return 0, endOf(ctx)
	case options.hasTimeout && options.timeout < 0:
		return 0, errNegativeTimeout
	case options.hasTimeout && options.timeout == 0:
		return 0, ErrTimeout
	}
	deadline, bounded := ctx.Deadline()
	if !bounded && !options.hasTimeout {
		return core.Never, nil
	}
	budget := options.timeout
	if bounded {
		left := time.Until(deadline)
		if left <= 0 {
			return 0, ErrTimeout
		}
		if !options.hasTimeout || left < budget {
			budget = left
		}
	}
	due := p.clock.Now() + core.Time(budget)
	if due < 0 {
		return core.Never, nil // three hundred years from now
	}
	return due, nil
}

// coreOptions spells a call's options for the machine. The times in them count from here, so that
// waiting for room is part of the budget.
func (p *Peer) coreOptions(ctx context.Context, due core.Time, options callOptions) core.CallOptions {
	spelled := core.CallOptions{Deadline: due, ID: options.id, Quiet: options.quiet, ProgressToken: options.token}
	if options.extend == 0 {
		return spelled
	}
	spelled.Extend = core.Time(options.extend)
	budgetMax := options.budgetMax
	if deadline, bounded := ctx.Deadline(); bounded {
		budgetMax = min(budgetMax, time.Until(deadline))
	}
	spelled.DeadlineMax = p.clock.Now() + core.Time(budgetMax)
	return spelled
}

// giveUp withdraws a call whose context ended. A deadline of the context is the machine's too, and
// the machine lets an answer that lies in the transport win against it (CALL-3).
func (p *Peer) giveUp(ctx context.Context, id core.CallID) {
	if _, bounded := ctx.Deadline(); bounded && ctx.Err() == context.DeadlineExceeded {
		return
	}
	// A call that has its outcome by now keeps it: Cancel is then a no-op (CALL-5).
	_ = p.update(func(m Machine) error { return m.Cancel(id) })
}

// pendingCall is one open call of ours. Its fields are written under Peer.mu before settled gets
// its one token, and belong to the caller after that.
type pendingCall struct {
	settled  chan struct{} // capacity 1
	kind     core.EventKind
	code     core.Code
	text     string
	count    uint64
	id       string // the wire id's token; of calls that failed here
	body     json.RawMessage
	closing  bool // cancelled by Close, not by its caller
	progress progress
}

// newCall returns an empty call.
func (p *Peer) newCall(options callOptions) *pendingCall {
	c, kept := p.freeCalls.Get().(*pendingCall)
	if !kept {
		c = &pendingCall{settled: make(chan struct{}, 1)}
	}
	if options.onProgress != nil {
		c.progress.arrived = make(chan struct{}, 1)
	}
	return c
}

// freeCall keeps a settled call for the next one: a channel costs more than the call's result. It takes no lock,
// since all who were answered by one read come here at once, while the reader still holds it.
func (p *Peer) freeCall(c *pendingCall) {
	*c = pendingCall{settled: c.settled}
	p.freeCalls.Put(c)
}

// settle gives a call its one outcome (CALL-3). Peer.mu is held.
func (p *Peer) settle(ev *core.Event) {
	c, open := p.calls[ev.Call]
	if !open {
		return
	}
	delete(p.calls, ev.Call)
	c.kind, c.code, c.count = ev.Kind, ev.Code, ev.Count
	c.text, c.body, c.id = string(ev.Text), bytes.Clone(ev.Body), string(ev.ID)
	c.settled <- struct{}{}
}

// outcome is what a settled call returns to its caller.
func (p *Peer) outcome(ctx context.Context, method string, c *pendingCall) (json.RawMessage, error) {
	switch c.kind {
	case core.EventResult:
		return c.body, nil
	case core.EventError:
		return nil, &RPCError{Method: method, Code: c.code, Message: c.text, Data: c.body}
	case core.EventInvalidAnswer:
		return nil, &ParseError{Method: method, Raw: c.body, Err: errors.New("it is no JSON-RPC response")}
	case core.EventTimeout:
		err := p.failed(ctx, "call", method, c.id, ErrTimeout)
		err.UndecidedBytes, err.Undecided = c.count, c.text
		return nil, err
	case core.EventCanceled:
		if !c.closing {
			return nil, p.failed(ctx, "call", method, c.id, ErrCanceled)
		}
		return nil, p.failed(ctx, "call", method, c.id, &SessionError{Reason: core.ReasonShutdown})
	}
	return nil, p.failed(ctx, "call", method, c.id, p.endError())
}

// failed is a verb's *CallError. The session's end says why, instead of a bare ErrClosed.
func (p *Peer) failed(ctx context.Context, op, method, id string, err error) *CallError {
	e := &CallError{Op: op, Method: method, ID: id, Fault: faultOf(err), Err: err}
	switch err {
	case ErrClosed:
		e.Err = p.closedBy()
	case ErrTimeout:
		if id == "" {
			e.Fault = FaultCaller
		}
		if ctx.Err() == context.DeadlineExceeded {
			e.Cause = context.Cause(ctx)
		}
	case ErrCanceled:
		if ctx.Err() != nil {
			e.Cause = context.Cause(ctx)
		}
	}
	return e
}

func encodeParams(codec Codec, op, method string, params any) (json.RawMessage, error) {
	if params == nil {
		return nil, nil
	}
	raw, err := codec.Marshal(params)
	if err != nil {
		return nil, &CallError{Op: op, Method: method, Err: core.ErrBadParams, Cause: err}
	}
	return raw, nil
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// holdsNull reports whether null is a value of the type, rather than nothing the decoder noticed.
func holdsNull(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
		return true
	}
	return reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}
