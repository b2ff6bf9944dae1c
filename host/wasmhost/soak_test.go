package wasmhost

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host/internal/modulecache"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

// Memory that stays flat has this size at most: frames of soakFrameBytes need four times that, the
// Go runtime the rest.
const (
	soakFrameBytes  = 4 << 20
	soakMemoryBytes = 48 << 20
)

// soakBytes is how much the peer sends; 300 MB of garbage are not enough to see a starved collector.
func soakBytes() int64 {
	if os.Getenv("PARLEY_SOAK") == "1" {
		return 4 << 30
	}
	return 1280 << 20
}

func skipUnderRace(t *testing.T) {
	t.Helper()
	if underRace {
		t.Skip("one goroutine and a sandbox: nothing for the race detector, and a minute of its time")
	}
}

// One instance parses frames that make its buffers grow and be dropped, and gives up calls, until
// far more than its memory has become garbage. Linear memory never shrinks: it must stop growing.
func TestSoakKeepsMemoryFlat(t *testing.T) {
	skipUnderRace(t)
	cfg := core.Defaults(core.ProfileLSP, core.RoleClient)
	cfg.Limits.FrameBytesMax = soakFrameBytes
	cfg.Inbound = core.InboundMessages
	m := newMachine(t, newEngine(t), cfg)
	m.Want(1<<31 - 1)

	frames := map[int]string{}
	for size := 64 << 10; size <= soakFrameBytes; size *= 2 {
		frames[size] = frame(`{"jsonrpc":"2.0","method":"note","params":["` + strings.Repeat("x", size-64) + `"]}`)
	}
	now, calls := core.Time(0), 0
	var ev core.Event
	var spare []byte
	drain := func() {
		for m.Next(&ev) {
		}
		for spare = m.Take(spare); spare != nil; spare = m.Take(spare) {
			m.Wrote(len(spare))
		}
	}
	for sent, size := int64(0), 64<<10; sent < soakBytes(); size *= 2 {
		if size > soakFrameBytes {
			size = 64 << 10
		}
		for rest := frames[size]; len(rest) > 0; {
			n := copy(m.Reserve(64<<10), rest)
			if err := m.Commit(n); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		sent += int64(len(frames[size]))
		drain()
		for range 20 { // more than 20,000 in all
			now++
			if _, err := m.Call("slow", []byte(`{"x":1}`), core.CallOptions{Deadline: now + 1}); err != nil {
				t.Fatal(err)
			}
			calls++
		}
		now++
		m.Advance(now)
		drain()
	}
	if err := m.Err(); err != nil {
		t.Fatal(err)
	}
	stats := m.Stats()
	memory := m.in.module.Memory().Size()
	t.Logf("%d MiB in %d frames, %d calls given up, linear memory %d MiB", stats.BytesIn>>20, stats.FramesIn, calls, memory>>20)
	if memory > soakMemoryBytes {
		t.Errorf("linear memory has grown to %d MiB, want at most %d", memory>>20, soakMemoryBytes>>20)
	}
	if calls < 20_000 {
		t.Errorf("%d calls were given up, want at least 20,000", calls)
	}
}

// The same garbage twice, once with the system's clock and once with wazero's own, which jumps at
// every reading: Go's collector then believes that it takes too long and stops. The second half
// proves that the first could fail.
func TestSoakNeedsTheSystemClock(t *testing.T) {
	skipUnderRace(t)
	const (
		pieceBytes  = 64 << 10
		pieces      = 12_000 // 750 MiB
		flatBytes   = 32 << 20
		starvedFrom = 128 << 20
	)
	ctx := context.Background()
	grow := func(config wazero.ModuleConfig) uint32 {
		t.Helper()
		runtime, compiled, err := modulecache.Compile(ctx, wazero.NewRuntimeConfig(), cacheDir(t), wasmtest.Probe(t))
		if err != nil {
			t.Fatal(err)
		}
		defer runtime.Close(ctx)
		module, err := runtime.InstantiateModule(ctx, compiled, config.WithStartFunctions(startFunction))
		if err != nil {
			t.Fatal(err)
		}
		garbage := module.ExportedFunction("probe_garbage")
		stack := make([]uint64, 1)
		for range pieces {
			stack[0] = pieceBytes
			if err := garbage.CallWithStack(ctx, stack); err != nil {
				t.Fatal(err)
			}
		}
		return module.Memory().Size()
	}
	if memory := grow(wazero.NewModuleConfig().WithSysNanotime()); memory > flatBytes {
		t.Errorf("with the system's clock memory has grown to %d MiB, want at most %d", memory>>20, flatBytes>>20)
	}
	if memory := grow(wazero.NewModuleConfig()); memory < starvedFrom {
		t.Errorf("with wazero's clock memory is at %d MiB: the soak would not notice a starved collector", memory>>20)
	}
}
