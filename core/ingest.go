package core

import (
	"github.com/parley-rpc/parley/core/internal/frame"
	"github.com/parley-rpc/parley/core/internal/scan"
)

// cut takes frames off the receive buffer until none is complete.
func (c *Conn) cut() {
	for c.phase.input == InputOpen {
		step := c.frames.Next(c.in.arrived())
		if step.Status == frame.Partial {
			c.in.need = step.Need
			return
		}
		c.step(step)
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
		c.step(step)
	}
}

// step acts on one step of the frame decoder.
func (c *Conn) step(step frame.Step) {
	offset := c.frames.Offset() - uint64(step.Size)
	arrived := c.in.arrived()
	switch step.Status {
	case frame.Frame:
		c.stats.FramesIn++
		c.ingest(arrived, offset, step)
	case frame.Blank:
		if step.BOM {
			c.stats.ByteOrderMarks++
		} else {
			c.stats.BlankBytes += uint64(step.Size)
		}
	case frame.Overlong:
		c.stats.FramesIn++
		c.refuseFrame(refusal{
			invalid: InvalidLineSize, hint: Hint(step.Hint), offset: offset,
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
	if c.phase.input == InputOpen {
		c.in.consume(step.Size)
		c.in.need = 0
	}
}

func violation(f *frame.Failure) *ProtocolError {
	return &ProtocolError{
		Kind: Violation(f.Kind), Offset: f.Offset, Have: f.Have, Need: f.Need, Hint: Hint(f.Hint), Sample: f.Sample,
	}
}

var byteOrderMark = []byte("\uFEFF")

// ingest judges the frame at the front of what has arrived (MSG). offset is that of the first byte
// that has arrived, in the stream.
func (c *Conn) ingest(arrived []byte, offset uint64, step frame.Step) {
	body := arrived[step.Start:step.End:step.End]
	offset += uint64(step.Start)
	if len(body) >= 3 && string(body[:3]) == string(byteOrderMark) {
		c.stats.ByteOrderMarks++
		body, offset = body[3:], offset+3
	}
	m := &c.message
	fault, at := scan.FaultEmpty, 0
	if len(body) > 0 {
		fault, at = c.scanner.Message(body, m)
	}
	switch {
	case step.Charset:
		c.refuse(body, offset, refusal{
			invalid: InvalidCharset, hint: HintCharset, answer: true,
			detail: arrived[step.CharsetStart:step.CharsetEnd],
		})
	case fault != scan.FaultNone && step.Unterminated:
		c.violate(violation(step.Broken)) // LINE-5: the last line is not complete
	case fault != scan.FaultNone:
		c.refuse(body, offset, refusal{
			invalid: faultInvalid[fault], hint: c.guess(body, fault, Hint(step.Hint)), at: at, decided: true,
			answer: true,
		})
	case m.Form == scan.FormArray:
		c.ingestBatch(body, offset)
	case m.Form == scan.FormScalar:
		c.refuse(body, offset, refusal{invalid: InvalidScalar, answer: true})
	case m.Seen&scan.MemberMethod != 0:
		c.ingestMessage(body, offset, m)
	default:
		c.ingestAnswer(body, offset, m)
	}
}

var faultInvalid = [...]Invalid{
	scan.FaultEmpty:  InvalidEmpty,
	scan.FaultSyntax: InvalidJSON,
	scan.FaultUTF8:   InvalidUTF8,
	scan.FaultDepth:  InvalidDepth,
}

// ingestMessage judges a frame that has a method: a request or a notification (MSG-2 to MSG-4).
func (c *Conn) ingestMessage(body []byte, offset uint64, m *scan.Message) {
	request := m.Seen&scan.MemberID != 0
	invalid := c.judge(body, m)
	switch {
	case invalid != InvalidNone:
	case scan.Kind(m.Method.Of(body)) != 's':
		invalid = InvalidMethod
	case request && !c.usable(m.ID.Of(body)):
		invalid = InvalidID
	case !structured(m.Params.Of(body)):
		invalid = InvalidParams
	}
	if invalid != InvalidNone {
		c.refuse(body, offset, refusal{invalid: invalid, id: c.answerable(body, m), answer: request})
		return
	}
	c.invalids = 0
	if request {
		c.acceptRequest(body, m)
	} else {
		c.acceptNotification(body, m)
	}
}

// ingestAnswer judges a frame without a method: a response, or nothing that can be named (MSG-2).
func (c *Conn) ingestAnswer(body []byte, offset uint64, m *scan.Message) {
	result, fault := m.Result.Of(body), m.Error.Of(body)
	if fault != nil && scan.Kind(fault) == '0' {
		c.stats.NullMembers++
		fault = nil
	}
	if fault != nil && result != nil && scan.Kind(result) == '0' {
		c.stats.NullMembers++
		result = nil
	}
	invalid := c.judge(body, m)
	var e scan.Span
	var code Code
	switch {
	case invalid != InvalidNone:
	case (result == nil) == (fault == nil):
		invalid = InvalidShape
		if m.Seen&scan.MemberSeq != 0 && m.Seen&scan.MemberType != 0 {
			invalid = InvalidDAP
		}
	case fault != nil:
		if code, e, invalid = errorShape(body, m.Error); invalid == InvalidNone && c.anonymous(body, m) {
			c.peerError(body, m, code, e)
			return
		}
	}
	if id := m.ID.Of(body); invalid == InvalidNone && (!c.usable(id) || scan.Kind(id) == '0') {
		invalid = InvalidID
	}
	if invalid != InvalidNone {
		failed := c.failAnswer(body, m)
		silent := failed || m.Seen&(scan.MemberResult|scan.MemberError) != 0 || c.cfg.Role == RolePeer
		c.refuse(body, offset, refusal{invalid: invalid, id: c.answerable(body, m), answer: !silent})
		return
	}
	c.invalids = 0
	if fault != nil {
		c.answered(body, m.ID, fact{
			kind: EventError, frame: body, code: code, text: e, body: member(body, m.Error, "data"),
		})
	} else {
		c.answered(body, m.ID, fact{kind: EventResult, frame: body, body: m.Result})
	}
}

// judge looks at what every message must have: its members once, and the version.
func (c *Conn) judge(body []byte, m *scan.Message) Invalid {
	const envelope = scan.MemberVersion | scan.MemberID | scan.MemberMethod | scan.MemberParams |
		scan.MemberResult | scan.MemberError
	version := m.Version.Of(body)
	switch {
	case m.Repeated&envelope != 0:
		return InvalidDuplicate
	case string(version) == `"2.0"`:
		return InvalidNone
	case m.Seen&(scan.MemberSeq|scan.MemberType|scan.MemberVersion) == scan.MemberSeq|scan.MemberType:
		return InvalidDAP
	case version == nil || scan.Kind(version) != 's' || string(c.unquote(version)) != "2.0":
		return InvalidVersion
	}
	return InvalidNone
}

// usable reports whether an id token may name a request: a string, a number or null within
// IDBytesMax (MSG-4).
func (c *Conn) usable(id []byte) bool {
	switch scan.Kind(id) {
	case 's', 'n', '0':
		return len(id) <= c.cfg.Limits.IDBytesMax
	}
	return false
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

// structured reports whether params is an object, an array, or as good as absent (MSG-3).
func structured(params []byte) bool {
	if params == nil {
		return true
	}
	switch scan.Kind(params) {
	case 'o', 'a', '0':
		return true
	}
	return false
}

// errorShape reads an error object: its code and the span of its message, a string or absent
// (MSG-5).
func errorShape(body []byte, span scan.Span) (Code, scan.Span, Invalid) {
	if scan.Kind(span.Of(body)) != 'o' {
		return 0, scan.Span{}, InvalidError
	}
	code, ok := scan.Int32(member(body, span, "code").Of(body))
	if !ok {
		return 0, scan.Span{}, InvalidError
	}
	text := member(body, span, "message")
	if scan.Kind(text.Of(body)) != 's' {
		text = scan.Span{}
	}
	return Code(code), text, InvalidNone
}

// member is scan.Member in offsets of the body.
func member(body []byte, object scan.Span, name string) scan.Span {
	s := scan.Member(object.Of(body), name)
	if !s.Present() {
		return s
	}
	return scan.Span{Start: object.Start + s.Start, End: object.Start + s.End}
}

// anonymous reports an answer for nobody: its id is null or absent.
func (c *Conn) anonymous(body []byte, m *scan.Message) bool {
	return m.Seen&scan.MemberID == 0 || scan.Kind(m.ID.Of(body)) == '0'
}

// peerError reports an error response for nobody. It touches no call and is never answered (MSG-2).
func (c *Conn) peerError(body []byte, m *scan.Message, code Code, text scan.Span) {
	c.invalids = 0
	c.stats.PeerErrors++
	c.push(fact{
		kind: EventPeerError, frame: body, code: code, text: text, body: member(body, m.Error, "data"),
	})
}

func clone(b []byte) []byte { return append([]byte(nil), b...) }
