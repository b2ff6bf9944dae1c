package capture

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/transcript"
)

// Spelling is how a capture is written.
type Spelling uint8

const (
	SpellBinary Spelling = iota // every record, in MessagePack
	SpellText                   // every record, one a line
	SpellJSON                   // messages, one a line, with their latency
)

var spellingNames = [...]string{"binary", "text", "jsonl"}

// ParseSpelling reads a name: binary, text or jsonl.
func ParseSpelling(name string) (Spelling, error) {
	if i := slices.Index(spellingNames[:], name); i >= 0 {
		return Spelling(i), nil
	}
	return 0, fmt.Errorf("%q: want one of %s", name, strings.Join(spellingNames[:], ", "))
}

// Writer writes records that are at hand, in one of the spellings. Close says whether all is written.
type Writer struct {
	to       *bufio.Writer
	spelling Spelling
	follower *Follower
	buffer   []byte
	isBegun  bool
	err      error
}

// NewWriter returns a Writer. The caller owns to.
func NewWriter(to io.Writer, spelling Spelling) *Writer {
	return &Writer{to: bufio.NewWriter(to), spelling: spelling, follower: NewFollower()}
}

// Write writes one record.
func (w *Writer) Write(r *transcript.Record) error {
	if w.err != nil {
		return w.err
	}
	switch w.spelling {
	case SpellBinary:
		w.buffer = w.buffer[:0]
		if !w.isBegun {
			w.buffer = append(w.buffer, preamble...)
		}
		w.buffer, w.err = r.AppendBinary(w.buffer)
		w.put()
	case SpellText:
		w.buffer = r.Append(w.buffer[:0])
		w.put()
	case SpellJSON:
		if err := w.follower.Take(r, w.line); err != nil && w.err == nil {
			w.err = err
		}
	}
	w.isBegun = true
	return w.err
}

func (w *Writer) line(seen *Seen) {
	if w.err == nil {
		w.err = NewLine(seen, &w.follower.Header).WriteJSON(w.to)
	}
}

func (w *Writer) put() {
	if w.err == nil {
		_, w.err = w.to.Write(w.buffer)
	}
}

// Close writes what is left.
func (w *Writer) Close() error {
	if w.spelling == SpellJSON {
		w.follower.End(w.line)
	}
	if w.err == nil {
		w.err = w.to.Flush()
	}
	return w.err
}

// Reframe is the record of one message by itself, in its frame; of anything else the record that
// told it. ok is false for bytes outside of messages.
func (f *Follower) Reframe(seen *Seen) (_ transcript.Record, ok bool) {
	if seen.Found == nil {
		return *seen.Record, true
	}
	if seen.Found.Message == nil {
		return transcript.Record{}, false
	}
	op := transcript.OpClient
	if seen.Side == core.SideServer {
		op = transcript.OpServer
	}
	framing := f.framers[seen.Side].Framing()
	return transcript.Record{Op: op, Time: seen.At, Text: framing.Append(nil, seen.Found.Message.Frame)}, true
}
