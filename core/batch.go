package core

import (
	"bytes"

	"github.com/parley-rpc/parley/core/internal/ident"
	"github.com/parley-rpc/parley/core/internal/scan"
	"github.com/parley-rpc/parley/core/internal/slab"
)

// batch is an array of theirs whose answers are collected until they leave as one array (MSG-8).
type batch struct {
	answers []byte // "[" and what is answered, commas between; empty: nothing yet
	open    int    // requests without an answer, and one while the array is taken apart
}

// batchRequest is what the first look at an array notes of one request in it.
type batchRequest struct {
	entry    int // its place among the entries
	key      []byte
	collides bool
}

// ingestBatch takes an array apart, each entry as if it came alone (MSG-8, CALL-9).
func (c *Conn) ingestBatch(body []byte, offset uint64) {
	if !c.arrays {
		c.refuse(body, offset, refusal{invalid: InvalidBatch, answer: true})
		return
	}
	requests, ok := c.survey(body)
	if !ok {
		c.refuse(body, offset, refusal{invalid: InvalidBatchSize, answer: true})
		return
	}
	index, b := c.batches.Put()
	*b = batch{answers: b.answers[:0], open: 1}
	c.batch = index + 1
	elements := scan.Elements(body)
	for i := 0; c.phase.input == InputOpen; i++ {
		span, ok := elements.Next()
		if !ok {
			break
		}
		collides := false
		if len(requests) > 0 && requests[0].entry == i {
			collides, requests = requests[0].collides, requests[1:]
		}
		c.ingestEntry(span.Of(body), offset+uint64(span.Start), collides)
	}
	c.batch = 0
	c.concludeMember(index + 1)
}

// survey looks at each entry of an array before any is acted on: it notes the requests, and which of
// their ids collide. It is false for an empty array, and where more than BatchMax entries would be
// answered or reported: requests, what is no message, and errors for nobody.
func (c *Conn) survey(body []byte) (requests []batchRequest, ok bool) {
	var ids slab.Table
	counted := 0
	m := &c.message
	entries := scan.Elements(body)
	for i := 0; ; i++ {
		span, more := entries.Next()
		if !more {
			return requests, i > 0
		}
		entry := span.Of(body)
		c.scanner.Message(entry, m)
		class := ClassInvalid
		if m.Form == scan.FormObject {
			class, _ = c.classify(entry, m)
		}
		if class == ClassRequest || class == ClassInvalid || class == ClassError && anonymous(entry, m) {
			if counted++; counted > c.cfg.Limits.BatchMax {
				return nil, false
			}
		}
		if class != ClassRequest {
			continue
		}
		r := batchRequest{entry: i, key: ident.Append(nil, m.ID.Of(entry))}
		hash := ident.Hash(c.cfg.Seed, r.key)
		other, taken := ids.Find(hash, func(i uint32) bool { return bytes.Equal(requests[i].key, r.key) })
		if taken {
			requests[other].collides, r.collides = true, true
		} else {
			ids.Put(hash, uint32(len(requests)))
		}
		requests = append(requests, r)
	}
}

// ingestEntry judges one entry of an array.
func (c *Conn) ingestEntry(entry []byte, offset uint64, collides bool) {
	m := &c.message
	c.scanner.Message(entry, m) // no fault: the array has passed
	switch {
	case m.Form == scan.FormArray:
		c.refuse(entry, offset, refusal{invalid: InvalidBatch, answer: true})
	case m.Form == scan.FormScalar:
		c.refuse(entry, offset, refusal{invalid: InvalidScalar, answer: true})
	case collides:
		c.reject(m.ID.Of(entry), CodeInvalidRequest, "Invalid Request: id occurs twice in the batch")
	default:
		c.ingestObject(entry, offset, m)
	}
}

// join adds one answer, whose envelope is in c.render, to a batch.
func (c *Conn) join(number uint32, payload []byte, tail string) {
	b := c.batches.At(number - 1)
	collected := len(b.answers)
	separator := byte(',')
	if collected == 0 {
		separator = '['
	}
	b.answers = append(b.answers, separator)
	b.answers = append(b.answers, c.render...)
	b.answers = append(b.answers, payload...)
	b.answers = append(b.answers, tail...)
	c.out.joined += len(b.answers) - collected
}

// joins reports room for one more answer in its array, which has to fit one frame, brackets
// included, and beside all other answers that are owed: a peer may leave many arrays open (BACK-4).
func (c *Conn) joins(number uint32, size int) bool {
	l := &c.cfg.Limits
	return len(c.batches.At(number-1).answers)+2+size <= l.FrameBytesMax &&
		c.out.owed()+size <= max(l.FrameBytesMax, l.OutBytesMax)
}

