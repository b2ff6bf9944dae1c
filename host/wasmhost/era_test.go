package wasmhost

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/internal/eratable"
	"github.com/parley-rpc/parley/wasm/abi"
)

// eraTwin is a negotiation behind the boundary.
type eraTwin struct {
	t      *testing.T
	in     *instance
	handle uint64
}

func newEraTwin(t *testing.T, in *instance, cfg era.Config) *eraTwin {
	var record abi.EraConfig
	a, err := in.arguments(8 + 256 + len(cfg.Version) + len(cfg.Client.Info) + len(cfg.Client.Capabilities))
	if err != nil {
		t.Fatal(err)
	}
	address, view := a.skip(binary.Size(&record))
	record = abi.EraConfig{
		Bytes: uint32(len(view)), Mode: uint8(cfg.Mode), Known: uint8(cfg.Known),
		Version: a.putText(cfg.Version), Info: a.put(cfg.Client.Info), Capabilities: a.put(cfg.Client.Capabilities),
		ProbeNs: float64(cfg.ProbeNs), ConnectNs: float64(cfg.ConnectNs),
	}
	if cfg.Spawned {
		record.Spawned = 1
	}
	putRecord(view, &record)
	raw, err := in.call(exportEraOpen, uint64(address), uint64(len(view)))
	if err != nil {
		t.Fatal(err)
	}
	if handle := math.Float64frombits(raw); handle < 0 {
		t.Fatal(errorOf(int32(-handle)))
	}
	return &eraTwin{t: t, in: in, handle: raw}
}

func (e *eraTwin) must(x export, params ...uint64) uint32 {
	e.t.Helper()
	n, err := e.in.callInt(x, append([]uint64{e.handle}, params...)...)
	if err != nil {
		e.t.Fatal(err)
	}
	return n
}

func (e *eraTwin) settle(call uint32, ev *core.Event) {
	a, err := e.in.arguments(len(ev.Text) + len(ev.Body))
	if err != nil {
		e.t.Fatal(err)
	}
	text, body := a.put(ev.Text), a.put(ev.Body)
	e.must(exportEraSettle, uint64(call), uint64(ev.Kind), uint64(uint32(ev.Code)),
		uint64(text.Address), uint64(text.Bytes), uint64(body.Address), uint64(body.Bytes))
}

// tableTwin is eraTwin as the player of the table sees it.
type tableTwin struct {
	*eraTwin
	failure era.FailureKind
}

func (e *tableTwin) Advance(now core.Time) { e.must(exportEraAdvance, timeBits(now)) }

func (e *tableTwin) Settle(call uint32, ev *core.Event) { e.settle(call, ev) }

func (e *tableTwin) FailureKind() era.FailureKind { return e.failure }

func (e *tableTwin) Next(step *era.Step) bool {
	address := e.must(exportEraNext)
	if address == 0 {
		return false
	}
	var s abi.EraStep
	if err := e.in.record(address, &s); err != nil {
		e.t.Fatal(err)
	}
	e.failure = era.FailureKind(s.Failure)
	*step = era.Step{
		Kind: era.StepKind(s.Kind), Era: era.Era(s.Era), Call: s.Call,
		Method: string(e.read(s.Method)), Version: string(e.read(s.Version)), ID: e.read(s.ID),
	}
	return true
}

// Goal: behind the boundary the rows of the table are what they are without one (ERA-1 to ERA-6,
// ERA-10).
func TestEraTableThroughTheBoundary(t *testing.T) {
	engine := newEngine(t)
	in, err := newInstance(context.Background(), engine.runtime, engine.compiled)
	if err != nil {
		t.Fatal(err)
	}
	defer in.close()
	eratable.Play(t, "../../conformance/era.table", "", func(t *testing.T, cfg era.Config) eratable.Negotiation {
		twin := newEraTwin(t, in, cfg)
		t.Cleanup(func() { twin.must(exportEraFree) })
		return &tableTwin{eraTwin: twin}
	})
}

// steps spells everything that is to be done, and the deadline.
func (e *eraTwin) steps() []string {
	var all []string
	for {
		address := e.must(exportEraNext)
		if address == 0 {
			raw, err := e.in.call(exportEraDeadline, e.handle)
			if err != nil {
				e.t.Fatal(err)
			}
			return append(all, fmt.Sprint("deadline ", timeOf(math.Float64frombits(raw))))
		}
		var s abi.EraStep
		if err := e.in.record(address, &s); err != nil {
			e.t.Fatal(err)
		}
		all = append(all, fmt.Sprint(s.Kind, s.Era, s.Failure, s.Call, timeOf(s.Deadline),
			e.text(s.Method), e.text(s.Version), e.text(s.ID), e.text(s.Params), e.text(s.Result), e.text(s.Text)))
	}
}

func (e *eraTwin) text(span abi.Span) string { return fmt.Sprintf("%q", e.read(span)) }

func (e *eraTwin) read(span abi.Span) []byte {
	b, err := e.in.read(span.Address, span.Bytes)
	if err != nil {
		e.t.Fatal(err)
	}
	return b
}

