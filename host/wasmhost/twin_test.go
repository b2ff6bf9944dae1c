package wasmhost

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// twins drives a native machine and a sandboxed one with the same inputs and compares everything
// that either of them says.
type twins struct {
	t       *testing.T
	native  host.Machine
	sandbox host.Machine
}

func newTwins(t *testing.T, cfg core.Config) *twins {
	t.Helper()
	native, err := host.Native(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &twins{t: t, native: native, sandbox: newMachine(t, newEngine(t), cfg)}
}

// do applies one input to both and compares its result and all that is visible afterwards.
func (w *twins) do(what string, input func(host.Machine) string) string {
	w.t.Helper()
	want, got := input(w.native), input(w.sandbox)
	if want != got {
		w.t.Fatalf("%s: native %s, sandbox %s", what, want, got)
	}
	if want, got := view(w.native), view(w.sandbox); want != got {
		w.t.Fatalf("after %s:\nnative  %s\nsandbox %s", what, want, got)
	}
	return want
}

// view spells everything a machine shows without an input.
func view(m host.Machine) string {
	when, kind := m.Deadline()
	state := m.State()
	violation := fmt.Sprint(state.Err)
	state.Err = nil
	var snapshot core.Snapshot
	refused := m.Snapshot(&snapshot)
	return fmt.Sprintf("paused %v pending %d done %v deadline %d %v state %+v violation %s stats %+v limits %+v snapshot %+v %v err %v",
		m.Paused(), m.Pending(), m.OutputDone(), when, kind, state, violation, m.Stats(), m.Limits(), snapshot, refused, m.Err())
}

// bytes commits what the peer sent.
func (w *twins) bytes(text string) {
	w.t.Helper()
	w.do("bytes", func(m host.Machine) string { return fmt.Sprint(m.Commit(copy(m.Reserve(len(text)), text))) })
}

// drain returns the events and compares them.
func (w *twins) drain() string {
	w.t.Helper()
	return w.do("drain", func(m host.Machine) string {
		var text strings.Builder
		var ev core.Event
		for m.Next(&ev) {
			fmt.Fprintf(&text, "%v call %d req %d ordinal %d reason %v invalid %v hint %v code %d offset %d count %d id %q method %q body %q text %q frame %q nil %v\n",
				ev.Kind, ev.Call, ev.Req, ev.Ordinal, ev.Reason, ev.Invalid, ev.Hint, ev.Code, ev.Offset, ev.Count,
				ev.ID, ev.Method, ev.Body, ev.Text, ev.Frame, ev.Body == nil)
		}
		return text.String()
	})
}

// take writes everything queued.
func (w *twins) take() string {
	w.t.Helper()
	return w.do("take", func(m host.Machine) string {
		var text []byte
		var spare []byte
		for block := m.Take(spare); block != nil; block = m.Take(spare) {
			text = append(text, block...)
			m.Wrote(len(block))
			spare = block
		}
		return string(text)
	})
}

func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in %s", part, text)
		}
	}
}

func TestClientSaysTheSameInTheSandbox(t *testing.T) {
	cfg := core.Defaults(core.ProfileLSP, core.RoleClient)
	cfg.Seed, cfg.SessionID, cfg.Inbound = 7, "session", core.InboundMessages
	w := newTwins(t, cfg)
	call := func(method, params string, opts core.CallOptions) {
		t.Helper()
		w.do(method, func(m host.Machine) string {
			id, err := m.Call(method, []byte(params), opts)
			return fmt.Sprint(id, err)
		})
	}
	w.do("advance", func(m host.Machine) string { m.Advance(1); return "" })
	w.do("want", func(m host.Machine) string { m.Want(10); return "" })
	call("initialize", `{"a":1}`, core.CallOptions{})
	call("slow", `[1]`, core.CallOptions{Deadline: 100, ID: []byte(`"mine"`), Quiet: true})
	call("late", ``, core.CallOptions{Deadline: 1})
	call("refused", `{"a"`, core.CallOptions{})
	call("refused", `3`, core.CallOptions{})
	call("", `{}`, core.CallOptions{})
	call("cancelled", `{}`, core.CallOptions{ProgressToken: []byte(`"p"`)})
	w.do("notify", func(m host.Machine) string { return fmt.Sprint(m.Notify("note", []byte(`{"x":[]}`))) })
	contains(t, w.take(), "initialize", `"mine"`, `"note"`)
	w.bytes(frame(`{"jsonrpc":"2.0","id":1,"result":null}`) + frame(`{"jsonrpc":"2.0","method":"hello","params":{"é":"\u00e9"}}`))
	w.bytes(frame(`{"jsonrpc":"2.0","id":"theirs","method":"ask"}`)[:20])
	w.bytes(frame(`{"jsonrpc":"2.0","id":"theirs","method":"ask"}`)[20:])
	w.do("advance", func(m host.Machine) string { m.Advance(100); return "" })
	w.do("cancel", func(m host.Machine) string { return fmt.Sprint(m.Cancel(1<<60), m.Cancel(0)) })
	contains(t, w.drain(), "result", "hello", "ask", "timeout")
	w.do("reply", func(m host.Machine) string {
		return fmt.Sprint(m.Reply(1<<60, []byte(`1`)), m.Fail(99, 1, "no", nil), m.Done(98), m.CancelRequest(1<<60))
	})
	w.bytes("boom\r\n\r\n")
	contains(t, w.drain(), "ending", "violation")
	w.bytes("more")
	w.do("eof", func(m host.Machine) string { return fmt.Sprint(m.CommitEOF()) })
	w.take()
	w.drain()
}

