package replay

import (
	"bytes"
	"context"
	"io"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/capture"
)

// listen reads what a side says until the stream ends, or ctx does, frame by frame: one message, or a batch
// and behind it its members. What is no message is dropped.
func listen(ctx context.Context, side core.Side, framing capture.Framing, from io.Reader) <-chan []Message {
	heard := make(chan []Message, 64)
	go func() {
		defer close(heard)
		framer, members := capture.NewFramer(framing), capture.NewMembers()
		tell := func(found capture.Found) {
			if found.Message == nil {
				return
			}
			said := []Message{newMessage(side, found.Message, false)}
			if found.Message.Class == core.ClassBatch {
				members.Each(said[0].Frame, found.Start, func(member capture.Found) {
					said = append(said, newMessage(side, member.Message, true))
				})
			}
			select {
			case heard <- said:
			case <-ctx.Done():
			}
		}
		buffer := make([]byte, 64*core.KiB)
		for ctx.Err() == nil {
			n, err := from.Read(buffer)
			framer.Feed(buffer[:n], tell)
			if err != nil {
				framer.End(tell)
				return
			}
		}
	}()
	return heard
}

// writeAnswers writes the answers to what came in one frame: those to a batch in one array (MSG-8).
func writeAnswers(to io.Writer, framing capture.Framing, answers [][]byte, isBatch bool) error {
	if isBatch && len(answers) > 0 {
		answers = [][]byte{array(answers)}
	}
	for _, answer := range answers {
		if _, err := to.Write(framing.Append(nil, answer)); err != nil {
			return err
		}
	}
	return nil
}

func array(entries [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(entries, []byte{','})...), ']')
}
