//go:build linux || darwin

package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

func TestCTL5SessionsAreListedUntilTheyEnd(t *testing.T) {
	s := serveWith(t, Options{})
	c := clientOf(t, s, nil)
	first, second := newSubject(t, s), newSubject(t, s)
	first.ask(t, 1, "echo", "[1]")
	first.hear(t)
	list, err := c.Sessions(t.Context())
	if err != nil || len(list.Sessions) != 2 || list.Truncated {
		t.Fatalf("%+v, %v", list, err)
	}
	got := list.Sessions[0]
	if got.ID != strconv.Itoa(os.Getpid())+".1" || got.Name != "editor" || got.Profile != "plain" || got.Role != "server" ||
		got.Phase != "ready" || got.Requests != 1 || got.Generation != 1 || got.BytesIn == 0 || got.RunningMax != 256 {
		t.Errorf("%+v", got)
	}
	detail, err := c.Session(t.Context(), got.ID)
	if err != nil || detail.Session.ID != got.ID || detail.Limits.QueuedMax != 256 || detail.Counters.Requests != 1 {
		t.Errorf("%+v, %v", detail, err)
	}
	must(t, first.Peer.Close())
	list, err = c.Sessions(t.Context())
	if err != nil || len(list.Sessions) != 1 || list.Sessions[0].ID != strconv.Itoa(os.Getpid())+".2" {
		t.Errorf("after the end of the first: %+v, %v", list, err)
	}
	_, err = c.Session(t.Context(), got.ID)
	wantCode(t, err, CodeNoSession)
	if err := s.Register(first.Peer, "again"); !errors.Is(err, host.ErrClosed) {
		t.Errorf("registering an ended session: %v", err)
	}
	if err := s.Register(second.Peer, "again"); err == nil || !strings.Contains(err.Error(), "is taken") {
		t.Errorf("registering twice: %v", err)
	}
}

func TestCTL5RequestsAreSeenAndCancelled(t *testing.T) {
	s := serveWith(t, Options{})
	c := clientOf(t, s, nil)
	sub := newSubject(t, s)
	sub.ask(t, 1, "work", "[1]")
	<-sub.started
	sub.ask(t, 2, "echo", "[2]") // a write: it waits for the read before it
	id := sub.CorrelationID(1)

	list, err := c.Requests(t.Context(), "")
	if err != nil || len(list.Requests) == 0 {
		t.Fatalf("%+v, %v", list, err)
	}
	got := list.Requests[0]
	if got.CorrelationID != id || got.Ordinal != 1 || got.Method != "work" || got.Mode != "read" || got.Phase != "running" ||
		got.Generation == nil || *got.Generation != 0 || got.Cancelled {
		t.Errorf("%+v", got)
	}

	answers := make(chan error, 1)
	go func() {
		done, err := c.Cancel(context.Background(), id)
		if err == nil && !done {
			err = errors.New("it says that nothing was cancelled")
		}
		answers <- err
	}()
	<-sub.cancelled // the token that the peer's own cancel reaches
	seen, err := c.Requests(t.Context(), got.Session)
	if err != nil || !seen.Requests[0].Cancelled {
		t.Errorf("while it ends: %+v, %v", seen, err)
	}
	if len(answers) > 0 {
		t.Error("answered before it ended")
	}
	sub.letGo()
	must(t, <-answers)
	if answer := sub.hear(t); !strings.Contains(answer, `"id":1,"error":{"code":-32603`) {
		t.Errorf("its own client hears %s", answer)
	}
	for _, over := range []string{id, "nobody-1", sub.CorrelationID(99)} {
		if done, err := c.Cancel(t.Context(), over); done || err != nil {
			t.Errorf("cancelling %s, which is over: %v, %v", over, done, err)
		}
	}
	for _, bad := range []string{"", "7", "x-", "-7", "x-y", "x--", "a b-1"} {
		_, err := c.Cancel(t.Context(), bad)
		wantCode(t, err, host.InvalidParams)
	}
	_, err = c.Requests(t.Context(), "nobody")
	wantCode(t, err, CodeNoSession)
}

