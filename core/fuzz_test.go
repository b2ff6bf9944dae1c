package core

import (
	"strconv"
	"testing"

	"github.com/parley-rpc/parley/core/internal/frame"
	"github.com/parley-rpc/parley/core/internal/scan"
)

// FuzzOperations decodes bytes into a sequence of operations on one Conn with small limits. Goal:
// no sequence panics or breaks an invariant (run it under the tag verify), every accepted call has
// exactly one outcome, no request is delivered twice, and nothing follows EventClosed.
func FuzzOperations(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	f.Add([]byte("\x21call and answer\x00\x10\x20\x30\x40\x50"))
	f.Add([]byte{0x42, 7, 0, 7, 1, 7, 2, 0, 0, 0, 1, 8, 9, 3, 3, 3, 200, 201, 11, 12, 13})
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) < 2 {
			return
		}
		d := newDriver(t, ops[0], ops[1])
		for i := 2; i+1 < len(ops) && i < 4000; i += 2 {
			d.step(ops[i], ops[i+1])
		}
		d.finish()
	})
}

// driver plays operations and keeps the books that they are checked against.
type driver struct {
	t        *testing.T
	c        *Conn
	calls    []CallID
	outcomes map[CallID]int
	requests []ReqID
	seen     map[ReqID]bool
	closed   bool
	taken    int
	now      Time
	snapshot Snapshot
}

func newDriver(t *testing.T, a, b byte) *driver {
	cfg := Defaults(Profile(a%4), Role(b%4))
	if cfg.Profile == ProfilePlain {
		cfg.Framing = Framing(a / 4 % 4)
	}
	cfg.Inbound = Inbound(b / 4 % 2)
	cfg.LooseIDs, cfg.Resync, cfg.OutFailFast = b&8 != 0, b&16 != 0, b&32 != 0
	if b&64 != 0 && cfg.Role != RoleRelay {
		cfg.Methods = []Method{
			{Name: "initialize"},
			{Name: "shutdown", Mode: ModeBypass},
			{Name: "m", Supersede: []string{"k"}},
			{Name: "w", Mode: ModeOrder},
			{Name: "n", Notification: true},
			{Name: "r", Mode: ModeWrite},
			{Name: "b", Mode: ModeBackground},
		}
	}
	cfg.Limits.FrameBytesMax, cfg.Limits.OutBytesMax = 300, 700
	cfg.Limits.HeaderBytesMax, cfg.Limits.BlankBytesMax = 64, 8
	cfg.Limits.CallsMax, cfg.Limits.AbandonedMax = 5, 3
	cfg.Limits.RunningMax, cfg.Limits.QueuedMax, cfg.Limits.MessagesMax = 3, 4, 4
	cfg.Limits.ParkedBytesMax, cfg.ParkFail = 900, a&32 != 0
	cfg.SendPolicy = SendPolicy(a / 64 % 2)
	cfg.Limits.DepthMax, cfg.Limits.IDBytesMax, cfg.Limits.MalformedMax = 6, 32, 5
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &driver{t: t, c: c, outcomes: map[CallID]int{}, seen: map[ReqID]bool{}}
}

var fuzzBodies = []string{
	`{"jsonrpc":"2.0","id":1,"result":1}`, `{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"\u0061"}}`,
	`{"jsonrpc":"2.0","id":"x","result":null}`, `{"jsonrpc":"2.0","id":3,"error":{"code":"no"}}`,
	`{"jsonrpc":"2.0","method":"n"}`, `{"jsonrpc":"2.0","method":"n","params":[1]}`,
	`{"jsonrpc":"2.0","id":7,"method":"m"}`, `{"jsonrpc":"2.0","id":"7","method":"\u006d","params":{"k":1}}`, `{"jsonrpc":"2.0","id":71,"method":"m","params":{"k":1}}`,
	`{"jsonrpc":"2.0","id":8,"method":"w"}`, `{"jsonrpc":"2.0","id":12,"method":"r"}`, `{"jsonrpc":"2.0","id":13,"method":"b"}`, `{"jsonrpc":"2.0","id":0,"method":"initialize"}`,
	`{"jsonrpc":"2.0","id":9,"method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`,
	`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`,
	`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`,
	`{"jsonrpc":"2.0","method":"$/progress","params":{"token":"t"}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t"}}`,
	`[{"jsonrpc":"2.0","id":7,"method":"m"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":8,"method":"u"},1]`,
	`[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"result":2},[]]`,
	`[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":1.0,"method":"m"}]`,
	`[]`, `1`, `nonsense`, ``, "\uFEFF{}", `{"seq":1,"type":"event"}`, `{"jsonrpc":"2.0","id":1e0,"result":{"a":[1,2,{}]}}`,
}

// step plays one operation; x is its argument.
func (d *driver) step(op, x byte) {
	c := d.c
	switch op % 16 {
	case 0, 1, 2:
		d.frame(fuzzBodies[int(x)%len(fuzzBodies)])
	case 3:
		d.feed([]string{"Content-Length: 5", "\r\n", "\n", "{", "\x00\x00\x00\x02", "x", "Content-Length: -1\r\n\r\n"}[x%7])
	case 4:
		d.call(x)
	case 5:
		d.reservedError(c.Notify("note", []byte(`{"a":1}`)))
	case 6:
		if len(d.calls) > 0 {
			d.check(c.Cancel(d.calls[int(x)%len(d.calls)]))
		}
	case 7:
		d.answer(x)
	case 8:
		if len(d.requests) > 0 {
			d.reservedError(c.Done(d.requests[int(x)%len(d.requests)]))
		}
	case 9:
		d.take()
	case 10:
		n := min(d.taken, int(x))
		c.Wrote(n)
		d.taken -= n
	case 11:
		d.now += Time(x)
		c.Advance(d.now - Time(x%3))
	case 12:
		c.Want(int(x % 5))
	case 13:
		d.drain()
	case 14:
		d.reservedError(c.CancelRequest(uint64(x % 16)))
	case 15:
		d.reservedError(c.TraceStart())
		d.reservedError(c.Snapshot(&d.snapshot))
		d.end(x)
	}
	if x%4 == 0 {
		d.drain()
	}
}

