package core

import "github.com/parley-rpc/parley/core/internal/scan"

// relay hands on one frame as it is: a relay classifies, and numbers, answers and drops nothing.
// An invalid frame is reported whole and counted towards nothing (MSG-6).
func (c *Conn) relay(body []byte, offset uint64, m *scan.Message, invalid Invalid, hint Hint) {
	if c.passes() {
		c.describeRelayed(c.pass(), body, offset, m, invalid, hint)
		return
	}
	if !c.park(nil, len(body)) {
		return
	}
	index, it := c.requests.items.Put()
	it.reset(nil, ModeRead, len(body))
	c.describeRelayed(&it.fact, body, offset, m, invalid, hint)
	c.enqueue(index, it)
	c.schedule()
}

// describeRelayed is describe for a frame, whatever is in it.
func (c *Conn) describeRelayed(f *fact, body []byte, offset uint64, m *scan.Message, invalid Invalid, hint Hint) {
	f.kind, f.frame, f.offset = EventMessage, body, offset
	if f.invalid, f.hint = invalid, hint; invalid == InvalidNone {
		f.class, f.invalid = c.relayClass(body, m)
		f.body, f.id = contentOf(f.class, m), m.ID
		if scan.Kind(m.Method.Of(body)) == 's' {
			f.text, f.plain = m.Method, m.Plain&scan.MemberMethod != 0
		}
	}
	if f.class == ClassInvalid {
		c.stats.Invalid++
	}
}

func (c *Conn) relayClass(body []byte, m *scan.Message) (Class, Invalid) {
	switch m.Form {
	case scan.FormArray:
		return ClassBatch, InvalidNone
	case scan.FormScalar:
		return ClassInvalid, InvalidScalar
	}
	return c.classify(body, m)
}

// contentOf is the part of a message that a reader asks for first.
func contentOf(class Class, m *scan.Message) scan.Span {
	switch class {
	case ClassRequest, ClassNotification:
		return m.Params
	case ClassResult:
		return m.Result
	case ClassError:
		return m.Error
	}
	return scan.Span{}
}

// Forward queues one message, byte for byte, in this connection's framing (SEND-1); the relay role
// has no other command that writes. Each splice replaces a part of the text; they are in order and
// do not overlap. The text is not scanned again: it is what a relay's EventMessage showed. It is
// ErrTooLarge over FrameBytesMax, and ErrOutputFull without room (SEND-2).
func (c *Conn) Forward(text []byte, splices ...Splice) error {
	if c.cfg.Role != RoleRelay {
		return ErrUnsupported
	}
	if c.phase.output != OutputOpen && c.phase.output != OutputAnswering || c.phase.stopping {
		return ErrClosed
	}
	size, err := spliced(text, splices)
	if err != nil {
		return err
	}
	if err := c.admit(size); err != nil {
		return err
	}
	c.render = c.render[:0]
	if len(splices) == 0 {
		c.append(text, "")
	} else {
		payload := make([]byte, 0, size)
		from := 0
		for _, s := range splices {
			payload = append(payload, text[from:s.Start]...)
			payload = append(payload, s.Value...)
			from = s.End
		}
		c.append(append(payload, text[from:]...), "")
	}
	c.settle()
	return nil
}

// spliced returns the size of a text once it is spliced.
func spliced(text []byte, splices []Splice) (int, error) {
	size, from := len(text), 0
	for _, s := range splices {
		if s.Start < from || s.End < s.Start || s.End > len(text) {
			return 0, ErrBadCount
		}
		size += len(s.Value) - (s.End - s.Start)
		from = s.End
	}
	return size, nil
}
