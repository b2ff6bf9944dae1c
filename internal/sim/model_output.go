package sim

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/parley-rpc/parley/core"
)

// output is what the model knows of our half of the stream.
type output struct {
	expected  []*outgoing // accepted and not begun, in order
	unwritten int         // bytes of the block that the writer has
	failed    bool
}

// outgoing is one frame that was accepted into the queue.
type outgoing struct {
	body  []byte      // all of it; of a call what follows the id
	call  *call       // nil: no call
	batch []*outgoing // its members; nil: no batch

	isUncertain bool // it may leave as a part of something else
}

// expects queues a frame that the machine accepted.
func (o *output) expects(m *model, frame *outgoing) {
	if m.cfg.Framing == core.FramingLine {
		frame.body = oneLine(frame.body)
		for _, member := range frame.batch {
			member.body = oneLine(member.body)
		}
	}
	o.expected = append(o.expected, frame)
}

// oneLine is how caller's JSON looks in framing line (LINE-6).
func oneLine(body []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(body, []byte("\n"), []byte(" ")), []byte("\r"), []byte(" "))
}

// methodBody is the text of a notification, or of a call after its id.
func methodBody(method string, params []byte) []byte {
	name, _ := json.Marshal(method)
	body := slices.Concat([]byte(`"method":`), name)
	if len(params) > 0 && first(params) != 'n' {
		body = slices.Concat(body, []byte(`,"params":`), params)
	}
	return append(body, '}')
}

const envelope = `{"jsonrpc":"2.0",`

// began judges a block as the machine hands it to the writer.
func (o *output) began(m *model, block []byte) {
	m.must(!o.failed, "SEND-5", "%d bytes were handed out after the output had failed", len(block))
	m.must(o.unwritten == 0, "SEND-1", "a block was handed out before the last one was written")
	o.unwritten = len(block)
	bodies, rest, isSure := split(m.cfg, block)
	m.must(isSure && len(rest) == 0, "FRAME-6", "the block %q is not made of whole frames", block)
	m.must(len(block) <= 64*core.KiB || len(bodies) == 1, "SEND-1", "a block of %d bytes holds several frames", len(block))
	for _, body := range bodies {
		o.beginsFrame(m, body)
	}
}

// beginsFrame finds the frame that this body is: the next one accepted, or one of the machine's
// own.
func (o *output) beginsFrame(m *model, body []byte) {
	if !json.Valid(body) && m.cfg.Role != core.RoleRelay {
		m.found("MSG-1", "the frame %q is not JSON", body)
		return
	}
	for i, frame := range o.expected {
		if frame.matches(m, body) {
			o.expected = o.expected[i+1:]
			frame.begin(m, body)
			return
		}
		if !frame.mayBeMissing(m) {
			break
		}
	}
	if first(body) != '[' {
		o.beginsOwn(m, body)
		return
	}
	for _, entry := range elements(body) {
		msg := read(entry, &m.cfg.Limits)
		m.must(msg.kind == result || msg.kind == failure || first(msg.id) == 'n', "MSG-8", "the batch of answers %q holds something else", body)
		m.inbox.tell(m, msg.id)
	}
}

// mayBeMissing reports a frame that was withdrawn, or may have been when the session ended.
func (f *outgoing) mayBeMissing(m *model) bool {
	if len(f.batch) > 0 {
		return !slices.ContainsFunc(f.batch, func(member *outgoing) bool { return !member.mayBeMissing(m) })
	}
	isEnding := m.isStopping || m.machine.State().Reason != core.ReasonNone
	return f.isUncertain || f.call != nil && (isEnding || !f.call.isOpen())
}

// matches reports whether a body is this frame. A call's id is whatever stands there, unless it
// was chosen.
func (f *outgoing) matches(m *model, body []byte) bool {
	switch {
	case len(f.batch) > 0:
		return f.matchesBatch(m, body)
	case f.call == nil:
		return bytes.Equal(body, f.body)
	}
	id, found := idBefore(body, f.body)
	return found && (f.call.opts.ID == nil && isNumbered(id) || bytes.Equal(id, f.call.opts.ID))
}

