package core

import (
	"strconv"

	"github.com/parley-rpc/parley/core/internal/scan"
	"github.com/parley-rpc/parley/core/internal/slab"
)

// output is our half of the stream: a FIFO of segments of whole frames (SEND-1).
type output struct {
	segments slab.Ring[*segment]
	free     []*segment // emptied, with the buffers that came back through Take
	queued   int        // live bytes not taken
	answers  int        // of them, answers and rejections (BACK-3)
	accepted uint64     // live bytes ever accepted
	taken    int        // bytes handed to the writer and not yet written
	offset   uint64     // of the next byte to be taken, in our output

	wholeFrames bool // one frame a segment: framing whole, policy end
	blocked     bool // a command found no room and waits for EventWritable
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

// callRef is a call in a frame; start and end bound its text in the segment.
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

// overflow is what answers take up past OutBytesMax.
func (o *output) overflow(cfg *Config) int { return max(0, o.answers-cfg.Limits.OutBytesMax) }

// choked reports that what fills the queue is to stop reading (BACK-3).
func (o *output) choked(cfg *Config) bool {
	if cfg.PauseOn == PauseOnAny {
		return o.queued >= cfg.Limits.OutBytesMax
	}
	return o.answers >= cfg.Limits.OutBytesMax
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

// withdraw takes back a call that has not begun: O(1), squeezed out at Take (SEND-3). In a batch
// with other members its text becomes white space.
func (o *output) withdraw(k *call) {
	s := k.segment
	ref := &s.calls[k.ref]
	ref.withdrawn, k.segment = true, nil
	f := &s.frames[ref.frame]
	if f.live--; f.live > 0 {
		blank(s.buf[f.start:f.end], ref.start-f.start, ref.end-f.start)
		return
	}
	size := f.end - f.start
	s.dead += size
	o.queued -= size
	o.accepted -= uint64(size)
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
		if cap(buf) <= segmentBytesMax {
			s.buf = buf[:0]
		}
		o.free = append(o.free, s)
	}
}

// Pending returns the bytes that are queued and not taken.
func (c *Conn) Pending() int { return c.out.queued }

// Take hands over the oldest block of whole frames and its ownership; the frames in it have begun
// and are completed whatever happens (SEND-3). spare, which may be nil, is an emptied block that
// Conn owns from then on. Take returns nil when nothing is queued, and until Wrote has covered the
// last block.
func (c *Conn) Take(spare []byte) []byte {
	for c.out.taken == 0 && c.out.segments.Count() > 0 {
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

// wakeBlocked tells who found no room that there is some, or that there will never be any.
func (c *Conn) wakeBlocked() {
	if c.out.blocked && (2*c.out.queued <= c.cfg.Limits.OutBytesMax || !c.writable()) {
		c.out.blocked = false
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

// writable reports that frames may still be queued.
func (c *Conn) writable() bool {
	return c.phase.output == OutputOpen || c.phase.output == OutputAnswering
}

// fits reports room for a frame with a body of this size (SEND-2).
func (c *Conn) fits(size int) bool {
	frame := c.headerBytes(size) + size
	if c.cfg.Framing == FramingLine {
		frame++
	}
	return c.out.fits(frame, c.cfg.Limits.OutBytesMax)
}

// headerBytes is what stands before a body of this size.
func (c *Conn) headerBytes(size int) int {
	switch c.cfg.Framing {
	case FramingHeader:
		var digits [20]byte
		return len("Content-Length: \r\n\r\n") + len(strconv.AppendInt(digits[:0], int64(size), 10))
	case FramingLength4:
		return 4
	}
	return 0
}

// admit refuses a frame of this size before anything of it is queued (FRAME-5, SEND-2).
func (c *Conn) admit(size int) error {
	if size > c.cfg.Limits.FrameBytesMax {
		return ErrTooLarge
	}
	if c.fits(size) {
		return nil
	}
	if c.cfg.OutFailFast {
		return ErrTooLarge
	}
	c.out.blocked = true
	return ErrOutputFull
}

// append queues one frame: the envelope in c.render with the payload put in at its end, then tail.
func (c *Conn) append(payload []byte, tail string) (s *segment, start int) {
	size := len(c.render) + len(payload) + len(tail)
	s = c.out.tail(size + frameOverheadMax)
	start = len(s.buf)
	switch c.cfg.Framing {
	case FramingHeader:
		s.buf = append(s.buf, "Content-Length: "...)
		s.buf = strconv.AppendInt(s.buf, int64(size), 10)
		s.buf = append(s.buf, "\r\n\r\n"...)
	case FramingLength4:
		s.buf = append(s.buf, byte(size>>24), byte(size>>16), byte(size>>8), byte(size))
	}
	s.buf = append(s.buf, c.render...)
	body := len(s.buf)
	s.buf = append(s.buf, payload...)
	if c.cfg.Framing == FramingLine {
		oneLine(s.buf[body:])
	}
	s.buf = append(s.buf, tail...)
	if c.cfg.Framing == FramingLine {
		s.buf = append(s.buf, '\n')
	}
	added := len(s.buf) - start
	c.out.queued += added
	c.out.accepted += uint64(added)
	c.stats.FramesOut++
	c.stats.OutBytesMax = max(c.stats.OutBytesMax, uint64(c.out.queued))
	return s, start
}

// frameOverheadMax is the most that a framing adds to a body.
const frameOverheadMax = len("Content-Length: 2147483647\r\n\r\n")

// oneLine turns the line ends of JSON text into spaces: inside strings there are none (LINE-6).
func oneLine(text []byte) {
	for i, b := range text {
		if b == '\n' || b == '\r' {
			text[i] = ' '
		}
	}
}

// openMethod starts the envelope of a call or a notification; id is nil for the latter.
func (c *Conn) openMethod(id []byte, method string, params []byte) {
	c.render = append(c.render[:0], `{"jsonrpc":"2.0",`...)
	if id != nil {
		c.render = append(c.render, `"id":`...)
		c.render = append(c.render, id...)
		c.render = append(c.render, ',')
	}
	c.render = append(c.render, `"method":`...)
	c.render = scan.AppendQuoted(c.render, method)
	if len(params) > 0 {
		c.render = append(c.render, `,"params":`...)
	}
}

// openAnswer starts the envelope of an answer; a nil id is null.
func (c *Conn) openAnswer(id []byte) {
	c.render = append(c.render[:0], `{"jsonrpc":"2.0","id":`...)
	if id == nil {
		id = null
	}
	c.render = append(c.render, id...)
}

var null = []byte("null")

// appendAnswer queues the answer whose envelope is in c.render.
func (c *Conn) appendAnswer(payload []byte, tail string) {
	queued := c.out.queued
	s, _ := c.append(payload, tail)
	s.answers += c.out.queued - queued
	c.out.answers += c.out.queued - queued
}

// renderError completes an answer's envelope up to the data.
func (c *Conn) renderError(code Code, message string, data bool) {
	c.render = append(c.render, `,"error":{"code":`...)
	c.render = strconv.AppendInt(c.render, int64(code), 10)
	c.render = append(c.render, `,"message":`...)
	c.render = scan.AppendQuoted(c.render, message)
	if data {
		c.render = append(c.render, `,"data":`...)
	}
}

// reject answers a frame or a request with an error of core's own. It waits for no room: while
// answers fill the queue nothing is read that could be rejected (BACK-3).
func (c *Conn) reject(id []byte, code Code, message string) { c.rejectIn(c.batch, id, code, message) }

// rejectBusy answers a request that there is no room for, and says that it may be sent again
// (BACK-3).
func (c *Conn) rejectBusy(id []byte) {
	c.stats.Rejected++
	c.openAnswer(id)
	c.renderError(c.spec.unableCode, "Too busy: try again", true)
	const tail = `{"retry":true}}}`
	if c.batch != 0 {
		c.join(c.batch, nil, tail)
	} else {
		c.appendAnswer(nil, tail)
	}
}

// rejectIn is reject for a request that came in a batch; 0: in none.
func (c *Conn) rejectIn(batch uint32, id []byte, code Code, message string) {
	if !c.writable() {
		return
	}
	c.stats.Rejected++
	c.openAnswer(id)
	c.renderError(code, message, false)
	if batch != 0 {
		c.join(batch, nil, "}}")
	} else {
		c.appendAnswer(nil, "}}")
	}
}

// emitCancel queues the profile's cancel notice for a call, and reports whether there was room
// (CALL-6). Once nothing can be written any more it has nothing left to do.
func (c *Conn) emitCancel(k *call) bool {
	if !c.writable() {
		return true
	}
	c.render = append(c.render[:0], `{"jsonrpc":"2.0","method":`...)
	c.render = scan.AppendQuoted(c.render, c.spec.cancelMethod)
	c.render = append(c.render, `,"params":{"`...)
	switch {
	case !c.spec.cancelTagged:
		c.render = append(c.render, c.spec.cancelField...)
	case len(k.wire) > 0 && k.wire[0] == '"':
		c.render = append(c.render, "text"...)
	default:
		c.render = append(c.render, "number"...)
	}
	c.render = append(c.render, `":`...)
	c.render = k.appendID(c.render)
	if !c.fits(len(c.render) + 2) {
		return false
	}
	c.append(nil, "}}")
	return true
}
