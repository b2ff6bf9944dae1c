package host

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"

	"github.com/parley-rpc/parley/core"
)

// Message is a request or notification of the peer's. It owns its memory.
type Message struct {
	Method string
	Params json.RawMessage // nil where the peer sent none

	peer *Peer
	req  core.ReqID // 0: a notification
	ctx  context.Context
}

// Context ends when the peer cancels the request, once it is answered, and with the session; that
// of a notification with the session alone.
func (m *Message) Context() context.Context { return m.ctx }

// IsRequest reports whether the peer waits for an answer: Reply, ReplyRaw or Fail, once.
func (m *Message) IsRequest() bool { return m.req != 0 }

// Reply answers a request with v, encoded by the session's codec. It returns when the answer is in
// the queue (API-8). A second answer, and one to a notification, is ErrUnsupported; an attempt that
// failed may be retried; an answer to a request that the peer cancelled, under a profile that then
// expects none, is ErrCanceled (REQ-2).
func (m *Message) Reply(ctx context.Context, v any) error {
	result, err := m.peer.codec.Marshal(v)
	if err != nil {
		return &CallError{Op: "reply", Method: m.Method, Err: core.ErrBadJSON, Cause: err}
	}
	return m.ReplyRaw(ctx, result)
}

// ReplyRaw is Reply with JSON text; nil is null.
func (m *Message) ReplyRaw(ctx context.Context, result json.RawMessage) error {
	before := m.peer.handshake.Load()
	if m.Method == "initialize" {
		m.peer.noteOffer(m.Params) // it holds from when the peer can know
	}
	err := m.answer(ctx, "reply", func(machine Machine) error { return machine.Reply(m.req, orNull(result)) })
	if err != nil && m.Method == "initialize" {
		m.peer.handshake.Store(before)
	}
	return err
}

// Fail answers a request with an error. An empty text becomes the code's usual one. data is at
// most one value, encoded by the session's codec.
func (m *Message) Fail(ctx context.Context, code core.Code, text string, data ...any) error {
	var raw json.RawMessage
	if len(data) > 0 {
		encoded, err := m.peer.codec.Marshal(data[0])
		if err != nil {
			return &CallError{Op: "fail", Method: m.Method, Err: core.ErrBadJSON, Cause: err}
		}
		raw = encoded
	}
	if text == "" {
		text = usualText(code)
	}
	return m.answer(ctx, "fail", func(machine Machine) error { return machine.Fail(m.req, code, text, raw) })
}

func (m *Message) answer(ctx context.Context, op string, command func(Machine) error) error {
	p := m.peer
	err := error(core.ErrNotRequest)
	if m.req != 0 {
		if err = ctxError(ctx); err == nil {
			err = p.send(ctx, core.Never, func(machine Machine) error {
				err := command(machine)
				if err != core.ErrOutputFull && err != core.ErrBadJSON {
					p.retire(m.req) // it cannot be answered again
					p.lone.isAwaited = true
				}
				return err
			})
		}
	}
	if err != nil {
		return p.failed(ctx, op, m.Method, "", err)
	}
	return nil
}

func orNull(result json.RawMessage) []byte {
	if result == nil {
		return []byte("null")
	}
	return result
}

var usualTexts = map[core.Code]string{
	ParseFailed:             "parse error",
	InvalidRequest:          "invalid request",
	MethodNotFound:          "method not found",
	InvalidParams:           "invalid params",
	InternalError:           "internal error",
	core.CodeNotInitialized: "not initialized",
	core.CodeCanceled:       "request cancelled",
	core.CodeServerCanceled: "request cancelled by the server",
	core.CodeSuperseded:     "content modified",
}

func usualText(code core.Code) string {
	if text, ok := usualTexts[code]; ok {
		return text
	}
	return "error"
}

// inbox is between the machine, which delivers a message against one grant of credit, and the one
// consumer of Messages, who grants it. Guarded by Peer.mu.
type inbox struct {
	waiting   []*Message
	arrived   chan struct{} // capacity 1: something may have changed
	claimed   bool          // Messages has its one consumer, for ever
	consumed  bool          // and the consumer is still there
	discarded bool          // nobody fetches messages any more: they are dropped
}

