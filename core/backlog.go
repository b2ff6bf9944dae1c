package core

import (
	"github.com/parley-rpc/parley/core/internal/ident"
	"github.com/parley-rpc/parley/core/internal/slab"
)

// parkedOverhead is charged for each waiting message on top of its bytes, so that a flood of tiny
// frames meets the same bound (BACK-2).
const parkedOverhead = 128

// full reports that what waits is to stop reading (SCHED-2, BACK-1, BACK-3). A client that reads
// messages drops instead, and a relay has nothing but the bound on bytes.
func (rs *requests) full() bool {
	l := &rs.cfg.Limits
	if rs.parked >= l.ParkedBytesMax || rs.waiting >= l.ParkedMax {
		return true
	}
	switch {
	case rs.cfg.Role == RoleRelay:
		return false
	case rs.cfg.Inbound == InboundHandlers:
		return rs.waiting >= l.QueuedMax || rs.bytes >= l.QueuedBytesMax
	case rs.cfg.Role == RoleClient:
		return false
	}
	return rs.waiting >= l.MessagesMax
}

// paused decides whether reading goes on (BACK-3). While a call of ours is open its answer may be
// behind what fills a queue, so that only what finds no room at all stops it.
func (c *Conn) paused() bool {
	if c.phase.input != InputOpen {
		return false
	}
	if c.calls.open == 0 {
		return c.requests.full() && !c.cfg.ParkFail || c.out.choked(&c.cfg)
	}
	overflow := c.out.overflow(&c.cfg)
	return c.requests.stuck || overflow > 0 && c.requests.parked+overflow >= c.cfg.Limits.ParkedBytesMax
}

// park decides about a message that has to wait below a full queue: it is retained, refused, or the
// end of the session; and reports whether it is retained (BACK-2, BACK-3). A transport that cannot
// be paused may go one frame, and one that can one read, past the bound.
func (c *Conn) park(id []byte, size int) bool {
	rs := &c.requests
	l := &c.cfg.Limits
	over := rs.parked + size + parkedOverhead + c.out.overflow(&c.cfg) - l.ParkedBytesMax
	switch {
	case over <= 0 && rs.waiting < l.ParkedMax || rs.waiting == 0:
		return true
	case id != nil && c.calls.open > 0 && c.out.overflow(&c.cfg) == 0:
		c.rejectBusy(id)
		return false
	case c.cfg.ParkFail || over > l.FrameBytesMax+readChargeMax:
		c.violateBacklog(l.ParkedBytesMax)
		return false
	}
	rs.stuck = true
	return true
}

// readChargeMax is what the messages of one read of small frames are charged at most: reading stops
// behind them.
const readChargeMax = 512 * KiB

// makeRoom sees to BACK-1 in a client that reads messages: where the backlog is full the oldest
// notification is dropped, which may be the arriving one; where only requests are left the session
// ends rather than drop one. method is its token. It reports whether the arriving message is to be retained.
func (c *Conn) makeRoom(request bool, method []byte) bool {
	rs := &c.requests
	if c.cfg.Inbound != InboundMessages || c.cfg.Role != RoleClient ||
		rs.waiting < c.cfg.Limits.MessagesMax+extra(bugOneMessageMore) {
		return true
	}
	rs.compact()
	queue := &rs.lanes.foreground
	for i := range queue.Count() {
		index := *queue.At(i)
		if it := rs.items.At(index); !it.request && !it.gone {
			c.dropped(it.fact.text.Of(it.fact.frame))
			rs.endWaiting(index)
			return true
		}
	}
	if request {
		c.stats.Requests++
		c.violateBacklog(0)
		return false
	}
	c.dropped(method)
	return false
}

// violateBacklog ends the session over the frame that found no room. The backlog of messages counts
// no bytes, so that its bound is 0 (BACK-1).
func (c *Conn) violateBacklog(bytesMax int) {
	c.violate(&ProtocolError{
		Kind: ViolationBacklog, Offset: c.frame.offset, Need: uint64(bytesMax),
		Sample: clone(c.frame.body[:min(len(c.frame.body), SampleBytesMax)]),
	})
}

// drops counts dropped notifications by method.
type drops struct {
	counts []MethodCount
	names  slab.Table
}

// dropped counts a notification that is not delivered; name is its method's token.
func (c *Conn) dropped(name []byte) {
	c.stats.Dropped++
	method := c.unquote(name)
	method = method[:min(len(method), methodShownMax)]
	hash := ident.Hash(c.cfg.Seed, method)
	d := &c.drops
	index, known := d.names.Find(hash, func(i uint32) bool { return d.counts[i].Method == string(method) })
	if !known {
		if len(d.counts) == DroppedMethodsMax {
			return
		}
		index = uint32(len(d.counts))
		d.counts = append(d.counts, MethodCount{Method: string(method)})
		d.names.Put(hash, index)
	}
	d.counts[index].Count++
}

// compactSlack is how many ended messages a queue may hold besides as many as wait.
const compactSlack = 16

// compact takes ended messages out of the middle of the queues once they outnumber the others, so
// that a peer that sends and cancels costs no more than what waits.
func (rs *requests) compact() {
	if rs.lanes.gone <= rs.waiting+compactSlack {
		return
	}
	for _, lane := range [...]*slab.Ring[uint32]{&rs.lanes.foreground, &rs.lanes.background, &rs.lanes.bypass} {
		for range lane.Count() {
			index := *lane.At(0)
			lane.Drop()
			if rs.items.At(index).gone {
				rs.items.Drop(index)
				rs.lanes.gone--
			} else {
				lane.Push(index)
			}
		}
	}
	for range rs.lanes.writes.Count() {
		w := *rs.lanes.writes.At(0)
		rs.lanes.writes.Drop()
		if rs.unended(w.handle) {
			rs.lanes.writes.Push(w)
		}
	}
}
