package wasmhost

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

// probe calls an export of the probe module and returns its result as it stands on the stack.
func probe(t *testing.T, in *instance, name string, params ...uint64) uint64 {
	t.Helper()
	stack := make([]uint64, 16)
	copy(stack, params)
	if err := in.module.ExportedFunction(name).CallWithStack(context.Background(), stack); err != nil {
		t.Fatal(name, err)
	}
	return stack[0]
}

// wazero's defaults are a clock that jumps by a millisecond a reading from the start of 2022, and
// randomness from a fixed seed.
func TestClocksAndRandomnessAreReal(t *testing.T) {
	const fakeEpochSeconds = 1640995200
	e := engineOf(t, wasmtest.Probe(t))
	a := newMachine(t, e, small(core.ProfileLSP, core.RoleClient)).in
	b := newMachine(t, e, small(core.ProfileLSP, core.RoleClient)).in
	if probe(t, a, "probe_random") == probe(t, b, "probe_random") {
		t.Error("two instances drew the same random number")
	}
	if s := math.Float64frombits(probe(t, a, "probe_wall_seconds")); s < fakeEpochSeconds+365*24*3600 {
		t.Errorf("the wall clock says %.0f s: wazero's fake", s)
	}
	last, jumps := 0.0, 0
	for range 100 {
		now := math.Float64frombits(probe(t, a, "probe_monotonic_ns"))
		if math.Mod(now-last, 1e6) == 0 {
			jumps++
		}
		last = now
	}
	if jumps > 50 {
		t.Errorf("%d of 100 readings of the monotonic clock are whole milliseconds apart: wazero's fake", jumps)
	}
}

func TestVersionIsTheOneOfPackageABI(t *testing.T) {
	m := newMachine(t, newEngine(t), small(core.ProfileLSP, core.RoleClient))
	if got, err := m.in.callInt(exportVersion); err != nil || got != abi.Version {
		t.Errorf("version %#x, %v, want %#x", got, err, abi.Version)
	}
}