func TestCTL5AWaitingRequestIsCancelledWithoutRunning(t *testing.T) {
	s := serveWith(t, Options{})
	sub := newSubject(t, s)
	sub.ask(t, 1, "work", "[1]")
	<-sub.started
	sub.ask(t, 2, "echo", "[2]")
	c := clientOf(t, s, nil)
	for { // until it has been read
		list, err := c.Requests(t.Context(), "")
		must(t, err)
		if len(list.Requests) == 2 {
			if waits := list.Requests[1]; waits.Phase != "queued" || waits.Generation != nil || waits.Mode != "write" {
				t.Errorf("%+v", waits)
			}
			break
		}
	}
	if done, err := c.Cancel(t.Context(), sub.CorrelationID(2)); !done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
	if answer := sub.hear(t); !strings.Contains(answer, `"id":2,"error"`) {
		t.Error(answer)
	}
}

func TestCTL5CancelRequestReachesItsOwnConnectionOnly(t *testing.T) {
	s := serveWith(t, Options{})
	sub := newSubject(t, s)
	sub.ask(t, 1, "work", "[]")
	<-sub.started
	asks, meddles := dialRaw(t, s), dialRaw(t, s)
	asks.call(RequestsCancel.Name, `{"correlationId":"`+sub.CorrelationID(1)+`"}`)
	<-sub.cancelled
	const notice = `{"jsonrpc":"2.0","method":"` + CancelRequestMethod + `","params":`
	for _, params := range []string{`{"number":1}`, `{"id":1}`, `{"text":"1"}`, `[1]`, `{"number":1,"text":"1"}`} {
		meddles.send(notice + params + `}`)
	}
	meddles.call(StatsGet.Name, `{"session":"`+strings.TrimSuffix(sub.CorrelationID(1), "-1")+`"}`)
	meddles.wantFrame(`"cancelsIgnored":0`)
	asks.send(notice + `{"text":"1"}}`)
	asks.send(notice + `{"number":1}}`)
	asks.wantFrame(`"id":1,"error":{"code":-32800`)
}

func TestCTL5CancellingTheCallEndsTheWaiting(t *testing.T) {
	s := serveWith(t, Options{})
	sub := newSubject(t, s)
	sub.ask(t, 1, "work", "[]")
	<-sub.started
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-sub.cancelled
		cancel()
	}()
	if done, err := clientOf(t, s, nil).Cancel(ctx, sub.CorrelationID(1)); done || !errors.Is(err, host.ErrCanceled) {
		t.Errorf("%v, %v", done, err)
	}
	sub.letGo()
}

func TestCTL5TraceRecordsEachPhase(t *testing.T) {
	s := serveWith(t, Options{})
	c := clientOf(t, s, nil)
	sub := newSubject(t, s)
	id := strings.TrimSuffix(sub.CorrelationID(1), "-1")
	_, err := c.TraceStop(t.Context(), id)
	wantCode(t, err, CodeTracing)
	if started, err := c.TraceStart(t.Context(), id); err != nil || started.Session != id || started.StepsMax != core.TraceRecordsMax {
		t.Errorf("%+v, %v", started, err)
	}
	_, err = c.TraceStart(t.Context(), id)
	wantCode(t, err, CodeTracing)
	sub.ask(t, 1, "echo", "[1]")
	sub.hear(t)
	trace, err := c.TraceStop(t.Context(), id)
	must(t, err)
	var phases []string
	for _, step := range trace.Steps {
		if step.CorrelationID != sub.CorrelationID(1) || step.Method != "echo" || step.AgoMs < 0 {
			t.Errorf("%+v", step)
		}
		phases = append(phases, step.Phase)
	}
	if got := strings.Join(phases, " "); got != "queued running succeeded" {
		t.Errorf("phases %s", got)
	}
	_, err = c.TraceStart(t.Context(), "nobody")
	wantCode(t, err, CodeNoSession)
}

func TestCTL5StatsCountMethods(t *testing.T) {
	s := serveWith(t, Options{})
	sub := newSubject(t, s)
	for i := range 3 {
		sub.ask(t, i, "echo", "[1]")
		sub.hear(t)
	}
	stats, err := clientOf(t, s, nil).Stats(t.Context(), strings.TrimSuffix(sub.CorrelationID(1), "-1"))
	if err != nil || len(stats.Methods) != 1 || stats.Generation != 3 || stats.Counters.Requests != 3 {
		t.Fatalf("%+v, %v", stats, err)
	}
	if m := stats.Methods[0]; m.Method != "echo" || m.Count != 3 || m.Failed != 0 || m.MaxMs < m.P50Ms || m.P99Ms < m.P50Ms || m.MaxMs <= 0 {
		t.Errorf("%+v", m)
	}
}

// crowd is a session that answers with what it is given, as much as a session may have, and can do
// nothing else.
type crowd struct{ shows host.Snapshot }