// idBefore returns the id of a call whose text behind the id is known.
func idBefore(body, tail []byte) (id []byte, found bool) {
	const head = envelope + `"id":`
	if !bytes.HasPrefix(body, []byte(head)) || !bytes.HasSuffix(body, tail) || len(body) < len(head)+len(tail)+2 {
		return nil, false
	}
	id = body[len(head) : len(body)-len(tail)]
	return bytes.CutSuffix(id, []byte(","))
}

// isNumbered reports an id that the machine counts out itself.
func isNumbered(id []byte) bool {
	digits := bytes.Trim(id, `"`)
	return len(digits) > 0 && len(bytes.Trim(digits, "0123456789")) == 0
}

func (f *outgoing) matchesBatch(m *model, body []byte) bool {
	entries := elements(body)
	for _, member := range f.batch {
		if len(entries) > 0 && member.matches(m, entries[0]) {
			entries = entries[1:]
		} else if !member.mayBeMissing(m) {
			return false
		}
	}
	return len(entries) == 0 && first(body) == '['
}

// begin notes that the frame is with the writer. A call that has its outcome is withdrawn and must
// not be here (SEND-3).
func (f *outgoing) begin(m *model, body []byte) {
	if len(f.batch) > 0 {
		entries := elements(body)
		for _, member := range f.batch {
			if len(entries) > 0 && member.matches(m, entries[0]) {
				member.begin(m, entries[0])
				entries = entries[1:]
			}
		}
		return
	}
	if f.call == nil {
		m.inbox.tell(m, read(body, &m.cfg.Limits).answerID())
		return
	}
	m.must(f.call.isOpen() || m.blind, "SEND-3", "call %s was withdrawn, and is written", f.call.method)
	id, _ := idBefore(body, f.body)
	m.calls.begin(m, f.call, id)
}

// answerID is the id of an answer; nil for anything else.
func (msg message) answerID() []byte {
	if msg.kind == result || msg.kind == failure {
		return msg.id
	}
	return nil
}

// beginsOwn judges a frame that nobody asked for: a rejection, or a cancel notice.
func (o *output) beginsOwn(m *model, body []byte) {
	msg := read(body, &m.cfg.Limits)
	switch {
	case msg.kind == failure && bytes.HasPrefix(msg.body, []byte(`{"code":-32`)):
		m.inbox.tell(m, msg.id)
	case msg.kind == odd && first(msg.id) == 'n': // an error for nobody
	case msg.kind == notification && msg.method == cancelMethods[m.cfg.Profile]:
		o.beginsNotice(m, msg.body)
	default:
		next := "nothing"
		if len(o.expected) > 0 {
			next = string(o.expected[0].body)
		}
		m.found("SEND-1", "the frame %q is written, and %q is next", body, next)
	}
}

// beginsNotice judges a cancel notice: one for each call that was given up after it had begun, and
// none for any other (CALL-6).
func (o *output) beginsNotice(m *model, params []byte) {
	members, _ := membersOf(params)
	for _, name := range []string{"id", "requestId", "number", "text"} {
		id, found := members[name]
		if !found {
			continue
		}
		c := m.calls.byKey[keyOf(id)]
		if c == nil {
			m.found("CALL-6", "a cancel notice names %s, which is no call on the wire", id)
			return
		}
		m.must(!c.noticed, "CALL-6", "call %s is cancelled twice", id)
		isGivenUp := c.outcome == core.EventTimeout || c.outcome == core.EventCanceled
		m.must(isGivenUp || c.isDoubtful || m.blind, "CALL-6", "call %s is cancelled, and was not given up", id)
		m.must(!c.opts.Quiet, "CALL-6", "call %s is cancelled, and is quiet", id)
		c.noticed = true
	}
}

// rest judges an open output that has nothing left to write.
func (o *output) rest(m *model) {
	for _, frame := range o.expected {
		if !frame.mayBeMissing(m) {
			m.found("SEND-1", "the frame %q was accepted, and never written", frame.body)
			return
		}
	}
	o.expected = nil
	m.calls.restNotices(m)
}
