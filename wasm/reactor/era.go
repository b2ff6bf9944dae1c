//go:build wasip1

package main

import (
	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/wasm/abi"
)

// negotiation is one era.Negotiation and the block through which the host sees its steps.
type negotiation struct {
	machine *era.Negotiation
	client  era.Client

	block abi.EraStep
	step  era.Step // what the block points at
	text  string
	meta  []byte
	span  abi.Span
}

var negotiations = newTable[*negotiation](abi.ErasMax)

//go:wasmexport parley_era_open
func openEra(config, configBytes uint32) float64 {
	given, err := recordAt[abi.EraConfig](config, configBytes)
	if err != 0 {
		return -float64(err)
	}
	cfg, err := eraConfigOf(&given)
	if err != 0 {
		return -float64(err)
	}
	machine, wrong := era.New(cfg)
	if wrong != nil {
		return refuse(abi.ErrConfig, wrong)
	}
	return negotiations.add(&negotiation{machine: machine, client: cfg.Client})
}

// eraConfigOf lays the record over the defaults. What it keeps of scratch is copied.
func eraConfigOf(given *abi.EraConfig) (era.Config, abi.Error) {
	spans, err := spansAt(given.Version, given.Info, given.Capabilities)
	if err != 0 {
		return era.Config{}, err
	}
	cfg := era.Defaults(era.Client{Info: clone(spans[1]), Capabilities: clone(spans[2])})
	cfg.Mode, cfg.Known, cfg.Spawned = era.Mode(given.Mode), era.Era(given.Known), given.Spawned != 0
	cfg.Version = string(spans[0])
	for _, budget := range [...]struct {
		given float64
		to    *core.Time
	}{{given.ProbeNs, &cfg.ProbeNs}, {given.StartupNs, &cfg.StartupNs}, {given.ConnectNs, &cfg.ConnectNs}} {
		n, ok := countOf(budget.given)
		if !ok {
			return era.Config{}, abi.ErrNumber
		}
		if n != 0 {
			*budget.to = core.Time(n)
		}
	}
	return cfg, 0
}

func clone(b []byte) []byte { return append([]byte(nil), b...) }

//go:wasmexport parley_era_free
func freeEra(handle float64) int32 { return negotiations.free(handle) }

//go:wasmexport parley_era_advance
func advanceEra(handle, now float64) int32 {
	g := negotiations.find(handle)
	if g == nil {
		return -int32(abi.ErrHandle)
	}
	t, ok := nowOf(now)
	if !ok {
		return -int32(abi.ErrNumber)
	}
	g.machine.Advance(t)
	return 0
}

//go:wasmexport parley_era_deadline
func deadlineOfEra(handle float64) float64 {
	g := negotiations.find(handle)
	if g == nil {
		return -float64(abi.ErrHandle)
	}
	return floatOf(g.machine.Deadline())
}

//go:wasmexport parley_era_next
func nextOfEra(handle float64) int32 {
	g := negotiations.find(handle)
	if g == nil {
		return -int32(abi.ErrHandle)
	}
	if !g.machine.Next(&g.step) {
		return 0
	}
	g.encode()
	return pointerTo(&g.block)
}

func (g *negotiation) encode() {
	s := &g.step
	g.block = abi.EraStep{
		Kind: uint8(s.Kind), Era: uint8(s.Era), Call: s.Call, Deadline: floatOf(s.Deadline),
		Method: textSpan(s.Method), Version: textSpan(s.Version),
		ID: spanOf(s.ID), Params: spanOf(s.Params), Result: spanOf(s.Result),
	}
	if failure := g.machine.Failure(); s.Kind == era.StepFailed && failure != nil {
		g.text = failure.Error()
		g.block.Failure, g.block.Text = uint8(failure.Kind), textSpan(g.text)
	}
}

//go:wasmexport parley_era_settle
func settleEra(handle float64, call, kind uint32, code int32, text, textBytes, body, bodyBytes uint32) int32 {
	g := negotiations.find(handle)
	if g == nil {
		return -int32(abi.ErrHandle)
	}
	spans, err := spansAt(abi.Span{Address: text, Bytes: textBytes}, abi.Span{Address: body, Bytes: bodyBytes})
	if err != 0 {
		return -int32(err)
	}
	if kind < uint32(core.EventResult) || kind > uint32(core.EventLost) {
		return -int32(abi.ErrNumber)
	}
	g.machine.Settle(call, &core.Event{
		Kind: core.EventKind(kind), Code: core.Code(code), Text: spans[0], Body: spans[1],
	})
	return 0
}

// paramsOfEra puts a complete _meta into the params of a modern request (ERA-9), and returns the
// address of the span where they lie until the next one.
//
//go:wasmexport parley_era_params
func paramsOfEra(handle float64, params, paramsBytes, version, versionBytes uint32) int32 {
	g := negotiations.find(handle)
	if g == nil {
		return -int32(abi.ErrHandle)
	}
	spans, err := spansAt(abi.Span{Address: params, Bytes: paramsBytes}, abi.Span{Address: version, Bytes: versionBytes})
	if err != 0 {
		return -int32(err)
	}
	meta, wrong := g.client.AppendParams(g.meta[:0], spans[0], string(spans[1]))
	if wrong != nil {
		return codeOf(wrong)
	}
	g.meta, g.span = meta, spanOf(meta)
	return pointerTo(&g.span)
}
