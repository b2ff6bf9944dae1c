package capture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/parley-rpc/parley/internal/transcript"
)

// Open opens a capture in any of its spellings: binary, text (one record a line), JSON lines as
// WriteJSON has them, or a trace of VS Code. "-" is stdin. The caller closes it.
func Open(path string, stdin io.Reader) (*Source, error) {
	if path == "-" {
		return NewSource("stdin", io.NopCloser(stdin))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return NewSource(path, file)
}

// Source is a capture that is being read.
type Source struct {
	name   string
	from   *bufio.Reader
	close  io.Closer
	decode func(yield func(*transcript.Record, error) bool)
}

// FormatError is a file that is no capture, or no more from some place on.
type FormatError struct {
	Name string
	Err  error
}

func (e *FormatError) Error() string { return e.Name + ": " + e.Err.Error() }
func (e *FormatError) Unwrap() error { return e.Err }

// NewSource reads a capture from a stream, and looks at its first bytes for the spelling.
func NewSource(name string, from io.ReadCloser) (*Source, error) {
	s := &Source{name: name, from: bufio.NewReaderSize(from, 64<<10), close: from}
	// Shorter streams are looked at as they are.
	start, err := s.from.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		from.Close()
		return nil, err
	}
	switch {
	case len(start) == 0:
		from.Close()
		return nil, &FormatError{name, errors.New("is empty: nothing was recorded")}
	case bytes.HasPrefix(start, []byte(preamble)):
		s.decode = s.binary
	case len(start) >= len(preamble) && bytes.HasPrefix(start, []byte(preamble[:len(preamble)-1])):
		from.Close()
		return nil, &FormatError{name, fmt.Errorf("version %d of the format, and this parley reads version %d", start[len(preamble)-1], preamble[len(preamble)-1])}
	case bytes.HasPrefix(start, []byte("capture ")):
		s.decode = s.text
	case bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n\xef\xbb\xbf"), []byte("{")) && bytes.Contains(start, []byte(`"from"`)):
		s.decode = s.jsonLines
	case isTrace(start):
		s.decode = s.trace
	default:
		from.Close()
		return nil, &FormatError{name, errNotRead}
	}
	return s, nil
}

var errNotRead = errors.New("is no capture: want what parley tap --record wrote, what parley convert wrote, or a trace of VS Code")

// Close closes the file.
func (s *Source) Close() error { return s.close.Close() }

// Records yields the records. One is valid until the next. An error is the last thing yielded: a
// *transcript.TornError where the writer was stopped in the middle of a record and all before it
// holds, a *FormatError where the rest is no capture, or what the file system says.
func (s *Source) Records() iter.Seq2[*transcript.Record, error] { return s.decode }

func (s *Source) binary(yield func(*transcript.Record, error) bool) {
	// Its presence was seen.
	_, _ = s.from.Discard(len(preamble))
	reader := transcript.NewReader(s.from, uint64(len(preamble)))
	var r transcript.Record
	for {
		err := reader.Next(&r)
		if errors.Is(err, io.EOF) {
			return
		}
		if corrupt := new(transcript.CorruptError); errors.As(err, &corrupt) {
			err = &FormatError{s.name, err}
		}
		if err != nil {
			yield(nil, err)
			return
		}
		if !yield(&r, nil) {
			return
		}
	}
}

func (s *Source) text(yield func(*transcript.Record, error) bool) {
	for number, line := range s.lines(yield) {
		if len(line) == 0 {
			continue
		}
		r, err := transcript.ParseRecord(line)
		if err != nil {
			yield(nil, &FormatError{s.name, fmt.Errorf("line %d: %w", number, err)})
			return
		}
		if !yield(&r, nil) {
			return
		}
	}
}

// lineBytesMax bounds one line: the largest record with every byte escaped.
const lineBytesMax = 4 * transcript.RecordBytesMax

// lines yields the lines of a source with their numbers, from 1, without their ends. It tells what
// keeps it from reading on.
func (s *Source) lines(tell func(*transcript.Record, error) bool) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		scanner := bufio.NewScanner(s.from)
		scanner.Buffer(nil, lineBytesMax)
		number := 0
		for scanner.Scan() {
			number++
			if !yield(number, scanner.Bytes()) {
				return
			}
		}
		if err := scanner.Err(); err != nil {
			tell(nil, &FormatError{s.name, fmt.Errorf("line %d: %w", number+1, err)})
		}
	}
}