func (c *crowd) Snapshot() (host.Snapshot, error) { return c.shows, nil }

func (c *crowd) CancelRequest(context.Context, uint64) (bool, error) {
	return false, host.ErrUnsupported
}
func (c *crowd) TraceStart() error     { return host.ErrUnsupported }
func (c *crowd) TraceStop() error      { return host.ErrUnsupported }
func (c *crowd) Done() <-chan struct{} { return nil }

// The longest names, escaped six-fold in JSON, and as many of everything as there may be.
func newCrowd() *crowd {
	long := strings.Repeat("\x01", 5000)
	ugly := strings.Repeat("\x01", 64)
	c := &crowd{}
	for i := range core.SnapshotItemsMax {
		c.shows.Items = append(c.shows.Items, core.SnapshotItem{Ordinal: 1<<63 + uint64(i), Method: ugly, Running: true})
	}
	for range core.TraceRecordsMax {
		c.shows.Trace = append(c.shows.Trace, core.TraceRecord{Ordinal: 1 << 63, Method: ugly})
	}
	for i := range 2 * methodsMax {
		c.shows.Methods = append(c.shows.Methods, core.MethodStats{Name: long, Count: uint64(i)})
	}
	for range core.DroppedMethodsMax {
		c.shows.Dropped = append(c.shows.Dropped, core.MethodCount{Method: ugly, Count: 1 << 63})
	}
	return c
}

func TestEveryAnswerFitsAFrame(t *testing.T) {
	s := serveWith(t, Options{})
	c := clientOf(t, s, nil)
	var last string
	shows := newCrowd().shows
	for i := range sessionsMax + 1 {
		last = strings.Repeat("s", idBytesMax-4) + fmt.Sprintf("%04d", i)
		shows.SessionID = last
		must(t, s.Register(&crowd{shows}, strings.Repeat("\x01", 5000)))
	}
	if list, err := c.Sessions(t.Context()); err != nil || len(list.Sessions) != sessionsMax || !list.Truncated || list.Sessions[sessionsMax-1].ID != last {
		t.Errorf("%d sessions, %v", len(list.Sessions), err)
	}
	list, err := c.Requests(t.Context(), "")
	if err != nil || len(list.Requests) != requestsMax || !list.Truncated || list.Requests[requestsMax-1].Session != last {
		t.Errorf("%d requests, %v", len(list.Requests), err)
	}
	if stats, err := c.Stats(t.Context(), last); err != nil || len(stats.Methods) != methodsMax || stats.Methods[0].Count != 2*methodsMax-1 {
		t.Errorf("%d methods, %v", len(stats.Methods), err)
	}
	_, err = c.TraceStart(t.Context(), last)
	wantCode(t, err, CodeUnsupported)
	_, err = c.Cancel(t.Context(), last+"-1")
	wantCode(t, err, CodeUnsupported)
}

func TestCTL8WhatIsServedIsInTheReference(t *testing.T) {
	page, err := os.ReadFile("../../docs/control.md")
	must(t, err)
	served := newServer(Options{}, thirty).mux.Methods()
	for _, m := range served {
		if !strings.Contains(string(page), "\n| `"+m.Name+"` |") {
			t.Errorf("docs/control.md lacks %s: go generate ./internal/controldoc", m.Name)
		}
		if !strings.HasPrefix(m.Name, fmt.Sprintf("parley/control/v%d/", Version)) || strings.Count(m.Name, "/") != 4 {
			t.Errorf("%s is not named by version, noun and verb", m.Name)
		}
	}
	if listed := strings.Count(string(page), "\n| `parley/control/"); listed != len(served) {
		t.Errorf("docs/control.md lists %d methods, and %d are served", listed, len(served))
	}
}

func TestRegisterRefusesBadIDs(t *testing.T) {
	s := serveWith(t, Options{})
	for _, bad := range []string{"a b", "a\n", "ä", strings.Repeat("x", idBytesMax+1)} {
		if err := s.Register(&crowd{host.Snapshot{SessionID: bad}}, ""); err == nil {
			t.Errorf("%q is taken for an id", bad)
		}
	}
	must(t, s.Register(&crowd{}, "without an id"))
	if list := s.list(); len(list.Sessions) != 1 || list.Sessions[0].ID == "" {
		t.Errorf("%+v", list)
	}
}

func wantCode(t *testing.T, err error, want core.Code) {
	t.Helper()
	var answer *host.RPCError
	if !errors.As(err, &answer) || answer.Code != want {
		t.Errorf("error %v, want code %d", err, want)
	}
}
