package wasmhost

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero/sys"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/machinetest"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

// panicAt makes one export of an instance panic inside the module, as a bug there would.
func panicAt(in *instance, x export) { in.functions[x] = in.module.ExportedFunction("probe_panic") }

func TestPanicInTheModulePoisonsItsInstance(t *testing.T) {
	e := engineOf(t, wasmtest.Probe(t), PerInstance(2))
	m := newMachine(t, e, small(core.ProfileLSP, core.RoleClient))
	neighbour := newMachine(t, e, small(core.ProfileLSP, core.RoleClient))
	if m.in != neighbour.in {
		t.Fatal("two connections were to share an instance")
	}
	if _, err := m.Call("before", nil, core.CallOptions{}); err != nil {
		t.Fatal(err)
	}
	panicAt(m.in, exportTurn)
	if err := m.Commit(copy(m.Reserve(3), "abc")); err != core.ErrClosed {
		t.Errorf("the commit that trapped: %v, want %v", err, core.ErrClosed)
	}

	var trap *TrapError
	if !errors.As(m.Err(), &trap) {
		t.Fatalf("Err() = %v, want a TrapError", m.Err())
	}
	if trap.Export != "parley_turn" || !strings.Contains(trap.Panic, "probe: as asked") {
		t.Errorf("the trap names export %q and panic %q", trap.Export, trap.Panic)
	}
	if text := trap.Error(); strings.ContainsAny(text, "\n\x1b") {
		t.Errorf("the error has more than one line: %q", text)
	}
	if neighbour.Err() != error(trap) {
		t.Errorf("the neighbour reports %v, want the same trap", neighbour.Err())
	}
	machinetest.ActsClosed(t, m)
	machinetest.ActsClosed(t, neighbour)

	after := newMachine(t, e, small(core.ProfileLSP, core.RoleClient))
	if after.in == m.in {
		t.Error("a new connection was put on the poisoned instance")
	}
	if _, err := after.Call("after", nil, core.CallOptions{}); err != nil {
		t.Error("a fresh instance:", err)
	}
}

func TestClosedMachineActsClosedAndItsNeighbourLives(t *testing.T) {
	e := newEngine(t, PerInstance(2))
	m := newMachine(t, e, small(core.ProfileLSP, core.RoleClient))
	neighbour := newMachine(t, e, small(core.ProfileLSP, core.RoleClient))
	for range 2 {
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	machinetest.ActsClosed(t, m)
	if m.Err() != nil {
		t.Error("closing is no failure:", m.Err())
	}
	if _, err := neighbour.Call("a", nil, core.CallOptions{}); err != nil || neighbour.Err() != nil {
		t.Errorf("the neighbour: %v, %v", err, neighbour.Err())
	}
	if err := neighbour.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(e.instances); n != 0 {
		t.Errorf("%d instances are left, want none", n)
	}
}

func TestClosingTheEngineEndsItsMachines(t *testing.T) {
	e := newEngine(t)
	m := newMachine(t, e, small(core.ProfileLSP, core.RoleClient))
	if err := e.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if m.Err() == nil {
		t.Error("the machine is to report the end of its engine")
	}
	machinetest.ActsClosed(t, m)
	if _, err := e.Machine(small(core.ProfileLSP, core.RoleClient)); !errors.Is(err, ErrEngineClosed) {
		t.Errorf("a machine of a closed engine: %v, want %v", err, ErrEngineClosed)
	}
}

func TestContextInterruptsARunningMachine(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	e, err := New(ctx, Module(wasmtest.Reactor(t)), CacheDir(cacheDir(t)), CloseOnContextDone())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close(context.Background())
	m := newMachine(t, e, small(core.ProfileLSP, core.RoleClient))
	cancel()
	m.Advance(1)
	var exit *sys.ExitError
	if err := m.Err(); !errors.As(err, &exit) || !errors.Is(err, context.Canceled) {
		t.Errorf("Err() = %v, want the context's end", err)
	}
}

func TestModuleOfAnotherKindIsRefused(t *testing.T) {
	empty := []byte("\x00asm\x01\x00\x00\x00")
	for what, module := range map[string][]byte{"no exports": empty, "no module": []byte("text")} {
		if _, err := New(context.Background(), Module(module), CacheDir("")); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
	for what, option := range map[string]Option{
		"too little memory": MemoryBytesMax(1 << 20), "too much memory": MemoryBytesMax(1 << 32),
		"nobody on it": PerInstance(0), "too many on it": PerInstance(1 << 20),
	} {
		if _, err := New(context.Background(), option); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}
