package resume

import (
	"bytes"
	"math"

	"github.com/parley-rpc/parley/core"
)

// Link is one side of a session that outlives its sockets.
type Link struct {
	cfg        Config
	session    string // "" until it is learnt
	phase      phase
	generation Generation // the newest
	received   uint64     // texts of the peer's
	sent       buffer

	now     core.Time
	lostAt  core.Time // when the socket was lost; core.Never before the first is live
	failure *Failure  // why it is over
}

// Generation names one attempt to connect, which is one socket. The newest wins; 0 is none.
type Generation uint64

type phase uint8

const (
	phaseDetached phase = iota // there is no socket
	phaseAttached              // there is one, and its peer has not said what it has
	phaseLive                  // texts go both ways
	phaseOver
)

// New makes a Link without a socket, or a *core.ConfigError that names the first field refused.
func New(cfg Config) (*Link, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Link{cfg: cfg, session: cfg.Session, now: math.MinInt64, lostAt: core.Never}, nil
}

// Session is the name of the session; "" until the first greeting has come.
func (l *Link) Session() string { return l.session }

// Received is how many texts of the peer's have been received.
func (l *Link) Received() uint64 { return l.received }

// Sent is how many texts Send has accepted.
func (l *Link) Sent() uint64 { return l.sent.sent() }

// Err is the *Failure that ended the session; nil before.
func (l *Link) Err() error {
	if l.failure == nil {
		return nil // not a nil *Failure
	}
	return l.failure
}

// Attach begins an attempt on a new socket. Any older one is over: its texts are ignored and nothing
// is written to it any more (RESUME-4).
func (l *Link) Attach(now core.Time) (Generation, error) {
	l.Advance(now)
	if l.phase == phaseOver {
		return 0, l.failure
	}
	l.suspend()
	l.phase = phaseAttached
	l.generation++
	return l.generation, nil
}

// Greeting is the first text on every socket of the side that was connected to, which is the one with
// Config.Session. It is not counted.
func (l *Link) Greeting() []byte { return appendGreeting(nil, l.session, l.received) }

// Resume makes an attempt live: the peer says that it has received so many texts, and Next goes on
// with the first that it lacks. An error is a *Failure, or core.ErrUnsupported for what is live
// already; a claim that cannot be met ends the session (RESUME-2, RESUME-3).
func (l *Link) Resume(gen Generation, received uint64, now core.Time) error {
	if err := l.check(gen, now); err != nil {
		return err
	}
	return l.resume(received)
}

// Greet is Resume with the peer's greeting, the first text of a socket. One that is none, or is to
// another session, ends the session.
func (l *Link) Greet(gen Generation, text []byte, now core.Time) error {
	if err := l.check(gen, now); err != nil {
		return err
	}
	session, received, ok := readGreeting(text)
	if !ok || l.session != "" && session != l.session {
		return l.end(Failure{Kind: FailureGreeting, Sample: bytes.Clone(text[:min(len(text), core.SampleBytesMax)])})
	}
	l.session = session
	return l.resume(received)
}

// check tells whether an attempt waits to be made live.
func (l *Link) check(gen Generation, now core.Time) error {
	l.Advance(now)
	switch {
	case l.phase == phaseOver:
		return l.failure
	case !l.isAttached(gen):
		return &Failure{Kind: FailureSuperseded}
	case l.phase == phaseLive:
		return core.ErrUnsupported
	}
	return nil
}

func (l *Link) resume(received uint64) error {
	state := Failure{Received: received, First: l.sent.first, Sent: l.sent.sent()}
	switch {
	case received > state.Sent:
		state.Kind = FailureClaim
		return l.end(state)
	case received < state.First:
		state.Kind = FailureLost
		return l.end(state)
	}
	l.sent.confirm(received)
	l.phase = phaseLive
	return nil
}

// Send keeps a copy of a text, which Next then hands out in order. core.ErrOutputFull: there is no
// room, try again after a Next or a Resume (RESUME-5). core.ErrTooLarge: it is over TextBytesMax. A
// *Failure: the session is over.
func (l *Link) Send(text []byte, now core.Time) error {
	l.Advance(now)
	switch {
	case l.phase == phaseOver:
		return l.failure
	case l.sent.sent() == CountMax:
		return l.end(Failure{Kind: FailureCount})
	case len(text) > l.cfg.TextBytesMax:
		return core.ErrTooLarge
	case !l.sent.hasRoom(len(text), l.cfg.BytesMax):
		return core.ErrOutputFull
	}
	l.sent.put(text, l.cfg.BytesMax)
	return nil
}

// Next hands out what is to be written to the socket of an attempt now. The text is the caller's to
// read only. False: nothing waits, or the attempt is not live.
func (l *Link) Next(gen Generation) ([]byte, bool) {
	if l.phase != phaseLive || gen != l.generation {
		return nil, false
	}
	return l.sent.take(l.now)
}

// Receive counts a text of the peer's that came on the socket of an attempt. False: it is to be
// ignored, because the attempt is not live. Call it when the text is delivered: what is counted will
// not be sent again.
func (l *Link) Receive(gen Generation) bool {
	if l.phase != phaseLive || gen != l.generation {
		return false
	}
	if l.received == CountMax {
		_ = l.end(Failure{Kind: FailureCount}) // Err tells
		return false
	}
	l.received++
	return true
}

// Detach says that the socket of an attempt is lost. For one that is over it changes nothing.
func (l *Link) Detach(gen Generation, now core.Time) {
	if !l.isAttached(gen) {
		return
	}
	l.now = max(l.now, now) // not Advance: what the peer may lack is not forgotten in the last moment
	l.suspend()
	l.phase = phaseDetached
	l.Advance(now)
}

// Advance tells the time; time that runs backwards is held. What was written AgeNs ago is forgotten
// while a socket is live, and a session that has been without one for AgeNs is over.
func (l *Link) Advance(now core.Time) {
	l.now = max(l.now, now)
	switch {
	case l.phase == phaseLive:
		l.sent.expire(l.now - l.cfg.AgeNs)
	case l.phase == phaseDetached && l.now >= l.expiry():
		_ = l.end(Failure{Kind: FailureExpired}) // Err tells
	}
}

// Deadline returns when Advance must be called at the latest.
func (l *Link) Deadline() core.Time {
	switch l.phase {
	case phaseLive:
		return after(l.sent.oldest(), l.cfg.AgeNs)
	case phaseDetached:
		return l.expiry()
	}
	return core.Never
}

// expiry is when the session is over unless a socket comes. An attempt that fails does not move it.
func (l *Link) expiry() core.Time { return after(l.lostAt, l.cfg.AgeNs) }

func (l *Link) isAttached(gen Generation) bool {
	return gen == l.generation && (l.phase == phaseAttached || l.phase == phaseLive)
}

// suspend leaves the socket that is live, if one is.
func (l *Link) suspend() {
	if l.phase == phaseLive {
		l.lostAt = l.now
		l.sent.rewind()
	}
}

func (l *Link) end(failure Failure) error {
	l.phase = phaseOver
	l.failure = &failure
	l.sent.clear()
	return l.failure
}

// after is a time some time later; core.Never stays.
func after(t, span core.Time) core.Time {
	if t == core.Never {
		return t
	}
	return t + span
}
