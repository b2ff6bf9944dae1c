package pipehost

import (
	"math"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/transcript"
)

func (m *machine) Advance(now core.Time) {
	m.must(m.do(transcript.Record{Op: transcript.OpAdvance, Time: min(transcript.SpelledTime(now), timeMax)}))
}

// timeMax is the last time that a clock can have reached.
const timeMax core.Time = 1<<53 - 1

func (m *machine) Deadline() (core.Time, core.TimerKind) {
	if !m.alive() {
		return core.Never, core.TimerNone
	}
	return m.ready.Time, m.ready.Timer
}

func (m *machine) Want(n int) {
	if n > 0 {
		m.must(m.do(transcript.Record{Op: transcript.OpWant, Count: uint64(min(n, math.MaxInt32))}))
	}
}

// Next fetches up to transcript.TurnRecordsMax events at once; they count as delivered from then on.
// Their slices are the host's to keep.
func (m *machine) Next(ev *core.Event) bool {
	if !m.alive() {
		return false
	}
	if m.next == len(m.events) {
		m.events, m.next = m.events[:0], 0
		if !m.stale {
			return false
		}
		m.must(m.do(transcript.Record{Op: transcript.OpDrain}))
		if len(m.events) == 0 {
			return false
		}
	}
	*ev = m.events[m.next]
	m.events[m.next] = core.Event{}
	m.next++
	return true
}

// State answers after a failure as a connection that was aborted.
func (m *machine) State() core.State {
	var state core.State
	if m.ask(transcript.OpState, func(r *transcript.Record) (bool, error) {
		return fill(r, transcript.OpStateAnswer, &state)
	}) != nil {
		state = core.State{
			Input: core.InputBroken, Output: core.OutputFailed, Reason: core.ReasonAborted, Closed: true,
		}
	}
	state.Err = m.violation
	return state
}

// Stats is zero after a failure.
func (m *machine) Stats() core.Stats {
	var stats core.Stats
	if m.ask(transcript.OpStats, func(r *transcript.Record) (bool, error) {
		return fill(r, transcript.OpStatsAnswer, &stats)
	}) != nil {
		return core.Stats{}
	}
	return stats
}

// fill takes a record that is op into a struct of core.
func fill(r *transcript.Record, op transcript.Op, into any) (belongs bool, err error) {
	if r.Op != op {
		return false, nil
	}
	return true, transcript.SetFields(into, r.Settings)
}

func (m *machine) Snapshot(s *core.Snapshot) error {
	return closedBy(m.ask(transcript.OpSnapshot, func(r *transcript.Record) (bool, error) { return r.AddTo(s) }))
}

// ask gives an input that only asks. Its answer can name the violation of the connection, which is
// no failure of the question.
func (m *machine) ask(op transcript.Op, inspect func(*transcript.Record) (bool, error)) error {
	err := m.give(&transcript.Record{Op: op}, answer{inspect: inspect})
	if err == error(m.violation) && m.violation != nil {
		return nil
	}
	return err
}

// Limits is zero after a failure.
func (m *machine) Limits() core.Limits {
	if !m.alive() {
		return core.Limits{}
	}
	return m.limits
}
