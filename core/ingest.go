package core

import (
	"github.com/parley-rpc/parley/core/internal/frame"
	"github.com/parley-rpc/parley/core/internal/scan"
)

// cut takes frames off the receive buffer until none is complete.
func (c *Conn) cut() {
	for c.phase.input == InputOpen {
		if c.in.start == c.in.end {
			return // between two frames
		}
		arrived, offset := c.in.arrived(), c.frames.Offset()
		if start, end, size := c.frames.Plain(arrived); size > 0 {
			c.stats.FramesIn++
			c.ingest(arrived[start:end:end], offset+uint64(start), nil)
			c.consume(size)
			continue
		}
		step := c.frames.Next(arrived)
		if step.Status == frame.Partial {
			c.in.need = step.Need
			return
		}
		c.step(&step)
	}
}

// consume drops a frame that has been judged, where that did not end the session.
func (c *Conn) consume(size int) {
	if c.phase.input == InputOpen {
		c.in.consume(size)
		c.in.need = 0
	}
}

// cutLast is cut once no byte will follow.
func (c *Conn) cutLast() {
	for c.phase.input == InputOpen {
		step := c.frames.Finish(c.in.arrived())
		if step.Status == frame.End {
			c.end(inputEOF, ReasonEOF, nil)
			return
		}
		c.step(&step)
	}
}

// step acts on one step of the frame decoder.
func (c *Conn) step(step *frame.Step) {
	offset := c.frames.Offset() - uint64(step.Size)
	arrived := c.in.arrived()
	switch step.Status {
	case frame.Frame:
		c.stats.FramesIn++
		c.ingest(arrived[step.Start:step.End:step.End], offset+uint64(step.Start), step)
	case frame.Blank:
		c.stats.BlankBytes += uint64(step.Size)
	case frame.ByteOrderMark:
		c.stats.ByteOrderMarks++
	case frame.Overlong:
		c.stats.FramesIn++
		c.refuseFrame(refusal{
			invalid: InvalidLineSize, hint: HintOverLimit, offset: offset,
			sample: arrived[step.Start:step.End], answer: true,
		})
	case frame.Skipped:
		if c.cfg.Framing == FramingHeader {
			c.stats.ResyncBytes += uint64(step.Size)
			c.push(fact{
				kind: EventResync, offset: offset, count: uint64(step.Size),
				bytes: clone(arrived[step.Start:step.End]),
			})
		}
	case frame.Broken:
		c.violate(violation(step.Broken))
	}
	c.consume(step.Size)
}

func violation(f *frame.Failure) *ProtocolError {
	return &ProtocolError{
		Kind: Violation(f.Kind), Offset: f.Offset, Have: f.Have, Need: f.Need, Hint: Hint(f.Hint), Sample: f.Sample,
	}
}

const byteOrderMark = "\uFEFF"

// ingest judges a frame's body (MSG), which begins at offset in the stream. step is nil where there is
// nothing else to say of the frame.
func (c *Conn) ingest(body []byte, offset uint64, step *frame.Step) {
	if len(body) >= len(byteOrderMark) && string(body[:len(byteOrderMark)]) == byteOrderMark {
		c.stats.ByteOrderMarks++
		body, offset = body[len(byteOrderMark):], offset+uint64(len(byteOrderMark))
	}
	c.frame.body, c.frame.offset = body, offset
	m := &c.message
	fault, at := c.scanner.Message(body, m)
	switch {
	case fault != scan.FaultNone || step != nil && step.CharsetEnd > 0:
		c.ingestUnread(step, fault, at)
	case c.cfg.Role == RoleRelay:
		c.relay(body, offset, m, InvalidNone, HintNone)
	case m.Form == scan.FormArray:
		c.ingestBatch(body, offset)
	case m.Form == scan.FormScalar:
		c.refuse(body, offset, refusal{invalid: InvalidScalar, answer: true})
	default:
		c.ingestObject(body, offset, m)
	}
}

