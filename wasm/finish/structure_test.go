package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Goal: functions do the same before and after, from wherever they are entered. Method: functions are drawn that are laid
// out as Go lays them out, write a trace of their pieces, branch on it, and unwind at their calls; wazero runs both.
func TestStructuredFunctionsDoTheSame(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	var drawn []drawnFunction
	for range 400 {
		drawn = append(drawn, drawFunction(draw))
	}
	before := moduleOfFunctions(drawn)
	after, err := finish(before)
	if err != nil {
		t.Fatal(err)
	}
	if len(after) > len(before)*9/10 {
		t.Errorf("%d bytes became %d: its jumps are what they were", len(before), len(after))
	}
	plain, structured := newRunner(t, before), newRunner(t, after)
	for i := range drawn {
		for _, number := range drawn[i].entries {
			for trace := range uint64(3) {
				want, got := plain.run(i, number, trace), structured.run(i, number, trace)
				if want != got {
					t.Fatalf("function %d entered at %d with %d:\n%s\nwant %s", i, number, trace, got, want)
				}
			}
		}
	}
}

// A loop as Go lays it out, its condition at its end: what comes out has no table.
func TestLoopIsALoop(t *testing.T) {
	d := drawnFunction{pieces: 4, table: []int{0, 1, 2, 3}}
	d.code = [][]byte{
		d.jump(0, 2, 0),
		{opGlobalGet, globalTrace, opGlobalSet, globalTrace},
		append(append([]byte{opGlobalGet, globalFuel, opIf, blockVoid & 0x7f}, d.jump(2, 1, 1)...), opEnd),
		{opI32Const, 0, opReturn},
	}
	body := d.body()
	got, err := structureBody(body)
	if err != nil {
		t.Fatal(err)
	}
	const void = blockVoid & 0x7f
	want := []byte{
		1, 1, typeI32, opGlobalGet, 0, opLocalSet, 1,
		opBlock, void,
		opLoop, void,
		opBlock, void,
		opGlobalGet, globalFuel, opIf, void, opBr, 1, opEnd, opBr, 2,
		opEnd,
		opGlobalGet, globalTrace, opGlobalSet, globalTrace, opBr, 0,
		opEnd,
		opEnd,
		opI32Const, 0, opReturn,
		opUnreachable, opEnd,
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got  %x\nwant %x", got, want)
	}
}

func TestFunctionsThatStayAsTheyAre(t *testing.T) {
	d := drawFunction(rand.New(rand.NewPCG(3, 4)))
	body := d.body()
	table := bytes.Index(body, []byte{opLocalGet, 0, opBrTable})
	for name, change := range map[string]func([]byte) []byte{
		"another local":     func(b []byte) []byte { b[table+1] = 1; return b },
		"a wild table":      func(b []byte) []byte { b[table+4] = 100; return b },
		"a jump elsewhere":  func(b []byte) []byte { b[bytes.Index(b, []byte{opLocalSet, 0, opBr})+3]++; return b },
		"a jump of others":  func(b []byte) []byte { b[bytes.Index(b, []byte{opLocalSet, 0, opBr})+1] = 2; return b },
		"a call elsewhere":  func(b []byte) []byte { b[bytes.LastIndexByte(b, opBrIf)+1]--; return b },
		"another beginning": func(b []byte) []byte { b[4] = 1; return b },
		"nothing":           func([]byte) []byte { return []byte{0, opEnd} },
	} {
		changed := change(bytes.Clone(body))
		got, err := structureBody(changed)
		if err != nil || !bytes.Equal(got, changed) {
			t.Errorf("%s: changed, or refused: %v", name, err)
		}
	}
	for cut := range body {
		_, _ = structureBody(body[:cut]) // whatever it makes of that, it ends
	}
}

const (
	typeI32 = 0x7f
	typeI64 = 0x7e

	globalTrace  = 1
	globalFuel   = 2
	globalNumber = 3 // where the function goes on once it has unwound
)

// drawnFunction is laid out as function.go says.
type drawnFunction struct {
	unwinds bool
	pieces  int
	table   []int
	entries []int // numbers
	code    [][]byte
}

func drawFunction(draw *rand.Rand) drawnFunction {
	d := drawnFunction{unwinds: draw.IntN(3) > 0, pieces: 2 + draw.IntN(12), entries: []int{0}}
	for p := range d.pieces {
		for range 1 + draw.IntN(2) {
			d.table = append(d.table, p)
		}
	}
	for p := range d.pieces {
		d.code = append(d.code, d.drawPiece(draw, p))
	}
	return d
}

func (d *drawnFunction) drawPiece(draw *rand.Rand, p int) (code []byte) {
	if p > 0 && draw.IntN(8) == 0 {
		code = append(code, opCall, 0)
		d.entries = append(d.entries, d.numberOf(p))
	}
	code = append(code, opGlobalGet, globalFuel, opI32Eqz, opIf, blockVoid&0x7f, opI32Const, 0, opReturn, opEnd)
	code = append(code, opGlobalGet, globalFuel, opI32Const, 1, opI32Sub, opGlobalSet, globalFuel)
	code = append(code, opGlobalGet, globalTrace, opI64Const, 31, opI64Mul, opI64Const, byte(p+1), opI64Add, opGlobalSet, globalTrace)
	for range draw.IntN(3) {
		code = append(appendCondition(code, draw), opIf, blockVoid&0x7f)
		code = append(append(code, d.jump(p, draw.IntN(d.pieces), 1)...), opEnd)
	}
	switch draw.IntN(6) {
	case 0:
		return append(code, d.jump(p, draw.IntN(d.pieces), 0)...)
	case 1, 2:
		if next := p + 1; d.unwinds && next < d.pieces {
			d.entries = append(d.entries, d.numberOf(next))
			code = append(code, opI32Const, byte(d.numberOf(next)), opGlobalSet, globalNumber)
			return append(appendCondition(code, draw), opBrIf, byte(d.pieces-p))
		}
	case 3:
		return append(code, opI32Const, 0, opReturn)
	}
	return code
}

