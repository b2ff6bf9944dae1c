package core

import "github.com/parley-rpc/parley/core/internal/scan"

// fact is one entry on its way to Next: small, with spans into its frame's text instead of slices,
// so that it survives the receive buffer.
type fact struct {
	kind    EventKind
	reason  Reason
	invalid Invalid
	hint    Hint
	code    Code
	call    CallID
	req     ReqID
	ordinal uint64
	number  uint64 // the wire id of a call that failed, where it is a number of ours
	item    uint32 // slot number + 1 of their message, where somebody ends it; 0: the fact is all of it
	class   Class
	offset  uint64
	count   uint64

	frame []byte    // the text that body, text and id lie in
	body  scan.Span // raw JSON
	text  scan.Span // a string token, unescaped by Next
	plain bool      // text has no escapes
	id    scan.Span // a relay's
	bytes []byte    // a sample or a chosen id of its own, handed out as Text or ID
}

// push appends a fact. Facts are delivered in this order and in no other.
func (c *Conn) push(f fact) { *c.add(f.frame != nil) = f }

// add appends an empty fact to be filled in; attached: its text is in the receive buffer.
func (c *Conn) add(attached bool) *fact {
	if attached || c.attached > 0 {
		c.attached++
	}
	return c.facts.Add()
}

// detach gives every fact and every message that is still in the receive buffer a block of its
// own, because the buffer is about to be reused. It is the only copy of a body in core.
func (c *Conn) detach() {
	for i := c.facts.Count() - c.attached; i < c.facts.Count() && !planted(bugBodyNotCopied); i++ {
		f := c.facts.At(i)
		f.frame = append([]byte(nil), f.frame...)
	}
	c.attached = 0
	for _, index := range c.requests.attached {
		if it := c.requests.items.At(index); it.attached && c.requests.items.Live(index) {
			it.fact.frame, it.attached = append([]byte(nil), it.fact.frame...), false
		}
	}
	c.requests.attached = c.requests.attached[:0]
}

// expand fills an event from a fact.
func (c *Conn) expand(f *fact, ev *Event) {
	// Field by field: a large value is cleared in many calls in wazero, and most fields are set anyway.
	ev.Kind, ev.Class, ev.Reason, ev.Invalid, ev.Hint = f.kind, f.class, f.reason, f.invalid, f.hint
	ev.Code, ev.Call, ev.Req, ev.Ordinal = f.code, f.call, f.req, f.ordinal
	ev.Offset, ev.Count = f.offset, f.count
	ev.Body = f.body.Of(f.frame)
	ev.ID, ev.Method, ev.Text, ev.Frame = nil, nil, nil, nil
	switch f.kind {
	case EventRequest, EventNotification, EventMessage:
		if f.plain {
			ev.Method = scan.Plain(f.text.Of(f.frame))
		} else if f.text.Present() {
			ev.Method = c.unquote(f.text.Of(f.frame))
		}
		if f.kind == EventMessage {
			ev.ID, ev.Frame = f.id.Of(f.frame), f.frame
		}
		if f.item != 0 {
			it := c.requests.items.At(f.item - 1)
			if it.delivered = true; it.request {
				ev.ID = it.id
			}
		}
	case EventInvalid, EventNoise, EventResync:
		ev.Text = f.bytes
	case EventTimeout, EventCanceled, EventLost, EventInvalidAnswer:
		if ev.ID = f.bytes; ev.ID == nil {
			start := len(c.text)
			c.text = appendNumber(c.text, f.number)
			ev.ID = c.text[start:len(c.text):len(c.text)]
		}
		if f.kind == EventTimeout {
			ev.Text = f.frame
		}
	case EventDropped:
		ev.ID, ev.Body = ev.Body, nil
		ev.Method = c.unquote(f.text.Of(f.frame))
	case EventError, EventPeerError:
		if f.text.Present() {
			ev.Text = c.unquote(f.text.Of(f.frame))
		}
	}
	c.delivered(f.frame)
}

// unquote returns the text of a string token, without copying where it has no escapes. It is valid
// until the next input.
func (c *Conn) unquote(token []byte) []byte {
	if text, ok := scan.Unquoted(token); ok {
		return text
	}
	start := len(c.text)
	c.text = scan.AppendUnquoted(c.text, token)
	return c.text[start:len(c.text):len(c.text)]
}

// expire ends the life of what Next handed out: an input has come.
func (c *Conn) expire() {
	c.text = c.text[:0]
	c.verify()
}
