package control

import (
	"context"
	"slices"
	"sync"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// Bounds of a Passage.
const (
	passageOpenMax    = 4096 // unanswered requests that are followed; the oldest is forgotten first
	passageMethodsMax = 256  // names of methods that are counted by
	passageTimesMax   = 256  // last times of each, for percentiles
	passageNameMax    = 64   // bytes of a method's name
)

// Passage is the Live of what hands messages on between a client and a server: a bridge, a tap. It is
// told of each message, and shows the requests of both sides that have no answer yet as running. Times
// are from a request to its answer, percentiles those of the last 256. It traces, and cancels nothing:
// the messages are not its own. Every method may be called from any goroutine.
type Passage struct {
	clock host.Clock
	base  func() host.Snapshot
	done  chan struct{}

	mu      sync.Mutex
	watch   *core.Watch
	counts  core.Stats // those that only messages tell
	open    int
	methods map[string]*passed
	names   []string // of methods, in the order in which they came
	tracing bool
	trace   []core.TraceRecord
	lost    uint64
	ended   bool
}

// passed is what became of one method's requests.
type passed struct {
	count, failed uint64
	total, max    core.Time
	last          []core.Time // a ring, once it is full
}

// NewPassage returns a Passage. base says the rest at any moment: SessionID, Profile, State, Stats and
// Limits, as far as they are known; it is called without a lock of the Passage's. clock nil is
// host.SystemClock.
func NewPassage(clock host.Clock, base func() host.Snapshot) *Passage {
	if clock == nil {
		clock = host.SystemClock()
	}
	return &Passage{
		clock: clock, base: base, done: make(chan struct{}),
		watch: core.NewWatch(0, passageOpenMax), methods: map[string]*passed{},
	}
}

// Saw is told of an EventMessage of the relay that reads from one side.
func (p *Passage) Saw(from core.Side, message *core.Event) {
	now := p.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	paired := p.watch.Saw(from, message, now)
	p.open = paired.Open
	switch {
	case message.Class == core.ClassNotification:
		p.counts.Notifications++
	case paired.Pairing == core.PairingRequest:
		p.counts.Requests++
		p.step(now, paired.Ordinal, core.PhaseRunning, message.Method)
	case paired.Pairing == core.PairingAnswer:
		phase := core.PhaseSucceeded
		if message.Class == core.ClassError {
			phase = core.PhaseFailed
		}
		p.step(now, paired.Ordinal, phase, paired.Method)
		p.tally(nameOf(paired.Method), paired.Elapsed, phase)
	}
}

func nameOf(method []byte) string { return string(method[:min(len(method), passageNameMax)]) }

func (p *Passage) tally(method string, elapsed core.Time, phase core.Phase) {
	m := p.methods[method]
	if m == nil {
		if len(p.names) == passageMethodsMax {
			return
		}
		m = &passed{}
		p.methods[method], p.names = m, append(p.names, method)
	}
	if phase == core.PhaseFailed {
		m.failed++
	}
	if len(m.last) < passageTimesMax {
		m.last = append(m.last, elapsed)
	} else {
		m.last[m.count%passageTimesMax] = elapsed
	}
	m.count++
	m.total += elapsed
	m.max = max(m.max, elapsed)
}

// step records one step of a request while a trace runs.
func (p *Passage) step(now core.Time, ordinal uint64, phase core.Phase, method []byte) {
	if !p.tracing {
		return
	}
	if len(p.trace) == core.TraceRecordsMax {
		p.trace = p.trace[1:]
		p.lost++
	}
	p.trace = append(p.trace, core.TraceRecord{At: now, Ordinal: ordinal, Phase: phase, Method: nameOf(method)})
}

// End says that nothing will be handed on any more. It is repeatable.
func (p *Passage) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.ended = true
		close(p.done)
	}
}

// Done is closed by End.
func (p *Passage) Done() <-chan struct{} { return p.done }

// Snapshot shows what has no answer, and what was counted. After End it is host.ErrClosed.
func (p *Passage) Snapshot() (host.Snapshot, error) {
	s := p.base()
	s.Role, s.Now = core.RoleRelay, p.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return s, host.ErrClosed
	}
	s.State.Running = p.open
	s.Stats.Requests, s.Stats.Notifications = p.counts.Requests, p.counts.Notifications
	skipped := max(p.open-core.SnapshotItemsMax, 0) // the newest are shown
	s.Truncated = skipped > 0
	for r := range p.watch.Open() {
		if skipped > 0 {
			skipped--
			continue
		}
		s.Items = append(s.Items, core.SnapshotItem{
			Ordinal: r.Ordinal, Method: nameOf(r.Method), Mode: core.ModeRead, Running: true, AcceptedAt: r.At, StartedAt: r.At,
		})
	}
	for _, name := range p.names {
		s.Methods = append(s.Methods, p.methods[name].stats(name))
	}
	s.Tracing, s.Trace, s.TraceDropped = p.tracing, slices.Clone(p.trace), p.lost
	return s, nil
}

func (m *passed) stats(name string) core.MethodStats {
	sorted := slices.Sorted(slices.Values(m.last))
	rank := func(percent int) core.Time { return sorted[(len(sorted)*percent+99)/100-1] }
	return core.MethodStats{
		Name: name, Count: m.count, Failed: m.failed, MeanNs: m.total / core.Time(m.count), MaxNs: m.max,
		P50Ns: rank(50), P95Ns: rank(95), P99Ns: rank(99),
	}
}

// CancelRequest is host.ErrUnsupported.
func (p *Passage) CancelRequest(context.Context, uint64) (bool, error) {
	return false, host.ErrUnsupported
}

// TraceStart is core.ErrTracing where a trace runs.
func (p *Passage) TraceStart() error { return p.setTracing(true) }

// TraceStop is core.ErrTracing where none runs; what it recorded stays in the Snapshot.
func (p *Passage) TraceStop() error { return p.setTracing(false) }

func (p *Passage) setTracing(on bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended:
		return host.ErrClosed
	case p.tracing == on:
		return core.ErrTracing
	case on:
		p.trace, p.lost = nil, 0
	}
	p.tracing = on
	return nil
}
