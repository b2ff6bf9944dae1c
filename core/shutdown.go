package core

// drain begins the end game, once: handlers have the grace and then the shutdown bound, and the
// whole is bounded by their sum. After a fault or by the owner's will there is no grace (STOP-2,
// STOP-3).
func (c *Conn) drain(atOnce bool) {
	switch {
	case atOnce:
		c.timers.stop(TimerGrace)
		if !c.phase.draining || c.timers.due[TimerLinger] > c.now+c.cfg.ShutdownNs {
			c.timers.arm(TimerLinger, c.cfg.ShutdownNs)
		}
		c.cancelAll()
	case !c.phase.draining:
		c.timers.arm(TimerGrace, c.cfg.GraceNs)
		c.timers.arm(TimerLinger, c.cfg.GraceNs+c.cfg.ShutdownNs)
	}
	c.phase.drain()
}

// watchDrain bounds the time that a draining output makes no progress, from when only the output
// is left (STOP-2).
func (c *Conn) watchDrain(idle bool) {
	switch {
	case c.phase.draining && idle && c.phase.spoken():
		c.timers = timers{}
	case c.phase.draining && idle && !c.out.empty() && !c.timers.armed(TimerProgress):
		c.timers.stop(TimerStall)
		c.timers.arm(TimerProgress, c.cfg.ShutdownNs)
	}
}

// progress notes a write: whoever waits for the peer to read starts over (SEND-6).
func (c *Conn) progress() {
	if c.timers.armed(TimerProgress) {
		c.timers.arm(TimerProgress, c.cfg.ShutdownNs)
		return
	}
	c.timers.stop(TimerStall)
	c.stallTold = false
	if c.out.taken > 0 {
		c.timers.arm(TimerStall, c.cfg.StallNs)
	}
}

// stalled reports a peer that does not read; outside a shutdown that is pressure, and an end only
// where StallMaxNs says so (SEND-6).
func (c *Conn) stalled() {
	rest := c.cfg.StallMaxNs - c.cfg.StallNs
	if !c.stallTold {
		c.stallTold = true
		c.push(fact{kind: EventStalled})
		if c.cfg.StallMaxNs == 0 {
			return
		}
		if rest > 0 {
			c.timers.arm(TimerStall, rest)
			return
		}
	}
	c.phase.because(ReasonStalled, nil)
	c.closeOutput()
	c.end(inputBreak, ReasonStalled, nil)
}

// silence ends our direction at once: nothing of what is queued is ever written, and the calls that
// can have no answer any more are lost (SEND-5).
func (c *Conn) silence(lost func(*call) bool) {
	c.phase.outputTo(outputFail)
	c.timers.stop(TimerStall)
	c.timers.stop(TimerProgress)
	c.loseCalls(lost)
	c.out.discard()
}

// closeOutput gives up on the output, and on whoever still works on an answer.
func (c *Conn) closeOutput() {
	c.silence(func(k *call) bool { return !k.begun || c.phase.input != InputOpen })
	c.cancelAll()
	c.requests.released = true
	if c.phase.stopping {
		c.end(inputBreak, ReasonShutdown, nil)
	}
}

// FinishInput closes our output once what is queued has been written, never inside a frame. It is
// repeatable. Later sends fail as closed (STOP-5).
func (c *Conn) FinishInput() error {
	if c.cfg.Framing == FramingWhole {
		return ErrUnsupported // a message transport has no half-close
	}
	if c.phase.output == OutputFailed {
		return ErrClosed
	}
	c.phase.outputTo(outputFinish)
	c.settle()
	return nil
}

// Shutdown stops admission: new calls fail, new requests are refused, and once accepted work has
// finished and its output is written the conversation ends, within GraceNs and ShutdownNs (STOP-2,
// SCHED-7).
func (c *Conn) Shutdown() {
	if c.phase.input == InputOpen || c.phase.output == OutputOpen {
		c.phase.stopping = true
		c.drain(false)
	}
	c.settle()
}

// tear ends the conversation for sending: an interruption hit a frame that is being written, and no
// peer can find its way back from half a frame. What the peer says still arrives (SEND-4, SEND-5).
func (c *Conn) tear() {
	c.phase.because(ReasonTorn, nil)
	c.silence(func(*call) bool { return true })
}

// Abort ends everything at once: the transport is gone, or its owner wants no more of it (STOP-3).
func (c *Conn) Abort() {
	c.end(inputBreak, ReasonAborted, nil)
	c.silence(func(*call) bool { return true })
	c.cancelAll()
	c.requests.drop()
	c.settle()
}

// ReadFailed records that the transport failed while it was read: the input is over as after
// CommitEOF, but a fault leaves handlers no grace (STOP-3).
func (c *Conn) ReadFailed() {
	c.end(inputBreak, ReasonReadFailed, nil)
	c.settle()
}

// WriteFailed records that the transport refused our bytes: nothing more is ever written. What the
// peer still says arrives; calls already written may be answered for ShutdownNs more (SEND-5).
func (c *Conn) WriteFailed() {
	if c.phase.output == OutputDone || c.phase.output == OutputFailed {
		return
	}
	c.phase.because(ReasonWriteFailed, nil)
	written := c.stats.BytesOut
	c.silence(func(k *call) bool { return !k.begun || k.endOffset > written })
	if c.calls.open > 0 {
		c.timers.arm(TimerAnswers, c.cfg.ShutdownNs)
	}
	c.settle()
}
