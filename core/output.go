package core

import "github.com/parley-rpc/parley/core/internal/slab"

// output is our half of the stream: a FIFO of segments of whole frames (SEND-1).
type output struct {
	segments slab.Ring[*segment]
	free     []*segment // emptied, with the buffers that came back through Take
	queued   int        // live bytes not taken
	answers  int        // of them, answers and rejections (BACK-3)
	joined   int        // answers collected for arrays, which are not queued yet (MSG-8)
	accepted uint64     // live bytes ever accepted
	taken    int        // bytes handed to the writer and not yet written
	offset   uint64     // of the next byte to be taken, in our output

	wholeFrames bool // one frame a segment: framing whole, policy end
	refused     int  // the smallest frame that found no room and waits for EventWritable; 0: none
	hollow      int  // segments whose frames were all withdrawn, at most
}

// segment is a block on its way to the writer. Frames with calls in them are listed, because those
// can still be withdrawn; a dead one is squeezed out when the segment is taken.
type segment struct {
	buf     []byte
	answers int
	frames  []frameRef
	calls   []callRef
	dead    int // bytes of dead frames
}

// frameRef is a frame with calls in it.
type frameRef struct {
	start, end int
	live       int // members not withdrawn; 0: the frame is dead
}

// callRef is a call in a frame; start and end bound its text in the frame.
type callRef struct {
	slot       uint32
	frame      int
	start, end int
	withdrawn  bool
}

const segmentBytesMax = 64 * KiB

// spareSegmentsMax bounds the emptied buffers kept for reuse; none above segmentBytesMax is kept.
const spareSegmentsMax = 2

func (o *output) empty() bool { return o.queued == 0 && o.taken == 0 }

// fits reports room for one more frame: a larger one is accepted into an empty queue (SEND-2).
func (o *output) fits(size, bytesMax int) bool {
	return o.queued == 0 || o.queued+size <= bytesMax
}

// owed is what answers take up, queued or collected.
func (o *output) owed() int { return o.answers + o.joined }

// overflow is what answers take up past OutBytesMax.
func (o *output) overflow(cfg *Config) int { return max(0, o.owed()-cfg.Limits.OutBytesMax) }

// choked reports that what fills the queue is to stop reading (BACK-3).
func (o *output) choked(cfg *Config) bool {
	if cfg.PauseOn == PauseOnAny {
		return o.queued+o.joined >= cfg.Limits.OutBytesMax
	}
	return o.owed() >= cfg.Limits.OutBytesMax
}

// tail returns the segment that a frame of this size is appended to.
func (o *output) tail(size int) *segment {
	if n := o.segments.Count(); n > 0 && !o.wholeFrames {
		if last := *o.segments.At(n - 1); len(last.buf)+size <= segmentBytesMax {
			return last
		}
	}
	var s *segment
	if n := len(o.free); n > 0 {
		s, o.free = o.free[n-1], o.free[:n-1]
	} else {
		s = new(segment)
	}
	if s.buf = s.buf[:0]; cap(s.buf) < size {
		s.buf = make([]byte, 0, size)
	}
	s.frames, s.calls, s.answers, s.dead = s.frames[:0], s.calls[:0], 0, 0
	o.segments.Push(s)
	return s
}

// withdraw takes back a call that has not begun: O(1) by amortisation, since a segment is squeezed
// at Take, or earlier when more of it is dead than alive (SEND-3). In a batch with other members the
// call's text becomes white space.
func (c *Conn) withdraw(k *call) {
	o, s := &c.out, k.segment
	ref := &s.calls[k.ref]
	ref.withdrawn, k.segment = true, nil
	f := &s.frames[ref.frame]
	if f.live--; f.live > 0 {
		blank(s.buf[f.start:f.end], ref.start, ref.end)
		return
	}
	size := f.end - f.start
	s.dead += size
	o.queued -= size
	o.accepted -= uint64(size)
	if s.dead == len(s.buf) || s.dead >= compactBytesMin && 2*s.dead > len(s.buf) {
		s.compact(&c.calls.slots)
	}
	if len(s.buf) == 0 {
		o.dropHollow()
	}
}

// compactBytesMin is the least worth compacting a segment for.
const compactBytesMin = 4 * KiB