func TestLimitsThatDoNotFitTheMemoryAreRefused(t *testing.T) {
	refused := func(e *Engine, cfg core.Config) {
		t.Helper()
		_, err := e.Machine(cfg)
		var config *core.ConfigError
		if !errors.As(err, &config) || !errors.Is(err, abi.ErrMemory) || config.Value <= config.Max {
			t.Errorf("%v: want a ConfigError about memory", err)
		}
	}
	tight := newEngine(t, MemoryBytesMax(96<<20))
	refused(tight, core.Defaults(core.ProfileLSP, core.RoleClient))
	newMachine(t, tight, small(core.ProfileLSP, core.RoleClient))
	for profile := core.ProfileLSP; profile <= core.ProfilePlain; profile++ {
		newMachine(t, newEngine(t), core.Defaults(profile, core.RoleServer)) // every default fits the default
	}
	huge := core.Defaults(core.ProfileMCP, core.RoleClient)
	huge.Limits.FrameBytesMax = 512 << 20
	refused(newEngine(t), huge)

	// Shared instances: the sum over the connections that are open counts, and one that is closed
	// gives its share back.
	shared := newEngine(t, MemoryBytesMax(128<<20), PerInstance(100))
	first := newMachine(t, shared, small(core.ProfileLSP, core.RoleClient))
	onFirst := 1
	for onFirst < 100 {
		if next := newMachine(t, shared, small(core.ProfileLSP, core.RoleClient)); next.in != first.in {
			break
		}
		onFirst++
	}
	if onFirst < 2 || onFirst == 100 {
		t.Fatalf("%d connections on an instance of 128 MiB", onFirst)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	cfg := small(core.ProfileLSP, core.RoleClient)
	in := first.in
	in.mu.Lock()
	_, err := openHandle(in, &cfg, 128<<20)
	_, full := openHandle(in, &cfg, 128<<20)
	in.mu.Unlock()
	if err != nil || !errors.Is(full, abi.ErrMemory) {
		t.Errorf("in the place of a closed connection: %v; beyond it: %v", err, full)
	}
}

func TestMethodTablesAreBounded(t *testing.T) {
	e := newEngine(t, PerInstance(2))
	cfg := small(core.ProfileLSP, core.RoleServer)
	newMachine(t, e, cfg)
	for i := range abi.MethodsMax + 1 {
		cfg.Methods = append(cfg.Methods, core.Method{Name: fmt.Sprint("method", i)})
	}
	var config *core.ConfigError
	if _, err := e.Machine(cfg); !errors.As(err, &config) || config.Field != "Methods" {
		t.Errorf("%d methods: %v, want a ConfigError about Methods", len(cfg.Methods), err)
	}
	cfg.Methods = cfg.Methods[:1]
	newMachine(t, e, cfg) // the refused table is gone
}

// Linear memory moves when it grows. What Next returned before keeps its bytes in the old place.
func TestEventsSurviveGrowthOfMemory(t *testing.T) {
	e := engineOf(t, wasmtest.Probe(t))
	cfg := small(core.ProfileLSP, core.RoleClient)
	cfg.Inbound = core.InboundMessages
	m := newMachine(t, e, cfg)
	m.Want(10)
	body := `["` + strings.Repeat("é", 1000) + `"]`
	text := frame(`{"jsonrpc":"2.0","method":"first","params":`+body+`}`) + frame(`{"jsonrpc":"2.0","method":"second","params":`+body+`}`)
	if err := m.Commit(copy(m.Reserve(len(text)), text)); err != nil {
		t.Fatal(err)
	}
	reading := m.Reserve(100) // what the reader is blocked on meanwhile
	var first, second core.Event
	if !m.Next(&first) {
		t.Fatal("no event")
	}
	before := m.in.module.Memory().Size()
	for grown := uint32(0); grown < 64<<20; grown += 8 << 20 {
		probe(t, m.in, "probe_garbage", 64<<20)
	}
	if after := m.in.module.Memory().Size(); after <= before {
		t.Fatalf("memory has %d bytes, as before: the test proves nothing", after)
	}
	if !m.Next(&second) {
		t.Fatal("no second event")
	}
	if string(first.Method) != "first" || string(first.Body) != body || string(second.Method) != "second" || string(second.Body) != body {
		t.Errorf("events after growth: %.40q %.40q, %.40q %.40q", first.Method, first.Body, second.Method, second.Body)
	}
	n := copy(reading, frame(`{"jsonrpc":"2.0","method":"third"}`))
	if err := m.Commit(n); err != nil || !m.Next(&second) || string(second.Method) != "third" {
		t.Errorf("read into space reserved before growth: %v, %q", err, second.Method)
	}
}

// Taking output is no input: what Next returned before stays, although core has let go of it and
// the collector runs.
func TestEventsSurviveTakeAndCollection(t *testing.T) {
	m := newMachine(t, engineOf(t, wasmtest.Probe(t)), small(core.ProfileLSP, core.RoleClient))
	body := `["` + strings.Repeat("x", 60_000) + `"]`
	for id := range 3 {
		if _, err := m.Call("a", nil, core.CallOptions{}); err != nil {
			t.Fatal(err)
		}
		m.Wrote(len(m.Take(nil)))
		// The space reserved for the next answer moves the last one into a block of its own.
		text := frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id+1, body))
		if err := m.Commit(copy(m.Reserve(len(text)), text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Notify("b", nil); err != nil {
		t.Fatal(err)
	}
	var first, second core.Event
	if !m.Next(&first) || !m.Next(&second) {
		t.Fatal("no events")
	}
	if m.Take(nil) == nil {
		t.Fatal("no output")
	}
	probe(t, m.in, "probe_reuse", uint64(len(body)), 500)
	if string(first.Body) != body || string(second.Body) != body {
		t.Error("the bodies were overwritten")
	}
}

func TestEightUsersCompileOnce(t *testing.T) {
	dir := t.TempDir()
	module := wasmtest.Reactor(t)
	var users sync.WaitGroup
	for range 8 {
		users.Go(func() {
			e, err := New(context.Background(), Module(module), CacheDir(dir), PerInstance(2))
			if err != nil {
				t.Error(err)
				return
			}
			defer e.Close(context.Background())
			var connections sync.WaitGroup
			for range 4 {
				connections.Go(func() { useOnce(t, e) })
			}
			connections.Wait()
		})
	}
	users.Wait()
	if n := countFiles(t, dir); n != 1 {
		t.Errorf("the cache holds %d files, want the one module", n)
	}
}

// useOnce makes a call through a machine of its own and closes it.
func useOnce(t *testing.T, e *Engine) {
	m, err := e.Machine(small(core.ProfileLSP, core.RoleClient))
	if err != nil {
		t.Error(err)
		return
	}
	defer m.Close()
	id, err := m.Call("a", nil, core.CallOptions{})
	if err != nil {
		t.Error(err)
		return
	}
	m.Wrote(len(m.Take(nil)))
	answer := frame(`{"jsonrpc":"2.0","id":1,"result":true}`)
	if err := m.Commit(copy(m.Reserve(len(answer)), answer)); err != nil {
		t.Error(err)
	}
	var ev core.Event
	if !m.Next(&ev) || ev.Kind != core.EventResult || ev.Call != id || string(ev.Body) != "true" {
		t.Errorf("event %v of call %d with %q", ev.Kind, ev.Call, ev.Body)
	}
}

func countFiles(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCacheThatCannotBeMadeIsNoError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := New(context.Background(), Module(wasmtest.Reactor(t)), CacheDir(filepath.Join(file, "below")))
	if err != nil {
		t.Fatal(err)
	}
	useOnce(t, e)
	if err := e.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	m := newMachine(t, newEngine(t), small(core.ProfileLSP, core.RoleClient))
	const body = `{"jsonrpc":"2.0","id":%9d,"result":true}`
	const format = "Content-Length: %d\r\n\r\n" + body
	answer := make([]byte, 0, 100)
	params := []byte(`{"x":1}`)
	var spare []byte
	var ev core.Event
	now := core.Time(0)
	round := func() {
		now++
		m.Advance(now)
		if _, err := m.Call("method", params, core.CallOptions{Deadline: now + core.Second}); err != nil {
			t.Fatal(err)
		}
		spare = m.Take(spare)
		m.Wrote(len(spare))
		answer = fmt.Appendf(answer[:0], format, len(body)+len("123456789")-len("%9d"), now)
		if err := m.Commit(copy(m.Reserve(len(answer)), answer)); err != nil {
			t.Fatal(err)
		}
		for m.Next(&ev) {
		}
		if m.Stats().Unknown != 0 {
			t.Fatal("the answer found no call")
		}
	}
	for range 100 {
		round()
	}
	own := testing.AllocsPerRun(100, func() { // the test's, which Stats and Appendf make
		_ = m.Stats()
		answer = fmt.Appendf(answer[:0], format, len(body), now)
	})
	if all := testing.AllocsPerRun(100, round); all > own {
		t.Errorf("%.1f allocations a call, of which %.1f are the test's", all, own)
	}
}
