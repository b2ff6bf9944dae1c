package diagnose

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/parley-rpc/parley/core"
)

// symptom is the first thing on a server's stdout that is not what the framing asks for.
type symptom struct {
	offset   uint64 // bytes from the start of stdout
	rest     []byte // what stands there, and what follows it
	messages int    // good ones before it

	violation core.Violation // the stream is broken there
	invalid   core.Invalid   // or there is a frame that is no message,
	body      []byte         // this one
	unended   bool           // or it stops in the middle
	hint      core.Hint
}

// firstSymptom reads the beginning of a server's stdout as a session does. ended says that nothing
// will follow, so that half a message is a symptom too.
func firstSymptom(head []byte, protocol Protocol, ended bool) (symptom, bool) {
	profile := core.ProfileLSP
	if protocol == MCP {
		profile = core.ProfileMCP
	}
	relay, err := core.New(core.Defaults(profile, core.RoleRelay))
	if err != nil {
		panic(err) // the defaults are ours
	}
	const all = 1<<31 - 1
	relay.Want(all)
	copy(relay.Reserve(len(head)), head)
	broken := relay.Commit(len(head))

	var s symptom
	next := 0 // where the last good message ended
	for event := range relay.Events() {
		if event.Kind != core.EventMessage {
			continue
		}
		if event.Class == core.ClassInvalid {
			s.offset, s.rest = event.Offset, head[event.Offset:]
			s.invalid, s.hint, s.body = event.Invalid, event.Hint, event.Frame
			return s, true
		}
		s.messages++
		next = int(event.Offset) + len(event.Frame)
	}
	s.rest = bytes.TrimLeft(head[next:], "\r\n")
	s.offset = uint64(len(head) - len(s.rest))
	if violation := (*core.ProtocolError)(nil); errors.As(broken, &violation) {
		s.violation, s.hint = violation.Kind, violation.Hint
		return s, true
	}
	s.unended = true
	return s, ended && len(s.rest) > 0
}

// kind is the finding that the symptom is.
func (s *symptom) kind(protocol Protocol) string {
	switch {
	case isUTF16(s.rest):
		return "utf-16"
	case s.hint == core.HintDAP, s.invalid == core.InvalidDAP:
		return "debug-adapter"
	case s.hint == core.HintTerminal, bytes.HasPrefix(s.rest, []byte("\x1b[")):
		return "terminal-codes"
	case protocol == MCP:
		return s.lineKind()
	}
	return s.headerKind()
}

// headerKind is kind where messages have headers.
func (s *symptom) headerKind() string {
	switch {
	case s.messages == 0 && s.invalid == core.InvalidNone && (startsJSON(s.rest) || startsLength(s.rest)):
		return "wrong-framing"
	case s.invalid == core.InvalidJSON && (isHalf(s.body) || isMore(s.body)):
		return "wrong-length"
	case s.invalid != core.InvalidNone:
		return s.invalidKind()
	case !startsHeader(s.rest) && s.unended:
		return "prompt"
	case !startsHeader(s.rest):
		return s.noiseKind()
	case s.violation == core.ViolationLineEnd:
		return "line-ends"
	case s.violation != core.ViolationNone:
		return "bad-header"
	}
	if _, body, found := bytes.Cut(s.rest, []byte("\r\n\r\n")); found && json.Valid(body) {
		return "wrong-length"
	}
	return "half-message"
}

// lineKind is kind where a message is a line.
func (s *symptom) lineKind() string {
	switch {
	case s.hint == core.HintHeader, startsHeader(s.rest), startsLength(s.rest):
		return "wrong-framing"
	case s.unended && startsJSON(s.rest):
		return "half-message"
	case s.unended:
		return "prompt"
	case s.invalid == core.InvalidJSON && (s.hint == core.HintPretty || startsJSON(s.body) && isHalf(s.body)):
		return "pretty-printed"
	case startsJSON(s.rest):
		return s.invalidKind()
	}
	return s.noiseKind()
}

// invalidKind is what a frame is that begins like a message.
func (s *symptom) invalidKind() string {
	switch s.invalid {
	case core.InvalidEmpty, core.InvalidJSON, core.InvalidUTF8, core.InvalidDepth, core.InvalidCharset:
		return "bad-json"
	}
	return "no-message"
}

func (s *symptom) noiseKind() string {
	if s.messages == 0 {
		return "banner"
	}
	return "stdout-noise"
}

func (s *symptom) evidence() string {
	text := fmt.Sprintf("at byte %d of stdout stands %s", s.offset, shown(s.rest))
	if s.unended {
		text += ", and nothing follows"
	}
	return text
}

// isUTF16 reports text with a mark of UTF-16, or with a zero in every second byte and nowhere else.
func isUTF16(text []byte) bool {
	if bytes.HasPrefix(text, []byte{0xFF, 0xFE}) || bytes.HasPrefix(text, []byte{0xFE, 0xFF}) {
		return true
	}
	const sampleBytes = 8
	if len(text) < sampleBytes {
		return false
	}
	zeros := [2]int{}
	for i, b := range text[:sampleBytes] {
		if b == 0 {
			zeros[i%2]++
		}
	}
	return zeros == [2]int{0, sampleBytes / 2} || zeros == [2]int{sampleBytes / 2, 0}
}

// isHalf reports a text that stops inside a JSON value.
func isHalf(text []byte) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(text)).Decode(&value), io.ErrUnexpectedEOF)
}

// isMore reports a text that goes on behind a JSON value.
func isMore(text []byte) bool {
	decoder := json.NewDecoder(bytes.NewReader(text))
	var value json.RawMessage
	return decoder.Decode(&value) == nil && !json.Valid(text)
}

func startsJSON(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

func startsHeader(text []byte) bool {
	const name = "Content-"
	return len(text) >= len(name) && bytes.EqualFold(text[:len(name)], []byte(name))
}

// startsLength reports a message behind four bytes of length, big-endian.
func startsLength(text []byte) bool {
	return len(text) > 4 && text[0] == 0 && startsJSON(text[4:5])
}