const (
	opGlobalSet  = 0x24
	opI32Eqz     = 0x45
	opI32Sub     = 0x6b
	opI64Add     = 0x7c
	opI64Mul     = 0x7e
	opI64And     = 0x83
	opI64ShrU    = 0x88
	opI32WrapI64 = 0xa7
)

// appendCondition appends what leaves one bit of the trace.
func appendCondition(code []byte, draw *rand.Rand) []byte {
	return append(code, opGlobalGet, globalTrace, opI64Const, byte(draw.IntN(8)), opI64ShrU, opI64Const, 1, opI64And, opI32WrapI64)
}

func (d *drawnFunction) numberOf(piece int) int {
	for number, p := range d.table {
		if p == piece {
			return number
		}
	}
	return -1
}

// jump leads from inside depth blocks of piece p to another piece.
func (d *drawnFunction) jump(p, to, depth int) []byte {
	number := d.numberOf(to)
	if to == d.pieces-1 {
		number = 63 // as every one beyond the table
	}
	return []byte{opI32Const, byte(number), opLocalSet, 0, opBr, byte(depth + d.pieces - 1 - p)}
}

// body is the function with its locals.
func (d *drawnFunction) body() []byte {
	const void = blockVoid & 0x7f
	body := []byte{1, 1, typeI32, opGlobalGet, 0, opLocalSet, 1}
	if d.unwinds {
		body = append(body, opBlock, void)
	}
	body = append(body, opLoop, void)
	for range d.pieces {
		body = append(body, opBlock, void)
	}
	body = append(body, opLocalGet, 0, opBrTable, byte(len(d.table)))
	for _, p := range d.table {
		body = append(body, byte(p))
	}
	body = append(body, byte(d.pieces-1))
	for _, code := range d.code {
		body = append(append(body, opEnd), code...)
	}
	body = append(body, opEnd, opUnreachable)
	if d.unwinds {
		body = append(body, opEnd, opI32Const, 1)
	}
	return append(body, opEnd)
}

// moduleOfFunctions has a function that does nothing, those drawn, and exports: f0, f1 ... and g1, g2 and g3, the globals.
func moduleOfFunctions(drawn []drawnFunction) []byte {
	types := []byte{2, 0x60, 0, 0, 0x60, 1, typeI32, 1, typeI32}
	functions := append(binary.AppendUvarint(nil, uint64(len(drawn)+1)), 0)
	code := append(binary.AppendUvarint(nil, uint64(len(drawn)+1)), 2, 0, opEnd)
	exports := binary.AppendUvarint(nil, uint64(len(drawn)+3))
	export := func(name string, kind byte, index int) {
		exports = append(appendBlock(exports, []byte(name)), kind)
		exports = binary.AppendUvarint(exports, uint64(index))
	}
	for i := range drawn {
		functions = append(functions, 1)
		code = appendBlock(code, drawn[i].body())
		export(fmt.Sprint("f", i), 0, i+1)
	}
	for _, global := range []int{globalTrace, globalFuel, globalNumber} {
		export(fmt.Sprint("g", global), 3, global)
	}
	globals := []byte{4}
	for i := range 4 {
		kind, op := byte(typeI32), byte(opI32Const)
		if i == globalTrace {
			kind, op = typeI64, opI64Const
		}
		globals = append(globals, kind, 1, op, 0, opEnd)
	}
	module := []byte(preamble)
	for _, section := range []struct {
		id    byte
		bytes []byte
	}{{1, types}, {3, functions}, {6, globals}, {7, exports}, {sectionCode, code}} {
		module = appendBlock(append(module, section.id), section.bytes)
	}
	return module
}

// runner runs the functions of a module.
type runner struct{ module api.Module }

func newRunner(t *testing.T, module []byte) runner {
	t.Helper()
	ctx := t.Context()
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { _ = runtime.Close(context.WithoutCancel(ctx)) })
	instance, err := runtime.Instantiate(ctx, module)
	if err != nil {
		t.Fatal(err)
	}
	return runner{instance}
}

// run enters a function at a number, and again wherever it unwound, and returns what there is to see.
func (r runner) run(function, number int, trace uint64) (seen string) {
	const fuel = 100
	r.set(globalTrace, trace)
	r.set(globalFuel, fuel)
	for {
		result, err := r.module.ExportedFunction(fmt.Sprint("f", function)).Call(context.Background(), uint64(number))
		seen += fmt.Sprintf(" %d: %d %x", number, result, r.get(globalTrace))
		switch {
		case err != nil:
			return seen + " trap"
		case result[0] == 0:
			return seen
		}
		number = int(r.get(globalNumber))
	}
}

func (r runner) set(global int, value uint64) {
	r.module.ExportedGlobal(fmt.Sprint("g", global)).(api.MutableGlobal).Set(value)
}

func (r runner) get(global int) uint64 { return r.module.ExportedGlobal(fmt.Sprint("g", global)).Get() }
