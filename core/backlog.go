package core

import "github.com/parley-rpc/parley/core/internal/slab"

// makeRoom sees to BACK-1 in a client that reads messages: where the backlog is full the oldest
// notification is dropped, which may be the arriving one; where only requests are left the session
// ends rather than drop one. It reports whether the arriving message is to be retained.
func (c *Conn) makeRoom(request bool) bool {
	rs := &c.requests
	if c.cfg.Inbound != InboundMessages || c.cfg.Role != RoleClient ||
		rs.waiting < c.cfg.Limits.MessagesMax {
		return true
	}
	rs.compact()
	queue := &rs.lanes.foreground
	for i := range queue.Count() {
		index := *queue.At(i)
		if it := rs.items.At(index); !it.request && !it.gone {
			rs.endWaiting(index)
			c.stats.Dropped++
			return true
		}
	}
	if request {
		c.stats.Requests++
		c.violate(&ProtocolError{Kind: ViolationBacklog, Offset: c.frames.Offset()})
		return false
	}
	c.stats.Dropped++
	return false
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