// end plays one of the ways to end, rarely.
func (d *driver) end(x byte) {
	switch x {
	case 1:
		d.c.Abort()
	case 2, 3:
		d.reservedError(d.c.CommitEOF())
	case 4, 5:
		d.c.Shutdown()
	case 6:
		d.reservedError(d.c.FinishInput())
	case 8:
		d.c.ReadFailed()
	case 7:
		d.c.WriteFailed()
		d.taken = 0
	}
}

func (d *driver) call(x byte) {
	opts := CallOptions{Quiet: x&1 != 0}
	if x&2 != 0 {
		opts.Deadline = d.now + Time(x)
	}
	if x&8 != 0 {
		opts.ProgressToken, opts.Extend, opts.DeadlineMax = []byte(`"t"`), Time(x), d.now+200
	}
	if x&4 != 0 {
		opts.ID = [][]byte{[]byte(`"x"`), []byte(`3`), []byte(`1e1`), []byte(`1.5`), []byte(`true`)}[x%5]
	}
	if x&16 != 0 {
		d.batch(opts)
		return
	}
	id, err := d.c.Call([]string{"a", "initialize", "", "long\u2028"}[x/64], []byte(`[1,`+"\n"+`2]`), opts)
	if err != nil {
		d.reservedError(err)
		return
	}
	d.calls = append(d.calls, id)
}

func (d *driver) batch(opts CallOptions) {
	ids := make([]CallID, 3)
	items := []BatchItem{{Method: "a"}, {Method: "b", Params: []byte("{}"), Options: opts}, {Method: "n", Notification: true}}
	if err := d.c.Batch(items, ids); err != nil {
		d.reservedError(err)
		return
	}
	d.calls = append(d.calls, ids[:2]...)
}

func (d *driver) answer(x byte) {
	if len(d.requests) == 0 {
		return
	}
	req := d.requests[int(x)%len(d.requests)]
	if x&1 != 0 {
		d.reservedError(d.c.Reply(req, []byte(strconv.Itoa(int(x)))))
	} else {
		d.reservedError(d.c.Fail(req, Code(x), "why\n", []byte(`"data"`)))
	}
}

func (d *driver) take() {
	if block := d.c.Take(nil); block != nil {
		d.wellFormed(block)
		if d.taken != 0 {
			d.t.Fatal("a block before the last one was written")
		}
		d.taken = len(block)
	}
}

// wellFormed cuts and scans what goes out as the peer would.
func (d *driver) wellFormed(block []byte) {
	var dec frame.Decoder
	dec.Init(frame.Config{
		Framing: frame.Framing(d.c.cfg.Framing), HeaderBytesMax: 64, BodyBytesMax: 300, BlankBytesMax: 8,
	})
	scanner := scan.Scanner{DepthMax: 100}
	for len(block) > 0 {
		step := dec.Next(block)
		if d.c.cfg.Framing == FramingWhole {
			step = dec.NextWhole(block)
		}
		if step.Status != frame.Frame {
			d.t.Fatalf("status %d in %q", step.Status, block)
		}
		if fault, at := scanner.Valid(block[step.Start:step.End]); fault != scan.FaultNone {
			d.t.Fatalf("fault %d at %d in %q", fault, at, block)
		}
		block = block[step.Size:]
	}
}

func (d *driver) frame(body string) {
	switch d.c.cfg.Framing {
	case FramingHeader:
		d.feed("Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
	case FramingLine:
		d.feed(body + "\n")
	case FramingLength4:
		d.feed("\x00\x00\x00" + string(byte(len(body))) + body)
	case FramingWhole:
		copy(d.c.Reserve(len(body)), body)
		d.reservedError(d.c.CommitMessage(len(body)))
	}
}

func (d *driver) feed(text string) {
	copy(d.c.Reserve(len(text)), text)
	d.reservedError(d.c.Commit(len(text)))
}

// reservedError accepts the typed errors and no other.
func (d *driver) reservedError(err error) {
	switch err.(type) {
	case nil, UsageError, *ProtocolError:
	default:
		d.t.Fatalf("untyped error %v", err)
	}
}

func (d *driver) check(err error) {
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *driver) drain() {
	for ev := range d.c.Events() {
		if d.closed {
			d.t.Fatalf("%v after closed", ev.Kind)
		}
		switch ev.Kind {
		case EventResult, EventError, EventInvalidAnswer, EventTimeout, EventCanceled, EventLost:
			d.outcomes[ev.Call]++
		case EventRequest:
			if d.seen[ev.Req] {
				d.t.Fatalf("request %d twice", ev.Req)
			}
			d.seen[ev.Req] = true
			d.requests = append(d.requests, ev.Req)
		case EventNotification:
			if ev.Req != 0 {
				d.requests = append(d.requests, ev.Req)
			}
		case EventClosed:
			d.closed = true
		}
	}
}

func (d *driver) finish() {
	d.c.Abort()
	d.drain()
	if !d.closed {
		d.t.Fatal("not closed after Abort")
	}
	for _, id := range d.calls {
		if n := d.outcomes[id]; n != 1 {
			d.t.Fatalf("call %d has %d outcomes", id, n)
		}
	}
	if len(d.outcomes) != len(d.calls) {
		d.t.Fatalf("%d outcomes for %d calls", len(d.outcomes), len(d.calls))
	}
}
