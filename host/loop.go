package host

import (
	"io"
	"math"
	"runtime"
	"time"

	"github.com/parley-rpc/parley/core"
)

const (
	readBytesMin  = 4 * core.KiB  // the least space a read is given
	writeBytesMax = 16 * core.KiB // the most one write takes: progress is noted after each (SEND-6)
	emptyReadsMax = 100           // reads in a row without bytes or error, then io.ErrNoProgress
	forever       = time.Duration(math.MaxInt64)
	creditMax     = 1<<31 - 1
)

// update is the only door to the machine: one turn. f makes the inputs; then time passes, facts are
// drained, and whoever can go on now is woken. After the end f is not called and ErrClosed returned.
func (p *Peer) update(f func(m Machine) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.end.over {
		return ErrClosed
	}
	err := f(p.machine)
	block := p.takeAlone()
	p.turn()
	if block != nil {
		p.writeAlone(block)
	}
	return err
}

// turn ends a turn whose inputs have been made. Peer.mu is held.
func (p *Peer) turn() {
	p.advance()
	p.conclude()
}

// conclude is what follows on the time. Peer.mu is held.
func (p *Peer) conclude() {
	for p.machine.Next(&p.event) {
		p.dispatch(&p.event)
	}
	if p.machine.Err() != nil {
		p.beginEnd(core.ReasonNone)
		p.finish()
	}
	if p.end.over {
		return
	}
	p.settleFlushes()
	if !p.machine.Paused() {
		p.mayRead.Signal()
	}
	pending := p.machine.Pending()
	if pending > 0 || p.machine.OutputDone() {
		p.mayWrite.Signal()
	}
	// Withdrawn frames and a closed output make no EventWritable.
	if len(p.room.line) > 0 && (pending == 0 || p.machine.State().Output != core.OutputOpen) {
		p.room.wakeFirst()
	}
	p.rearm()
}

// dispatch takes one fact to whoever waits for it. Peer.mu is held: no caller code runs here.
func (p *Peer) dispatch(ev *core.Event) {
	switch ev.Kind {
	case core.EventRequest, core.EventNotification:
		if p.mux != nil {
			p.startHandler(ev)
		} else {
			p.deliver(ev)
		}
	case core.EventResult, core.EventError, core.EventInvalidAnswer, core.EventTimeout, core.EventCanceled:
		p.settle(ev)
	case core.EventLost:
		p.beginEnd(ev.Reason)
		p.settle(ev)
	case core.EventProgress:
		p.noteProgress(ev)
	case core.EventCancelRequest:
		if r := p.requests[ev.Req]; r != nil {
			r.cancel(errCanceledByPeer)
		}
	case core.EventWritable:
		p.room.wakeFirst()
	case core.EventEnding:
		p.observe(ev)
		p.beginEnd(ev.Reason)
		p.inputOver()
	case core.EventClosed:
		p.observe(ev)
		p.beginEnd(ev.Reason)
		p.finish()
	default:
		p.observe(ev)
	}
}

func (p *Peer) readLoop() {
	emptyReads := 0
	for {
		space := p.reserve()
		if space == nil {
			return
		}
		n, err := p.transport.reader.Read(space)
		if emptyReads++; n > 0 {
			emptyReads = 0
		}
		if err == nil && emptyReads > emptyReadsMax {
			err = io.ErrNoProgress
		}
		p.received(n, err)
		if err != nil {
			return
		}
	}
}

// reserve waits while reading is paused and returns space for one read; nil once input is over.
// The space stays put until its Commit, so that the read needs no lock and no copy.
func (p *Peer) reserve() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.end.inputOver && p.machine.Paused() {
		p.mayRead.Wait()
	}
	if p.end.inputOver {
		return nil
	}
	return p.machine.Reserve(readBytesMin)
}

func (p *Peer) received(n int, readErr error) {
	if readErr == nil && p.receivedInTime(n) {
		return
	}
	// What the bytes did wrong comes as EventEnding, like every end.
	_ = p.update(func(m Machine) error {
		if n > 0 {
			p.hold.received += n
			if err := m.Commit(n); err != nil {
				return err
			}
		}
		if readErr == nil {
			return nil
		}
		if readErr == io.EOF {
			return m.CommitEOF()
		}
		p.readErr = readErr
		m.ReadFailed()
		return nil
	})
}

// receivedInTime is received for bytes alone, where no deadline has passed that they might have to beat:
// then nothing lies between them and the time. It reports whether it was.
func (p *Peer) receivedInTime(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	if deadline, _ := p.machine.Deadline(); p.end.over || n == 0 || deadline <= now {
		return false
	}
	p.hold = hold{}
	_ = Turn(p.machine, n, now) // what the bytes did wrong comes as EventEnding
	p.conclude()
	return true
}

