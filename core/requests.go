package core

import (
	"github.com/parley-rpc/parley/core/internal/ident"
	"github.com/parley-rpc/parley/core/internal/scan"
	"github.com/parley-rpc/parley/core/internal/slab"
)

// requests is what the peer asked and told us: every message from its acceptance until it has
// ended (REQ, SCHED).
type requests struct {
	items      slab.Slab[item]
	ids        slab.Table // requests, by wire id, until they end (REQ-3)
	lanes      lanes
	attached   []uint32       // items whose bytes lie in the receive buffer
	ordinal    uint64         // of the newest item (SCHED-3)
	waiting    int            // accepted and not started
	running    int            // started and not ended
	bytes      int            // frames of both (SCHED-2)
	parked     int            // charge of those that wait (BACK-2)
	stuck      bool           // a message found no room while a call of ours was open (BACK-3)
	barrier    bool           // an initialize is not answered yet (SCHED-6)
	generation uint64         // raised by each write that succeeds (SCHED-3)
	methods    map[string]int // name to place in Config.Methods; looked up, never walked
	entries    []entry        // parallel to Config.Methods
	cfg        *Config
	spec       *profileSpec
	gated      bool // STOP-9's gates are in force
	released   bool // nobody who runs is waited for any more (STOP-2)
	exitCode   int
}

// entry is one row of the method table.
type entry struct {
	method *Method
	place  int // in Config.Methods
}

func (rs *requests) init(cfg *Config, spec *profileSpec) {
	rs.cfg, rs.spec = cfg, spec
	if len(cfg.Methods) == 0 {
		return
	}
	rs.methods = make(map[string]int, len(cfg.Methods))
	rs.entries = make([]entry, len(cfg.Methods))
	for i := range cfg.Methods {
		rs.entries[i] = entry{method: &cfg.Methods[i], place: i}
		rs.methods[cfg.Methods[i].Name] = i
	}
	_, registered := rs.methods["initialize"]
	rs.gated = registered && spec.lifecycle && cfg.Role == RoleServer
}

// idle reports that nobody works on anything that the peer is owed.
func (rs *requests) idle() bool {
	return rs.waiting == 0 && (rs.running == 0 || rs.released)
}

// find returns the request whose wire id has this key.
func (rs *requests) find(key []byte) (uint32, bool) {
	return rs.ids.Find(ident.Hash(rs.cfg.Seed, key), func(i uint32) bool { return rs.items.At(i).key.is(key) })
}

// lookup returns the method table's entry; nil where there is none.
func (rs *requests) lookup(method []byte) *entry {
	if rs.methods == nil {
		return nil
	}
	if i, ok := rs.methods[string(method)]; ok {
		return &rs.entries[i]
	}
	return nil
}

// methodText returns a message's method, unescaped. It is valid until the next input.
func (c *Conn) methodText(body []byte, m *scan.Message) []byte {
	if m.Plain&scan.MemberMethod != 0 {
		return scan.Plain(m.Method.Of(body))
	}
	return c.unquote(m.Method.Of(body))
}

