package core

import (
	"github.com/parley-rpc/parley/core/internal/ident"
	"github.com/parley-rpc/parley/core/internal/scan"
	"github.com/parley-rpc/parley/core/internal/slab"
)

// calls is what we asked and have not been told (CALL).
type calls struct {
	slots     slab.Slab[call]
	ids       slab.Table // by wire id: every slot, owing ones included
	tokens    slab.Table // open calls, by progress token (CALL-10)
	deadlines slab.Heap
	extended  slab.Ring[CallID] // progress came since the last Advance (CALL-4)
	open      int               // accepted and without an outcome
	next      uint64            // the next number (CALL-1)

	owed slab.Ring[owedNotice] // cancel notices that found no room, oldest first (CALL-6)
	past past
}

// call is one of our calls. It is open until it has its outcome; after that its slot is kept only
// while it owes the peer a cancel notice.
type call struct {
	key   keyBuffer
	wire  []byte // the chosen id as it is on the wire; empty for a numbered one
	owing bool   // it has its outcome, and a cancel notice waits for room

	segment   *segment // where its frame waits; nil once begun
	ref       int      // and as which of the segment's calls
	begun     bool     // its block was handed to the writer (SEND-3)
	endOffset uint64   // of its frame in our output, once begun

	quiet bool // no cancel notice is ever sent for it

	token       keyBuffer // its progress token; size 0: none
	extend      Time
	deadlineMax Time
}

type owedNotice struct {
	index uint32
	call  CallID // tells a reused slot
}

// keyBuffer holds a canonical id key without allocating for integers and short strings.
type keyBuffer struct {
	short [24]byte
	long  []byte
	size  int
}

func (k *keyBuffer) set(key []byte) {
	k.size = len(key)
	if len(key) <= len(k.short) {
		copy(k.short[:], key)
		return
	}
	k.long = append(k.long[:0], key...)
}

func (k *keyBuffer) bytes() []byte {
	if k.size <= len(k.short) {
		return k.short[:k.size]
	}
	return k.long
}

func (k *keyBuffer) is(key []byte) bool { return string(k.bytes()) == string(key) }

// find returns the slot whose wire id has this key.
func (cs *calls) find(seed uint64, key []byte) (uint32, bool) {
	return cs.ids.Find(ident.Hash(seed, key), func(i uint32) bool { return cs.slots.At(i).key.is(key) })
}

// nextNumber returns the number that the next call will have: the count skips those that callers
// chose (CALL-1).
func (c *Conn) nextNumber() uint64 {
	for n := c.calls.next; ; n++ {
		c.key = numberKey(c.key[:0], n)
		if _, taken := c.calls.find(c.cfg.Seed, c.key); taken {
			continue
		}
		if _, remembered := c.calls.past.find(c.cfg.Seed, c.key); remembered {
			continue
		}
		return n
	}
}

// numberMax is the last id that JavaScript peers can echo; after it the count goes on in strings.
const numberMax = 1<<53 - 1

func numberKey(dst []byte, n uint64) []byte {
	if n <= numberMax {
		return ident.AppendInt(dst, int64(n))
	}
	var token [24]byte
	return ident.Append(dst, appendNumber(token[:0], n))
}

// settleCall gives a call its one outcome (CALL-3). Its slot is free afterwards.
func (c *Conn) settleCall(index uint32, outcome *fact) {
	c.pushOutcome(index, outcome)
	c.close(index)
	c.forgetCall(index)
}

// pushOutcome names the call in its outcome: where it failed, by its wire id too.
func (c *Conn) pushOutcome(index uint32, outcome *fact) {
	outcome.call = CallID(c.calls.slots.Handle(index))
	if outcome.kind != EventResult && outcome.kind != EventError {
		k := c.calls.slots.At(index)
		if n, numbered := ident.IsInt(k.key.bytes()); numbered && len(k.wire) == 0 {
			outcome.number = uint64(n)
		} else {
			outcome.bytes = clone(k.wire)
		}
	}
	c.push(*outcome)
}

// close takes an open call off everything that could still give it an outcome.
func (c *Conn) close(index uint32) {
	if c.calls.open--; c.calls.open == 0 {
		c.timers.stop(TimerAnswers)
	}
	c.calls.deadlines.Remove(index)
	if k := c.calls.slots.At(index); k.token.size > 0 {
		c.calls.tokens.Delete(ident.Hash(c.cfg.Seed, k.token.bytes()), index)
		k.token.size = 0
	}
}

func (c *Conn) forgetCall(index uint32) {
	k := c.calls.slots.At(index)
	c.calls.ids.Delete(ident.Hash(c.cfg.Seed, k.key.bytes()), index)
	k.segment = nil
	c.calls.slots.Drop(index)
}

// answered completes the call that a valid response names, or counts it as late or unknown
// (CALL-2, CALL-5).
func (c *Conn) answered(body []byte, id scan.Span, outcome *fact) {
	index, found := c.lookup(id.Of(body))
	switch {
	case !found:
		c.stray()
	case c.calls.slots.At(index).owing && !planted(bugLateAnswerDelivered):
		c.stats.Late++
		c.unowe(index)
	case !c.calls.slots.At(index).begun:
		c.stats.Unknown++
	default:
		c.rememberChosen(index)
		c.settleCall(index, outcome)
	}
}

// lookup finds the call that an id token names and leaves its key in c.key.
func (c *Conn) lookup(token []byte) (uint32, bool) {
	c.key = ident.Append(c.key[:0], token)
	index, found := c.calls.find(c.cfg.Seed, c.key)
	if !found && c.cfg.LooseIDs && scan.Kind(token) == 's' {
		if inner := token[1 : len(token)-1]; scan.Kind(inner) == 'n' && ident.Valid(inner) {
			c.key = ident.Append(c.key[:0], inner)
			return c.calls.find(c.cfg.Seed, c.key)
		}
	}
	return index, found
}

