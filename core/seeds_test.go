package core

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// The seed documents promise numbers. docs/seeds.md names these tests for them.

func TestSeedDefaults(t *testing.T) {
	lsp, mcp := Defaults(ProfileLSP, RoleServer), Defaults(ProfileMCP, RoleServer)
	control := Defaults(ProfileControl, RoleServer)
	for _, d := range []struct {
		name      string
		got, want int64
	}{
		{"header block of lsp, bytes", int64(lsp.Limits.HeaderBytesMax), 8 * KiB},
		{"frame of lsp, bytes", int64(lsp.Limits.FrameBytesMax), 16 * MiB},
		{"frame of control, bytes", int64(control.Limits.FrameBytesMax), 4 * MiB},
		{"least frame of control, bytes", int64(control.Limits.FrameBytesMin), 1},
		{"queued output, bytes", int64(mcp.Limits.OutBytesMax), 1 * MiB},
		{"handlers at once", int64(mcp.Limits.RunningMax), 256},
		{"messages that wait", int64(lsp.Limits.MessagesMax), 1024},
		{"grace after the end of input", int64(mcp.GraceNs), int64(5 * Second)},
		{"bound of the shutdown", int64(mcp.ShutdownNs), int64(5 * Second)},
	} {
		if d.got != d.want {
			t.Errorf("%s: %d, want %d", d.name, d.got, d.want)
		}
	}
	for _, cfg := range []Config{lsp, mcp, control} {
		if cfg.SendPolicy != SendFinish || cfg.PauseOn != PauseOnAnswers || cfg.ParkFail || cfg.OutFailFast {
			t.Errorf("%v: a default that docs/seeds.md names as a deviation has changed: %+v", cfg.Profile, cfg)
		}
	}
}

// REQ-1: with the defaults 256 requests run, and the next one waits for one of them to end.
func TestSeedHandlersAtOnce(t *testing.T) {
	c := newConn(t, Defaults(ProfileMCP, RoleServer))
	c.Want(1 << 30)
	for id := range 257 {
		if err := feed(t, c, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`+"\n", id)); err != nil {
			t.Fatal(err)
		}
	}
	started := drain(c)
	if s := c.State(); len(started) != 256 || s.Running != 256 || s.Waiting != 1 {
		t.Fatalf("%d started, %d run, %d wait", len(started), s.Running, s.Waiting)
	}
	if err := c.Done(started[7].Req); err != nil {
		t.Fatal(err)
	}
	if next := drain(c); len(next) != 1 || next[0].Ordinal != 257 {
		t.Errorf("after one has ended: %+v", next)
	}
}

// SEND-2: with the defaults the queue takes 1 MiB to the byte, and a larger frame when it is empty.
func TestSeedQueuedOutput(t *testing.T) {
	const around = len(`{"jsonrpc":"2.0","method":"m","params":[""]}` + "\n")
	sized := func(size int) []byte { return []byte(`["` + strings.Repeat("x", size-around) + `"]`) }

	c := newConn(t, Defaults(ProfileMCP, RoleServer))
	if err := c.Notify("m", sized(MiB-100)); err != nil {
		t.Fatal(err)
	}
	if err := c.Notify("m", sized(101)); !errors.Is(err, ErrOutputFull) {
		t.Errorf("one byte over: %v", err)
	}
	if err := c.Notify("m", sized(100)); err != nil {
		t.Errorf("to the byte: %v", err)
	}
	if c.Pending() != MiB {
		t.Errorf("%d bytes are queued", c.Pending())
	}
	c = newConn(t, Defaults(ProfileMCP, RoleServer))
	if err := c.Notify("m", sized(2*MiB)); err != nil {
		t.Errorf("a larger frame into an empty queue: %v", err)
	}
}

// SCHED-3: each accepted message has an ordinal, a phase, the generation at which it started and its
// times, and a write that succeeds raises the generation.
func TestSeedItems(t *testing.T) {
	cfg := Defaults(ProfilePlain, RoleServer)
	cfg.Methods = []Method{{Name: "read", Mode: ModeRead}, {Name: "write", Mode: ModeWrite}}
	c := newConn(t, cfg)
	c.Want(1 << 30)
	ask := func(id int, method string) {
		t.Helper()
		if err := feed(t, c, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`+"\n", id, method)); err != nil {
			t.Fatal(err)
		}
	}
	ask(1, "read")
	ask(2, "write")
	ask(3, "read")
	c.Advance(10)
	items := snapshotOf(t, c).Items
	wantItems(t, items,
		SnapshotItem{Ordinal: 1, Method: "read", Mode: ModeRead, Running: true, AcceptedAt: 10, StartedAt: 10},
		SnapshotItem{Ordinal: 2, Method: "write", Mode: ModeWrite, AcceptedAt: 10},
		SnapshotItem{Ordinal: 3, Method: "read", Mode: ModeRead, AcceptedAt: 10})

	end := func(ok bool) {
		t.Helper()
		started := drain(c)
		req := started[len(started)-1].Req
		if ok {
			if err := c.Reply(req, []byte("1")); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Done(req); err != nil {
			t.Fatal(err)
		}
	}
	end(true)
	c.Advance(20)
	end(true) // the write
	if err := c.CancelRequest(3); err != nil {
		t.Fatal(err)
	}
	c.Advance(30)
	s := snapshotOf(t, c)
	wantItems(t, s.Items, SnapshotItem{
		Ordinal: 3, Method: "read", Mode: ModeRead, Running: true, Cancelled: true,
		Generation: 1, AcceptedAt: 10, StartedAt: 30,
	})
	if s.Generation != 1 {
		t.Errorf("generation %d after one write that succeeded", s.Generation)
	}
	ask(4, "write")
	end(false) // the cancelled read
	end(false) // a write that fails
	if s := snapshotOf(t, c); s.Generation != 1 {
		t.Errorf("generation %d after a write that failed", s.Generation)
	}
}