func nativeSteps(n *era.Negotiation) []string {
	var all []string
	var s era.Step
	for n.Next(&s) {
		var kind era.FailureKind
		text := ""
		if f := n.Failure(); f != nil && s.Kind == era.StepFailed {
			kind, text = f.Kind, f.Error()
		}
		quoted := func(b []byte) string { return fmt.Sprintf("%q", b) }
		all = append(all, fmt.Sprint(uint8(s.Kind), uint8(s.Era), uint8(kind), s.Call, s.Deadline,
			quoted([]byte(s.Method)), quoted([]byte(s.Version)), quoted(s.ID), quoted(s.Params), quoted(s.Result), quoted([]byte(text))))
	}
	return append(all, fmt.Sprint("deadline ", n.Deadline()))
}

// Goal: the negotiation behind the boundary asks for the same steps at the same times (ERA-1 to
// ERA-6, ERA-10). Method: both are told the same.
func TestEraThroughTheBoundary(t *testing.T) {
	client := era.Client{Info: []byte(`{"name":"t","version":"1"}`), Capabilities: []byte(`{"roots":{}}`)}
	outcome := func(kind core.EventKind, code core.Code, text, body string) *core.Event {
		return &core.Event{Kind: kind, Code: code, Text: []byte(text), Body: []byte(body)}
	}
	modern := outcome(core.EventResult, 0, "", `{"supportedVersions":["2026-07-28"],"resultType":"complete"}`)
	others := outcome(core.EventResult, 0, "", `{"supportedVersions":["2031-01-01"]}`)
	unknown := outcome(core.EventError, -32601, "no such method \x1b", "")
	handshake := outcome(core.EventResult, 0, "", `{"protocolVersion":"2025-06-18","capabilities":{}}`)
	silence := outcome(core.EventTimeout, 0, "", "")
	change := func(f func(*era.Config)) era.Config {
		cfg := era.Defaults(client)
		f(&cfg)
		return cfg
	}
	engine := newEngine(t)
	in, err := newInstance(context.Background(), engine.runtime, engine.compiled)
	if err != nil {
		t.Fatal(err)
	}
	defer in.close()
	for name, row := range map[string]struct {
		cfg    era.Config
		events []*core.Event // outcomes of calls 1, 2, …; nil: half a minute passes
	}{
		"modern":           {era.Defaults(client), []*core.Event{modern}},
		"legacy":           {era.Defaults(client), []*core.Event{unknown, handshake}},
		"no common":        {era.Defaults(client), []*core.Event{others}},
		"silent":           {era.Defaults(client), []*core.Event{silence, handshake}},
		"time runs out":    {era.Defaults(client), []*core.Event{nil}},
		"cached as modern": {change(func(c *era.Config) { c.Known = era.EraModern }), []*core.Event{unknown}},
		"pinned":           {change(func(c *era.Config) { c.Mode, c.Version = era.ModePinned, "2025-06-18" }), []*core.Event{handshake}},
		"a child dies": {
			change(func(c *era.Config) { c.Spawned = true }),
			[]*core.Event{outcome(core.EventLost, 0, "", ""), handshake},
		},
	} {
		native, err := era.New(row.cfg)
		if err != nil {
			t.Fatal(err)
		}
		twin := newEraTwin(t, in, row.cfg)
		native.Advance(0)
		twin.must(exportEraAdvance, timeBits(0))
		compareSteps(t, name, native, twin)
		for i, ev := range row.events {
			if ev == nil {
				native.Advance(30 * core.Second)
				twin.must(exportEraAdvance, timeBits(30*core.Second))
			} else {
				native.Settle(uint32(i+1), ev)
				twin.settle(uint32(i+1), ev)
			}
			compareSteps(t, name, native, twin)
		}
		twin.must(exportEraFree)
		if _, err := in.callInt(exportEraFree, twin.handle); err != abi.ErrHandle {
			t.Errorf("%s: freed twice: %v", name, err)
		}
	}
}

func compareSteps(t *testing.T, name string, native *era.Negotiation, twin *eraTwin) {
	t.Helper()
	want, got := fmt.Sprint(nativeSteps(native)), fmt.Sprint(twin.steps())
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", name, got, want)
	}
}

// The params of a modern request cross with a complete _meta, or are refused as natively (ERA-9).
func TestEraParamsThroughTheBoundary(t *testing.T) {
	client := era.Client{Info: []byte(`{"name":"t","version":"1"}`)}
	engine := newEngine(t)
	in, err := newInstance(context.Background(), engine.runtime, engine.compiled)
	if err != nil {
		t.Fatal(err)
	}
	defer in.close()
	twin := newEraTwin(t, in, era.Defaults(client))
	for _, params := range []string{`{"a":1,"_meta":{"b":2}}`, `{}`, `[1]`, `{`} {
		want, wantErr := client.AppendParams(nil, []byte(params), "2026-07-28")
		a, err := in.arguments(len(params) + 16)
		if err != nil {
			t.Fatal(err)
		}
		p, v := a.putText(params), a.putText("2026-07-28")
		address, err := in.callInt(exportEraParams, twin.handle, uint64(p.Address), uint64(p.Bytes), uint64(v.Address), uint64(v.Bytes))
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: %v, want %v", params, err, wantErr)
		}
		if err != nil {
			continue
		}
		var span abi.Span
		if err := in.record(address, &span); err != nil {
			t.Fatal(err)
		}
		if got := twin.text(span); got != fmt.Sprintf("%q", want) {
			t.Errorf("%s: %s, want %q", params, got, want)
		}
	}
}
