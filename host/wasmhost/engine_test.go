package wasmhost

import (
	"context"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

// newEngine runs the module built from the sources at hand.
func newEngine(t testing.TB, opts ...Option) *Engine {
	t.Helper()
	return engineOf(t, wasmtest.Reactor(t), opts...)
}

func engineOf(t testing.TB, module []byte, opts ...Option) *Engine {
	t.Helper()
	e, err := New(context.Background(), append([]Option{Module(module), CacheDir(cacheDir(t))}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return e
}

// cacheDir is one folder for the whole run, so that each module is compiled once.
func cacheDir(t testing.TB) string { return wasmtest.Root(t) + "/build/wasm/compiled" }

func newMachine(t testing.TB, e *Engine, cfg core.Config) *machine {
	t.Helper()
	m, err := e.Machine(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m.(*machine)
}

// A spare is taken and replaced, an instance serves one connection after all, and Close ends both.
func TestSpares(t *testing.T) {
	e := newEngine(t, Spares(2))
	e.makers.Wait()
	first := newMachine(t, e, small(core.ProfileLSP, core.RoleClient))
	e.makers.Wait()
	if len(e.spares) != 2 || len(e.instances) != 1 {
		t.Fatalf("%d spares and %d instances, want 2 and 1", len(e.spares), len(e.instances))
	}
	used := first.in
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if m := newMachine(t, e, small(core.ProfileLSP, core.RoleClient)); m.in == used {
			t.Error("an instance that had a connection was given to another one")
		}
	}
	if err := e.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Machine(small(core.ProfileLSP, core.RoleClient)); err != ErrEngineClosed {
		t.Errorf("after Close: %v", err)
	}
}

// small is a configuration that fits many times into an instance.
func small(profile core.Profile, role core.Role) core.Config {
	cfg := core.Defaults(profile, role)
	cfg.Limits.FrameBytesMax = 1 << 20
	cfg.Limits.QueuedBytesMax = 1 << 20
	cfg.Limits.ParkedBytesMax = 1 << 20
	cfg.Limits.CallsMax = 1024
	return cfg
}
