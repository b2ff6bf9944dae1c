package core

import (
	"strconv"

	"github.com/parley-rpc/parley/core/internal/ident"
	"github.com/parley-rpc/parley/core/internal/scan"
	"github.com/parley-rpc/parley/core/internal/slab"
)

// Call asks the peer. It returns a handle for the outcome's event; the wire id is the next number,
// or the one chosen. Nothing is registered and no id is used where an error is returned (CALL-8).
// params is one JSON object or array; empty or null: the member is not written. It is copied.
func (c *Conn) Call(method string, params []byte, opts CallOptions) (CallID, error) {
	if !c.sendable() {
		return 0, c.closedError()
	}
	params, err := c.checkMessage(method, params)
	if err != nil {
		return 0, err
	}
	if err := c.checkCall(&opts, 1); err != nil {
		return 0, err
	}
	id, number := opts.ID, uint64(0)
	if id == nil {
		var token [numberBytesMax]byte
		number = c.nextNumber()
		id = appendNumber(token[:0], number)
	}
	c.openMethod(id, method, params)
	if err := c.admit(len(c.render) + len(params) + 1); err != nil {
		return 0, err
	}
	index := c.register(method, opts, number)
	s, start := c.append(params, "}")
	s.frames = append(s.frames, frameRef{start: start, end: len(s.buf)})
	c.place(index, s, start, len(s.buf))
	c.expire()
	return CallID(c.calls.slots.Handle(index)), nil
}

// checkCall judges the options of one more call, the n-th of this command.
func (c *Conn) checkCall(opts *CallOptions, n int) error {
	if opts.Deadline != 0 && opts.Deadline <= c.now {
		return ErrTimeout
	}
	if c.calls.open+n > c.cfg.Limits.CallsMax+extra(bugOneCallMore) {
		return ErrTooManyCalls
	}
	if err := c.checkProgress(opts); err != nil {
		return err
	}
	if opts.ID != nil {
		return c.checkID(opts.ID)
	}
	return nil
}

// register opens a call that has passed every check: it has its id before its first byte is handed
// out (CALL-1). number is nextNumber's, where no id is chosen.
func (c *Conn) register(method string, opts CallOptions, number uint64) uint32 {
	index, k := c.calls.slots.Put()
	*k = call{
		key: keyBuffer{long: k.key.long}, token: keyBuffer{long: k.token.long},
		wire: append(k.wire[:0], opts.ID...), extend: opts.Extend, deadlineMax: opts.DeadlineMax,
	}
	k.quiet = opts.Quiet || c.spec.uncancellable(method)
	if opts.ID != nil {
		c.key = ident.Append(c.key[:0], opts.ID)
	} else {
		c.calls.next = number + 1
		if c.key = numberKey(c.key[:0], number); number > numberMax {
			k.wire = appendNumber(k.wire, number)
		}
	}
	k.key.set(c.key)
	c.calls.ids.Put(ident.Hash(c.cfg.Seed, c.key), index)
	c.calls.open++
	c.calls.carry(c, index, opts.ProgressToken)
	if opts.Deadline != 0 && opts.Deadline != Never {
		c.calls.deadlines.Push(index, int64(opts.Deadline))
	}
	c.stats.Calls++
	return index
}

// place notes where a call's text lies: in the last frame of a segment.
func (c *Conn) place(index uint32, s *segment, start, end int) {
	k := c.calls.slots.At(index)
	k.segment, k.ref = s, len(s.calls)
	f := &s.frames[len(s.frames)-1]
	f.live++
	s.calls = append(s.calls, callRef{slot: index, frame: len(s.frames) - 1, start: start - f.start, end: end - f.start})
}

// numberBytesMax is the longest token of a number of ours: 20 digits in quotes.
const numberBytesMax = 22

// appendID appends a call's id as it is on the wire.
func (k *call) appendID(dst []byte) []byte {
	if len(k.wire) > 0 {
		return append(dst, k.wire...)
	}
	n, _ := ident.IsInt(k.key.bytes())
	return strconv.AppendInt(dst, n, 10)
}

