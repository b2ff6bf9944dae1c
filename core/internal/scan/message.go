// Package scan reads JSON texts without building values: one strict pass that finds where things
// are (MSG-1, MSG-2), and small readers for tokens of a text that has passed it.
//
// Offsets are counted in bytes from the start of the slice given. Nothing allocates in steady
// state, nothing recurses, and no input panics.
package scan

import (
	"bytes"
	"encoding/binary"
)

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

// reset makes m the zero Message, field by field: in wazero clearing a large value at once is a call for each
// power of two in its size.
func (m *Message) reset() {
	m.Form, m.Seen, m.Repeated, m.Plain = FormObject, 0, 0, 0
	m.Version, m.ID, m.Method = Span{}, Span{}, Span{}
	m.Params, m.Result, m.Error = Span{}, Span{}, Span{}
}

// Message scans one text and finds the members of its envelope. It overwrites m, with the zero
// Message when there is a fault. Member names count as their unescaped text and are compared
// exactly (MSG-1).
//
// The offset is that of the deciding byte: the first one with which no text can begin; len(text)
// when the text ends too early.
func (s *Scanner) Message(text []byte, m *Message) (Fault, int) {
	m.reset()
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
	m.reset()
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
		var member Members
		size := 0 // of a familiar name and its colon
		if i >= 0 && i <= len(text)-10 {
			member, size = familiarName(binary.LittleEndian.Uint64(text[i:i+8]), binary.LittleEndian.Uint16(text[i+8:i+10]))
		}
		if size > 0 {
			i = spaceEnd(text, i+size)
		} else if member, i, fault = anyName(text, i); fault != FaultNone {
			return i, fault
		}
		start, plain := i, false
		switch peek(text, i) {
		case '"':
			if i = plainEnd(text, i+1); peek(text, i) == '"' {
				i++
				plain = true
			} else {
				i, fault = stringRestEnd(text, i)
			}
		case '{', '[':
			i, fault = s.container(text, i, 1)
		default:
			i, fault = s.value(text, i, 1)
		}
		if fault != FaultNone {
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

// familiarName recognises a name that decides and the colon behind it, spelled as nearly every peer
// does, by the ten bytes that begin with it. It returns the size of both; 0 where anyName has to look.
func familiarName(word uint64, next uint16) (member Members, size int) {
	switch {
	case word == wordVersion && next == wordNameEnd:
		return MemberVersion, 10
	case word&wordIDMask == wordID:
		return MemberID, 5
	case byte(next) != ':':
		return 0, 0
	case word == wordMethod:
		return MemberMethod, 9
	case word == wordParams:
		return MemberParams, 9
	case word == wordResult:
		return MemberResult, 9
	}
	return 0, 0
}

// Names, quotes included, as little-endian words: comparing one takes no loop and no call.
const (
	wordMethod  = 0x22646F6874656D22 // "method"
	wordParams  = 0x22736D6172617022 // "params"
	wordResult  = 0x22746C7573657222 // "result"
	wordVersion = 0x6370726E6F736A22 // "jsonrpc without its closing quote
	wordID      = 0x3A22646922       // "id":
	wordIDMask  = 1<<40 - 1
	wordNameEnd = 0x3A22 // ":
)

// anyName scans a name and the colon after it and returns the member and the offset of the value, or that
// of the deciding byte.
func anyName(text []byte, i int) (member Members, value int, fault Fault) {
	end, value, fault := nameEnd(text, i)
	if fault != FaultNone {
		return 0, value, fault
	}
	return memberOf(text[i:end]), value, FaultNone
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
