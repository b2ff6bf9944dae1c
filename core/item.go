package core

import (
	"github.com/parley-rpc/parley/core/internal/ident"
	"github.com/parley-rpc/parley/core/internal/scan"
)

// item is one message from the peer that waits, or that somebody has to end.
type item struct {
	fact     fact   // what it is to Next; its frame is nil once it has started
	entry    *entry // nil where there is no method table
	request  bool
	mode     Mode
	barrier  bool
	attached bool   // its frame lies in the receive buffer
	handle   ReqID  // 0: nobody ends it
	batch    uint32 // the array that its answer belongs to, while it has none; 0: none

	bytes      int    // its frame's size, for as long as it lives
	generation uint64 // when it started (SCHED-3)
	acceptedAt Time
	startedAt  Time

	// Buffers that slots keep.
	key   keyBuffer // requests
	id    []byte    // the id token as it came, echoed byte for byte (MSG-4)
	shown []byte    // the method, where there is no entry

	started   bool // credit is bound to it
	delivered bool // Next has handed it out
	answered  bool
	succeeded bool // answered with a result
	cancelled bool
	unwanted  Code // a cancelled request's answer, where its handler gives none; 0: nothing is sent
	gone      bool // ended while it stood in the queue
}

// notificationBit marks the handle of a notification, so that it can be told long after.
const notificationBit = 1 << 52

// reset makes a slot's item a new one that has not started.
func (it *item) reset(entry *entry, mode Mode, bytes int) {
	long, id, shown := it.key.long, it.id, it.shown[:0]
	*it = item{}
	it.key.long, it.id, it.shown = long, id, shown
	it.entry, it.mode, it.bytes = entry, mode, bytes
}

// describe makes an empty fact what a valid message is to Next.
func (c *Conn) describe(f *fact, kind EventKind, body []byte, m *scan.Message) {
	c.requests.ordinal++
	f.kind, f.ordinal, f.frame = kind, c.requests.ordinal, body
	f.text, f.plain = m.Method, m.Plain&scan.MemberMethod != 0
	if scan.Kind(m.Params.Of(body)) != '0' {
		f.body = m.Params
	}
}

// admitItem takes a slot for a message and puts it behind all that wait.
func (c *Conn) admitItem(kind EventKind, body []byte, m *scan.Message, method []byte, entry *entry) (uint32, *item) {
	index, it := c.requests.items.Put()
	it.reset(entry, c.modeOf(entry, kind == EventRequest), len(body))
	c.describe(&it.fact, kind, body, m)
	if entry == nil {
		it.shown = append(it.shown, method[:min(len(method), methodShownMax)]...)
	}
	c.enqueue(index, it)
	return index, it
}

// passes reports that a message which nobody ends is handed on as it comes: nothing waits before it.
func (c *Conn) passes() bool {
	rs := &c.requests
	return c.cfg.Inbound == InboundMessages && c.credit > 0 && rs.lanes.foreground.Count() == 0 &&
		!rs.barrier && rs.running < rs.cfg.Limits.RunningMax && !c.ledger.tracing
}

// pass hands on a message that passes, which is no item: the caller describes it.
func (c *Conn) pass() *fact {
	c.stats.WaitingMax = max(c.stats.WaitingMax, 1)
	c.credit--
	return c.add(true)
}

// enqueue puts an item behind all that wait in its lane.
func (c *Conn) enqueue(index uint32, it *item) {
	rs := &c.requests
	it.acceptedAt, it.startedAt, it.attached = unstamped, unstamped, true
	rs.attached = append(rs.attached, index)
	rs.oldestWrite() // forgets those that have ended
	rs.lanes.push(index, it, rs.items.Handle(index))
	rs.bytes += it.bytes
	rs.waiting++
	rs.parked += it.bytes + parkedOverhead
	c.stats.WaitingMax = max(c.stats.WaitingMax, uint64(rs.waiting))
	c.note(index, PhaseQueued)
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
	rs.items.Drop(index)
}
