package core

import (
	"github.com/parley-rpc/parley/core/internal/ident"
	"github.com/parley-rpc/parley/core/internal/scan"
)

// schedule starts every waiting message that may start now, in order of arrival: it runs after
// whatever can make one startable (a message, an end, an answer, credit), so that what is started
// never depends on when facts are fetched.
func (c *Conn) schedule() {
	rs := &c.requests
	for rs.bypass.Count() > 0 && c.credit > 0 {
		index := *rs.bypass.At(0)
		rs.bypass.Drop()
		c.startOrSkip(index)
	}
	for rs.queue.Count() > 0 && c.credit > 0 {
		index := *rs.queue.At(0)
		if !rs.items.At(index).gone && !rs.startable() {
			return
		}
		rs.queue.Drop()
		c.startOrSkip(index)
	}
}

// startable reports whether the message at the front may start (REQ-1, SCHED-1, SCHED-6). Mode
// order holds back everything behind it, so the front is all there is to ask about.
func (rs *requests) startable() bool {
	return !rs.barrier && !rs.ordered && rs.running < rs.cfg.Limits.RunningMax
}

func (c *Conn) startOrSkip(index uint32) {
	if c.requests.items.At(index).gone {
		c.requests.items.Drop(index)
		c.requests.evicted--
		return
	}
	c.start(index)
}

// start delivers a message: from here on it runs until it is answered or Done.
func (c *Conn) start(index uint32) {
	rs := &c.requests
	it := rs.items.At(index)
	rs.waiting--
	c.credit--
	it.started = true
	kind := EventNotification
	if it.request {
		kind = EventRequest
	}
	c.pushItem(kind, index)
	if it.handle == 0 {
		return // a notification for Messages: delivered is done
	}
	rs.running++
	rs.ordered = rs.ordered || it.mode == ModeOrder && c.cfg.Inbound == InboundHandlers
	rs.barrier = rs.barrier || it.barrier
}

// cancelNotice carries out the peer's cancel notice (REQ-4). One for nobody is counted.
func (c *Conn) cancelNotice(body []byte, params scan.Span) {
	id := c.cancelledID(params.Of(body))
	if !ident.Valid(id) || len(id) > c.cfg.Limits.IDBytesMax {
		c.stats.CancelsIgnored++
		return
	}
	c.key = ident.Append(c.key[:0], id)
	index, found := c.requests.find(c.key)
	if !found || c.requests.items.At(index).cancelled || c.requests.items.At(index).answered {
		c.stats.CancelsIgnored++
		return
	}
	unwanted := Code(0)
	if c.spec.answerCancelled {
		unwanted = CodeCanceled
	}
	c.cancelItem(index, unwanted)
}

// cancelledID reads the id that a cancel notice names; nil where it names none.
func (c *Conn) cancelledID(params []byte) []byte {
	if !c.spec.cancelTagged {
		return scan.Member(params, c.spec.cancelField).Of(params)
	}
	if number := scan.Member(params, "number").Of(params); scan.Kind(number) == 'n' {
		return number
	}
	if text := scan.Member(params, "text").Of(params); scan.Kind(text) == 's' {
		return text
	}
	return nil
}

// CancelRequest cancels one of their messages by its ordinal, as its owner: a waiting one ends
// without running, a running one is signalled. A request is answered in every profile (REQ-7).
// ErrUnknownRequest: it has ended, or never was.
func (c *Conn) CancelRequest(ordinal uint64) error {
	if c.phase.closed {
		return ErrClosed
	}
	rs := &c.requests
	for i := range rs.items.End() {
		if !rs.items.Live(i) || rs.items.At(i).ordinal != ordinal || rs.items.At(i).gone {
			continue
		}
		c.cancelItem(i, c.spec.ownCancelCode)
		c.schedule()
		c.settle()
		return nil
	}
	return ErrUnknownRequest
}

// cancelItem ends a waiting message without running it, or signals a running one. A request that
// its handler leaves open is answered with unwanted; 0: nothing is sent.
func (c *Conn) cancelItem(index uint32, unwanted Code) {
	it := c.requests.items.At(index)
	if it.started {
		if !it.cancelled {
			it.cancelled, it.unwanted = true, unwanted
			c.push(fact{kind: EventCancelRequest, req: it.handle, ordinal: it.ordinal})
		}
		return
	}
	if it.request && unwanted != 0 {
		c.reject(it.id, unwanted, "Request cancelled")
	}
	c.requests.endWaiting(index)
}

// endWaiting ends a message in the queue. Its slot goes when it reaches the front, or when the
// ended outnumber the waiting.
func (rs *requests) endWaiting(index uint32) {
	it := rs.items.At(index)
	if it.request {
		rs.ids.Delete(ident.Hash(rs.cfg.Seed, it.key.bytes()), index)
	}
	it.frame, it.method, it.gone = nil, nil, true
	rs.waiting--
	rs.evicted++
}

// makeRoom sees to BACK-1 in a client that reads messages: where the backlog is full the oldest
// notification is dropped, which may be the arriving one; where only requests are left the session
// ends rather than drop one. It reports whether the arriving message is to be retained.
func (c *Conn) makeRoom(request bool) bool {
	rs := &c.requests
	if c.cfg.Inbound != InboundMessages || c.cfg.Role != RoleClient ||
		rs.waiting < c.cfg.Limits.MessagesMax || c.credit > 0 && rs.startable() {
		return true
	}
	rs.compact()
	for i := range rs.queue.Count() {
		index := *rs.queue.At(i)
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

// compact takes ended messages out of the middle of the queue once they outnumber the others.
func (rs *requests) compact() {
	if rs.evicted <= rs.waiting {
		return
	}
	for range rs.queue.Count() {
		index := *rs.queue.At(0)
		rs.queue.Drop()
		if rs.items.At(index).gone {
			rs.items.Drop(index)
			rs.evicted--
			continue
		}
		rs.queue.Push(index)
	}
}

// cancelAll signals every running handler and ends what waits for one: the session is over (STOP-2,
// STOP-3). What waits for Messages is retained.
func (c *Conn) cancelAll() {
	rs := &c.requests
	if c.cfg.Inbound == InboundMessages {
		return
	}
	for i := range rs.items.End() {
		if rs.items.Live(i) && !rs.items.At(i).gone {
			c.cancelItem(i, c.spec.ownCancelCode)
		}
	}
}