// concludeMember counts one request of a batch as answered; the last one sends the array.
func (c *Conn) concludeMember(number uint32) {
	b := c.batches.At(number - 1)
	if b.open--; b.open > 0 {
		return
	}
	c.out.joined -= len(b.answers)
	if len(b.answers) > 0 && c.writable() {
		if len(b.answers)+1 > c.cfg.Limits.FrameBytesMax {
			c.rejectIn(0, nil, CodeInternal, "Internal error: the answers are over the frame limit", nil)
		} else {
			c.render = c.render[:0]
			c.appendAnswer(b.answers, "]")
		}
	}
	if cap(b.answers) > segmentBytesMax {
		b.answers = nil
	}
	c.batches.Drop(number - 1)
}

// Batch sends several calls and notifications as one array frame (CALL-9). ids has room for one
// handle an item; a notification's is 0. Each call has its own id, budget and outcome. Where an
// error is returned nothing was registered or queued.
func (c *Conn) Batch(items []BatchItem, ids []CallID) error {
	if c.cfg.Role == RoleRelay || !c.spec.batches {
		return ErrUnsupported
	}
	if !c.sendable() {
		return ErrClosed
	}
	if len(items) == 0 || len(items) > c.cfg.Limits.BatchMax || len(ids) < len(items) {
		return ErrBadCount
	}
	size, err := c.checkBatch(items)
	if err != nil {
		return err
	}
	if err := c.admit(size); err != nil {
		return err
	}
	c.sendBatch(items, ids)
	c.expire()
	return nil
}

// checkBatch judges every item before any is registered, and bounds the size of the array.
func (c *Conn) checkBatch(items []BatchItem) (size int, err error) {
	calls := 0
	for i := range items {
		it := &items[i]
		params, err := c.checkMessage(it.Method, it.Params)
		if err != nil {
			return 0, err
		}
		c.openMethod(nil, it.Method, params)
		size += len(c.render) + len(params) + len(`,}`)
		if it.Notification {
			continue
		}
		calls++
		if err := c.checkCall(&it.Options, calls); err != nil {
			return 0, err
		}
		if c.repeats(items[:i], &it.Options) {
			return 0, ErrIDTaken
		}
		size += len(`"id":,`) + max(len(it.Options.ID), numberBytesMax)
	}
	return size + 1, nil
}

// repeats reports a chosen id that an earlier item of the same batch has.
func (c *Conn) repeats(earlier []BatchItem, opts *CallOptions) bool {
	for i := range earlier {
		other := &earlier[i].Options
		if earlier[i].Notification {
			continue
		}
		if opts.ID != nil && other.ID != nil && sameID(opts.ID, other.ID) {
			return true
		}
	}
	return false
}

func sameID(a, b []byte) bool {
	return bytes.Equal(ident.Append(nil, a), ident.Append(nil, b))
}

// sendBatch registers the calls of a batch and queues its frame.
func (c *Conn) sendBatch(items []BatchItem, ids []CallID) {
	calls := c.registerBatch(items, ids)
	text := []byte{'['}
	for i := range items {
		it := &items[i]
		params, _ := c.checkMessage(it.Method, it.Params)
		var id []byte
		if !it.Notification {
			id = c.calls.slots.At(calls[i].slot).appendID(nil)
		}
		if i > 0 {
			text = append(text, ',')
		}
		calls[i].start = len(text)
		c.openMethod(id, it.Method, params)
		text = append(text, c.render...)
		text = append(text, params...)
		text = append(text, '}')
		calls[i].end = len(text)
	}
	c.render = c.render[:0]
	s, start := c.append(text, "]")
	s.frames = append(s.frames, frameRef{start: start, end: len(s.buf)})
	body := start + c.headerBytes(len(text)+1)
	for i := range items {
		if items[i].Notification {
			s.frames[len(s.frames)-1].live++
		} else {
			c.place(calls[i].slot, s, body+calls[i].start, body+calls[i].end)
		}
	}
}

// registerBatch opens the calls of a batch: first those with chosen ids, which the count then skips.
func (c *Conn) registerBatch(items []BatchItem, ids []CallID) []callRef {
	calls := make([]callRef, len(items))
	for _, chosen := range [...]bool{true, false} {
		for i := range items {
			it := &items[i]
			if it.Notification {
				ids[i] = 0
			} else if (it.Options.ID != nil) == chosen {
				number := uint64(0)
				if !chosen {
					number = c.nextNumber()
				}
				calls[i].slot = c.register(it.Method, it.Options, number)
				ids[i] = CallID(c.calls.slots.Handle(calls[i].slot))
			}
		}
	}
	return calls
}

// blank overwrites frame[start:end], one member of a batch, and one comma beside it, with spaces.
// The frame keeps its size, so that its header stays true.
func blank(frame []byte, start, end int) {
	fill := func(from, to int) {
		for i := from; i < to; i++ {
			frame[i] = ' '
		}
	}
	fill(start, end)
	after := end
	for frame[after] == ' ' {
		after++
	}
	if frame[after] == ',' && !planted(bugCommaKept) {
		fill(after, after+1)
		return
	}
	before := start - 1
	for frame[before] == ' ' {
		before--
	}
	fill(before, before+1)
}
