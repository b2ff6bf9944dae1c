package sim

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/parley-rpc/parley/core"
)

// split cuts a stream into bodies. It knows the framings as a writer spells them and no more: with
// anything else isSure is false and what follows cannot be judged. rest is an unfinished frame.
func split(cfg *core.Config, stream []byte) (bodies [][]byte, rest []byte, isSure bool) {
	for len(stream) > 0 {
		body, size := cutFrame(cfg, stream)
		switch {
		case size < 0:
			return bodies, stream, false
		case size == 0:
			return bodies, stream, true
		}
		bodies = append(bodies, body)
		stream = stream[size:]
	}
	return bodies, nil, true
}

// cutFrame returns the body of the frame at the front and the frame's size: 0 when it is not
// complete, -1 when its beginning is none that a writer would spell.
func cutFrame(cfg *core.Config, stream []byte) (body []byte, size int) {
	bodyBytesMax := cfg.Limits.FrameBytesMax
	start, count := 0, len(stream) // framing whole: all of it
	switch cfg.Framing {
	case core.FramingHeader:
		const name = "Content-Length: "
		end := bytes.Index(stream, []byte("\r\n\r\n"))
		if end < 0 {
			return nil, unfinished(beginsHeader(stream, name, bodyBytesMax))
		}
		n, err := strconv.ParseUint(string(bytes.TrimPrefix(stream[:end], []byte(name))), 10, 31)
		if err != nil || !bytes.HasPrefix(stream, []byte(name)) {
			return nil, -1
		}
		start, count = end+4, int(n)
	case core.FramingLine:
		end := bytes.IndexByte(stream, '\n')
		if end < 0 {
			return nil, unfinished(len(stream) <= bodyBytesMax)
		}
		if body = bytes.TrimSuffix(stream[:end], []byte("\r")); len(body) > bodyBytesMax {
			return nil, -1
		}
		return body, end + 1
	case core.FramingLength4:
		if len(stream) < 4 {
			return nil, 0
		}
		start, count = 4, int(min(binary.BigEndian.Uint32(stream), 1<<31-1))
	}
	if count < cfg.Limits.FrameBytesMin || count > bodyBytesMax {
		return nil, -1
	}
	if start+count > len(stream) {
		return nil, 0
	}
	return stream[start : start+count], start + count
}

// beginsHeader reports whether a stream may go on to be a header with this one field.
func beginsHeader(stream []byte, name string, bodyBytesMax int) bool {
	if len(stream) <= len(name) {
		return bytes.HasPrefix([]byte(name), stream)
	}
	value, found := bytes.CutPrefix(stream, []byte(name))
	tail := bytes.TrimLeft(value, "0123456789")
	digits := value[:len(value)-len(tail)]
	n, err := strconv.Atoi(string(digits))
	isSize := len(digits) == 0 && len(tail) == 0 || err == nil && n <= bodyBytesMax
	return found && isSize && bytes.HasPrefix([]byte("\r\n\r\n"), tail)
}

func unfinished(plausible bool) int {
	if plausible {
		return 0
	}
	return -1
}

// framed is the size of a body's frame on the wire.
func framed(framing core.Framing, bodySize int) int {
	switch framing {
	case core.FramingHeader:
		return len("Content-Length: \r\n\r\n") + len(strconv.Itoa(bodySize)) + bodySize
	case core.FramingLine:
		return bodySize + 1
	case core.FramingLength4:
		return bodySize + 4
	}
	return bodySize
}

// kind is what a body certainly is.
type kind uint8

const (
	junk         kind = iota // no JSON text: it can have no effect on any call or request
	odd                      // valid JSON and no message: it may fail the call whose id it has
	request                  // a clean request
	notification             // a clean notification
	result                   // a clean answer
	failure                  // a clean answer that is an error
	array                    // a batch
)

// message is one body as the reference reads it.
type message struct {
	kind   kind
	id     json.RawMessage
	method string
	body   json.RawMessage // params, result or error
}

var byteOrderMark = []byte("\uFEFF")

