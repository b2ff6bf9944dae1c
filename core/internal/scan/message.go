// Package scan reads JSON texts without building values: one strict pass that finds where things
// are (MSG-1, MSG-2), and small readers for tokens of a text that has passed it.
//
// Offsets are counted in bytes from the start of the slice given. Nothing allocates in steady
// state, nothing recurses, and no input panics.
package scan

import "bytes"

// Span is a half-open range of offsets into a text. No value is empty, so the zero Span means
// absent.
type Span struct{ Start, End int }

// Of returns the bytes of the span, a part of text; nil when absent.
func (s Span) Of(text []byte) []byte {
	if !s.Present() {
		return nil
	}
	return text[s.Start:s.End:s.End]
}

// Present reports whether there is something.
func (s Span) Present() bool { return s.End > 0 }

// Form is what a text is at its top level.
type Form uint8

const (
	FormObject Form = iota // a message
	FormArray              // a batch (MSG-8)
	FormScalar             // neither, so no message
)

// Members is a set of the member names that decide what a message is (MSG-2, MSG-7).
type Members uint16

const (
	MemberVersion Members = 1 << iota // "jsonrpc"
	MemberID                          // "id"
	MemberMethod                      // "method"
	MemberParams                      // "params"
	MemberResult                      // "result"
	MemberError                       // "error"
	MemberSeq                         // "seq": Debug Adapter Protocol
	MemberType                        // "type": Debug Adapter Protocol
)

// Fault is why a text is refused.
type Fault uint8

const (
	FaultNone   Fault = iota
	FaultEmpty        // nothing but white space
	FaultSyntax       // not one JSON text
	FaultUTF8         // a string holds bytes that are not UTF-8
	FaultDepth        // nested deeper than DepthMax
)

// Message is the envelope of one text. The spans are value tokens, quotes included; of a repeated
// member the first value. They are set for objects only.
type Message struct {
	Form           Form
	Seen, Repeated Members
	// Plain are those whose value is a string that Plain reads: it holds neither escape nor anything
	// but ASCII.
	Plain Members

	Version, ID, Method, Params, Result, Error Span
}

// Message scans one text and finds the members of its envelope. It overwrites m, with the zero
// Message when there is a fault. Member names count as their unescaped text and are compared
// exactly (MSG-1).
//
// The offset is that of the deciding byte: the first one with which no text can begin; len(text)
// when the text ends too early.
func (s *Scanner) Message(text []byte, m *Message) (Fault, int) {
	*m = Message{}
	i := spaceEnd(text, 0)
	var fault Fault
	switch peek(text, i) {
	case '{':
		i, fault = s.envelope(text, i, m)
	case '[':
		m.Form = FormArray
		i, fault = s.container(text, i, 0)
	default:
		if i == len(text) {
			return FaultEmpty, i
		}
		m.Form = FormScalar
		i, fault = s.value(text, i, 0)
	}
	if fault == FaultNone {
		if i = spaceEnd(text, i); i == len(text) {
			return FaultNone, i
		}
		fault = FaultSyntax
	}
	*m = Message{}
	return fault, i
}

// envelope scans the object whose brace is at offset i and returns the offset behind it.
func (s *Scanner) envelope(text []byte, i int, m *Message) (int, Fault) {
	if s.DepthMax < 1 {
		return i, FaultDepth
	}
	i = spaceEnd(text, i+1)
	if peek(text, i) == '}' {
		return i + 1, FaultNone
	}
	for {
		var fault Fault
		start, end, plain := i, 0, false
		if i = simpleNameEnd(text, start); i > 0 {
			end, i = i-len(":"), spaceEnd(text, i)
		} else if end, i, fault = nameEnd(text, start); fault != FaultNone {
			return i, fault
		}
		member := memberOf(text[start:end])
		start = i
		if peek(text, i) == '"' {
			if i = plainEnd(text, i+1); peek(text, i) == '"' {
				i++
				plain = true
			} else if i, fault = stringRestEnd(text, i); fault != FaultNone {
				return i, fault
			}
		} else if i, fault = s.value(text, i, 1); fault != FaultNone {
			return i, fault
		}
		m.set(member, Span{start, i}, plain)
		i = spaceEnd(text, i)
		switch peek(text, i) {
		case ',':
			i = spaceEnd(text, i+1)
		case '}':
			return i + 1, FaultNone
		default:
			return i, FaultSyntax
		}
	}
}

// set records one member; member 0 is one that decides nothing.
func (m *Message) set(member Members, value Span, plain bool) {
	if m.Seen&member != 0 {
		m.Repeated |= member
		return
	}
	m.Seen |= member
	if plain {
		m.Plain |= member
	}
	switch member {
	case MemberVersion:
		m.Version = value
	case MemberID:
		m.ID = value
	case MemberMethod:
		m.Method = value
	case MemberParams:
		m.Params = value
	case MemberResult:
		m.Result = value
	case MemberError:
		m.Error = value
	}
}

// memberOf returns which member a name token names, or 0.
func memberOf(name []byte) Members {
	switch string(name) {
	case `"jsonrpc"`:
		return MemberVersion
	case `"id"`:
		return MemberID
	case `"method"`:
		return MemberMethod
	case `"params"`:
		return MemberParams
	case `"result"`:
		return MemberResult
	case `"error"`:
		return MemberError
	case `"seq"`:
		return MemberSeq
	case `"type"`:
		return MemberType
	}
	if bytes.IndexByte(name, '\\') < 0 {
		return 0
	}
	for i, text := range memberNames {
		if unquotedIs(name, text) {
			return 1 << i
		}
	}
	return 0
}

// memberNames are the names of Members, lowest bit first.
var memberNames = [...]string{"jsonrpc", "id", "method", "params", "result", "error", "seq", "type"}
