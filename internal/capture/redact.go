package capture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// secretEndings are what the name of a member ends with whose value is a secret, in lower case and
// without - and _.
var secretEndings = []string{
	"password", "passwd", "passphrase", "secret", "token", "apikey", "privatekey", "accesskey",
	"authorization", "cookie", "credential", "credentials",
}

// openNames end like secrets and are part of the protocols: progress and paging.
var openNames = []string{"progresstoken", "workdonetoken", "partialresulttoken", "cancellationtoken"}

// SecretNames lists what Redaction masks by default, for people.
func SecretNames() string { return strings.Join(secretEndings, " ") }

// Redaction masks values in messages. The mask has the size of the value, so that lengths, offsets
// and headers stay as they were: a value of two bytes and more becomes a string of asterisks, one of
// a single digit becomes 0.
type Redaction struct {
	Secrets bool       // members named like secrets
	paths   [][]string // from the root of the message; * is any one member or entry, ** any number of them
}

// NewRedaction returns a Redaction of values at paths such as params.initializationOptions.licence,
// **.email or result.items.*.data.
func NewRedaction(secrets bool, paths []string) (*Redaction, error) {
	r := &Redaction{Secrets: secrets}
	for _, text := range paths {
		path := strings.Split(text, ".")
		for _, name := range path {
			if name == "" {
				return nil, fmt.Errorf("%q: want member names with dots between, such as params.token or **.email", text)
			}
		}
		switch path[0] {
		case "jsonrpc", "id", "method":
			return nil, fmt.Errorf("%q: without its %s nobody can tell what the message is", text, path[0])
		}
		r.paths = append(r.paths, path)
	}
	return r, nil
}

// Names says what is masked, as a capture's header has it.
func (r *Redaction) Names() []string {
	var names []string
	if r.Secrets {
		names = append(names, "secrets")
	}
	for _, path := range r.paths {
		names = append(names, strings.Join(path, "."))
	}
	return names
}

// Command masks what looks like a secret in the arguments of a program.
func (r *Redaction) Command(arguments []string) []string {
	var masked []string
	for i, argument := range arguments {
		text := []byte(argument)
		if r.Secrets && i > 0 && strings.HasPrefix(arguments[i-1], "-") && isSecret([]byte(arguments[i-1])) {
			text = bytes.Repeat([]byte("*"), len(text))
		}
		r.maskLoose(text)
		masked = append(masked, string(text))
	}
	return masked
}

// IsOff reports whether nothing is masked.
func (r *Redaction) IsOff() bool { return r == nil || !r.Secrets && len(r.paths) == 0 }

// Span is a part of a text, in bytes.
type Span struct{ Start, End int }

// mask overwrites the values to be hidden in a message, which is valid JSON.
func (r *Redaction) mask(message []byte) {
	w := walker{text: message, redaction: r}
	w.value()
	for _, s := range w.hidden {
		maskValue(message[s.Start:s.End])
	}
}

func maskValue(value []byte) {
	if len(value) == 1 {
		value[0] = '0'
		return
	}
	for i := range value {
		value[i] = '*'
	}
	value[0], value[len(value)-1] = '"', '"'
}

// looseSecret finds name=value and name: value in what is no message, such as a log line.
var looseSecret = regexp.MustCompile(`(?i)(?:passw(?:or)?d|passphrase|secret|token|api[-_]?key|private[-_]?key|access[-_]?key|cookie|credentials?)["']?\s*[:=]\s*["']?([^\s"',;&]+)|` +
	`authorization["']?\s*[:=]\s*["']?([^\r\n"']+)|bearer\s+([^\s"',;&]+)`)

// looseWords are in everything that looseSecret finds. Looking for them first keeps megabytes of noise
// from the expression, which is slow.
var looseWords = []string{"passw", "passphrase", "secret", "token", "key", "cookie", "credential", "authorization", "bearer"}

// mayHide reports whether a text holds one of looseWords, in any case.
func mayHide(text []byte) bool {
	lower := make([]byte, len(text))
	for i, b := range text {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		lower[i] = b
	}
	for _, word := range looseWords {
		if bytes.Contains(lower, []byte(word)) {
			return true
		}
	}
	return false
}

// maskLoose overwrites what looks like a secret in bytes that are no message.
func (r *Redaction) maskLoose(text []byte) {
	if !r.Secrets || !mayHide(text) {
		return
	}
	for _, at := range looseSecret.FindAllSubmatchIndex(text, -1) {
		for group := 2; group < len(at); group += 2 {
			if at[group] >= 0 {
				hidden := text[at[group]:at[group+1]]
				copy(hidden, bytes.Repeat([]byte("*"), len(hidden)))
			}
		}
	}
}

