package core

import (
	"github.com/parley-rpc/parley/core/internal/ident"
	"github.com/parley-rpc/parley/core/internal/scan"
	"github.com/parley-rpc/parley/core/internal/slab"
)

// lanes are the queues between acceptance and start (SCHED-1). The foreground is one FIFO whose
// front holds back everything behind it; background work has a queue of its own, and bypass waits
// for nothing but credit.
type lanes struct {
	foreground slab.Ring[uint32]
	background slab.Ring[uint32]
	bypass     slab.Ring[uint32]
	writes     slab.Ring[write] // order and write, waiting or running, oldest first
	gone       int              // items that have ended in a queue

	reads       int  // running, foreground
	exclusive   bool // an item of mode order or write runs
	backgrounds int  // running
}

// write names an item of mode order or write; once it has ended the handle is stale.
type write struct {
	handle  uint64
	ordinal uint64
}

func (l *lanes) lane(mode Mode) *slab.Ring[uint32] {
	switch mode {
	case ModeBackground:
		return &l.background
	case ModeBypass:
		return &l.bypass
	}
	return &l.foreground
}

// push queues an item; handle is its slot's.
func (l *lanes) push(index uint32, it *item, handle uint64) {
	l.lane(it.mode).Push(index)
	if it.mode == ModeOrder || it.mode == ModeWrite {
		l.writes.Push(write{handle, it.fact.ordinal})
	}
}

// enter counts an item that starts; leave is its twin.
func (l *lanes) enter(it *item) {
	switch it.mode {
	case ModeRead:
		l.reads++
	case ModeOrder, ModeWrite:
		l.exclusive = true
	case ModeBackground:
		l.backgrounds++
	}
}

func (l *lanes) leave(it *item) {
	switch it.mode {
	case ModeRead:
		l.reads--
	case ModeOrder, ModeWrite:
		l.exclusive = false
	case ModeBackground:
		l.backgrounds--
	}
}

// modeOf is how a message is scheduled. Who reads messages takes them as they come.
func (c *Conn) modeOf(entry *entry, request bool) Mode {
	switch {
	case c.cfg.Inbound == InboundMessages:
		return ModeRead
	case entry != nil && entry.method.Mode != ModeDefault:
		return entry.method.Mode
	case request:
		return ModeRead
	}
	return ModeOrder
}

// schedule starts every waiting message that may start now, in order of arrival: it runs after
// whatever can make one startable (a message, an end, an answer, credit), so that what is started
// never depends on when facts are fetched.
func (c *Conn) schedule() {
	rs := &c.requests
	c.startWhile(&rs.lanes.bypass, func(*item) bool { return true })
	c.startWhile(&rs.lanes.foreground, rs.startable)
	c.startWhile(&rs.lanes.background, rs.startableBehind)
}

// startWhile starts the messages at the front of a lane for as long as there is credit and may
// answers true, and clears away those that have ended there.
func (c *Conn) startWhile(lane *slab.Ring[uint32], may func(*item) bool) {
	rs := &c.requests
	for lane.Count() > 0 {
		index := *lane.At(0)
		it := rs.items.At(index)
		switch {
		case it.gone:
			rs.items.Drop(index)
			rs.lanes.gone--
			lane.Drop()
		case c.credit > 0 && may(it):
			lane.Drop()
			c.start(index)
		default:
			return
		}
	}
}

// startable reports whether the message at the front of the foreground may start (REQ-1, SCHED-1,
// SCHED-6).
func (rs *requests) startable(it *item) bool {
	if rs.barrier || rs.lanes.exclusive || rs.running >= rs.cfg.Limits.RunningMax+extra(bugOneMoreRuns) {
		return false
	}
	return it.mode != ModeWrite || rs.lanes.reads == 0 || planted(bugWriteBesideReads)
}

// startableBehind reports whether the message at the front of the background may start: after
// every write that arrived before it.
func (rs *requests) startableBehind(it *item) bool {
	if rs.barrier || rs.running >= rs.cfg.Limits.RunningMax || rs.lanes.backgrounds >= rs.cfg.Limits.BackgroundMax {
		return false
	}
	oldest, exists := rs.oldestWrite()
	return !exists || it.fact.ordinal < oldest || planted(bugBackgroundOvertakes)
}

// oldestWrite returns the ordinal of the first item of mode order or write that has not ended.
func (rs *requests) oldestWrite() (ordinal uint64, exists bool) {
	writes := &rs.lanes.writes
	for ; writes.Count() > 0; writes.Drop() {
		if w := *writes.At(0); rs.unended(w.handle) {
			return w.ordinal, true
		}
	}
	return 0, false
}

