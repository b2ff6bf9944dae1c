//go:build wasip1

package main

import (
	"unsafe"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

// connection is one Conn and the blocks through which the host sees it.
type connection struct {
	conn *core.Conn

	frameBytesMax   int
	reserveBytesMax int
	memoryBytes     int64 // what the memory rule counts for it

	ready   abi.Ready
	records [abi.RecordsMax]abi.Event

	// What the addresses above point at is held here until it expires, so that it is not collected.
	events    []core.Event
	input     []byte
	taken     []byte
	unwritten int // bytes of taken

	state    abi.State
	stats    abi.Stats
	limits   abi.Limits
	snapshot snapshotBlock
}

var connections = newTable[*connection](abi.ConnectionsMax)

// enter is find for an export that is an input: what was fetched before it expires.
func enter(handle float64) *connection {
	c := connections.find(handle)
	if c != nil {
		c.expire()
	}
	return c
}

// eventsKept bounds the list that is kept: what 64 KiB of the smallest usual messages bring.
const eventsKept = 4 * abi.RecordsMax

// expire lets go of the events that were fetched. A list that flooded is not kept.
func (c *connection) expire() {
	for i := range c.events {
		ev := &c.events[i]
		ev.ID, ev.Method, ev.Body, ev.Text, ev.Frame = nil, nil, nil, nil, nil
	}
	c.events = c.events[:0]
	if cap(c.events) > eventsKept {
		c.events = nil
	}
}

// leave ends an export that may have changed something: it brings the ready block up to date and
// passes the result on.
func (c *connection) leave(result int32) int32 {
	deadline, timer := c.conn.Deadline()
	r := &c.ready
	r.Deadline, r.Timer = floatOf(deadline), uint8(timer)
	r.OutputBytes = float64(c.conn.Pending())
	r.Flags &^= abi.ReadyPaused | abi.ReadyOutputDone
	if c.conn.Paused() {
		r.Flags |= abi.ReadyPaused
	}
	if c.conn.OutputDone() {
		r.Flags |= abi.ReadyOutputDone
	}
	c.noteDrained()
	return result
}

func (c *connection) noteDrained() {
	c.ready.Flags &^= abi.ReadyDrained
	if c.conn.Facts() == 0 {
		c.ready.Flags |= abi.ReadyDrained
	}
}

// turn is parley_turn: bytes, end of input, what was written, time, output, facts, in this order.
// The first step that is refused ends it.
func (c *connection) turn(received, flags uint32, now float64, wrote uint32) int32 {
	t, timed := timeOf(now)
	if flags&^abi.TurnFlags != 0 || !timed && now == now || t == core.Never {
		return -int32(abi.ErrNumber) // it is never Never
	}
	c.ready.Flags &^= abi.ReadyViolation | abi.ReadyMore
	c.ready.EventCount, c.ready.Out = 0, abi.Span{}
	if flags&abi.TurnScratch != 0 && received > 0 {
		if err := c.receive(received); err != 0 {
			return -int32(err)
		}
	}
	const ends = abi.TurnEnd | abi.TurnEOF | abi.TurnReadFailed
	if received > 0 || flags&ends != 0 {
		if code := c.commit(received, flags); code != 0 {
			return code
		}
	}
	if wrote > 0 {
		c.unwritten -= min(int(wrote), c.unwritten)
		c.conn.Wrote(int(wrote))
	}
	if flags&abi.TurnWriteFailed != 0 {
		c.conn.WriteFailed()
	}
	if timed {
		c.conn.Advance(t)
	}
	if flags&abi.TurnTake != 0 {
		c.take()
	}
	if flags&abi.TurnDrain != 0 {
		c.drain()
	}
	return int32(c.ready.EventCount)
}

// receive copies the bytes of a turn out of scratch to where they are to be committed: for a small read
// that costs less than the call of parley_reserve.
func (c *connection) receive(received uint32) abi.Error {
	switch {
	case uint64(received) > uint64(c.reserveBytesMax):
		return abi.ErrNumber
	case uint64(received) > uint64(len(scratch)):
		return abi.ErrPointer
	}
	copy(c.conn.Reserve(int(received)), scratch[:received])
	c.input, c.ready.In = nil, abi.Span{}
	return 0
}

// commit takes the bytes and the end of input. A violation is no refusal: the peer is at fault.
func (c *connection) commit(received, flags uint32) int32 {
	var err error
	switch {
	case flags&abi.TurnEnd != 0:
		err = c.conn.CommitMessage(int(received))
	case received > 0:
		err = c.conn.Commit(int(received))
	}
	if usage, refused := err.(core.UsageError); refused {
		return codeOf(usage)
	}
	if flags&abi.TurnEOF != 0 {
		if end := c.conn.CommitEOF(); end != nil {
			err = end
		}
	}
	if flags&abi.TurnReadFailed != 0 {
		c.conn.ReadFailed()
	}
	if _, violated := err.(*core.ProtocolError); violated {
		c.ready.Flags |= abi.ReadyViolation
		return 0
	}
	return codeOf(err)
}

func (c *connection) drain() {
	n := 0
	for n < abi.RecordsMax && c.conn.Facts() > 0 && c.next(&c.records[n]) {
		n++
	}
	c.ready.EventCount = uint32(n)
	if n == abi.RecordsMax {
		c.ready.Flags |= abi.ReadyMore
	}
}

// next fetches one event into a record.
func (c *connection) next(r *abi.Event) bool {
	n := len(c.events)
	if n == cap(c.events) {
		c.events = append(c.events, core.Event{})
	}
	c.events = c.events[:n+1] // Next fills all of it
	if !c.conn.Next(&c.events[n]) {
		c.events = c.events[:n]
		return false
	}
	encodeEvent(r, &c.events[n])
	return true
}

// take hands the oldest segment over and holds it until the next one is taken; then it is the spare.
// While a segment is being written there is no next one.
func (c *connection) take() {
	if c.unwritten > 0 {
		return
	}
	c.taken = c.conn.Take(c.taken)
	c.unwritten = len(c.taken)
	c.ready.Out = spanOf(c.taken)
}

// encodeEvent sets the fields one by one: a record that is put together and copied costs two calls
// of the host for each event.
func encodeEvent(r *abi.Event, ev *core.Event) {
	r.Kind, r.Class, r.Reason = uint8(ev.Kind), uint8(ev.Class), uint8(ev.Reason)
	r.Invalid, r.Hint, r.Code = uint8(ev.Invalid), uint8(ev.Hint), int32(ev.Code)
	r.Call, r.Req, r.Ordinal = float64(ev.Call), float64(ev.Req), float64(ev.Ordinal)
	r.Offset, r.Count = float64(ev.Offset), float64(ev.Count)
	r.ID, r.Method, r.Body = spanOf(ev.ID), spanOf(ev.Method), spanOf(ev.Body)
	r.Text, r.Frame = spanOf(ev.Text), spanOf(ev.Frame)
}

// newReady returns the block with what never changes in it.
func (c *connection) newReady() abi.Ready {
	return abi.Ready{
		Bytes:      uint32(unsafe.Sizeof(abi.Ready{})),
		EventBytes: uint32(unsafe.Sizeof(abi.Event{})),
		Events:     uint32(pointerTo(&c.records)),
	}
}