// ingestUnread acts on a frame whose body is no JSON text, or in another charset (HEAD-5).
func (c *Conn) ingestUnread(step *frame.Step, fault scan.Fault, at int) {
	if step == nil {
		step = new(frame.Step)
	}
	body, offset := c.frame.body, c.frame.offset
	r := refusal{invalid: faultInvalid[fault], answer: true}
	switch {
	case step.CharsetEnd > 0:
		r.invalid, r.hint = InvalidCharset, HintCharset
		r.detail = c.in.arrived()[step.CharsetStart:step.CharsetEnd]
	case step.Broken != nil:
		c.violate(violation(step.Broken)) // LINE-5: the last line is not complete
		return
	default:
		r.at, r.decided, r.hint = at, true, c.guess(body, fault, at, Hint(step.Hint))
	}
	if c.cfg.Role == RoleRelay {
		c.relay(body, offset, &c.message, r.invalid, r.hint)
	} else {
		c.refuse(body, offset, r)
	}
}

var faultInvalid = [...]Invalid{
	scan.FaultEmpty:  InvalidEmpty,
	scan.FaultSyntax: InvalidJSON,
	scan.FaultUTF8:   InvalidUTF8,
	scan.FaultDepth:  InvalidDepth,
}

// ingestObject acts on one object: alone in its frame, or an entry of a batch.
func (c *Conn) ingestObject(body []byte, offset uint64, m *scan.Message) {
	class, invalid := c.classify(body, m)
	if class != ClassInvalid {
		c.invalids = 0
	}
	if c.muted(class) {
		c.mute(body, m)
		return
	}
	switch class {
	case ClassRequest:
		c.acceptRequest(body, m)
	case ClassNotification:
		c.acceptNotification(body, m)
	case ClassResult:
		c.countNull(m.Seen&scan.MemberError != 0)
		c.answered(body, m.ID, &fact{kind: EventResult, frame: body, body: m.Result})
	case ClassError:
		c.countNull(m.Seen&scan.MemberResult != 0)
		c.ingestError(body, m)
	case ClassInvalid:
		c.ingestInvalid(body, offset, m, invalid)
	}
}

// countNull counts a member that is there and counts as absent (MSG-2).
func (c *Conn) countNull(extra bool) {
	if extra {
		c.stats.NullMembers++
	}
}

// ingestError acts on an error response. One for nobody is reported, touches no call and is never
// answered (MSG-2).
func (c *Conn) ingestError(body []byte, m *scan.Message) {
	code, _ := errorCode(body, m.Error)
	f := fact{
		kind: EventError, frame: body, code: code,
		text: errorText(body, m.Error), body: member(body, m.Error, "data"),
	}
	if anonymous(body, m) {
		c.stats.PeerErrors++
		f.kind = EventPeerError
		c.push(f)
		return
	}
	c.answered(body, m.ID, &f)
}

// ingestInvalid fails the call that a misshapen answer names, and then applies the malformed
// policy. What looks like an answer or a notification is never answered (MSG-5, MSG-6).
func (c *Conn) ingestInvalid(body []byte, offset uint64, m *scan.Message, invalid Invalid) {
	id := c.answerable(body, m)
	answer := m.Seen&scan.MemberID != 0 || scan.Kind(m.Method.Of(body)) != 's'
	if m.Seen&scan.MemberMethod == 0 {
		failed := c.failAnswer(body, id)
		answer = !failed && m.Seen&(scan.MemberResult|scan.MemberError) == 0
	}
	c.refuse(body, offset, refusal{invalid: invalid, id: id, answer: answer})
}

// answerable returns the id that a refusal may carry: the one usable id of a valid JSON text, or
// nil for null (MSG-6).
func (c *Conn) answerable(body []byte, m *scan.Message) []byte {
	id := m.ID.Of(body)
	if m.Repeated&scan.MemberID != 0 || !c.usable(id) {
		return nil
	}
	return id
}

func clone(b []byte) []byte { return append([]byte(nil), b...) }
