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

// small is a configuration that fits many times into an instance.
func small(profile core.Profile, role core.Role) core.Config {
	cfg := core.Defaults(profile, role)
	cfg.Limits.FrameBytesMax = 1 << 20
	cfg.Limits.QueuedBytesMax = 1 << 20
	cfg.Limits.ParkedBytesMax = 1 << 20
	cfg.Limits.CallsMax = 1024
	return cfg
}