func TestServerSaysTheSameInTheSandbox(t *testing.T) {
	cfg := core.Defaults(core.ProfileLSP, core.RoleServer)
	cfg.Methods = []core.Method{
		{Name: "initialize"}, {Name: "read"}, {Name: "hover", Supersede: []string{"doc", "uri"}}, {Name: "write", Mode: core.ModeOrder}, {Name: "note", Notification: true},
	}
	w := newTwins(t, cfg)
	w.do("want", func(m host.Machine) string { m.Want(1 << 30); return "" })
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, `{"jsonrpc":"2.0","id":2,"method":"read"}`,
		`{"jsonrpc":"2.0","id":3,"method":"unknown"}`, `{"jsonrpc":"2.0","method":"note"}`, `{bad`, ``,
		`{"jsonrpc":"2.0","id":4,"method":"write","params":[]}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":4}}`,
	} {
		w.bytes(frame(body))
		events := w.drain()
		if body == `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}` {
			contains(t, events, "initialize")
			w.do("reply", func(m host.Machine) string { return fmt.Sprint(m.Reply(requestOf(events), []byte(`{}`))) })
			w.do("twice", func(m host.Machine) string {
				return fmt.Sprint(m.Reply(requestOf(events), []byte(`{}`)), m.Done(requestOf(events)))
			})
		}
	}
	w.do("trace", func(m host.Machine) string {
		return fmt.Sprint(m.TraceStart(), m.TraceStart(), m.TraceStop(), m.TraceStop(), m.SetVersion("2025-03-26"))
	})
	contains(t, w.take(), "-32601", "-32700")
	w.do("shutdown", func(m host.Machine) string { m.Shutdown(); return "" })
	for i := range 4 {
		w.do("advance", func(m host.Machine) string { m.Advance(core.Time(i+1) * 5 * core.Second); return "" })
		w.drain()
		w.take()
	}
	w.do("abort", func(m host.Machine) string { m.Abort(); return "" })
	w.drain()
}

