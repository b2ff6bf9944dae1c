// Package machinetest holds the machines of all engines to what host.Peer relies on.
package machinetest

import (
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// Machine is one that runs elsewhere, and can fail there.
type Machine interface {
	host.Machine
	Err() error
}

// ActsClosed asks every method of a machine whose end is behind it, whether it was closed or its
// engine failed. What it failed with must stay as it was.
func ActsClosed(t *testing.T, m Machine) {
	t.Helper()
	failure := m.Err()
	commandsAreRefused(t, m)
	m.Advance(1)
	m.Want(1)
	m.Wrote(1)
	m.WriteFailed()
	m.ReadFailed()
	m.Shutdown()
	m.Abort()
	nothingIsLeft(t, m)
	if m.Err() != failure {
		t.Errorf("Err() was %v and became %v", failure, m.Err())
	}
}

func commandsAreRefused(t *testing.T, m host.Machine) {
	t.Helper()
	var snapshot core.Snapshot
	_, callError := m.Call("a", nil, core.CallOptions{})
	for what, err := range map[string]error{
		"Commit":        m.Commit(len(m.Reserve(10))),
		"CommitEOF":     m.CommitEOF(),
		"Call":          callError,
		"Batch":         m.Batch([]core.BatchItem{{Method: "a"}}, make([]core.CallID, 1)),
		"Notify":        m.Notify("a", nil),
		"Cancel":        m.Cancel(1),
		"Reply":         m.Reply(1, nil),
		"Fail":          m.Fail(1, 1, "", nil),
		"Done":          m.Done(1),
		"CancelRequest": m.CancelRequest(1),
		"FinishInput":   m.FinishInput(),
		"TraceStart":    m.TraceStart(),
		"TraceStop":     m.TraceStop(),
		"SetVersion":    m.SetVersion("1"),
		"Forward":       m.Forward([]byte("{}")),
		"Snapshot":      m.Snapshot(&snapshot),
	} {
		if err != core.ErrClosed {
			t.Errorf("%s: %v, want %v", what, err, core.ErrClosed)
		}
	}
	// Outside framing whole there are two reasons to refuse it, and either may come first.
	if err := m.CommitMessage(len(m.Reserve(10))); err != core.ErrClosed && err != core.ErrUnsupported {
		t.Errorf("CommitMessage: %v, want %v or %v", err, core.ErrClosed, core.ErrUnsupported)
	}
}

func nothingIsLeft(t *testing.T, m host.Machine) {
	t.Helper()
	var ev core.Event
	if m.Next(&ev) {
		t.Errorf("an event: %v", ev.Kind)
	}
	if block := m.Take(nil); block != nil || m.Pending() != 0 || !m.OutputDone() || m.Paused() {
		t.Errorf("took %q, pending %d, output done %v, paused %v", block, m.Pending(), m.OutputDone(), m.Paused())
	}
	if when, timer := m.Deadline(); when != core.Never || timer != core.TimerNone {
		t.Errorf("deadline %d %v", when, timer)
	}
	state := m.State()
	if !state.Closed || state.Input != core.InputBroken || state.Output != core.OutputFailed || state.Reason != core.ReasonAborted {
		t.Errorf("state %+v", state)
	}
	if m.Stats() != (core.Stats{}) || m.Limits() != (core.Limits{}) {
		t.Errorf("counters or limits are left: %+v %+v", m.Stats(), m.Limits())
	}
}