// compact squeezes a segment that waits, and forgets what was withdrawn from it, so that calls which
// are given up before their turn leave nothing behind.
func (s *segment) compact(slots *slab.Slab[call]) {
	s.squeeze()
	s.dead = 0
	frames, calls, next := s.frames[:0], s.calls[:0], 0
	for i, f := range s.frames {
		for ; next < len(s.calls) && s.calls[next].frame == i; next++ {
			if ref := s.calls[next]; !ref.withdrawn {
				slots.At(ref.slot).ref, ref.frame = len(calls), len(frames)
				calls = append(calls, ref)
			}
		}
		if f.live > 0 {
			frames = append(frames, f)
		}
	}
	s.frames, s.calls = frames, calls
}

// dropHollow takes segments without bytes out of the queue once they could be most of it.
func (o *output) dropHollow() {
	if o.hollow++; 2*o.hollow <= o.segments.Count()+compactSlack {
		return
	}
	o.hollow = 0
	for range o.segments.Count() {
		s := *o.segments.At(0)
		o.segments.Drop()
		if len(s.buf) > 0 {
			o.segments.Push(s)
		} else {
			o.recycle(s, s.buf)
		}
	}
}

// squeeze closes the gaps that dead frames left.
func (s *segment) squeeze() {
	if s.dead == 0 {
		return
	}
	to, from, moved := 0, 0, 0
	for i := range s.frames {
		f := &s.frames[i]
		if f.live == 0 {
			to += copy(s.buf[to:], s.buf[from:f.start])
			from = f.end
			moved += f.end - f.start
		}
		f.start, f.end = f.start-moved, f.end-moved
	}
	to += copy(s.buf[to:], s.buf[from:])
	s.buf = s.buf[:to]
}

// discard forgets everything queued: nothing of it is ever written (SEND-5).
func (o *output) discard() {
	o.segments.Clear()
	o.queued, o.answers, o.taken = 0, 0, 0
}

// recycle keeps an emptied segment with a buffer for it.
func (o *output) recycle(s *segment, buf []byte) {
	if len(o.free) < spareSegmentsMax {
		s.buf = nil
		o.free = append(o.free, s)
		o.keep(buf)
	}
}

// keep gives an emptied buffer to the segment that is used next, where that has none.
func (o *output) keep(buf []byte) {
	if n := len(o.free); n > 0 && o.free[n-1].buf == nil && cap(buf) <= segmentBytesMax {
		o.free[n-1].buf = buf[:0]
	}
}

// Pending returns the bytes that are queued and not taken.
func (c *Conn) Pending() int { return c.out.queued }

// Take hands over the oldest block of whole frames and its ownership; the frames in it have begun
// and are completed whatever happens (SEND-3). spare, which may be nil, is an emptied block that
// Conn owns from then on, whatever Take returns. It returns nil when nothing is queued, and until
// Wrote has covered the last block.
func (c *Conn) Take(spare []byte) []byte {
	for (c.out.taken == 0 || planted(bugBlockTooEarly)) && c.out.segments.Count() > 0 {
		s := *c.out.segments.At(0)
		c.out.segments.Drop()
		s.squeeze()
		c.begin(s)
		c.out.queued -= len(s.buf)
		c.out.answers -= s.answers
		c.out.taken = len(s.buf)
		if c.out.taken > 0 && !c.phase.draining {
			c.timers.arm(TimerStall, c.cfg.StallNs)
		}
		block := s.buf
		c.out.recycle(s, spare)
		c.payOwed() // first what we owe, then whoever waits
		c.wakeBlocked()
		if len(block) > 0 {
			return block
		}
		spare = block
	}
	c.out.keep(spare)
	return nil
}

// begin marks the calls whose frames are in a segment that is being handed over.
func (c *Conn) begin(s *segment) {
	for _, ref := range s.calls {
		if ref.withdrawn {
			continue
		}
		k := c.calls.slots.At(ref.slot)
		k.begun, k.segment = true, nil
		k.endOffset = c.out.offset + uint64(s.frames[ref.frame].end)
	}
	c.out.offset += uint64(len(s.buf))
}

// wakeBlocked tells who found no room that there is some for it, or that there will never be any.
func (c *Conn) wakeBlocked() {
	if c.out.refused > 0 && !planted(bugNoWakeup) && (c.fits(c.out.refused) || !c.writable()) {
		c.out.refused = 0
		c.push(fact{kind: EventWritable})
	}
}

// Wrote records that n more bytes of the block taken have been written. More than was taken is
// ignored.
func (c *Conn) Wrote(n int) {
	n = max(0, min(n, c.out.taken))
	c.out.taken -= n
	c.stats.BytesOut += uint64(n)
	if n > 0 {
		c.progress()
	}
	c.settle()
}

// OutputDone reports that everything owed has been written and the output is to be closed.
func (c *Conn) OutputDone() bool { return c.phase.output == OutputDone }
