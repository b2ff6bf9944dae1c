package core

import "github.com/parley-rpc/parley/core/internal/scan"

// classify says what a scanned object is as a JSON-RPC message: it looks at nothing but the text
// (MSG-2 to MSG-5). ClassInvalid comes with why.
func (c *Conn) classify(body []byte, m *scan.Message) (Class, Invalid) {
	if invalid := c.judge(body, m); invalid != InvalidNone {
		return ClassInvalid, invalid
	}
	if m.Seen&scan.MemberMethod != 0 {
		return c.classifyMessage(body, m)
	}
	return c.classifyAnswer(body, m)
}

// judge looks at what every message must have: its members once, and the version.
func (c *Conn) judge(body []byte, m *scan.Message) Invalid {
	const envelope = scan.MemberVersion | scan.MemberID | scan.MemberMethod | scan.MemberParams |
		scan.MemberResult | scan.MemberError
	const dap = scan.MemberSeq | scan.MemberType
	version := m.Version.Of(body)
	switch {
	case m.Repeated&envelope != 0:
		return InvalidDuplicate
	case string(version) == `"2.0"`:
		return InvalidNone
	case version == nil && m.Seen&dap == dap:
		return InvalidDAP
	case scan.Kind(version) != 's' || string(c.unquote(version)) != "2.0":
		return InvalidVersion
	}
	return InvalidNone
}

// classifyMessage classifies an object with a method.
func (c *Conn) classifyMessage(body []byte, m *scan.Message) (Class, Invalid) {
	request := m.Seen&scan.MemberID != 0
	switch {
	case scan.Kind(m.Method.Of(body)) != 's':
		return ClassInvalid, InvalidMethod
	case request && !c.usable(m.ID.Of(body)):
		return ClassInvalid, InvalidID
	case !structured(m.Params.Of(body)):
		return ClassInvalid, InvalidParams
	case request:
		return ClassRequest, InvalidNone
	}
	return ClassNotification, InvalidNone
}

// classifyAnswer classifies an object without a method. error: null counts as absent, and so does
// result: null beside an error.
func (c *Conn) classifyAnswer(body []byte, m *scan.Message) (Class, Invalid) {
	result, fault := scan.Kind(m.Result.Of(body)), scan.Kind(m.Error.Of(body))
	failed := fault != absent && fault != '0'
	switch {
	case failed && result != absent && result != '0', !failed && result == absent:
		return ClassInvalid, InvalidShape
	case failed:
		if _, ok := errorCode(body, m.Error); !ok {
			return ClassInvalid, InvalidError
		}
		if !anonymous(body, m) && !c.usable(m.ID.Of(body)) {
			return ClassInvalid, InvalidID
		}
		return ClassError, InvalidNone
	case anonymous(body, m) || !c.usable(m.ID.Of(body)):
		return ClassInvalid, InvalidID
	}
	return ClassResult, InvalidNone
}

// absent is scan.Kind of nothing.
const absent = 0

// anonymous reports an answer for nobody: its id is null or absent.
func anonymous(body []byte, m *scan.Message) bool {
	return m.Seen&scan.MemberID == 0 || scan.Kind(m.ID.Of(body)) == '0'
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

// structured reports whether params is an object, an array, or as good as absent (MSG-3).
func structured(params []byte) bool {
	switch scan.Kind(params) {
	case 'o', 'a', '0', absent:
		return true
	}
	return false
}

// errorCode reads the code of an error object, an integer that fits (MSG-5).
func errorCode(body []byte, span scan.Span) (Code, bool) {
	if scan.Kind(span.Of(body)) != 'o' {
		return 0, false
	}
	code, ok := scan.Int32(member(body, span, "code").Of(body))
	return Code(code), ok
}

// errorText returns the message of an error object, absent where it is no string (MSG-5).
func errorText(body []byte, span scan.Span) scan.Span {
	text := member(body, span, "message")
	if scan.Kind(text.Of(body)) != 's' {
		return scan.Span{}
	}
	return text
}

// member is scan.Member in offsets of the body.
func member(body []byte, object scan.Span, name string) scan.Span {
	s := scan.Member(object.Of(body), name)
	if !s.Present() {
		return s
	}
	return scan.Span{Start: object.Start + s.Start, End: object.Start + s.End}
}