func (rs *requests) unended(handle uint64) bool {
	index, status := rs.items.Find(handle)
	return status == slab.Live && !rs.items.At(index).gone
}

// start delivers a message: from here on it runs until it is answered or Done, and one that nobody
// ends is a fact and no item.
func (c *Conn) start(index uint32) {
	rs := &c.requests
	it := rs.items.At(index)
	rs.unwait(it)
	c.credit--
	it.started, it.generation = true, rs.generation
	c.note(index, PhaseRunning)
	*c.add(it.attached) = it.fact
	it.fact.frame, it.attached = nil, false
	if it.handle == 0 {
		rs.bytes -= it.bytes
		rs.items.Drop(index)
		return
	}
	rs.running++
	rs.lanes.enter(it)
	rs.barrier = rs.barrier || it.barrier && !planted(bugNoBarrier)
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
	c.cancelItem(index, unwanted, cancelText(unwanted))
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
	switch {
	case c.cfg.Role == RoleRelay:
		return ErrUnsupported
	case c.phase.closed:
		return ErrClosed
	}
	rs := &c.requests
	for i := range rs.items.End() {
		if !rs.items.Live(i) || rs.items.At(i).fact.ordinal != ordinal || rs.items.At(i).gone {
			continue
		}
		c.cancelItem(i, c.spec.unableCode, cancelText(c.spec.unableCode))
		c.schedule()
		c.settle()
		return nil
	}
	return ErrUnknownRequest
}

// cancelItem ends a waiting message without running it, or signals a running one. A request that
// its handler leaves open is answered with unwanted; 0: nothing is sent.
func (c *Conn) cancelItem(index uint32, unwanted Code, text string) {
	it := c.requests.items.At(index)
	if it.started {
		if !it.cancelled {
			it.cancelled, it.unwanted = true, unwanted
			c.push(fact{kind: EventCancelRequest, req: it.handle, ordinal: it.fact.ordinal})
		}
		return
	}
	c.note(index, PhaseCancelled)
	if it.request && unwanted != 0 {
		c.rejectIn(it.batch, it.id, unwanted, text, nil)
	}
	c.leaveBatch(it)
	c.requests.endWaiting(index)
	c.requests.compact()
}

// cancelText tells the peer who cancelled its request.
func cancelText(code Code) string {
	if code == CodeCanceled {
		return "Request cancelled"
	}
	return "Request cancelled by the server"
}

// endWaiting ends a message in the queue. Its slot goes when it reaches the front, or when the
// ended outnumber the waiting.
func (rs *requests) endWaiting(index uint32) {
	it := rs.items.At(index)
	if it.request {
		rs.ids.Delete(ident.Hash(rs.cfg.Seed, it.key.bytes()), index)
	}
	it.fact.frame, it.attached, it.gone = nil, false, true
	rs.unwait(it)
	rs.bytes -= it.bytes
	rs.lanes.gone++
}

// supersede ends the waiting requests that a newer one of the same method and key replaces
// (SCHED-8).
func (c *Conn) supersede(entry *entry, body []byte, params scan.Span) {
	if entry == nil || len(entry.method.Supersede) == 0 {
		return
	}
	key := follow(body, params, entry.method.Supersede)
	if key == nil {
		return
	}
	rs := &c.requests
	for i := range rs.lanes.foreground.Count() {
		index := *rs.lanes.foreground.At(i)
		it := rs.items.At(index)
		if it.gone || it.entry != entry || string(follow(it.fact.frame, it.fact.body, entry.method.Supersede)) != string(key) {
			continue
		}
		c.cancelItem(index, c.spec.supersededCode, "Replaced by a newer request")
		return // there is never more than one
	}
}

// follow returns the text of the value at a path of member names; nil where there is none.
func follow(body []byte, at scan.Span, path []string) []byte {
	for _, name := range path {
		at = member(body, at, name)
	}
	return at.Of(body)
}

// cancelAll signals every running handler and ends what waits for one: the session is over (STOP-2,
// STOP-3). What waits for Messages is retained.
func (c *Conn) cancelAll() {
	rs := &c.requests
	if c.cfg.Inbound == InboundMessages || c.cfg.Role == RoleRelay {
		return
	}
	for i := range rs.items.End() {
		if rs.items.Live(i) && !rs.items.At(i).gone {
			c.cancelItem(i, c.spec.unableCode, cancelText(c.spec.unableCode))
		}
	}
}
