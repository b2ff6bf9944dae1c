package core

import (
	"strconv"

	"github.com/parley-rpc/parley/core/internal/scan"
)

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
	if size > c.cfg.Limits.FrameBytesMax+extra(bugOneByteMore) {
		return ErrTooLarge
	}
	if c.fits(size) {
		return nil
	}
	if c.cfg.OutFailFast {
		return ErrTooLarge
	}
	if c.out.refused == 0 || size < c.out.refused {
		c.out.refused = size
	}
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
func (c *Conn) reject(id []byte, code Code, message string) {
	c.rejectIn(c.batch, id, code, message, nil)
}

// rejectBusy answers a request that there is no room for, and says that it may be sent again
// (BACK-3).
func (c *Conn) rejectBusy(id []byte) {
	c.rejectIn(c.batch, id, c.spec.unableCode, "Too busy: try again", retry)
}

var retry = []byte(`{"retry":true}`)

// rejectIn is reject for a request that came in a batch; 0: in none. data is JSON; nil: none.
func (c *Conn) rejectIn(batch uint32, id []byte, code Code, message string, data []byte) {
	if !c.writable() {
		return
	}
	c.stats.Rejected++
	c.openAnswer(id)
	c.renderError(code, message, data != nil)
	if batch != 0 {
		c.join(batch, data, "}}")
	} else {
		c.appendAnswer(data, "}}")
	}
}

// emitCancel queues the profile's cancel notice for a call, and reports whether there was room
// (CALL-6).
func (c *Conn) emitCancel(k *call) bool {
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
