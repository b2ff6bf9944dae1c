package core

import (
	"fmt"
	"strings"
	"testing"
)

// serving is a server with one method m, whose peer can ask.
func serving(t *testing.T) (c *Conn, serve func(id int, end func(ReqID) error)) {
	cfg := Defaults(ProfilePlain, RoleServer)
	cfg.Methods = []Method{{Name: "m"}}
	c = newConn(t, cfg)
	c.Want(1 << 30)
	return c, func(id int, end func(ReqID) error) {
		t.Helper()
		if err := feed(t, c, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`+"\n", id)); err != nil {
			t.Fatal(err)
		}
		req := drain(c)[0].Req
		if err := end(req); err != nil {
			t.Fatal(err)
		}
		if err := c.Done(req); err != nil {
			t.Fatal(err)
		}
		written(c)
	}
}

// SCHED-5: the trace keeps the newest steps, counts those it lost, and starts afresh.
func TestTraceIsARing(t *testing.T) {
	c, serve := serving(t)
	if err := c.TraceStart(); err != nil {
		t.Fatal(err)
	}
	const requests, steps = 400, 3 // queued, running, ended
	for id := range requests - 1 {
		serve(id, func(req ReqID) error { return c.Reply(req, nil) })
	}
	serve(requests, func(ReqID) error {
		err := c.CancelRequest(requests)
		drain(c) // the signal
		return err
	})
	s := snapshotOf(t, c)
	if len(s.Trace) != TraceRecordsMax || s.TraceDropped != requests*steps-TraceRecordsMax {
		t.Errorf("%d steps, %d dropped", len(s.Trace), s.TraceDropped)
	}
	last := s.Trace[len(s.Trace)-4:]
	if last[0].Phase != PhaseSucceeded || last[3].Phase != PhaseCancelled || last[3].Ordinal != requests {
		t.Errorf("the last steps: %+v", last)
	}
	if err := c.TraceStop(); err != nil {
		t.Fatal(err)
	}
	serve(0, func(req ReqID) error { return c.Reply(req, nil) })
	if s := snapshotOf(t, c); s.Tracing || s.TraceDropped != requests*steps-TraceRecordsMax {
		t.Errorf("a stopped trace goes on: %d dropped", s.TraceDropped)
	}
	if err := c.TraceStart(); err != nil {
		t.Fatal(err)
	}
	if s := snapshotOf(t, c); len(s.Trace) != 0 || s.TraceDropped != 0 {
		t.Errorf("a new trace has %d steps, %d dropped", len(s.Trace), s.TraceDropped)
	}
}

// SCHED-5: nothing is lost from the statistics, nor held without a bound, when nobody tells the time.
func TestStatisticsWithoutTime(t *testing.T) {
	c, serve := serving(t)
	const requests = freshMax + endedMax
	for id := range requests {
		serve(id, func(req ReqID) error {
			if id%4 == 0 {
				return c.Fail(req, 1, "no", nil)
			}
			return c.Reply(req, nil)
		})
		if len(c.ledger.fresh) > freshMax || c.ledger.ended.Count() > endedMax {
			t.Fatalf("%d began and %d ended without a time", len(c.ledger.fresh), c.ledger.ended.Count())
		}
	}
	c.Advance(1)
	if m := snapshotOf(t, c).Methods[0]; m.Count != requests || m.Failed != requests/4 {
		t.Errorf("%d ended, of them %d failed", m.Count, m.Failed)
	}
}

// The same for messages that began in time and all end later than it was told.
func TestManyEndWithoutTime(t *testing.T) {
	c, _ := serving(t)
	const requests = endedMax + 2
	c.cfg.Limits.RunningMax = requests
	c.Advance(10)
	for id := range requests {
		if err := feed(t, c, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`+"\n", id)); err != nil {
			t.Fatal(err)
		}
	}
	c.Advance(10)
	for _, ev := range drain(c) {
		if err := c.Done(ev.Req); err != nil {
			t.Fatal(err)
		}
	}
	if held := c.ledger.ended.Count(); held > endedMax {
		t.Errorf("%d ended without a time", held)
	}
	c.Advance(20)
	if m := snapshotOf(t, c).Methods[0]; m.Count != requests || m.MaxNs != 10 {
		t.Errorf("%d ended, the longest took %d ns", m.Count, m.MaxNs)
	}
}

// What waits when the bound is met has its time all the same.
func TestAcceptedBeforeTheBound(t *testing.T) {
	c, serve := serving(t)
	c.Advance(7)
	c.cfg.Limits.RunningMax = 1
	held := func(id int) ReqID {
		if err := feed(t, c, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`+"\n", id)); err != nil {
			t.Fatal(err)
		}
		return drain(c)[0].Req
	}
	first := held(1)
	c.cfg.Limits.RunningMax = 2
	for id := range freshMax {
		serve(id+2, func(req ReqID) error { return c.Reply(req, nil) })
	}
	c.Advance(100)
	if items := snapshotOf(t, c).Items; items[0].AcceptedAt != 7 || items[0].StartedAt != 7 {
		t.Errorf("the first message: %+v", items[0])
	}
	if err := c.Done(first); err != nil {
		t.Error(err)
	}
}

// SCHED-5: a percentile is the bound of the class in which its rank lies: never below the duration,
// and at most a quarter above it.
func TestPercentiles(t *testing.T) {
	for ns := Time(0); ns < 1<<50; ns += 1 + ns/7 {
		if end := classEnd(class(ns)); end < ns || end > ns+ns/4 || class(end) != class(ns) || class(end+1) != class(ns)+1 {
			t.Fatalf("%d ns is in class %d, which ends at %d", ns, class(ns), end)
		}
	}
	l := ledger{stats: make([]methodStats, 1)}
	for _, ns := range []Time{100, 200, 400} {
		l.tally(endedItem{startedAt: 1000}, 1000+ns)
	}
	if p := l.stats[0].percentile(50); p != classEnd(class(200)) {
		t.Errorf("the median of 100, 200 and 400 is %d", p)
	}
	if s := l.stats[0].summary("m"); s.P99Ns != 400 || s.MaxNs != 400 || s.MeanNs != 233 || s.Count != 3 {
		t.Errorf("%+v", s)
	}
}

// BACK-1, SCHED-5: of a method that is not registered 64 bytes are kept.
func TestMethodTextIsCut(t *testing.T) {
	cfg := Defaults(ProfilePlain, RoleClient)
	cfg.Inbound, cfg.Limits.MessagesMax = InboundMessages, 1
	c := newConn(t, cfg)
	long := strings.Repeat("m", methodShownMax+1)
	for range 2 {
		if err := feed(t, c, `{"jsonrpc":"2.0","method":"`+long+`"}`+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	s := snapshotOf(t, c)
	if got := s.Dropped[0].Method; got != long[1:] {
		t.Errorf("%d bytes of a dropped method", len(got))
	}
	if got := s.Items[0].Method; got != long[1:] {
		t.Errorf("%d bytes of a waiting method", len(got))
	}
}
