package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/capture"
)

// Client plays the client of a capture to a live server. It says what was recorded, in the recorded
// order and without the recorded pauses: what followed an answer waits for the live one. The server's
// own requests are answered as they were, the n-th of a method as the n-th of it.
type Client struct {
	Recorded *Conversation
	Matching Matching
	Patience time.Duration // how long one answer is waited for
	Found    func(Difference)

	server io.Writer
	live   *Conversation
	heard  <-chan []Message // closed at the end of the server's output
}

// errGone is that the server's output ended.
var errGone = errors.New("the server's output has ended")

// Play plays to a server's pipes. The error is that the server cannot be written to, or ctx's cause;
// that it does not answer is a difference.
func (c *Client) Play(ctx context.Context, from io.Reader, to io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.server, c.live = to, NewConversation()
	c.heard = listen(ctx, core.SideServer, c.Recorded.Framing, from)
	for i := range c.Recorded.Messages {
		m := &c.Recorded.Messages[i]
		var err error
		switch {
		case m.Side == core.SideClient && m.Class != core.ClassResult && m.Class != core.ClassError:
			err = c.say(i)
		case m.Side == core.SideServer && m.Partner >= 0 && m.Partner < i:
			err = c.await(ctx, c.Recorded.partner(m), m)
		}
		if errors.Is(err, errGone) {
			c.lose(i)
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// say sends one recorded message. Members of a batch have gone with it.
func (c *Client) say(index int) error {
	m := &c.Recorded.Messages[index]
	c.live.add(*m)
	if m.InBatch {
		return nil
	}
	text := m.Frame
	if m.Class == core.ClassBatch {
		if text = openingsOf(m, c.Recorded.membersOf(index)); text == nil {
			return nil
		}
	}
	_, err := c.server.Write(c.Recorded.Framing.Append(nil, text))
	return err
}

// openingsOf is a batch without the answers in it, which follow what the live server asks; nil: nothing is
// left.
func openingsOf(batch *Message, members []Message) []byte {
	var left [][]byte
	for i := range members {
		if m := &members[i]; m.Class != core.ClassResult && m.Class != core.ClassError {
			left = append(left, m.Frame)
		}
	}
	switch len(left) {
	case len(members):
		return batch.Frame
	case 0:
		return nil
	}
	return array(left)
}

// await listens until a request is answered, and compares the answer.
func (c *Client) await(ctx context.Context, request, want *Message) error {
	patience := time.NewTimer(c.Patience)
	defer patience.Stop()
	for {
		said := c.live.find(core.SideClient, core.ClassRequest, request.Method, request.Nth)
		if got := c.live.partner(said); got != nil {
			if detail := c.Matching.compare(want, got); detail != "" {
				c.Found(difference(request, detail))
			}
			return nil
		}
		select {
		case said, open := <-c.heard:
			if !open {
				return errGone
			}
			if err := c.hear(said); err != nil {
				return err
			}
		case <-patience.C:
			c.Found(difference(request, fmt.Sprintf("not answered within %v", c.Patience)))
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// hear takes what the server said in one frame. What it asks is answered: several questions at once in a
// batch, as they came.
func (c *Client) hear(said []Message) error {
	var answers [][]byte
	for i := range said {
		index := c.live.add(said[i])
		if said[i].Class == core.ClassRequest {
			answers = append(answers, c.answer(&c.live.Messages[index]))
		}
	}
	return writeAnswers(c.server, c.Recorded.Framing, answers, said[0].Class == core.ClassBatch)
}

// answer is the recorded answer to the same request.
func (c *Client) answer(asked *Message) []byte {
	answer := c.Recorded.partner(c.Recorded.find(core.SideServer, core.ClassRequest, asked.Method, asked.Nth))
	if answer != nil {
		return withID(answer.Frame, asked.ID)
	}
	if c.Matching != MatchIDs {
		c.Found(difference(asked, "asked, and was not answered in the capture"))
	}
	return notRecorded(asked.ID)
}

// lose reports what is not answered because the server has ended.
func (c *Client) lose(from int) {
	for i := from; i < len(c.Recorded.Messages); i++ {
		if m := &c.Recorded.Messages[i]; m.Side == core.SideServer && m.Partner >= 0 {
			c.Found(difference(c.Recorded.partner(m), "not answered: "+errGone.Error()))
		}
	}
}

// notRecorded is the answer to a request that the capture has no answer to.
func notRecorded(id []byte) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"not in the capture"}}`, id, core.CodeInternal)
}

// withID is a recorded answer for another request.
func withID(answer, id []byte) []byte {
	span := capture.Member(answer, "id")
	return append(append(append([]byte(nil), answer[:span.Start]...), id...), answer[span.End:]...)
}
