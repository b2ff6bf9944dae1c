package replay

import (
	"bytes"
	"context"
	"io"

	"github.com/parley-rpc/parley/core"
)

// Server plays the server of a capture to a live client: what is asked is answered as it was, and what
// the server told or asked by itself follows the message that it followed.
type Server struct {
	Recorded *Conversation
	Matching Matching
	Found    func(Difference)

	client  io.Writer
	used    map[int]bool // recorded messages of the client's that the live one has said
	answers [][]byte     // to the batch that is being answered
}

// Play plays until the client's output ends. The error is that the client cannot be written to, or
// ctx's cause.
func (s *Server) Play(ctx context.Context, from io.Reader, to io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.client, s.used = to, map[int]bool{}
	live := NewConversation()
	heard := listen(ctx, core.SideClient, s.Recorded.Framing, from)
	for {
		select {
		case said, open := <-heard:
			if !open {
				s.missing()
				return nil
			}
			if err := s.hear(live, said); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// hear reacts to what came in one frame.
func (s *Server) hear(live *Conversation, said []Message) error {
	s.answers = nil
	for i := range said {
		if !said[i].isOpening() {
			continue
		}
		index := live.add(said[i])
		if err := s.react(&live.Messages[index]); err != nil {
			return err
		}
	}
	return writeAnswers(s.client, s.Recorded.Framing, s.answers, true)
}

// react answers one message and says what followed it in the capture.
func (s *Server) react(m *Message) error {
	at, isAlike := s.match(m)
	if at < 0 {
		s.Found(difference(m, "not in the capture"))
		if m.Class == core.ClassRequest {
			return s.answer(m, notRecorded(m.ID))
		}
		return nil
	}
	s.used[at] = true
	recorded := &s.Recorded.Messages[at]
	if !isAlike {
		s.Found(difference(m, s.Matching.compareJSON("params", recorded.Body, m.Body)))
	}
	isAnswered := false
	for i := at + 1; i < len(s.Recorded.Messages); i++ {
		next := &s.Recorded.Messages[i]
		if next.Side == core.SideClient && next.isOpening() {
			break
		}
		switch {
		case next.Side == core.SideServer && i == recorded.Partner:
			isAnswered = true
			if err := s.answer(m, withID(next.Frame, m.ID)); err != nil {
				return err
			}
		case next.Side == core.SideServer && next.isOpening():
			if err := s.write(next.Frame); err != nil {
				return err
			}
		}
	}
	if answer := s.Recorded.partner(recorded); answer != nil && !isAnswered {
		return s.answer(m, withID(answer.Frame, m.ID))
	}
	return nil
}

// match finds the recorded message that a live one stands for: the first of its method that is alike
// and has not been said, else the first that has not been said; -1: none.
func (s *Server) match(m *Message) (at int, isAlike bool) {
	at = -1
	for i := range s.Recorded.Messages {
		recorded := &s.Recorded.Messages[i]
		if recorded.Side != core.SideClient || recorded.Class != m.Class || s.used[i] || !bytes.Equal(recorded.Method, m.Method) {
			continue
		}
		if s.Matching.compareJSON("params", recorded.Body, m.Body) == "" {
			return i, true
		}
		if at < 0 {
			at = i
		}
	}
	return at, false
}

// missing reports the requests that the live client never made.
func (s *Server) missing() {
	for i := range s.Recorded.Messages {
		if m := &s.Recorded.Messages[i]; m.Side == core.SideClient && m.Class == core.ClassRequest && !s.used[i] {
			s.Found(difference(m, "in the capture, and never asked"))
		}
	}
}

// answer answers a request: a member of a batch together with the others.
func (s *Server) answer(m *Message, text []byte) error {
	if !m.InBatch {
		return s.write(text)
	}
	s.answers = append(s.answers, text)
	return nil
}

func (s *Server) write(message []byte) error {
	_, err := s.client.Write(s.Recorded.Framing.Append(nil, message))
	return err
}