func (in *inbox) wake() {
	select {
	case in.arrived <- struct{}{}:
	default: // the consumer has not looked since the last time
	}
}

// deliver keeps a message for the consumer of Messages. Peer.mu is held.
func (p *Peer) deliver(ev *core.Event) {
	if p.inbox.discarded {
		if ev.Kind == core.EventRequest {
			p.refuseUnread(p.machine, ev.Req)
		}
		return
	}
	m := &Message{Method: string(ev.Method), Params: bytes.Clone(ev.Body), peer: p, ctx: p.handlers}
	if ev.Kind == core.EventRequest {
		r := &request{id: ev.Req, ordinal: ev.Ordinal}
		r.ctx, r.cancel = context.WithCancelCause(p.handlers)
		p.requests[r.id] = r
		m.req, m.ctx = r.id, r.ctx
	}
	p.inbox.waiting = append(p.inbox.waiting, m)
	p.inbox.wake()
}

// Messages yields what the peer asks and tells, in arrival order, never answers (API-4). It is for
// sessions without a Mux, and for one consumer, once: otherwise its only item is ErrUnsupported.
// It ends when the session ends cleanly, else its last item is the *SessionError, after what was
// retained; where ctx ends it, its last item is ErrCanceled or ErrTimeout.
func (p *Peer) Messages(ctx context.Context) iter.Seq2[*Message, error] {
	return func(yield func(*Message, error) bool) {
		if !p.claimMessages() {
			yield(nil, p.failed(ctx, "messages", "", "", ErrUnsupported))
			return
		}
		defer p.leaveMessages()
		for {
			m, err := p.nextMessage(ctx)
			if m == nil && err == nil || !yield(m, err) || err != nil {
				return
			}
		}
	}
}

func (p *Peer) claimMessages() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mux != nil || p.inbox.claimed {
		return false
	}
	p.inbox.claimed, p.inbox.consumed = true, true
	return true
}

// leaveMessages: a session that is shutting down does not wait for messages nobody will fetch.
func (p *Peer) leaveMessages() {
	_ = p.update(func(m Machine) error {
		p.inbox.consumed = false
		if p.end.closing {
			p.discardMessages(m)
		}
		return nil
	})
}

// discardMessages refuses what the application took from Messages and did not answer, and drops
// what waits. Peer.mu is held.
func (p *Peer) discardMessages(m Machine) {
	if p.mux != nil || p.inbox.discarded {
		return
	}
	p.inbox.discarded = true
	p.inbox.waiting = nil
	p.inbox.wake()
	for _, id := range sortedKeys(p.requests) {
		p.retire(id)
		p.refuseUnread(m, id)
	}
	m.Want(creditMax)
}

// refuseUnread answers a request that nobody will answer. Where that fails there is no room or
// nobody to tell: the bounds of the shutdown see to the rest.
func (p *Peer) refuseUnread(m Machine, id core.ReqID) {
	_ = m.Fail(id, p.shutdownCode, "the session is shutting down", nil)
}

// nextMessage waits for one message; without message and error the session has ended cleanly.
func (p *Peer) nextMessage(ctx context.Context) (*Message, error) {
	_ = p.update(func(m Machine) error { // after the end there may still be a message
		if len(p.inbox.waiting) == 0 {
			m.Want(1)
		}
		return nil
	})
	for {
		m, over := p.fetch()
		switch {
		case m != nil:
			return m, nil
		case over:
			<-p.end.described
			return nil, p.Err()
		}
		select {
		case <-p.inbox.arrived:
		case <-ctx.Done():
			return nil, p.failed(ctx, "messages", "", "", endOf(ctx))
		}
	}
}

// fetch takes the first message; over says that none will follow.
func (p *Peer) fetch() (m *Message, over bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.inbox.waiting) > 0 {
		m = p.inbox.waiting[0]
		p.inbox.waiting = p.inbox.waiting[1:]
		return m, false
	}
	return nil, p.end.over || p.inbox.discarded || p.end.inputOver && p.machine.State().Waiting == 0
}

// sortedKeys walks a table in the order of its handles, so that equal sessions write equal bytes.
func sortedKeys[K cmp.Ordered, V any](table map[K]V) []K { return slices.Sorted(maps.Keys(table)) }
