package core

import (
	"iter"

	"github.com/parley-rpc/parley/core/internal/frame"
	"github.com/parley-rpc/parley/core/internal/scan"
	"github.com/parley-rpc/parley/core/internal/slab"
)

// Conn is one end of one connection.
type Conn struct {
	verifier verifier
	cfg      Config
	spec     *profileSpec

	// Bytes in.
	in      receive
	frames  frame.Decoder
	scanner scan.Scanner
	message scan.Message

	// What the parties owe each other.
	calls    calls
	requests requests
	batches  slab.Slab[batch]
	batch    uint32 // slot number + 1 of the array that is being taken apart; 0: none
	out      output

	// Facts, in the order in which they came true. attached counts those at the back whose bytes
	// still lie in the receive buffer.
	facts    slab.Ring[fact]
	attached int
	credit   int64

	// Time.
	now       Time
	timers    timers
	stallTold bool // EventStalled was pushed since the last write

	ledger    ledger
	drops     drops
	phase     phases
	malformed malformed
	era       era
	arrays    bool // arrays from the peer are accepted (MSG-8)
	invalids  int  // Invalid frames in a row (MSG-6)
	fragment  int  // which of them looked last like a part of a message; 0: the last did not
	stats     Stats

	text   []byte   // what was unescaped since the last input
	render []byte   // a frame's envelope while it is composed
	frame  struct { // the one that is being judged
		body   []byte
		offset uint64
	}
	key []byte // an id's canonical key while it is looked up
}

// New makes a Conn from a configuration, or a *ConfigError that names the first field refused.
func New(cfg Config) (*Conn, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	c := &Conn{cfg: cfg, spec: &profiles[cfg.Profile]}
	if c.cfg.FirstID == 0 {
		c.cfg.FirstID = 1
	}
	c.arrays = c.spec.batches
	c.malformed = c.spec.policy(cfg.Role, cfg.Framing)
	c.frames.Init(frame.Config{
		Framing:        frame.Framing(cfg.Framing),
		HeaderBytesMax: cfg.Limits.HeaderBytesMax,
		BodyBytesMax:   cfg.Limits.FrameBytesMax,
		BodyBytesMin:   cfg.Limits.FrameBytesMin,
		BlankBytesMax:  cfg.Limits.BlankBytesMax,
		Resync:         cfg.Resync,
		Discard:        cfg.Role == RoleServer,
	})
	c.scanner.DepthMax = cfg.Limits.DepthMax
	c.calls.next = c.cfg.FirstID
	c.requests.init(&c.cfg, c.spec)
	c.ledger.stats = make([]methodStats, len(cfg.Methods))
	c.out.wholeFrames = cfg.Framing == FramingWhole || cfg.SendPolicy == SendEnd
	if c.requests.gated {
		c.phase.lifecycle = LifecycleUninitialized
	}
	return c, nil
}

// Limits returns the limits in force (API-7).
func (c *Conn) Limits() Limits { return c.cfg.Limits }

// Reserve returns at least n bytes of space to read into. The space is neither moved nor touched
// until its Commit, whatever is called between; a second Reserve before that returns the same
// space, or more of it.
func (c *Conn) Reserve(n int) []byte {
	c.expire()
	if c.in.handed == 0 {
		c.detach()
	}
	return c.in.reserve(n)
}

// Commit records that n bytes arrived in the space that Reserve returned, and judges every frame
// that they complete. The error is the *ProtocolError that ended the session, the same one for
// ever; ErrClosed where it ended otherwise; ErrBadCount where n is more than was reserved. In
// framing whole the bytes are a part of a message that CommitMessage will end.
func (c *Conn) Commit(n int) error { return c.commit(n, false) }

// CommitMessage is Commit for framing whole: the n bytes end one transport message (FRAME-9).
func (c *Conn) CommitMessage(n int) error {
	if c.cfg.Framing != FramingWhole {
		return ErrUnsupported
	}
	return c.commit(n, true)
}

func (c *Conn) commit(n int, whole bool) error {
	if n < 0 || n > c.in.space() {
		return ErrBadCount
	}
	c.in.commit(n)
	if c.phase.input != InputOpen {
		c.in.drop()
		return c.ended()
	}
	c.stats.BytesIn += uint64(n)
	if whole {
		step := c.frames.NextWhole(c.in.arrived())
		c.step(&step)
	} else {
		c.cut()
	}
	c.settle()
	return c.broken()
}

