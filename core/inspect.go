package core

import (
	"math/bits"

	"github.com/parley-rpc/parley/core/internal/slab"
)

// unstamped is the time of what happened since the last Advance, which alone knows the time.
const unstamped Time = -1

// ledger is what Snapshot shows besides the messages themselves.
type ledger struct {
	fresh []uint32 // items accepted or started since the last Advance
	ended slab.Ring[endedItem]
	stats []methodStats // parallel to Config.Methods

	tracing bool
	trace   slab.Ring[TraceRecord]
	dropped uint64
}

// endedItem is a message of a registered method that ended since the last Advance.
type endedItem struct {
	method    int
	startedAt Time
	failed    bool
}

// freshMax and endedMax bound what waits for an Advance that a careless caller never makes.
const (
	freshMax = 4096
	endedMax = 4096
)

// methodStats counts durations in classes: four to a power of two.
type methodStats struct {
	count, failed uint64
	totalNs       Time
	maxNs         Time
	classes       [4 * 64]uint32
}

// waits reports that something happened since the last Advance.
func (l *ledger) waits() bool { return len(l.fresh) > 0 || l.ended.Count() > 0 }

// stamp gives what happened since the last Advance its time.
func (c *Conn) stamp() {
	rs, l := &c.requests, &c.ledger
	for _, index := range l.fresh {
		if !rs.items.Live(index) {
			continue
		}
		it := rs.items.At(index)
		if it.acceptedAt == unstamped {
			it.acceptedAt = c.now
		}
		if it.started && it.startedAt == unstamped {
			it.startedAt = c.now
		}
	}
	l.fresh = l.fresh[:0]
	for ; l.ended.Count() > 0; l.ended.Drop() {
		l.tally(*l.ended.At(0), c.now)
	}
}

func (l *ledger) tally(e endedItem, now Time) {
	elapsed := Time(0)
	if e.startedAt != unstamped {
		elapsed = now - e.startedAt
	}
	m := &l.stats[e.method]
	m.count++
	if e.failed {
		m.failed++
	}
	m.totalNs += elapsed
	m.maxNs = max(m.maxNs, elapsed)
	m.classes[class(elapsed)]++
}

// class is the class of a duration: its highest bit and the two below it.
func class(ns Time) int {
	if ns < 4 {
		return int(max(ns, 0))
	}
	top := bits.Len64(uint64(ns)) - 1
	return 4*(top-1) + int(ns>>(top-2)&3)
}

// classEnd is the largest duration of a class.
func classEnd(class int) Time {
	if class < 4 {
		return Time(class)
	}
	top, low := class/4+1, class%4
	return Time(4+low+1)<<(top-2) - 1
}

// percentile returns the bound below which p percent of the durations lie.
func (m *methodStats) percentile(p uint64) Time {
	rank, seen := (m.count*p+99)/100, uint64(0)
	for i, n := range m.classes {
		if seen += uint64(n); n > 0 && seen >= rank {
			return min(classEnd(i), m.maxNs)
		}
	}
	return 0
}

// note follows a message into a phase, for the trace and for the clock.
func (c *Conn) note(index uint32, phase Phase) {
	l, it := &c.ledger, c.requests.items.At(index)
	if phase == PhaseQueued || phase == PhaseRunning && it.acceptedAt != unstamped {
		if len(l.fresh) == freshMax {
			c.stamp()
		}
		l.fresh = append(l.fresh, index)
	}
	if !l.tracing {
		return
	}
	if l.trace.Count() == TraceRecordsMax {
		l.trace.Drop()
		l.dropped++
	}
	l.trace.Push(TraceRecord{At: c.now, Ordinal: it.fact.ordinal, Phase: phase, Method: c.methodOf(it)})
}

// noteEnd follows a started message to its end.
func (c *Conn) noteEnd(index uint32) {
	it := c.requests.items.At(index)
	phase := PhaseSucceeded
	switch {
	case it.cancelled:
		phase = PhaseCancelled
	case it.request && !it.succeeded:
		phase = PhaseFailed
	}
	c.note(index, phase)
	if it.entry == nil {
		return
	}
	l := &c.ledger
	if l.ended.Count() == endedMax {
		l.tally(*l.ended.At(0), c.now)
		l.ended.Drop()
	}
	l.ended.Push(endedItem{method: it.entry.place, startedAt: it.startedAt, failed: phase != PhaseSucceeded})
}

// TraceStart starts the trace ring afresh; ErrTracing where it runs (SCHED-5).
func (c *Conn) TraceStart() error {
	if c.ledger.tracing {
		return ErrTracing
	}
	c.ledger.tracing, c.ledger.dropped = true, 0
	c.ledger.trace.Clear()
	return nil
}

// TraceStop stops the trace ring, whose records a Snapshot still shows; ErrTracing where it does
// not run (SCHED-5).
func (c *Conn) TraceStop() error {
	if !c.ledger.tracing {
		return ErrTracing
	}
	c.ledger.tracing = false
	return nil
}

// Snapshot fills s with the work in progress (SCHED-5).
func (c *Conn) Snapshot(s *Snapshot) error {
	rs := &c.requests
	var newest slab.Heap
	s.Truncated = false
	for i := range rs.items.End() {
		if !rs.items.Live(i) || rs.items.At(i).gone {
			continue
		}
		newest.Push(i, int64(rs.items.At(i).fact.ordinal))
		if newest.Count() > SnapshotItemsMax {
			oldest, _, _ := newest.Min()
			newest.Remove(oldest)
			s.Truncated = true
		}
	}
	s.Items = s.Items[:0]
	for index, _, ok := newest.Min(); ok; index, _, ok = newest.Min() {
		newest.Remove(index)
		s.Items = append(s.Items, c.snapshotItem(rs.items.At(index)))
	}
	s.Generation = rs.generation
	s.Methods = s.Methods[:0]
	for i := range c.ledger.stats {
		s.Methods = append(s.Methods, c.ledger.stats[i].summary(c.cfg.Methods[i].Name))
	}
	s.Dropped = append(s.Dropped[:0], c.drops.counts...)
	s.Tracing, s.TraceDropped = c.ledger.tracing, c.ledger.dropped
	s.Trace = s.Trace[:0]
	for i := range c.ledger.trace.Count() {
		s.Trace = append(s.Trace, *c.ledger.trace.At(i))
	}
	return nil
}

func (c *Conn) snapshotItem(it *item) SnapshotItem {
	s := SnapshotItem{
		Ordinal: it.fact.ordinal, Method: c.methodOf(it), Mode: it.mode, Cancelled: it.cancelled,
		AcceptedAt: max(it.acceptedAt, 0),
	}
	if it.started {
		s.Running, s.Generation, s.StartedAt = true, it.generation, max(it.startedAt, 0)
	}
	return s
}

func (m *methodStats) summary(name string) MethodStats {
	s := MethodStats{Name: name, Count: m.count, Failed: m.failed, MaxNs: m.maxNs}
	if m.count > 0 {
		s.MeanNs = m.totalNs / Time(m.count)
		s.P50Ns, s.P95Ns, s.P99Ns = m.percentile(50), m.percentile(95), m.percentile(99)
	}
	return s
}

// methodOf is a message's method as text, at most methodShownMax bytes of it.
func (c *Conn) methodOf(it *item) string {
	if it.entry != nil {
		return it.entry.method.Name
	}
	return string(it.shown)
}

// methodShownMax bounds the method text that an item keeps after its frame is gone.
const methodShownMax = 64