// stray counts an answer that no call waits for; its key is in c.key.
func (c *Conn) stray() {
	index, remembered := c.calls.past.find(c.cfg.Seed, c.key)
	if remembered {
		if c.calls.past.slots.At(index).why == pastWithdrawn {
			c.stats.Unknown++
		} else {
			c.stats.Late++
		}
		return
	}
	n, ok := ident.IsInt(c.key)
	if ok && n >= int64(c.cfg.FirstID) && uint64(n) < c.calls.next {
		c.stats.Late++
	} else {
		c.stats.Unknown++
	}
}

// failAnswer fails the call that an invalid response names, and reports whether there was one
// (MSG-5).
func (c *Conn) failAnswer(body, id []byte) bool {
	if scan.Kind(id) != 's' && scan.Kind(id) != 'n' {
		return false
	}
	index, found := c.lookup(id)
	if !found || c.calls.slots.At(index).owing || !c.calls.slots.At(index).begun {
		return false
	}
	c.rememberChosen(index)
	c.settleCall(index, &fact{kind: EventInvalidAnswer, frame: body, body: scan.Span{Start: 0, End: len(body)}})
	return true
}

// giveUp ends a call without an answer: by timeout or by cancel. Before its frame has begun it is
// withdrawn, and nothing is ever written; afterwards the peer is told once (CALL-6).
func (c *Conn) giveUp(index uint32, kind EventKind) {
	k := c.calls.slots.At(index)
	outcome := &fact{kind: kind}
	if undecided := c.in.arrived(); kind == EventTimeout && len(undecided) > 0 {
		outcome.count = uint64(len(undecided))
		outcome.frame = clone(undecided[:min(len(undecided), SampleBytesMax)])
	}
	if !k.begun && !planted(bugWithdrawnWritten) {
		c.withdraw(k)
		c.remember(index, pastWithdrawn)
		c.settleCall(index, outcome)
		return
	}
	if c.cfg.SendPolicy == SendEnd && k.endOffset > c.stats.BytesOut {
		c.settleCall(index, outcome)
		c.tear()
		return
	}
	if k.quiet || !c.writable() {
		c.remember(index, pastAbandoned)
		c.settleCall(index, outcome)
		return
	}
	handle := CallID(c.calls.slots.Handle(index))
	c.pushOutcome(index, outcome)
	c.close(index)
	k.owing = true
	c.calls.owed.Push(owedNotice{index, handle})
	c.payOwed()
}

// payOwed writes the cancel notices that there is room for, oldest first.
func (c *Conn) payOwed() {
	for c.calls.owed.Count() > 0 {
		o := c.calls.owed.At(0)
		if _, status := c.calls.slots.Find(uint64(o.call)); status == slab.Live {
			if !c.emitCancel(c.calls.slots.At(o.index)) && !planted(bugNoticeLost) {
				return
			}
			c.remember(o.index, pastAbandoned)
			c.forgetCall(o.index)
		}
		c.calls.owed.Drop()
	}
}

// unowe drops the notice of a call that was answered meanwhile: it needs none any more.
func (c *Conn) unowe(index uint32) {
	c.remember(index, pastAnswered)
	c.forgetCall(index)
}

// loseCalls ends every open call for which lost answers true, in the order of its slots.
func (c *Conn) loseCalls(lost func(*call) bool) {
	for i := range c.calls.slots.End() {
		if !c.calls.slots.Live(i) {
			continue
		}
		if k := c.calls.slots.At(i); k.owing {
			if c.phase.input != InputOpen || !c.writable() { // nobody answers any more, or can be told
				c.forgetCall(i)
			}
		} else if lost(k) {
			if !k.begun {
				c.withdraw(k)
			}
			c.settleCall(i, &fact{kind: EventLost, reason: c.phase.reason})
		}
	}
}

// past remembers ids whose call is over, the newest AbandonedMax of them: those abandoned
// unanswered are not given out again, and an answer that comes after all is told late (CALL-1,
// CALL-5).
type past struct {
	slots slab.Slab[pastCall]
	ids   slab.Table
	order slab.Ring[uint32]
}

type pastCall struct {
	key keyBuffer
	why pastReason
}

type pastReason uint8

const (
	pastAbandoned pastReason = iota // begun, then timed out or cancelled
	pastWithdrawn                   // never begun: no answer can be for it
	pastAnswered                    // chosen by the caller and answered
)

func (p *past) find(seed uint64, key []byte) (uint32, bool) {
	return p.ids.Find(ident.Hash(seed, key), func(i uint32) bool { return p.slots.At(i).key.is(key) })
}

// rememberChosen remembers the id of a call that is answered, where the caller chose it. Numbered
// ones are known by the counter.
func (c *Conn) rememberChosen(index uint32) {
	if len(c.calls.slots.At(index).wire) > 0 {
		c.remember(index, pastAnswered)
	}
}

func (c *Conn) remember(index uint32, why pastReason) {
	p := &c.calls.past
	key := c.calls.slots.At(index).key.bytes()
	if i, known := p.find(c.cfg.Seed, key); known {
		p.slots.At(i).why = why
		return
	}
	if p.order.Count() >= c.cfg.Limits.AbandonedMax {
		oldest := *p.order.At(0)
		p.order.Drop()
		p.ids.Delete(ident.Hash(c.cfg.Seed, p.slots.At(oldest).key.bytes()), oldest)
		p.slots.Drop(oldest)
	}
	i, slot := p.slots.Put()
	slot.key.set(key)
	slot.why = why
	p.ids.Put(ident.Hash(c.cfg.Seed, key), i)
	p.order.Push(i)
}
