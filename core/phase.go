package core

// phases holds everything about where the conversation stands. No other file assigns its fields
// but through the methods here.
type phases struct {
	input     InputPhase
	output    OutputPhase
	lifecycle Lifecycle
	reason    Reason
	err       *ProtocolError
	stopping  bool // Shutdown: no new work is admitted
	draining  bool // the end game has begun: what is owed is finished within bounds (STOP-2)
	closed    bool // EventClosed is among the facts
	delivered bool // and has been fetched
}

// inputSignal is what moves the peer's direction.
type inputSignal uint8

const (
	inputEOF   inputSignal = iota
	inputBreak             // a violation, Abort, exit
)

// inputTable: an end is final, and the first one stays.
var inputTable = [inputEnd][2]InputPhase{
	InputOpen:   {inputEOF: InputEnded, inputBreak: InputBroken},
	InputEnded:  {inputEOF: InputEnded, inputBreak: InputEnded},
	InputBroken: {inputEOF: InputBroken, inputBreak: InputBroken},
}

// outputSignal is what moves our direction.
type outputSignal uint8

const (
	outputAnswer  outputSignal = iota // the peer's output ended, admitted work goes on
	outputFinish                      // nothing more is accepted
	outputDrained                     // everything accepted is written
	outputFail                        // a write failed, Abort
)

const impossible OutputPhase = 255

// outputTable: a phase never goes back, and nothing follows Done and Failed.
var outputTable = [outputEnd][4]OutputPhase{
	OutputOpen:      {OutputAnswering, OutputFinishing, impossible, OutputFailed},
	OutputAnswering: {OutputAnswering, OutputFinishing, impossible, OutputFailed},
	OutputFinishing: {OutputFinishing, OutputFinishing, OutputDone, OutputFailed},
	OutputDone:      {OutputDone, OutputDone, OutputDone, OutputDone},
	OutputFailed:    {OutputFailed, OutputFailed, OutputFailed, OutputFailed},
}

func (p *phases) inputTo(s inputSignal) { p.input = inputTable[p.input][s] }

func (p *phases) outputTo(s outputSignal) {
	next := outputTable[p.output][s]
	if next == impossible {
		panic("core: invariant: output drains only after it finishes")
	}
	p.output = next
}

// drain records that the end game has begun.
func (p *phases) drain() { p.draining = true }

// ending reports that a direction closes or has closed.
func (p *phases) ending() bool { return p.output != OutputOpen || p.stopping || p.draining }

// spoken reports that nothing more will ever be written.
func (p *phases) spoken() bool { return p.output == OutputDone || p.output == OutputFailed }

// close records that nothing follows any more.
func (p *phases) close() { p.delivered = true }

// because records why the conversation ended; the first reason stays.
func (p *phases) because(reason Reason, err *ProtocolError) {
	if p.reason == ReasonNone {
		p.reason, p.err = reason, err
	}
}

// end ends the conversation: the end is announced at once, our open calls are lost, and what the
// peer asked may finish within the bounds of a shutdown (STOP-1, STOP-2, STOP-4).
func (c *Conn) end(signal inputSignal, reason Reason, err *ProtocolError) {
	if c.phase.input != InputOpen {
		return
	}
	c.phase.inputTo(signal)
	c.phase.because(reason, err)
	c.push(fact{kind: EventEnding, reason: c.phase.reason})
	c.loseCalls(func(*call) bool { return true })
	c.in.drop()
	if c.cfg.Role == RoleRelay && signal == inputEOF {
		return // its owner forwards what comes from the other side, and says when that is over
	}
	c.phase.outputTo(outputAnswer)
	c.drain(signal == inputBreak)
}

// violate ends the conversation over what the peer sent.
func (c *Conn) violate(err *ProtocolError) { c.end(inputBreak, ReasonViolation, err) }

// settle draws the conclusions of an input. It is the one place where a direction closes itself.
func (c *Conn) settle() {
	if c.calls.owed.Count() > 0 {
		c.payOwed()
	}
	if c.phase.ending() {
		c.closeDown()
	} else if c.out.refused > 0 {
		c.wakeBlocked()
	}
	c.expire()
}

// closeDown is the part of settle for a conversation that is ending.
func (c *Conn) closeDown() {
	idle := c.requests.idle() || c.unattended()
	if c.phase.output == OutputAnswering && idle {
		c.phase.outputTo(outputFinish)
	}
	if c.phase.stopping && c.phase.output == OutputOpen && idle && c.calls.open == 0 {
		c.phase.outputTo(outputFinish)
	}
	if c.phase.output == OutputFinishing && c.out.empty() && c.calls.owed.Count() == 0 {
		c.phase.outputTo(outputDrained)
	}
	if c.phase.stopping && c.phase.output == OutputDone {
		c.end(inputBreak, ReasonShutdown, nil)
	}
	c.watchDrain(idle)
	if !c.phase.closed {
		c.wakeBlocked()
	}
	if c.phase.spoken() && c.phase.input != InputOpen && c.calls.open == 0 && idle && c.requests.waiting == 0 && !c.phase.closed {
		c.phase.closed = true
		c.push(fact{kind: EventClosed, reason: c.phase.reason})
	}
}

// unattended reports that nobody has to end what the peer asked: a client that reads messages, and
// anyone who reads them once the session broke, may never answer, and is not waited for.
func (c *Conn) unattended() bool {
	return c.cfg.Role == RoleRelay || c.cfg.Inbound == InboundMessages && (c.cfg.Role == RoleClient || c.phase.input == InputBroken)
}

// exitCode is what a server process returns (STOP-9).
func (c *Conn) exitCode() int {
	switch c.phase.lifecycle {
	case LifecycleNone, LifecycleShutdown:
		return 0
	case LifecycleExited:
		return c.requests.exitCode
	}
	return 1
}