// hides reports whether the value at a path is to be masked.
func (r *Redaction) hides(path [][]byte) bool {
	if r.Secrets && isSecret(path[len(path)-1]) && !isProgress(path) {
		return true
	}
	for _, pattern := range r.paths {
		if matches(pattern, path) {
			return true
		}
	}
	return false
}

// isProgress reports whether a path is params.token, where LSP's progress has its token.
func isProgress(path [][]byte) bool {
	return len(path) == 2 && string(path[0]) == "params" && string(path[1]) == "token"
}

func isSecret(name []byte) bool {
	for _, open := range openNames {
		if rest, ends := cutEnding(name, open); ends && rest == 0 {
			return false
		}
	}
	for _, ending := range secretEndings {
		if _, ends := cutEnding(name, ending); ends {
			return true
		}
	}
	return false
}

// cutEnding reports whether name ends with ending, whatever its case and without - and _, and how
// many bytes stand before that.
func cutEnding(name []byte, ending string) (rest int, ends bool) {
	at := len(name)
	for i := len(ending) - 1; i >= 0; i-- {
		at--
		for at >= 0 && (name[at] == '-' || name[at] == '_') {
			at--
		}
		if at < 0 || name[at]|0x20 != ending[i] {
			return 0, false
		}
	}
	return at, true
}

func matches(pattern []string, path [][]byte) bool {
	for i, want := range pattern {
		switch {
		case want == "**":
			for skip := 0; skip <= len(path)-i; skip++ {
				if matches(pattern[i+1:], path[i+skip:]) {
					return true
				}
			}
			return false
		case i >= len(path), want != "*" && want != string(path[i]):
			return false
		}
	}
	return len(pattern) == len(path)
}

// Member finds a member of a message, which is valid JSON and an object. Without it the span is empty
// and lies at the front.
func Member(message []byte, name string) Span {
	w := walker{text: message, redaction: &Redaction{paths: [][]string{{name}}}}
	w.value()
	if len(w.hidden) == 0 {
		return Span{}
	}
	return w.hidden[0]
}

// walker visits the values of one valid JSON text by their paths. Its depth is bounded by the
// scanner that found the text valid.
type walker struct {
	text      []byte
	at        int
	path      [][]byte
	redaction *Redaction
	hidden    []Span
}

// value visits the value that begins here or after white space, and ends behind it.
func (w *walker) value() {
	w.space()
	start := w.at
	if len(w.path) > 0 && w.redaction.hides(w.path) {
		w.skip()
		w.hidden = append(w.hidden, Span{start, w.at})
		return
	}
	switch w.text[w.at] {
	case '{':
		w.members(func() []byte {
			name := w.text[w.at:]
			w.skip()
			name = name[:len(name)-(len(w.text)-w.at)]
			w.space()
			w.at++ // the colon
			return nameOf(name)
		})
	case '[':
		entry := -1
		w.members(func() []byte {
			entry++
			return strconv.AppendInt(nil, int64(entry), 10)
		})
	default:
		w.skip()
	}
}

// members visits what stands between brackets; name reads the name of the next one.
func (w *walker) members(name func() []byte) {
	w.at++
	w.space()
	for w.text[w.at] != '}' && w.text[w.at] != ']' {
		w.path = append(w.path, name())
		w.value()
		w.path = w.path[:len(w.path)-1]
		w.space()
		if w.text[w.at] == ',' {
			w.at++
			w.space()
		}
	}
	w.at++
}

// nameOf is the text of a member's name.
func nameOf(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	var name string
	// The text was found valid: what cannot be unquoted does not occur.
	_ = json.Unmarshal(quoted, &name)
	return []byte(name)
}

// skip passes over one value without looking into it.
func (w *walker) skip() {
	switch w.text[w.at] {
	case '{', '[':
		for depth := 0; ; {
			switch w.text[w.at] {
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			case '"':
				w.at += quotedSize(w.text[w.at:]) - 1
			}
			w.at++
			if depth == 0 {
				return
			}
		}
	case '"':
		w.at += quotedSize(w.text[w.at:])
	default:
		for w.at < len(w.text) && bytes.IndexByte([]byte(",]} \t\r\n"), w.text[w.at]) < 0 {
			w.at++
		}
	}
}

func (w *walker) space() {
	for w.at < len(w.text) && bytes.IndexByte([]byte(" \t\r\n"), w.text[w.at]) >= 0 {
		w.at++
	}
}

// quotedSize is the size of the JSON string at the front of text, quotes included.
func quotedSize(text []byte) int {
	for i := 1; ; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}