// CommitEOF records that the peer's output has ended. Between frames that is a clean end: a
// half-close (STOP-1). Inside a frame it is Violation truncated (FRAME-4).
func (c *Conn) CommitEOF() error {
	if c.phase.input != InputOpen {
		return c.broken()
	}
	c.cutLast()
	c.settle()
	return c.broken()
}

// Paused reports that reading is to stop until it turns false (BACK-3). Commit stays legal.
func (c *Conn) Paused() bool { return c.paused() }

// Deadline returns when Advance must be called at the latest, and why; Never when nothing is due.
func (c *Conn) Deadline() (Time, TimerKind) {
	when, kind := c.timers.next()
	if _, t, ok := c.calls.deadlines.Min(); ok && Time(t) <= when {
		when, kind = Time(t), TimerCall
	}
	return when, kind
}

// Advance tells the time. Every deadline at or before now passes, in order of time. Time that runs
// backwards is held and counted.
func (c *Conn) Advance(now Time) {
	if now < c.now {
		c.stats.ClockBackwards++
		now = c.now
	}
	if c.paused() {
		c.stats.PausedNs += uint64(now - c.now)
	}
	c.now = now
	c.timers.start(now)
	if c.ledger.waits() {
		c.stamp()
	}
	if c.calls.extended.Count() > 0 {
		c.extendCalls()
	}
	for when, kind := c.Deadline(); kind != TimerNone && when <= now; when, kind = c.Deadline() {
		c.expired(kind)
		c.timers.start(now)
	}
	c.settle()
}

// expired acts on the timer that is due first.
func (c *Conn) expired(kind TimerKind) {
	if kind == TimerCall {
		index, _, _ := c.calls.deadlines.Min()
		c.giveUp(index, EventTimeout)
		return
	}
	c.timers.stop(kind)
	switch kind {
	case TimerAnswers:
		c.loseCalls(func(*call) bool { return true })
	case TimerStall:
		c.stalled()
	case TimerGrace:
		c.phase.because(ReasonShutdown, nil) // where it did not end otherwise
		c.cancelAll()
		c.loseCalls(func(*call) bool { return true })
	case TimerProgress, TimerLinger:
		c.closeOutput()
	}
	c.settle()
}

// Want grants credit for n more messages from the peer, up to 2^31-1 in all. Credit is bound to
// waiting messages in order of arrival, now or when they are scanned.
func (c *Conn) Want(n int) {
	if n > 0 {
		c.credit = min(c.credit+int64(n), 1<<31-1)
	}
	c.schedule()
	c.settle()
}

// Next fills ev with the next fact and reports whether there was one. The slices in ev are valid
// until the next input; Next itself ends nothing.
func (c *Conn) Next(ev *Event) bool {
	if c.facts.Count() == 0 {
		return false
	}
	f := c.facts.At(0)
	c.expand(f, ev)
	if c.attached == c.facts.Count() {
		c.attached--
	}
	c.facts.Drop()
	if ev.Kind == EventClosed {
		c.phase.close()
	}
	return true
}

// Facts returns how many facts Next would fetch now.
func (c *Conn) Facts() int { return c.facts.Count() }

// Events yields every fact that Next would, by value.
func (c *Conn) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		var ev Event
		for c.Next(&ev) && yield(ev) {
		}
	}
}

// State says where the connection stands.
func (c *Conn) State() State {
	return State{
		Input: c.phase.input, Output: c.phase.output, Lifecycle: c.phase.lifecycle,
		Reason: c.phase.reason, Err: c.phase.err, Closed: c.phase.delivered,
		Calls: c.calls.open, Running: c.requests.running, Waiting: c.requests.waiting,
		Paused: c.Paused(), Credit: c.credit, ExitCode: c.exitCode(),
		AcceptedBytes: c.out.accepted, WrittenBytes: c.stats.BytesOut, QueuedBytes: c.out.queued,
	}
}

// Stats returns the counters.
func (c *Conn) Stats() Stats { return c.stats }

// ended is what an input after the end gets back.
func (c *Conn) ended() error {
	if err := c.broken(); err != nil {
		return err
	}
	return ErrClosed
}

// broken is the violation that ended the session, as an error that is nil when there is none.
func (c *Conn) broken() error {
	if c.phase.err == nil {
		return nil
	}
	return c.phase.err
}