// read judges one body.
func read(body []byte, limits *core.Limits) message {
	body = bytes.TrimPrefix(body, byteOrderMark)
	switch {
	case !json.Valid(body) || !utf8.Valid(body):
		return message{kind: junk}
	case depthOf(body) > limits.DepthMax:
		return message{kind: junk}
	}
	switch first(body) {
	case '[':
		return message{kind: array}
	case '{':
	default:
		return message{kind: odd}
	}
	members, repeated := membersOf(body)
	m := message{kind: odd, id: members["id"]}
	if repeated || string(members["jsonrpc"]) != `"2.0"` || m.id != nil && !usable(m.id, limits) {
		return m
	}
	if _, found := members["method"]; found {
		return m.readMessage(members)
	}
	return m.readAnswer(members)
}

// depthOf is how deep a JSON text nests.
func depthOf(text []byte) (depth int) {
	now, isString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case isString && c == '\\':
			i++
		case c == '"':
			isString = !isString
		case isString:
		case c == '[' || c == '{':
			now++
			depth = max(depth, now)
		case c == ']' || c == '}':
			now--
		}
	}
	return depth
}

func (m message) readMessage(members map[string]json.RawMessage) message {
	if json.Unmarshal(members["method"], &m.method) != nil || first(members["method"]) != '"' {
		return m
	}
	params := members["params"]
	switch first(params) {
	case 0, '{', '[':
		m.body = params
	case 'n':
	default:
		return m
	}
	m.kind = notification
	if m.id != nil {
		m.kind = request
	}
	return m
}

func (m message) readAnswer(members map[string]json.RawMessage) message {
	value, hasResult := members["result"]
	fault, hasError := members["error"]
	if hasResult == hasError || m.id == nil || first(m.id) == 'n' {
		return m
	}
	if hasResult {
		m.kind, m.body = result, value
		return m
	}
	parts, repeated := membersOf(fault)
	if first(fault) != '{' || repeated {
		return m
	}
	if _, err := strconv.ParseInt(string(parts["code"]), 10, 32); err == nil {
		m.kind, m.body = failure, fault
	}
	return m
}

// membersOf returns the raw members of an object, and whether one is repeated.
func membersOf(object []byte) (members map[string]json.RawMessage, repeated bool) {
	members = map[string]json.RawMessage{}
	decoder := json.NewDecoder(bytes.NewReader(object))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return members, false
	}
	for decoder.More() {
		name, err := decoder.Token()
		var value json.RawMessage
		if err != nil || decoder.Decode(&value) != nil {
			return members, true
		}
		_, known := members[name.(string)]
		repeated = repeated || known
		members[name.(string)] = value
	}
	return members, repeated
}

// elements returns the entries of an array.
func elements(body []byte) (list []json.RawMessage) {
	if json.Unmarshal(body, &list) != nil {
		return nil
	}
	return list
}

func first(text []byte) byte {
	if text = bytes.TrimLeft(text, " \t\r\n"); len(text) > 0 {
		return text[0]
	}
	return 0
}

func usable(id []byte, limits *core.Limits) bool {
	c := first(id)
	return len(id) <= limits.IDBytesMax && (c == '"' || c == 'n' || c == '-' || '0' <= c && c <= '9')
}

// numberBytesMax keeps hostile numbers away from exact arithmetic.
const numberBytesMax = 24

// keyOf gives equal ids equal keys: numbers by value, strings by text (CALL-2).
func keyOf(id []byte) string {
	if first(id) == '"' {
		var text string
		if json.Unmarshal(id, &text) == nil {
			return "s" + text
		}
	}
	if len(id) > numberBytesMax || hugeExponent(id) {
		return "?" + string(id)
	}
	if value, ok := new(big.Rat).SetString(string(id)); ok {
		return "n" + value.RatString()
	}
	return "?" + string(id)
}

// hugeExponent reports an exponent of more than two digits.
func hugeExponent(number []byte) bool {
	at := bytes.IndexAny(number, "eE")
	return at >= 0 && len(number)-at > len("e+99")
}