// acceptRequest admits a valid request, or answers it (MSG-4, REQ-3, REQ-5, STOP-9).
func (c *Conn) acceptRequest(body []byte, m *scan.Message) {
	rs := &c.requests
	id := m.ID.Of(body)
	method := c.methodText(body, m)
	if scan.Kind(id) == '0' && !c.spec.nullIDServed {
		c.refuseNullID(body)
		return
	}
	c.key = ident.Append(c.key[:0], id)
	if _, taken := rs.find(c.key); taken && !planted(bugDuplicateServed) {
		c.reject(id, CodeInvalidRequest, "Invalid Request: id is in use")
		return
	}
	entry := rs.lookup(method)
	if code, why := c.gate(method, entry, true); why != "" {
		c.reject(id, code, why)
		return
	}
	if c.batch != 0 && string(method) == "initialize" {
		c.reject(id, CodeInvalidRequest, "Invalid Request: initialize inside a batch")
		return
	}
	unknown := len(rs.methods) > 0 && (entry == nil || entry.method.Notification)
	if unknown || string(method) == c.spec.cancelMethod {
		c.reject(id, CodeMethodNotFound, "Method not found")
		return
	}
	if !c.makeRoom(true, m.Method.Of(body)) || !c.park(id, len(body)) {
		return
	}
	c.supersede(entry, body, m.Params)
	c.stats.Requests++
	index, it := c.admitItem(EventRequest, body, m, method, entry)
	it.request = true
	it.id = append(it.id[:0], id...)
	it.key.set(c.key)
	if long := len(id) + len(c.key); len(id) > len(it.key.short) { // they are held beside the frame
		it.bytes, rs.bytes, rs.parked = it.bytes+long, rs.bytes+long, rs.parked+long
	}
	it.handle = ReqID(rs.items.Handle(index))
	it.fact.req, it.fact.item = it.handle, index+1
	if it.batch = c.batch; it.batch != 0 {
		c.batches.At(it.batch-1).open++
	}
	it.barrier = rs.spec.barrier != "" && string(method) == rs.spec.barrier && c.cfg.Role != RoleClient
	rs.ids.Put(ident.Hash(c.cfg.Seed, c.key), index)
	c.enter(method)
	c.schedule()
}

// acceptNotification admits a valid notification, or consumes or drops it.
func (c *Conn) acceptNotification(body []byte, m *scan.Message) {
	rs := &c.requests
	method := c.methodText(body, m)
	if c.spec.cancelMethod != "" && string(method) == c.spec.cancelMethod {
		c.cancelNotice(body, m.Params)
		return
	}
	if c.spec.progressMethod != "" && string(method) == c.spec.progressMethod && c.progressed(body, m.Params) {
		return
	}
	entry := rs.lookup(method)
	if _, why := c.gate(method, entry, false); why != "" {
		c.dropped(m.Method.Of(body))
		return
	}
	if rs.gated && string(method) == "exit" {
		c.exit()
		return
	}
	if len(rs.methods) > 0 && (entry == nil || !entry.method.Notification) {
		c.dropped(m.Method.Of(body))
		return
	}
	if c.passes() {
		c.stats.Notifications++
		c.describe(c.pass(), EventNotification, body, m)
		return
	}
	if !c.makeRoom(false, m.Method.Of(body)) || !c.park(nil, len(body)) {
		return
	}
	c.stats.Notifications++
	index, it := c.admitItem(EventNotification, body, m, method, entry)
	if c.cfg.Inbound == InboundHandlers {
		it.handle = ReqID(rs.items.Handle(index)) | notificationBit
		it.fact.req, it.fact.item = it.handle, index+1
	}
	c.schedule()
}

// resolve finds the live request that a handle names, for an answer.
func (c *Conn) resolve(req ReqID) (*item, uint32, error) {
	if req == 0 || req&notificationBit != 0 {
		return nil, 0, ErrNotRequest
	}
	index, status := c.requests.items.Find(uint64(req))
	switch {
	case status == slab.Unknown:
		return nil, 0, ErrUnknownRequest
	case status == slab.Stale:
		return nil, 0, ErrAnswered
	}
	it := c.requests.items.At(index)
	if !it.delivered {
		return nil, 0, ErrUnknownRequest
	}
	if it.answered && !planted(bugAnsweredTwice) {
		return nil, 0, ErrAnswered
	}
	if !c.writable() {
		return nil, 0, ErrClosed
	}
	return it, index, nil
}

// Reply answers a request with a result, one JSON text; an empty one is null (CALL-7). It succeeds
// when the frame is accepted into the queue, and an attempt that was refused may be repeated
// (REQ-2). An answer over FrameBytesMax is ErrTooLarge, and the peer gets -32603 instead (FRAME-5).
func (c *Conn) Reply(req ReqID, result []byte) error {
	it, index, err := c.resolve(req)
	if err != nil {
		return err
	}
	if len(result) == 0 {
		result = null
	}
	if fault, _ := c.scanner.Valid(result); fault != scan.FaultNone {
		return ErrBadJSON
	}
	c.openAnswer(it.id)
	c.render = append(c.render, `,"result":`...)
	return c.answer(index, true, result, "}")
}