// awaitReady lets the writer start once the transport takes bytes (SEND-3).
func (p *Peer) awaitReady() {
	select {
	case <-p.transport.ready:
	case <-p.handlers.Done():
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writerReady = true
	p.mayWrite.Signal()
}

func (p *Peer) writeLoop() {
	defer close(p.outputClosed)
	writer := p.transport.writer
	if writer == nil {
		writer = io.Discard // refusals of the machine's own, which nobody will read (API-3)
	}
	var block []byte
	written := 0 // of the last piece of block: the turn that takes the next block notes it
	for {
		if block = p.take(block, written); block == nil {
			break
		}
		var ok bool
		if written, ok = p.write(writer, block); !ok {
			return
		}
	}
	if closeWrite := p.transport.closeWrite; closeWrite != nil {
		if err := closeWrite(); err != nil {
			p.log.Debug("closing the output failed", "error", oneLine(err.Error()))
		}
	}
}

// take notes that the last block is written, waits for output, and returns one block of it in exchange
// for the emptied one; nil once there will be no more.
func (p *Peer) take(spare []byte, written int) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if spare != nil {
		p.spare = spare
	}
	if written > 0 && !p.end.over {
		p.machine.Wrote(written)
	}
	for !p.end.over {
		block := p.lone.rest
		p.lone.rest = nil
		if block == nil && p.writerReady {
			block = p.takeBlock()
		}
		p.turn() // a trap inside Take ends the session here, or nobody would notice
		if block != nil || p.end.over {
			return block
		}
		if p.machine.OutputDone() {
			return nil
		}
		p.mayWrite.Wait()
		p.gather()
	}
	return nil
}

// takeBlock takes a block in exchange for an emptied one. Peer.mu is held.
func (p *Peer) takeBlock() []byte {
	block := p.machine.Take(p.spare)
	p.spare = nil // it is the machine's now
	return block
}

// gather lets whoever is about to send do so, so that a burst leaves in one write. Peer.mu is held,
// but for that moment.
func (p *Peer) gather() {
	p.mu.Unlock()
	runtime.Gosched()
	p.mu.Lock()
}

// write writes a block in pieces and notes each one but the last, whose size it returns.
func (p *Peer) write(writer io.Writer, block []byte) (last int, ok bool) {
	for {
		piece := block[:min(len(block), writeBytesMax)]
		n, err := writer.Write(piece)
		if err == nil && n < len(piece) {
			err = io.ErrShortWrite
		}
		if block = block[n:]; err == nil && len(block) == 0 {
			return n, true
		}
		closed := p.update(func(m Machine) error {
			m.Wrote(n)
			if err != nil {
				p.writeErr = err
				m.WriteFailed()
			}
			return nil
		})
		if err != nil || closed != nil {
			return 0, false
		}
	}
}

// tick is the timer's turn.
func (p *Peer) tick() {
	_ = p.update(func(Machine) error {
		p.armed = core.Never
		return nil
	})
}

// rearm sets the one timer to the machine's deadline, or to the end of a hold, where that is earlier
// than what it is set to: what is later is set when the timer fires. Each write has a deadline that its
// end takes back (SEND-6), and a timer that moved with it would wake the poller twice a message.
func (p *Peer) rearm() {
	when, _ := p.machine.Deadline()
	if p.hold.until != 0 {
		when = p.hold.until
	}
	if when >= p.armed {
		return
	}
	p.armed = when
	p.timer.Reset(untilDue(p.clock.Now(), when))
}

func untilDue(now, due core.Time) time.Duration { return time.Duration(max(due-now, 0)) }

// hold keeps time from passing a call's deadline until what lies in the transport has been
// committed, so that an answer that has arrived wins (CALL-3).
type hold struct {
	since, until core.Time // 0: nothing is held
	received     int       // bytes since
}

const (
	holdStep = core.Millisecond
	holdMax  = 10 * core.Millisecond
)

// advance tells the machine the time, or, while a call's deadline is held, the instant before it.
func (p *Peer) advance() {
	now := p.clock.Now()
	deadline, kind := p.machine.Deadline()
	if kind != core.TimerCall || deadline > now {
		p.hold = hold{}
		p.machine.Advance(min(deadline, now)) // a call's deadline behind another's gets its hold
		return
	}
	h := &p.hold
	switch {
	case h.until == 0:
		*h = hold{since: now, until: now + holdStep}
	case now < h.until:
	case now < h.since+holdMax && h.received < p.limits.FrameBytesMax && readable(p.transport.polled):
		h.until = now + holdStep
	default:
		// Whatever became due meanwhile gets a hold of its own.
		p.machine.Advance(h.since)
		p.hold = hold{}
		return
	}
	p.machine.Advance(deadline - 1)
}
