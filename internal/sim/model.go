package sim

import (
	"bytes"
	"fmt"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// model is the reference for one machine: what the rules say it must do next. It is told every
// input before the machine is, and every event and byte of output after.
//
// Where the peer's bytes can be read in more than one way the model turns blind: it goes on
// counting outcomes and answers, and expects nothing in particular any more.
type model struct {
	cfg     *core.Config
	machine host.Machine
	fault   *Fault
	now     core.Time
	blind   bool
	dirty   bool // something arrived that may end the session
	arrays  bool // arrays from the peer are taken apart (MSG-8)
	version string
	isEra   bool // a version is negotiated, or was not to be yet (ERA-1)

	stream []byte // of the peer, as far as it is not cut into frames
	calls  calls
	inbox  inbox
	output output

	credit     int64     // for messages of theirs, granted and not used
	endedAt    core.Time // when input was first seen not to be open; Never while it is
	closed     bool
	isStopping bool // Shutdown was called
	aborted    bool
	full       bool // a command found no room, and nothing said that there is some again
}

// Fault is a breach of a rule.
type Fault struct {
	Rule   string // of docs/protocol.md, or "panic"
	Detail string
}

func (f *Fault) Error() string { return f.Rule + ": " + f.Detail }

// found records the first breach; what follows from a breach is no news.
func (m *model) found(rule, format string, args ...any) {
	if m.fault == nil {
		m.fault = &Fault{Rule: rule, Detail: fmt.Sprintf(format, args...)}
	}
}

// must records a breach unless the rule holds.
func (m *model) must(holds bool, rule, format string, args ...any) {
	if !holds {
		m.found(rule, format, args...)
	}
}

func newModel(machine host.Machine, cfg *core.Config) model {
	return model{
		cfg: cfg, machine: machine, endedAt: core.Never, arrays: cfg.Profile == core.ProfilePlain,
		calls: calls{all: map[core.CallID]*call{}, byKey: map[string]*call{}},
		inbox: inbox{asked: map[string]int{}, owed: map[string]int{}, told: map[string]int{}, excused: map[string]bool{}, byOwner: map[uint64]bool{}},
	}
}

// arrives tells what the peer's bytes say.
func (m *model) arrives(piece []byte) {
	if m.blind {
		return
	}
	m.stream = append(m.stream, piece...)
	bodies, rest, isSure := split(m.cfg, m.stream)
	for _, body := range bodies {
		m.hears(body)
	}
	m.stream = append([]byte(nil), rest...)
	if !isSure {
		m.blind, m.dirty = true, true
	}
}

// arrivesWhole is arrives for one transport message (FRAME-9).
func (m *model) arrivesWhole(piece []byte) {
	m.stream = append(m.stream, piece...)
	if len(m.stream) > m.cfg.Limits.FrameBytesMax {
		m.blind, m.dirty = true, true
	} else if !m.blind {
		m.hears(m.stream)
	}
	m.stream = nil
}

// ends tells that the peer's output has ended: a last line needs no line feed (LINE-5).
func (m *model) ends() {
	if rest := m.stream; len(rest) > 0 && !m.blind {
		m.stream = nil
		m.hears(rest)
		m.dirty = true
	}
}

// hears judges one frame.
func (m *model) hears(body []byte) {
	if m.cfg.Framing == core.FramingLine && len(bytes.Trim(body, " \t\r")) == 0 {
		return // LINE-2
	}
	if m.cfg.Role == core.RoleRelay {
		m.inbox.frames = append(m.inbox.frames, bytes.Clone(bytes.TrimPrefix(body, byteOrderMark)))
		return
	}
	msg := read(body, &m.cfg.Limits)
	if msg.kind == array {
		m.dirty = m.dirty || !m.arrays
		if m.arrays {
			m.hearsArray(body)
		}
		return
	}
	m.hearsMessage(msg, false)
}

func (m *model) hearsArray(body []byte) {
	list := elements(body)
	var members []message
	judged := 0 // requests and invalid entries: what may be answered
	for _, entry := range list {
		msg := read(entry, &m.cfg.Limits)
		members = append(members, msg)
		switch msg.kind {
		case request:
			judged++
		case junk, odd, array:
			judged++
			m.dirty = true
		}
	}
	if len(list) == 0 || judged > m.cfg.Limits.BatchMax {
		m.dirty = true // refused as a whole
		return
	}
	for _, msg := range members {
		m.hearsMessage(msg, true)
	}
}

func (m *model) hearsMessage(msg message, isInBatch bool) {
	if m.isMuted(msg.kind) {
		return
	}
	switch msg.kind {
	case junk, array:
		m.dirty = true
	case odd:
		m.dirty = true
		if msg.id != nil {
			m.inbox.asked[keyOf(msg.id)]++
			m.calls.doubt(m, keyOf(msg.id))
		}
	case result, failure:
		m.calls.answered(m, msg)
	case request, notification:
		m.inbox.hears(m, msg, isInBatch)
	}
}

// isMuted reports a message that an MCP client drops in the era it speaks (ERA-1, ERA-7).
func (m *model) isMuted(k kind) bool {
	if !m.isEra || m.cfg.Role != core.RoleClient || k != request && k != notification {
		return false
	}
	return m.version == "" || m.version >= "2026" && k == request
}

// committed judges what the machine made of bytes, which it took with the session in this phase.
func (m *model) committed(before core.State, err error) {
	after := m.machine.State()
	if broken, isBroken := err.(*core.ProtocolError); isBroken && before.Input == core.InputOpen {
		excused := m.blind || m.dirty || broken.Kind == core.ViolationBacklog
		m.must(excused, "MSG-2", "nothing but clean frames arrived, and the session ended with: %v", broken)
	}
	if before.Input == core.InputOpen && after.Input != core.InputOpen {
		m.calls.doubtRecent()
	}
	m.calls.recent = nil
}

// advanced tells the time. Progress that arrived before counts first (CALL-4).
func (m *model) advanced(now core.Time) {
	m.now = max(m.now, now)
	m.calls.expire(m.now)
}

// happened judges one event.
func (m *model) happened(ev *core.Event) {
	m.must(!m.closed, "API-4", "%v follows closed", ev.Kind)
	switch ev.Kind {
	case core.EventRequest, core.EventNotification:
		m.credit--
		m.inbox.delivered(m, ev)
	case core.EventMessage:
		m.credit--
		m.inbox.relayed(m, ev)
	case core.EventResult, core.EventError, core.EventInvalidAnswer, core.EventTimeout,
		core.EventCanceled, core.EventLost:
		m.calls.settled(m, ev)
	case core.EventCancelRequest:
		m.inbox.signalled(m, ev)
	case core.EventWritable:
		m.full = false
	case core.EventClosed:
		m.closed = true
	}
	m.must(m.credit >= 0, "BACK-3", "more messages were delivered than there was credit for")
}

// rests judges the machine once it has nothing more to tell: everything that can happen without a
// further input has happened.
func (m *model) rests() {
	if m.fault != nil || m.machine.Err() != nil {
		return
	}
	state := m.machine.State()
	m.restsWithin(&state)
	m.calls.rest(m, &state)
	m.inbox.rest(m, &state)
	isWritten := state.QueuedBytes == 0 && m.output.unwritten == 0
	if isWritten && state.Output == core.OutputOpen {
		m.must(!m.full, "SEND-2", "a command found no room, the queue is empty, and no event says so")
		m.output.rest(m)
	}
	isEmpty := isWritten && state.Waiting == 0 && len(m.inbox.running) == 0
	m.must(!state.Paused || !isEmpty, "BACK-3", "reading is paused, and nothing is buffered")
	isHalfOpen := m.cfg.Role == core.RoleRelay && state.Output == core.OutputOpen && !m.isStopping // its owner says when
	if m.endedAt == core.Never && state.Input != core.InputOpen && !isHalfOpen {
		m.endedAt = m.now
	}
	isOver := state.Waiting == 0 && m.endedAt < m.now && m.now-m.endedAt > m.cfg.GraceNs+m.cfg.ShutdownNs
	m.must(m.closed || !isOver && !m.aborted, "STOP-2", "the session has ended, its bounds are over, and it is not closed")
	m.must(!m.closed || state.Calls == 0 && state.Waiting == 0 && state.QueuedBytes == 0, "STOP-2",
		"closed with %d calls, %d messages and %d bytes", state.Calls, state.Waiting, state.QueuedBytes)
}

// restsWithin judges the bounds: what is buffered stays below the limits (BACK-4).
func (m *model) restsWithin(state *core.State) {
	l := &m.cfg.Limits
	m.must(state.Calls <= l.CallsMax, "CALL-1", "%d calls are open", state.Calls)
	const chargeBytes, readBytesMax = 128, 512 * core.KiB // for each that waits; what one read may bring
	m.must(state.Waiting*chargeBytes <= l.ParkedBytesMax+l.FrameBytesMax+readBytesMax, "BACK-2", "%d messages wait", state.Waiting)
	m.must(state.QueuedBytes <= l.OutBytesMax+l.ParkedBytesMax+2*l.FrameBytesMax+readBytesMax, "BACK-4",
		"%d bytes of output are queued", state.QueuedBytes)
	if m.cfg.Inbound == core.InboundMessages && m.cfg.Role == core.RoleClient {
		m.must(state.Waiting <= l.MessagesMax, "BACK-1", "%d messages wait", state.Waiting)
	}
}
