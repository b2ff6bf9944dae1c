package core

import (
	"github.com/parley-rpc/parley/core/internal/ident"
	"github.com/parley-rpc/parley/core/internal/scan"
)

// item is one message from the peer.
type item struct {
	kind    EventKind
	entry   *entry // nil where there is no method table
	request bool
	mode    Mode
	barrier bool
	handle  ReqID
	ordinal uint64
	key     keyBuffer // requests
	id      []byte    // the id token as it came, echoed byte for byte (MSG-4)

	frame   []byte // the text; nil once delivered
	params  scan.Span
	name    scan.Span
	relayed relayed
	batch   uint32 // the array that its answer belongs to, while it has none; 0: none

	bytes      int    // its frame's size, for as long as it lives
	generation uint64 // when it started (SCHED-3)
	acceptedAt Time
	startedAt  Time

	shown     [methodShownMax]byte // the method, where there is no entry
	shownSize int

	started   bool // credit is bound to it
	delivered bool // Next has handed it out
	answered  bool
	succeeded bool // answered with a result
	cancelled bool
	unwanted  Code // a cancelled request's answer, where its handler gives none; 0: nothing is sent
	gone      bool // ended while it stood in the queue
}

// relayed is what an item of a relay has besides.
type relayed struct {
	id      scan.Span
	class   Class
	invalid Invalid
	hint    Hint
	offset  uint64
}

// notificationBit marks the handle of a notification, so that it can be told long after.
const notificationBit = 1 << 52

// admitItem takes a slot for a message and puts it behind all that wait.
func (c *Conn) admitItem(body []byte, m *scan.Message, entry *entry) (uint32, *item) {
	rs := &c.requests
	index, it := rs.items.Put()
	*it = item{id: it.id, key: keyBuffer{long: it.key.long}, entry: entry}
	if entry == nil {
		it.shownSize = copy(it.shown[:], c.unquote(m.Method.Of(body)))
	}
	rs.ordinal++
	it.ordinal = rs.ordinal
	it.frame, it.params, it.name = body, m.Params, m.Method
	if scan.Kind(m.Params.Of(body)) == '0' {
		it.params = scan.Span{}
	}
	it.bytes = len(body)
	it.mode = c.modeOf(entry, m.ID.Present())
	c.enqueue(index, it)
	return index, it
}

// enqueue puts an item behind all that wait in its lane.
func (c *Conn) enqueue(index uint32, it *item) {
	rs := &c.requests
	it.acceptedAt, it.startedAt = unstamped, unstamped
	rs.attached = append(rs.attached, index)
	rs.oldestWrite() // forgets those that have ended
	rs.lanes.push(index, it, rs.items.Handle(index))
	rs.bytes += it.bytes
	rs.waiting++
	rs.parked += it.bytes + parkedOverhead
	c.stats.WaitingMax = max(c.stats.WaitingMax, uint64(rs.waiting))
	c.note(index, PhaseQueued)
}

// expandItem fills the event of a message that is being delivered.
func (c *Conn) expandItem(index uint32, ev *Event) {
	it := c.requests.items.At(index)
	ev.Req, ev.Ordinal = it.handle, it.ordinal
	ev.Body = it.params.Of(it.frame)
	if it.name.Present() {
		ev.Method = c.unquote(it.name.Of(it.frame))
	}
	switch it.kind {
	case EventRequest:
		ev.ID = it.id
	case EventMessage:
		r := &it.relayed
		ev.ID, ev.Frame = r.id.Of(it.frame), it.frame
		ev.Class, ev.Invalid, ev.Hint, ev.Offset = r.class, r.invalid, r.hint, r.offset
	}
	c.delivered(it.frame)
	it.frame, it.delivered = nil, true
	if it.handle == 0 { // a notification that nobody ends
		c.requests.bytes -= it.bytes
		c.requests.items.Drop(index)
	}
}

// unwait counts a message that waits no more.
func (rs *requests) unwait(it *item) {
	rs.waiting--
	rs.parked -= it.bytes + parkedOverhead
	rs.stuck = rs.stuck && (rs.parked >= rs.cfg.Limits.ParkedBytesMax || rs.waiting >= rs.cfg.Limits.ParkedMax)
}

// retire ends a started item.
func (c *Conn) retire(index uint32) {
	rs := &c.requests
	it := rs.items.At(index)
	c.noteEnd(index)
	rs.running--
	rs.bytes -= it.bytes
	rs.lanes.leave(it)
	if it.mode == ModeWrite && (it.succeeded || !it.request && !it.cancelled) {
		rs.generation++
	}
	if it.request {
		rs.ids.Delete(ident.Hash(c.cfg.Seed, it.key.bytes()), index)
	}
	it.frame = nil
	rs.items.Drop(index)
}
