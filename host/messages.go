package host

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/parley-rpc/parley/core"
)

// Message is a request or notification of the peer's. It owns its memory.
type Message struct {
	Method string
	Params json.RawMessage // nil where the peer sent none
	peer   *Peer
	req    core.ReqID
}

// Messages yields what the peer asks and tells, in arrival order, never answers (API-4). It is for
// sessions without a Mux, and for one consumer: otherwise its only item is ErrUnsupported. It
// ends when the session ends cleanly, else its last item is the terminal *SessionError; when ctx
// ends, its last item is ErrCanceled or ErrTimeout, and nothing is lost for a later consumer.
func (p *Peer) Messages(ctx context.Context) iter.Seq2[*Message, error] {
	return func(yield func(*Message, error) bool) { yield(nil, ErrUnsupported) }
}

// IsRequest reports whether the peer waits for an answer: Reply, ReplyRaw or Fail, once.
func (m *Message) IsRequest() bool { return m.req != 0 }

// Reply answers a request with v, encoded by the session's codec. A second answer, or one to a
// notification, is ErrUnsupported (REQ-2). It returns when the answer is in the queue (API-8).
func (m *Message) Reply(ctx context.Context, v any) error { return ErrUnsupported }

// ReplyRaw is Reply with JSON text; nil is null.
func (m *Message) ReplyRaw(ctx context.Context, result json.RawMessage) error { return ErrUnsupported }

// Fail answers a request with an error. An empty text becomes the code's usual one. data is at
// most one value, encoded by the session's codec.
func (m *Message) Fail(ctx context.Context, code core.Code, text string, data ...any) error {
	return ErrUnsupported
}