// Fail answers a request with an error; data is one JSON text, or empty for none. Otherwise it is
// as Reply.
func (c *Conn) Fail(req ReqID, code Code, message string, data []byte) error {
	it, index, err := c.resolve(req)
	if err != nil {
		return err
	}
	if len(data) > 0 {
		if fault, _ := c.scanner.Valid(data); fault != scan.FaultNone {
			return ErrBadJSON
		}
	}
	c.openAnswer(it.id)
	c.renderError(code, message, len(data) > 0)
	return c.answer(index, false, data, "}}")
}

// answer queues the answer whose envelope is in c.render, and draws its conclusions.
func (c *Conn) answer(index uint32, success bool, payload []byte, tail string) error {
	it := c.requests.items.At(index)
	size := len(c.render) + len(payload) + len(tail)
	switch {
	case it.cancelled && it.unwanted == 0 && !planted(bugCancelledAnswered):
		c.conclude(index, false)
		return ErrCanceled
	case size > c.cfg.Limits.FrameBytesMax || it.batch != 0 && !c.joins(it.batch, size):
		c.rejectIn(it.batch, it.id, CodeInternal, "Internal error: the answer is over the frame limit", nil)
		c.conclude(index, false)
		return ErrTooLarge
	case it.batch != 0:
		c.join(it.batch, payload, tail)
	default:
		if err := c.admit(size); err != nil {
			return err
		}
		c.appendAnswer(payload, tail)
	}
	it.succeeded = success
	c.conclude(index, success)
	return nil
}

// conclude acts on a request's outcome: it becomes visible here (SCHED-6), and where nobody calls
// Done it ends the request.
func (c *Conn) conclude(index uint32, success bool) {
	it := c.requests.items.At(index)
	it.answered = true
	c.leaveBatch(it)
	c.lift(it, success)
	if c.cfg.Inbound == InboundMessages {
		c.retire(index)
	}
	c.schedule()
	c.settle()
}

// lift ends the barrier that an initialize is.
func (c *Conn) lift(it *item, success bool) {
	if it.barrier {
		it.barrier, c.requests.barrier = false, false
		c.phase.initialized(success)
	}
}

// leaveBatch counts a request of a batch as answered, once.
func (c *Conn) leaveBatch(it *item) {
	if number := it.batch; number != 0 {
		it.batch = 0
		c.concludeMember(number)
	}
}

// Done ends a message whose handler has returned: the next one may start, and its id is free
// again. An unanswered request is answered -32603, a cancelled one as its profile says (SCHED-1).
func (c *Conn) Done(req ReqID) error {
	if c.cfg.Inbound == InboundMessages {
		return ErrUnsupported
	}
	index, status := c.requests.items.Find(uint64(req &^ notificationBit))
	switch status {
	case slab.Unknown:
		return ErrUnknownRequest
	case slab.Stale:
		return ErrAnswered
	}
	it := c.requests.items.At(index)
	if !it.delivered || it.handle != req {
		return ErrUnknownRequest
	}
	if it.request && !it.answered {
		c.answerAbandoned(it)
	}
	c.leaveBatch(it)
	c.lift(it, false)
	c.retire(index)
	c.schedule()
	c.settle()
	return nil
}

// answerAbandoned answers a request that its handler left open.
func (c *Conn) answerAbandoned(it *item) {
	switch {
	case !it.cancelled:
		c.rejectIn(it.batch, it.id, CodeInternal, "Internal error: the handler gave no answer", nil)
	case it.unwanted != 0:
		c.rejectIn(it.batch, it.id, it.unwanted, cancelText(it.unwanted), nil)
	}
}

// drop gives up on everything (Abort): what waited is dropped, what runs is not waited for.
func (rs *requests) drop() {
	for i := range rs.items.End() {
		if rs.items.Live(i) && !rs.items.At(i).started && !rs.items.At(i).gone {
			rs.endWaiting(i)
		}
	}
	rs.released = true
}