// appendNumber appends a number of ours as a token: past 2^53-1 it is a string (CALL-1).
func appendNumber(dst []byte, n uint64) []byte {
	if n <= numberMax {
		return strconv.AppendUint(dst, n, 10)
	}
	dst = append(dst, '"')
	dst = strconv.AppendUint(dst, n, 10)
	return append(dst, '"')
}

// sendable reports that new calls and notifications are accepted.
func (c *Conn) sendable() bool {
	return c.cfg.Role != RoleRelay && c.phase.output == OutputOpen &&
		c.phase.input != InputBroken && !c.phase.stopping
}

// answering reports that admitted work may still speak although the peer has ended (STOP-1).
func (c *Conn) answering() bool {
	return c.cfg.Role != RoleClient && c.phase.output == OutputAnswering && !c.requests.idle()
}

func (c *Conn) closedError() error {
	if c.cfg.Role == RoleRelay {
		return ErrUnsupported
	}
	return ErrClosed
}

// checkMessage is what a call or a notification must satisfy before anything is touched (CALL-8).
// It returns the params to write; nil: none.
func (c *Conn) checkMessage(method string, params []byte) ([]byte, error) {
	if method == "" {
		return nil, ErrBadMethod
	}
	if len(params) == 0 {
		return nil, nil
	}
	if fault, _ := c.scanner.Valid(params); fault != scan.FaultNone {
		return nil, ErrBadJSON
	}
	switch scan.Kind(params) {
	case 'o', 'a':
		return params, nil
	case '0':
		return nil, nil
	}
	return nil, ErrBadParams
}

// isToken reports one JSON string or number within IDBytesMax: what an id or a token may be.
func (c *Conn) isToken(token []byte) bool {
	if kind := scan.Kind(token); kind != 's' && kind != 'n' || len(token) > c.cfg.Limits.IDBytesMax {
		return false
	}
	fault, _ := c.scanner.Valid(token)
	return fault == scan.FaultNone && ident.Valid(token)
}

// checkID judges a chosen id (CALL-1).
func (c *Conn) checkID(id []byte) error {
	if !c.isToken(id) {
		return ErrBadID
	}
	c.key = ident.Append(c.key[:0], id)
	if _, integer := ident.IsInt(c.key); !integer && id[0] != '"' {
		return ErrBadID
	}
	if _, taken := c.calls.find(c.cfg.Seed, c.key); taken {
		return ErrIDTaken
	}
	if i, remembered := c.calls.past.find(c.cfg.Seed, c.key); remembered && c.calls.past.slots.At(i).why == pastAbandoned && !planted(bugAbandonedReused) {
		return ErrIDTaken
	}
	return nil
}

// Notify tells the peer. It succeeds when the frame is accepted into the queue (API-8). params is
// as in Call. After the peer's output has ended it is still possible while admitted work runs
// (STOP-1).
func (c *Conn) Notify(method string, params []byte) error {
	if !c.sendable() && !c.answering() {
		return c.closedError()
	}
	params, err := c.checkMessage(method, params)
	if err != nil {
		return err
	}
	c.openMethod(nil, method, params)
	if err := c.admit(len(c.render) + len(params) + 1); err != nil {
		return err
	}
	c.append(params, "}")
	c.expire()
	return nil
}

// Cancel gives up a call: EventCanceled is its outcome, and the peer is told where its frame has
// begun (CALL-6). For a call that has its outcome it is a no-op (CALL-5).
func (c *Conn) Cancel(id CallID) error {
	index, status := c.calls.slots.Find(uint64(id))
	switch {
	case status == slab.Unknown:
		return ErrUnknownCall
	case status == slab.Live && !c.calls.slots.At(index).owing:
		c.giveUp(index, EventCanceled)
		c.settle()
	}
	return nil
}
