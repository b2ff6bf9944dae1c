package core

import (
	"errors"
	"strings"
	"testing"
)

// feed commits text as one read.
func feed(t *testing.T, c *Conn, text string) error {
	t.Helper()
	copy(c.Reserve(len(text)), text)
	return c.Commit(len(text))
}

// drain returns every fact, in the order of delivery, with slices copied.
func drain(c *Conn) []Event {
	var all []Event
	for ev := range c.Events() {
		ev.Body, ev.Text = clone(ev.Body), clone(ev.Text)
		ev.ID, ev.Method = clone(ev.ID), clone(ev.Method)
		all = append(all, ev)
	}
	return all
}

// written takes everything that is queued and says that it was written.
func written(c *Conn) string {
	var b strings.Builder
	for block := c.Take(nil); block != nil; block = c.Take(nil) {
		b.Write(block)
		c.Wrote(len(block))
	}
	return b.String()
}

func newConn(t *testing.T, cfg Config) *Conn {
	t.Helper()
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// An answer whose bytes were committed beats a deadline that has passed (CALL-3).
func TestAnswerBeatsDeadline(t *testing.T) {
	cfg := Defaults(ProfilePlain, RoleClient)
	c := newConn(t, cfg)
	id, err := c.Call("sum", []byte("[1,\n2]"), CallOptions{Deadline: 100})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := written(c), `{"jsonrpc":"2.0","id":1,"method":"sum","params":[1, 2]}`+"\n"; got != want {
		t.Fatalf("wrote %q, want %q", got, want)
	}
	if err := feed(t, c, `{"jsonrpc":"2.0","id":1.0,"result":3}`+"\n"); err != nil {
		t.Fatal(err)
	}
	c.Advance(150)
	evs := drain(c)
	if len(evs) != 1 || evs[0].Kind != EventResult || evs[0].Call != id || string(evs[0].Body) != "3" {
		t.Fatalf("events %+v", evs)
	}
	if when, kind := c.Deadline(); when != Never || kind != TimerNone {
		t.Errorf("deadline %d %v", when, kind)
	}
}

func TestRequestReply(t *testing.T) {
	cfg := Defaults(ProfileLSP, RoleServer)
	c := newConn(t, cfg)
	c.Want(10)
	body := `{"jsonrpc":"2.0","id":"\u0061","method":"a\u0062","params":{}}`
	if err := feed(t, c, "content-length: 62\r\n\r\n"+body); err != nil {
		t.Fatal(err)
	}
	evs := drain(c)
	if len(evs) != 1 || evs[0].Kind != EventRequest || string(evs[0].Method) != "ab" {
		t.Fatalf("events %+v", evs)
	}
	if err := c.Reply(evs[0].Req, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Reply(evs[0].Req, nil); err != ErrAnswered || !errors.Is(err, ErrUnsupported) {
		t.Errorf("second answer: %v", err)
	}
	if err := c.Done(evs[0].Req); err != nil {
		t.Fatal(err)
	}
	if got, want := written(c), "Content-Length: 43\r\n\r\n"+`{"jsonrpc":"2.0","id":"\u0061","result":null}`; got != strings.Replace(want, "43", "45", 1) {
		t.Errorf("wrote %q", got)
	}
	if err := c.CommitEOF(); err != nil {
		t.Fatal(err)
	}
	evs = drain(c)
	if len(evs) != 2 || evs[0].Kind != EventEnding || evs[1].Kind != EventClosed || !c.OutputDone() {
		t.Errorf("events %+v", evs)
	}
}

// Next ends nothing: goal, that what two calls of it unescaped stands side by side.
func TestNextEndsNothing(t *testing.T) {
	c := newConn(t, Defaults(ProfilePlain, RoleServer))
	c.Want(10)
	for _, name := range []string{`\u0061`, `\u0062`} {
		if err := feed(t, c, `{"jsonrpc":"2.0","id":"`+name+`","method":"`+name+`"}`+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	var a, b Event
	if !c.Next(&a) || !c.Next(&b) {
		t.Fatal("no events")
	}
	if string(a.Method) != "a" || string(b.Method) != "b" {
		t.Errorf("methods %q and %q", a.Method, b.Method)
	}
}

// A relay hands on every frame as it came, invalid ones included, and answers none (MSG-6).
func TestRelay(t *testing.T) {
	c := newConn(t, Defaults(ProfileMCP, RoleRelay))
	c.Want(10)
	lines := []string{
		`{"jsonrpc":"2.0","id":7,"method":"\u006d","params":{"a":1}}`, `{"jsonrpc":"2.0","method":"n"}`,
		`{"jsonrpc":"2.0","id":7,"result":null}`, `{"jsonrpc":"2.0","id":null,"error":{"code":1}}`,
		`[1]`, `{"jsonrpc":"2.0"}`, `nonsense`, `7`,
	}
	classes := []Class{
		ClassRequest, ClassNotification, ClassResult, ClassError, ClassBatch, ClassInvalid, ClassInvalid, ClassInvalid,
	}
	for _, line := range lines {
		if err := feed(t, c, line+"\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	var ev Event
	for i, want := range classes {
		if !c.Next(&ev) || ev.Kind != EventMessage || ev.Class != want || string(ev.Frame) != lines[i] {
			t.Fatalf("%d: %v class %d %q", i, ev.Kind, ev.Class, ev.Frame)
		}
	}
	if err := c.Forward([]byte("{\"a\":\n1}"), Splice{Start: 1, End: 4, Value: []byte(`"bc"`)}); err != nil {
		t.Fatal(err)
	}
	for what, splices := range map[string][]Splice{
		"backward": {{Start: 2, End: 1}}, "past the end": {{Start: 1, End: 3}},
		"overlapping": {{Start: 0, End: 2}, {Start: 1, End: 2}}, "before the text": {{Start: -1, End: 1}},
	} {
		if err := c.Forward([]byte("{}"), splices...); err != ErrBadCount {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := written(c); got != "{\"bc\": 1}\n" {
		t.Errorf("wrote %q", got)
	}
	if err := c.Notify("m", nil); err != ErrUnsupported {
		t.Errorf("notify: %v", err)
	}
}

// While a client negotiates it serves nothing, and on a modern session no request (ERA-1, ERA-7).
func TestEraDropsWithoutAByte(t *testing.T) {
	const request = `{"jsonrpc":"2.0","id":1,"method":"\u0070ing"}` + "\n"
	const note = `{"jsonrpc":"2.0","method":"n"}` + "\n"
	for _, row := range []struct {
		version string
		want    []EventKind
	}{
		{"", []EventKind{EventDropped, EventDropped}},
		{"2025-11-25", []EventKind{EventRequest, EventNotification}},
		{"2026-07-28", []EventKind{EventDropped, EventNotification}},
	} {
		cfg := Defaults(ProfileMCP, RoleClient)
		cfg.Inbound = InboundMessages
		c := newConn(t, cfg)
		c.Want(10)
		if err := c.SetVersion(row.version); err != nil {
			t.Fatal(err)
		}
		if err := feed(t, c, request+note); err != nil {
			t.Fatal(err)
		}
		for i, ev := range drain(c) {
			if ev.Kind != row.want[i] {
				t.Errorf("%q: event %d is %v, want %v", row.version, i, ev.Kind, row.want[i])
			}
			if i == 0 && (string(ev.Method) != "ping" || string(ev.ID) != "1") {
				t.Errorf("%q: %q %q", row.version, ev.Method, ev.ID)
			}
		}
		if got := written(c); got != "" {
			t.Errorf("%q: wrote %q", row.version, got)
		}
	}
	if err := newConn(t, Defaults(ProfileLSP, RoleClient)).SetVersion("1"); err != ErrUnsupported {
		t.Errorf("lsp: %v", err)
	}
}

// A transport that fails while it is read leaves handlers no grace; what they answer is still
// written (STOP-3).
func TestReadFailed(t *testing.T) {
	c := newConn(t, Defaults(ProfilePlain, RoleServer))
	c.Want(10)
	if err := feed(t, c, `{"jsonrpc":"2.0","id":1,"method":"m"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	req := drain(c)[0].Req
	c.ReadFailed()
	c.ReadFailed() // the first end stays
	c.Advance(1)
	evs := drain(c)
	if len(evs) != 2 || evs[0].Kind != EventEnding || evs[0].Reason != ReasonReadFailed ||
		evs[1].Kind != EventCancelRequest || evs[1].Req != req {
		t.Fatalf("events %+v", evs)
	}
	if _, kind := c.Deadline(); kind != TimerLinger {
		t.Errorf("deadline for %v", kind)
	}
	if err := c.Reply(req, []byte("1")); err != nil {
		t.Error(err)
	}
	if err := c.Done(req); err != nil {
		t.Error(err)
	}
	if got := written(c); got == "" || !c.OutputDone() {
		t.Errorf("wrote %q", got)
	}
	if evs := drain(c); len(evs) != 1 || evs[0].Kind != EventClosed {
		t.Errorf("events %+v", evs)
	}
}
