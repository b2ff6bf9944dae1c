package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// InputBytesMax bounds what one record may stand for, so that a repeat count in a hostile
// transcript cannot make the player allocate without end. Unit: bytes.
const InputBytesMax = 256 << 20

// SyntaxError is a line that is no record.
type SyntaxError struct {
	Line int // from 1
	Err  error
}

func (e *SyntaxError) Error() string {
	return "transcript: line " + strconv.Itoa(e.Line) + ": " + e.Err.Error()
}

func (e *SyntaxError) Unwrap() error { return e.Err }

// Parse reads a file of vectors. The result shares no memory with text. Its error is a *SyntaxError.
func Parse(text []byte) ([]Vector, error) {
	var vectors []Vector
	text = bytes.Clone(text)
	for i, line := range bytes.Split(text, []byte("\n")) {
		var err error
		switch {
		case len(line) == 0:
		case bytes.HasPrefix(line, []byte("# ")):
			var v Vector
			v, err = parseTitle(string(line[2:]))
			vectors = append(vectors, v)
		case len(vectors) == 0:
			err = errors.New("want a title, # RULE-1  A sentence, before anything else")
		default:
			v := &vectors[len(vectors)-1]
			var r Record
			r, err = ParseRecord(line)
			if err == nil && (r.Op == OpOpen) != (len(v.Records) == 0) {
				err = errors.New("want one open line, directly after the title")
			}
			v.Records = append(v.Records, r)
		}
		if err != nil {
			return nil, &SyntaxError{Line: i + 1, Err: err}
		}
	}
	return vectors, nil
}

// parseTitle reads rule ids, two spaces, a sentence.
func parseTitle(s string) (Vector, error) {
	ids, title, found := strings.Cut(s, "  ")
	if !found || title == "" || strings.TrimSpace(title) != title {
		return Vector{}, errors.New("want a title: # RULE-1 RULE-2  A sentence")
	}
	v := Vector{Rules: strings.Split(ids, " "), Title: title}
	for _, rule := range v.Rules {
		family, digits, _ := strings.Cut(rule, "-")
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || family == "" || strings.ToUpper(family) != family || rule != family+"-"+strconv.Itoa(n) {
			return Vector{}, fmt.Errorf("%q is no rule id", rule)
		}
	}
	return v, nil
}

// ParseRecord reads one line, without its line feed. The record shares line's memory.
func ParseRecord(line []byte) (Record, error) {
	side := 0 // "> call": the side is part of the verb
	if bytes.HasPrefix(line, []byte("> ")) || bytes.HasPrefix(line, []byte("< ")) {
		side = len("> ")
	}
	verb, words, _ := bytes.Cut(line[side:], []byte(" "))
	name, times, repeated := strings.Cut(string(line[:side+len(verb)]), "*")
	r := Record{Op: opOf(name)}
	if r.Op == OpNone {
		return r, fmt.Errorf("unknown verb %q", name)
	}
	row := &spellings[r.Op]
	for i := range row.fields {
		f := &row.fields[i]
		if f.rest && row.hasOption(words) {
			return r, fmt.Errorf("%s: an option at %q is unknown here, repeated or out of order", name, words)
		}
		var err error
		if words, err = f.parse(&r, words); err != nil {
			return r, fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(words) > 0 {
		return r, fmt.Errorf("%s: nothing is known about %q", name, words)
	}
	if repeated {
		if !row.repeats() {
			return r, errors.New("only in and frame can be repeated")
		}
		return r, r.parseRepeat(times)
	}
	return r, nil
}

// parse reads the field off the front of words and returns what follows it.
func (f *field) parse(r *Record, words []byte) ([]byte, error) {
	if f.rest {
		if len(words) == 0 {
			return nil, nil
		}
		return nil, f.read(r, words)
	}
	first, tail, _ := bytes.Cut(words, []byte(" "))
	value, found := bytes.CutPrefix(first, []byte(f.prefix))
	switch {
	case f.optional && !found, f.optional && len(words) == 0:
		return words, nil
	case !found || len(words) == 0:
		return nil, fmt.Errorf("want %s… instead of %q", f.prefix, first)
	}
	return tail, f.read(r, value)
}

func (r *Record) parseRepeat(times string) error {
	n, err := strconv.ParseUint(times, 10, 63)
	if err != nil {
		n = 0
	}
	r.Repeat = n
	return r.checkRepeat()
}

func (r *Record) checkRepeat() error {
	if n := r.Repeat; n < 2 || n > InputBytesMax || n*uint64(len(r.Text)) > InputBytesMax {
		return fmt.Errorf("want a repeat count from 2, at most %d bytes in all", InputBytesMax)
	}
	return nil
}

// repeats reports whether a line of this row may say how often it stands.
func (row *spelling) repeats() bool { return row == &spellings[OpIn] || row == &spellings[OpFrame] }