func TestSupersedeCrosses(t *testing.T) {
	cfg := core.Defaults(core.ProfileLSP, core.RoleServer)
	cfg.Methods = []core.Method{{Name: "hover", Supersede: []string{"doc", "uri"}}}
	cfg.Limits.RunningMax = 1
	w := newTwins(t, cfg)
	w.do("want", func(m host.Machine) string { m.Want(10); return "" })
	for id := range 4 {
		w.bytes(frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"hover","params":{"doc":{"uri":"a"}}}`, id)))
		w.drain()
	}
	if text := w.take(); strings.Count(text, "-32801") != 2 {
		t.Errorf("two of four requests were to be superseded, the answers are %q", text)
	}
}

// requestOf reads the handle of the first request in a drained text.
func requestOf(events string) core.ReqID {
	var call, req uint64
	fmt.Sscanf(events, "request call %d req %d", &call, &req)
	return core.ReqID(req)
}

func TestForwardAndBatchSayTheSameInTheSandbox(t *testing.T) {
	w := newTwins(t, core.Defaults(core.ProfilePlain, core.RolePeer))
	w.do("forward", func(m host.Machine) string {
		text := []byte(`{"jsonrpc":"2.0","id":1,"method":"a"}`)
		return fmt.Sprint(m.Forward(text), m.Forward(text, core.Splice{Start: 22, End: 23, Value: []byte("22")}),
			m.Forward(text, core.Splice{Start: -1, End: math.MaxInt}), m.Forward([]byte("{")))
	})
	w.do("batch", func(m host.Machine) string {
		ids := make([]core.CallID, 2)
		err := m.Batch([]core.BatchItem{
			{Method: "a", Params: []byte(`[]`), Options: core.CallOptions{Deadline: 9}}, {Method: "b", Notification: true},
		}, ids)
		return fmt.Sprint(ids, err)
	})
	w.take()
}

func TestRelaySaysTheSameInTheSandbox(t *testing.T) {
	w := newTwins(t, core.Defaults(core.ProfilePlain, core.RoleRelay))
	w.do("want", func(m host.Machine) string { m.Want(5); return "" })
	text := `{"jsonrpc":"2.0","id":1,"method":"a","params":{"processId":7}}`
	w.bytes(text + "\n[]\n{\n")
	contains(t, w.drain(), "processId")
	at := strings.Index(text, "7}}")
	w.do("forward", func(m host.Machine) string {
		return fmt.Sprint(m.Forward([]byte(text)), m.Forward([]byte(text), core.Splice{Start: at, End: at + 1, Value: []byte("null")}))
	})
	contains(t, w.take(), `"processId":7`, `"processId":null`)
}

func TestWholeMessagesSayTheSameInTheSandbox(t *testing.T) {
	cfg := core.Defaults(core.ProfileMCP, core.RoleServer)
	cfg.Framing = core.FramingWhole
	cfg.Limits.FrameBytesMax = 3 << 20
	w := newTwins(t, cfg)
	w.do("want", func(m host.Machine) string { m.Want(5); return "" })
	const head, tail = `{"jsonrpc":"2.0","id":1,"method":"a","params":["`, `"]}`
	for _, size := range []int{100, 2 << 20, cfg.Limits.FrameBytesMax, cfg.Limits.FrameBytesMax + 1} {
		text := head + strings.Repeat("x", size-len(head)-len(tail)) + tail
		w.do("message", func(m host.Machine) string {
			return fmt.Sprint(m.CommitMessage(copy(m.Reserve(len(text)), text)))
		})
		w.drain()
		w.take()
	}
	w.do("commit", func(m host.Machine) string { return fmt.Sprint(m.Commit(len(m.Reserve(1)) * 0)) })
}

func TestFactsSurviveAnInputInTheSandbox(t *testing.T) {
	cfg := core.Defaults(core.ProfileLSP, core.RoleClient)
	cfg.Inbound = core.InboundMessages
	w := newTwins(t, cfg)
	w.do("want", func(m host.Machine) string { m.Want(1 << 30); return "" })
	// More than one drain's worth, fetched one at a time with an input in between.
	var text strings.Builder
	const count = 300
	for i := range count {
		text.WriteString(frame(fmt.Sprintf(`{"jsonrpc":"2.0","method":"note","params":[%d,"%s"]}`, i, strings.Repeat("y", i))))
	}
	w.bytes(text.String())
	for i := range count {
		got := w.do("next", func(m host.Machine) string {
			var ev core.Event
			if !m.Next(&ev) {
				return "nothing"
			}
			body := bytes.Clone(ev.Body)
			if i%7 == 0 {
				m.Advance(core.Time(i))
			}
			return string(body)
		})
		contains(t, got, fmt.Sprintf("[%d,", i))
	}
	if rest := w.drain(); rest != "" {
		t.Errorf("more events than were sent: %s", rest)
	}
}

func TestErrorsOfTheSandboxAreTheErrorsOfCore(t *testing.T) {
	m := newMachine(t, newEngine(t), core.Defaults(core.ProfileLSP, core.RoleClient))
	if err := m.Commit(1 << 20); err != core.ErrBadCount {
		t.Error("more than was reserved:", err)
	}
	_, err := m.Call("a", bytes.Repeat([]byte{'['}, 17<<20), core.CallOptions{})
	if !errors.Is(err, core.ErrTooLarge) {
		t.Error("arguments larger than any frame:", err)
	}
	first := m.Commit(copy(m.Reserve(8), "garbage\n"))
	var violation *core.ProtocolError
	if !errors.As(first, &violation) || m.State().Err != violation {
		t.Fatalf("violation: %v, in the state %v", first, m.State().Err)
	}
	if again := m.Commit(copy(m.Reserve(4), "more")); again != first {
		t.Errorf("a violation is sticky: %v, then %v", first, again)
	}
	if !reflect.DeepEqual(m.Err(), nil) {
		t.Error("the engine has not failed:", m.Err())
	}
}
