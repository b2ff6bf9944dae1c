package transcript

import (
	"bytes"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// echo is the smallest machine that shows whether the player works: each line that arrives is a
// notification, and is echoed. Its defects are switched on one by one.
type echo struct {
	host.Machine // nil: a method that the player is not expected to call panics
	reserved     []byte
	line         []byte
	out          []byte
	taken        int
	events       []core.Event
	ended        bool
	closed       int

	isChunked   bool // a defect: a commit ends a line
	isForgetful bool // a defect: a violation is not sticky
	commits     int
	broken      *core.ProtocolError
}

func (m *echo) Reserve(size int) []byte { m.reserved = make([]byte, size); return m.reserved }

func (m *echo) Commit(size int) error {
	m.commits++
	for _, b := range m.reserved[:size] {
		switch b {
		case '\n':
			m.deliver()
		case '!':
			m.broken = &core.ProtocolError{Kind: core.ViolationNoise, Sample: []byte("!")}
			m.events = append(m.events, core.Event{Kind: core.EventEnding, Reason: core.ReasonViolation})
		default:
			m.line = append(m.line, b)
		}
	}
	if m.isChunked && len(m.line) > 0 {
		m.deliver()
	}
	if m.isForgetful && m.broken != nil && m.commits > 2 {
		m.broken = &core.ProtocolError{Kind: core.ViolationNoise, Offset: uint64(m.commits)}
	}
	if m.broken != nil {
		return m.broken
	}
	return nil
}

func (m *echo) deliver() {
	m.events = append(m.events, core.Event{Kind: core.EventNotification, Ordinal: 1, Method: bytes.Clone(m.line)})
	m.out = append(append(m.out, m.line...), '\n')
	m.line = nil
}

func (m *echo) CommitEOF() error { m.ended = true; return core.ErrClosed }
func (m *echo) Want(int)         {}
func (m *echo) Paused() bool     { return len(m.out) > 4 }
func (m *echo) OutputDone() bool { return m.ended && len(m.out) == 0 }
func (m *echo) Advance(core.Time) {
}

func (m *echo) Deadline() (core.Time, core.TimerKind) {
	if len(m.out) > 0 {
		return 7 * core.Millisecond, core.TimerStall
	}
	return core.Never, core.TimerNone
}
func (m *echo) Pending() int { return len(m.out) }
func (m *echo) Take(spare []byte) []byte {
	if len(m.out) == 0 || m.taken > 0 {
		return nil
	}
	block := append(spare[:0], m.out...)
	m.out, m.taken = nil, len(block)
	return block
}
func (m *echo) Wrote(size int) { m.taken -= size }
func (m *echo) Next(ev *core.Event) bool {
	if len(m.events) == 0 {
		return false
	}
	*ev, m.events = m.events[0], m.events[1:]
	return true
}
func (m *echo) Stats() core.Stats { return core.Stats{BytesIn: 3} }
func (m *echo) State() core.State { return core.State{Input: core.InputEnded, Err: m.broken} }
func (m *echo) Err() error        { return nil }
func (m *echo) Close() error      { m.closed++; return nil }