// SCHED-3: which ends of a write raise the generation.
func TestWritesThatRaiseTheGeneration(t *testing.T) {
	const request, notification = `{"jsonrpc":"2.0","id":1,"method":"edit"}`, `{"jsonrpc":"2.0","method":"didEdit"}`
	cancel := func(c *Conn, _ ReqID) error { return c.CancelRequest(1) }
	reply := func(c *Conn, req ReqID) error { return c.Reply(req, nil) }
	fail := func(c *Conn, req ReqID) error { return c.Fail(req, CodeInternal, "", nil) }
	type step = func(*Conn, ReqID) error
	for name, row := range map[string]struct {
		message string
		steps   []step
		raised  uint64
	}{
		"a result":                      {request, []step{reply, (*Conn).Done}, 1},
		"a result in spite of a cancel": {request, []step{cancel, reply, (*Conn).Done}, 1},
		"an error":                      {request, []step{fail, (*Conn).Done}, 0},
		"no answer":                     {request, []step{(*Conn).Done}, 0},
		"a cancelled request":           {request, []step{cancel, (*Conn).Done}, 0},
		"a notification":                {notification, []step{(*Conn).Done}, 1},
		"a cancelled notification":      {notification, []step{cancel, (*Conn).Done}, 0},
	} {
		cfg := Defaults(ProfilePlain, RoleServer)
		cfg.Methods = []Method{{Name: "edit", Mode: ModeWrite}, {Name: "didEdit", Mode: ModeWrite, Notification: true}}
		c := newConn(t, cfg)
		c.Want(1)
		if err := feed(t, c, row.message+"\n"); err != nil {
			t.Fatal(err)
		}
		req := drain(c)[0].Req
		for _, step := range row.steps {
			if err := step(c, req); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if s := snapshotOf(t, c); s.Generation != row.raised || len(s.Items) != 0 {
			t.Errorf("%s: generation %d, %d items, want %d and none", name, s.Generation, len(s.Items), row.raised)
		}
	}
}

// SCHED-5: the snapshot counts and times each method of the table, shows the newest of many, and
// keeps the steps of a trace.
func TestSeedSnapshot(t *testing.T) {
	cfg := Defaults(ProfilePlain, RoleServer)
	cfg.Methods = []Method{{Name: "m"}}
	cfg.Limits.RunningMax, cfg.Limits.QueuedMax = 1, 1<<10
	c := newConn(t, cfg)
	c.Want(1 << 30)
	if err := c.TraceStop(); !errors.Is(err, ErrTracing) {
		t.Errorf("stop before start: %v", err)
	}
	if err := c.TraceStart(); err != nil {
		t.Fatal(err)
	}
	if err := c.TraceStart(); !errors.Is(err, ErrTracing) {
		t.Errorf("start twice: %v", err)
	}
	for id := range SnapshotItemsMax + 2 {
		if err := feed(t, c, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`+"\n", id)); err != nil {
			t.Fatal(err)
		}
	}
	c.Advance(100)
	s := snapshotOf(t, c)
	if !s.Truncated || len(s.Items) != SnapshotItemsMax || s.Items[0].Ordinal != 3 {
		t.Errorf("%d items from %d on, truncated: %v", len(s.Items), s.Items[0].Ordinal, s.Truncated)
	}
	first := drain(c)
	if err := c.Reply(first[0].Req, []byte("1")); err != nil {
		t.Fatal(err)
	}
	if err := c.Done(first[0].Req); err != nil {
		t.Fatal(err)
	}
	c.Advance(1100)
	s = snapshotOf(t, c)
	if want := (MethodStats{Name: "m", Count: 1, MeanNs: 1000, MaxNs: 1000, P50Ns: 1000, P95Ns: 1000, P99Ns: 1000}); s.Methods[0] != want {
		t.Errorf("statistics %+v, want %+v", s.Methods[0], want)
	}
	last := s.Trace[len(s.Trace)-1]
	if !s.Tracing || s.TraceDropped != 0 || len(s.Trace) != SnapshotItemsMax+2+3 || last.Phase != PhaseRunning || last.Ordinal != 2 {
		t.Errorf("%d steps, %d dropped, the last %+v", len(s.Trace), s.TraceDropped, last)
	}
	if err := c.TraceStop(); err != nil {
		t.Error(err)
	}
}

func snapshotOf(t *testing.T, c *Conn) Snapshot {
	t.Helper()
	var s Snapshot
	if err := c.Snapshot(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

func wantItems(t *testing.T, got []SnapshotItem, want ...SnapshotItem) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d items, want %d: %+v", len(got), len(want), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("item %d\n got %+v\nwant %+v", i, got[i], want[i])
		}
	}
}

// BACK-1: dropped notifications are counted in all, and by method for as many names as are kept.
func TestSeedDropsByMethod(t *testing.T) {
	cfg := Defaults(ProfilePlain, RoleClient)
	cfg.Inbound, cfg.Limits.MessagesMax = InboundMessages, 1
	c := newConn(t, cfg)
	tell := func(method string) {
		t.Helper()
		if err := feed(t, c, `{"jsonrpc":"2.0","method":"`+method+`"}`+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	tell("a")
	tell("b")
	tell(`\u0061`) // the name is what it spells
	for i := range DroppedMethodsMax {
		tell(fmt.Sprintf("m%d", i))
	}
	s := snapshotOf(t, c)
	if s.Dropped[0] != (MethodCount{Method: "a", Count: 2}) || s.Dropped[1] != (MethodCount{Method: "b", Count: 1}) {
		t.Errorf("dropped %+v", s.Dropped[:2])
	}
	if all := c.Stats().Dropped; len(s.Dropped) != DroppedMethodsMax || all != DroppedMethodsMax+2 {
		t.Errorf("%d names, %d in all", len(s.Dropped), all)
	}
}
