//go:build linux || darwin

package control

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

func TestPassageShowsWhatHasNoAnswer(t *testing.T) {
	clock := newFakeClock()
	p := NewPassage(clock, func() host.Snapshot { return host.Snapshot{SessionID: "b.1", Profile: core.ProfileLSP} })
	s := serveWith(t, Options{Clock: clock})
	must(t, s.Register(p, "gopls"))
	c := clientOf(t, s, nil)
	saw := func(from core.Side, class core.Class, id, method string) {
		p.Saw(from, &core.Event{Kind: core.EventMessage, Class: class, ID: []byte(id), Method: []byte(method)})
	}
	if _, err := c.TraceStart(t.Context(), "b.1"); err != nil {
		t.Error(err)
	}
	saw(core.SideClient, core.ClassRequest, `1`, "hover")
	saw(core.SideServer, core.ClassRequest, `1`, "workspace/configuration")
	saw(core.SideClient, core.ClassNotification, ``, "didChange")
	clock.advance(3 * 1e6)
	saw(core.SideServer, core.ClassError, `1`, "")
	clock.advance(1e6)

	list, err := c.Requests(t.Context(), "b.1")
	if err != nil || len(list.Requests) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	if r := list.Requests[0]; r.CorrelationID != "b.1-2" || r.Method != "workspace/configuration" || r.Phase != "running" || r.AgeMs != 4 {
		t.Errorf("%+v", r)
	}
	stats, err := c.Stats(t.Context(), "b.1")
	if err != nil || len(stats.Methods) != 1 || stats.Counters.Requests != 2 || stats.Counters.Notifications != 1 {
		t.Fatalf("%+v, %v", stats, err)
	}
	if m := stats.Methods[0]; m.Method != "hover" || m.Count != 1 || m.Failed != 1 || m.MeanMs != 3 || m.P50Ms != 3 || m.P99Ms != 3 {
		t.Errorf("%+v", m)
	}
	trace, err := c.TraceStop(t.Context(), "b.1")
	if err != nil || len(trace.Steps) != 3 || trace.Steps[2].Phase != "failed" || trace.Steps[2].CorrelationID != "b.1-1" || trace.Steps[2].AgoMs != 1 {
		t.Errorf("%+v, %v", trace, err)
	}
	_, err = c.Cancel(t.Context(), "b.1-2")
	wantCode(t, err, CodeUnsupported)
	if sessions, err := c.Sessions(t.Context()); err != nil || sessions.Sessions[0].Role != "relay" || sessions.Sessions[0].Running != 1 {
		t.Errorf("%+v, %v", sessions, err)
	}

	p.End()
	p.End()
	if _, err := p.Snapshot(); !errors.Is(err, host.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	if err := p.TraceStart(); !errors.Is(err, host.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	if sessions, err := c.Sessions(t.Context()); err != nil || len(sessions.Sessions) != 0 {
		t.Errorf("%+v, %v", sessions, err)
	}
}

// Nobody answers, and then everybody does, each by another method: what is kept stays bounded.
func TestPassageIsBounded(t *testing.T) {
	p := NewPassage(newFakeClock(), func() host.Snapshot { return host.Snapshot{} })
	must(t, p.TraceStart())
	for i := range 2 * passageOpenMax {
		id, method := fmt.Append(nil, i), strings.Repeat("m", 100)+fmt.Sprint(i)
		p.Saw(core.SideClient, &core.Event{Class: core.ClassRequest, ID: id, Method: []byte(method)})
	}
	s, err := p.Snapshot()
	if err != nil || len(s.Items) != core.SnapshotItemsMax || !s.Truncated || s.State.Running != passageOpenMax {
		t.Errorf("%d items, %d running, %v", len(s.Items), s.State.Running, err)
	}
	if last := s.Items[len(s.Items)-1]; last.Ordinal != 2*passageOpenMax || len(last.Method) != passageNameMax {
		t.Errorf("%+v", last)
	}
	if len(s.Trace) != core.TraceRecordsMax || s.TraceDropped != 2*passageOpenMax-core.TraceRecordsMax {
		t.Errorf("%d steps, %d lost", len(s.Trace), s.TraceDropped)
	}
	for i := range 3 * passageTimesMax {
		id := fmt.Append(nil, "\"", i, "\"")
		method := fmt.Append(nil, i%(passageMethodsMax+1))
		if i >= 2*passageTimesMax {
			method = []byte("0")
		}
		p.Saw(core.SideClient, &core.Event{Class: core.ClassRequest, ID: id, Method: method})
		p.Saw(core.SideServer, &core.Event{Class: core.ClassResult, ID: id})
	}
	if s, err = p.Snapshot(); err != nil || len(s.Methods) != passageMethodsMax || len(p.methods["0"].last) != passageTimesMax {
		t.Errorf("%d methods, %d times, %v", len(s.Methods), len(p.methods["0"].last), err)
	}
}
