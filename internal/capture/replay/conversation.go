// Package replay plays one side of a capture to a live peer, compares what comes back with what was
// recorded, and compares captures with each other.
package replay

import (
	"bytes"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/capture"
)

// Message is one message of a capture.
type Message struct {
	Side    core.Side
	Class   core.Class
	ID      []byte // as on the wire
	Method  []byte // of an answer: of its request
	Body    []byte // params, result or error
	Frame   []byte
	Partner int // index of the answer or of the request; -1: none
	Nth     int // of its side, class and method, from 0

	InBatch bool // a member of the batch before it
}

// isOpening reports whether a message begins something, instead of answering.
func (m *Message) isOpening() bool {
	return m.Class == core.ClassRequest || m.Class == core.ClassNotification
}

// Conversation is the messages of a capture in their order, all in memory.
type Conversation struct {
	Framing  capture.Framing // of the client
	Messages []Message
	open     map[opened]int
	counts   map[counted]int
	nth      map[position]int
}

type opened struct {
	side core.Side
	id   string
}

type counted struct {
	side   core.Side
	class  core.Class
	method string
}

// position is one message among those of its side, class and method.
type position struct {
	counted
	nth int
}

// NewConversation returns an empty one.
func NewConversation() *Conversation {
	return &Conversation{open: map[opened]int{}, counts: map[counted]int{}, nth: map[position]int{}}
}

// See keeps what f shows, if it is a message.
func (c *Conversation) See(f *capture.Follower, seen *capture.Seen) {
	if seen.Found == nil || seen.Found.Message == nil {
		return
	}
	if seen.Side == core.SideClient {
		c.Framing = f.Framing(core.SideClient)
	}
	c.add(newMessage(seen.Side, seen.Found.Message, seen.InBatch))
}

// newMessage is a copy of what an event says.
func newMessage(side core.Side, ev *core.Event, inBatch bool) Message {
	return Message{
		Side: side, Class: ev.Class, Partner: -1, InBatch: inBatch,
		ID: bytes.Clone(ev.ID), Method: bytes.Clone(ev.Method), Body: bytes.Clone(ev.Body), Frame: bytes.Clone(ev.Frame),
	}
}

// add adds a message of another conversation, or of none, and returns its index.
func (c *Conversation) add(m Message) int {
	m.Partner = -1
	index := len(c.Messages)
	switch m.Class {
	case core.ClassRequest:
		c.open[opened{m.Side, string(m.ID)}] = index
	case core.ClassResult, core.ClassError:
		key := opened{1 - m.Side, string(m.ID)}
		if request, found := c.open[key]; found {
			delete(c.open, key)
			m.Partner, m.Method = request, c.Messages[request].Method
			c.Messages[request].Partner = index
		}
	}
	key := counted{m.Side, m.Class, string(m.Method)}
	m.Nth = c.counts[key]
	c.counts[key]++
	c.nth[position{key, m.Nth}] = index
	c.Messages = append(c.Messages, m)
	return index
}

// RequestCount is how many requests there are, of both sides.
func (c *Conversation) RequestCount() int {
	requests := 0
	for i := range c.Messages {
		if c.Messages[i].Class == core.ClassRequest {
			requests++
		}
	}
	return requests
}

// membersOf are the members of the batch at an index; none: it is no batch, or an empty one.
func (c *Conversation) membersOf(batch int) []Message {
	end := batch + 1
	for end < len(c.Messages) && c.Messages[end].InBatch {
		end++
	}
	return c.Messages[batch+1 : end]
}

// find returns the n-th message of a side, class and method; nil: there are fewer.
func (c *Conversation) find(side core.Side, class core.Class, method []byte, nth int) *Message {
	if i, found := c.nth[position{counted{side, class, string(method)}, nth}]; found {
		return &c.Messages[i]
	}
	return nil
}

// partner is the answer to a request, or the request of an answer; nil: none.
func (c *Conversation) partner(m *Message) *Message {
	if m == nil || m.Partner < 0 {
		return nil
	}
	return &c.Messages[m.Partner]
}
