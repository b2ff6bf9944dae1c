package pipehost_test

import (
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// actsClosed asks every method of a machine whose end is behind it.
func actsClosed(t *testing.T, m host.Machine) {
	t.Helper()
	var ev core.Event
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
	m.Advance(9)
	m.Want(1)
	m.Wrote(1)
	m.WriteFailed()
	m.ReadFailed()
	m.Shutdown()
	m.Abort()
	deadline, timer := m.Deadline()
	if m.Next(&ev) || m.Take(nil) != nil || m.Pending() != 0 || m.Paused() || !m.OutputDone() ||
		deadline != core.Never || timer != core.TimerNone {
		t.Error("there is still something to do")
	}
	state := m.State()
	if !state.Closed || state.Input != core.InputBroken || state.Output != core.OutputFailed || state.Reason != core.ReasonAborted {
		t.Errorf("%+v", state)
	}
	if m.Stats() != (core.Stats{}) || m.Limits() != (core.Limits{}) {
		t.Errorf("%+v %+v", m.Stats(), m.Limits())
	}
}
