//go:build verify

package core

import "github.com/parley-rpc/parley/core/internal/slab"

// verifier holds the frames that Next has handed out since the last input.
type verifier struct{ handedOut [][]byte }

func (c *Conn) delivered(frame []byte) {
	if len(frame) > 0 {
		c.verifier.handedOut = append(c.verifier.handedOut, frame)
	}
}

// verify overwrites what Next handed out, so that a slice kept too long shows, and checks what must
// hold between any two calls.
func (c *Conn) verify() {
	for _, frame := range c.verifier.handedOut {
		for i := range frame {
			frame[i] = 0xDD
		}
	}
	c.verifier.handedOut = c.verifier.handedOut[:0]
	c.invariants()
}

func (c *Conn) invariants() {
	r := &c.in
	must(0 <= r.start && r.start <= r.end && r.end <= len(r.buf), "0 <= start <= end <= len of the receive buffer")

	open := 0
	for i := range c.calls.slots.End() {
		if !c.calls.slots.Live(i) {
			continue
		}
		k := c.calls.slots.At(i)
		if !k.owing {
			open++
		}
		must(k.begun == (k.segment == nil), "a call has begun when it is in no segment")
	}
	must(open == c.calls.open, "the open calls are counted")
	must(c.calls.ids.Count() == c.calls.slots.Count(), "each call has one id entry")
	must(c.calls.deadlines.Count() <= open, "only open calls have deadlines")
	must(c.calls.past.order.Count() <= c.cfg.Limits.AbandonedMax, "abandoned ids are bounded")

	queued, answers := 0, 0
	for i := range c.out.segments.Count() {
		s := *c.out.segments.At(i)
		queued += len(s.buf) - s.dead
		answers += s.answers
	}
	must(queued == c.out.queued, "the queued bytes are counted")
	must(answers == c.out.answers, "the queued answers are counted")
	joined := 0
	for i := range c.batches.End() {
		if c.batches.Live(i) {
			joined += len(c.batches.At(i).answers)
		}
	}
	must(joined == c.out.joined, "the answers collected for arrays are counted")

	c.invariantsOfRequests()
	must(!c.phase.closed || c.calls.open == 0, "a closed connection has no calls")
}

func (c *Conn) invariantsOfRequests() {
	rs := &c.requests
	waiting, running, ids, gone, bytes, parked := 0, 0, 0, 0, 0, 0
	for i := range rs.items.End() {
		if !rs.items.Live(i) {
			continue
		}
		it := rs.items.At(i)
		if !it.gone {
			bytes += it.bytes
		}
		switch {
		case it.gone:
			gone++
		case !it.started:
			waiting++
			parked += it.bytes + parkedOverhead
		default:
			running++
		}
		if it.request && !it.gone {
			ids++
			_, status := rs.items.Find(uint64(it.handle))
			must(status == slab.Live, "a live request has a live handle")
		}
	}
	must(waiting == rs.waiting, "the waiting messages are counted")
	must(running == rs.running, "the running messages are counted")
	must(parked == rs.parked, "the charge of what waits is counted")
	must(bytes == rs.bytes, "the bytes of messages are counted")
	must(ids == rs.ids.Count(), "each live request has one id entry")
	must(gone == rs.lanes.gone, "the ended messages in the queue are counted")
	must(rs.lanes.backgrounds <= rs.cfg.Limits.BackgroundMax, "background work is bounded (SCHED-2)")
}

func must(holds bool, invariant string) {
	if !holds {
		panic("core: invariant: " + invariant)
	}
}
