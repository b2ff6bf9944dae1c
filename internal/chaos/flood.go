package chaos

import (
	"fmt"
	"io"
)

// FloodMethod is the method of the notifications that Flood writes.
const FloodMethod = "parley/flood"

// Flood writes count notifications that nobody asked for, numbered from 1, whether they are read
// or not. It returns when all are written, or what Inject fails with.
func Flood(out *Messages, count int) error {
	const blockMessages = 256 // of about 60 bytes
	block := make([]Message, 0, blockMessages)
	for n := 1; n <= count; n++ {
		block = append(block, Message{
			Text: fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"%s","params":[%d]}`, FloodMethod, n),
		})
		if len(block) < blockMessages && n < count {
			continue
		}
		if err := out.Inject(block); err != nil {
			return err
		}
		block = block[:0]
	}
	return nil
}

// FloodText writes bytesTotal bytes of lines, as a peer does that logs too much. It closes begun behind the first of
// them, so that a peer that dies at once has said something.
func FloodText(out io.Writer, bytesTotal int64, begun chan<- struct{}) error {
	const firstBytes = 64
	text := &lines{}
	_, err := io.CopyN(out, text, min(bytesTotal, firstBytes))
	close(begun)
	if err != nil || bytesTotal <= firstBytes {
		return err
	}
	_, err = io.CopyN(out, text, bytesTotal-firstBytes)
	return err
}

// lines reads as numbered lines without an end.
type lines struct {
	count int
	rest  []byte // of the line under way
}

func (l *lines) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		l.count++
		l.rest = fmt.Appendf(l.rest, "flood on stderr, line %d\n", l.count)
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}
