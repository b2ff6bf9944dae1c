package conformance

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/wasmhost"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

// Goal: a peer that floods a session does not trap the sandbox it runs in, since running out of
// memory is a trap (BACK-4), and does to it what it does to the native core. Method: floods of one
// configuration, each on an instance of its own with as little memory as that configuration is
// accepted with.

const (
	// The least that floodConfig is accepted with, rounded up.
	floodMemoryBytes = 78 * core.MiB
	floodFrameBytes  = 2 * core.MiB
)

func floodConfig(profile core.Profile, role core.Role) core.Config {
	cfg := core.Defaults(profile, role)
	cfg.Limits.FrameBytesMax = floodFrameBytes
	cfg.Limits.QueuedBytesMax = 512 * core.KiB
	cfg.Limits.ParkedBytesMax = 512 * core.KiB
	cfg.Limits.OutBytesMax = 256 * core.KiB
	cfg.Limits.CallsMax = 1000
	return cfg
}

// floodBytes is what a peer sends at most, in each flood.
func floodBytes() int {
	if os.Getenv("PARLEY_SOAK") == "1" {
		return 256 * core.MiB
	}
	return 8 * core.MiB
}

// flood is one way to misbehave.
type flood struct {
	name    string
	profile core.Profile
	role    core.Role
	change  func(*core.Config)
	play    func(t *testing.T, f *flooded)
	// gap says why the flood still traps its instance; "" where it does not. It fails its test once
	// it is closed.
	gap string
}

// flooded is a session whose peer floods it, in a host that reads while it may and fetches facts.
type flooded struct {
	host.Machine
	now     core.Time
	reading bool // the peer reads what is written
	event   core.Event
}

// send lets text arrive, and reports whether all of it was taken.
func (f *flooded) send(text string) bool {
	for len(text) > 0 {
		if f.Paused() {
			return false
		}
		n := min(len(text), 64*core.KiB) // as much as a pipe holds
		copy(f.Reserve(n), text[:n])
		err := f.Commit(n)
		f.turn()
		if err != nil {
			return false
		}
		text = text[n:]
	}
	return true
}

// pour sends text over and over until floodBytes have been taken or none will be.
func (f *flooded) pour(text string) {
	text = strings.Repeat(text, max(1, 64*core.KiB/len(text)))
	for sent := 0; sent < floodBytes() && f.send(text); sent += len(text) {
	}
}

func (f *flooded) turn() {
	f.now++
	f.Advance(f.now)
	for f.Next(&f.event) {
	}
	for f.reading {
		block := f.Take(nil)
		if block == nil {
			return
		}
		f.Wrote(len(block))
	}
}

func (f *flooded) call(t *testing.T, params string, opts core.CallOptions) {
	t.Helper()
	if _, err := f.Call("a", []byte(params), opts); err != nil && f.Err() == nil {
		t.Fatal(err)
	}
	f.turn()
}

// standing is all that a flood left behind, but for the text of its violation's sample.
func (f *flooded) standing() string {
	state := f.State()
	violation := fmt.Sprint(state.Err)
	state.Err = nil
	return fmt.Sprintf("%+v %+v %s", state, f.Stats(), violation)
}

func TestFloods(t *testing.T) {
	ctx := context.Background()
	engine, err := wasmhost.New(ctx, wasmhost.Module(wasmtest.Reactor(t)), wasmhost.MemoryBytesMax(floodMemoryBytes))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := engine.Close(ctx); err != nil {
			t.Error(err)
		}
	}()
	for _, fl := range floods {
		t.Run(fl.name, func(t *testing.T) {
			sandboxed := fl.run(t, engine.Machine)
			if trap := sandboxed.Err(); trap != nil && fl.gap == "" {
				t.Fatal(trap)
			} else if fl.gap != "" {
				if trap == nil {
					t.Errorf("no gap any more: %s", fl.gap)
				}
				return
			}
			native := fl.run(t, host.Native)
			if got, want := sandboxed.standing(), native.standing(); got != want {
				t.Errorf("in the sandbox\n%s\nnatively\n%s", got, want)
			}
		})
	}
}

// run floods one machine, which is closed with the test.
func (fl *flood) run(t *testing.T, open func(core.Config) (host.Machine, error)) *flooded {
	t.Helper()
	cfg := floodConfig(fl.profile, fl.role)
	cfg.Seed = 1
	if fl.change != nil {
		fl.change(&cfg)
	}
	m, err := open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	f := &flooded{Machine: m}
	if cfg.Inbound == core.InboundHandlers {
		f.Want(1<<31 - 1)
	}
	fl.play(t, f)
	return f
}

const shortNote = `{"jsonrpc":"2.0","method":"a"}` + "\n"

// askings is a run of requests with ids from first on.
func askings(first, count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"method":"a"}`+"\n", first+i)
	}
	return b.String()
}

func largeNote(size int) string {
	return `{"jsonrpc":"2.0","method":"a","params":["` + strings.Repeat("x", size) + "\"]}\n"
}

func headed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func inMessages(c *core.Config) { c.Inbound = core.InboundMessages }

func servingOnlyB(c *core.Config) { c.Methods = []core.Method{{Name: "b"}} }

var floods = []flood{
	{
		name: "a hundred frames at the limit", profile: core.ProfileMCP, role: core.RoleClient, change: inMessages,
		play: func(t *testing.T, f *flooded) {
			f.Want(1<<31 - 1)
			text := largeNote(floodFrameBytes - len(largeNote(0)) + 1) // the LF is not counted
			for range 100 {
				f.send(text)
			}
			if frames := f.Stats().Notifications; frames != 100 && f.Err() == nil {
				t.Errorf("%d frames were taken", frames)
			}
		},
	},
	{
		name: "a hundred frames of which the last byte never comes", profile: core.ProfileLSP, role: core.RoleServer,
		play: func(_ *testing.T, f *flooded) {
			body := `{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("x", floodFrameBytes-100) + `"}`
			for range 100 {
				f.send(headed(body))
			}
			f.send(headed(body)[:floodFrameBytes-100])
		},
	},
	{
		name: "a line that never ends", profile: core.ProfileMCP, role: core.RoleServer,
		play: func(_ *testing.T, f *flooded) { f.pour("x") },
	},
	{
		name: "nesting without end, and nobody reads the refusals", profile: core.ProfilePlain, role: core.RoleServer,
		play: func(_ *testing.T, f *flooded) { f.pour(strings.Repeat("[", floodFrameBytes) + "\n") },
	},
	{
		name: "the shortest lines that are no message, and nobody reads the refusals", profile: core.ProfilePlain, role: core.RoleServer,
		play: func(_ *testing.T, f *flooded) { f.pour("1\n") },
	},
	{
		name: "the same while a call of ours is open", profile: core.ProfilePlain, role: core.RoleServer,
		play: func(t *testing.T, f *flooded) {
			f.reading = true
			f.call(t, "", core.CallOptions{})
			f.reading = false
			f.pour("1\n")
		},
	},
	{
		name: "requests to refuse, and nobody reads the refusals", profile: core.ProfilePlain, role: core.RoleServer, change: servingOnlyB,
		play: func(_ *testing.T, f *flooded) { f.pour(askings(1, 1000)) },
	},
	{
		name: "requests that nobody answers", profile: core.ProfilePlain, role: core.RoleServer,
		play: func(_ *testing.T, f *flooded) {
			for i := 1; f.send(askings(i, 1000)); i += 1000 {
			}
		},
	},
	{
		name: "the same requests, over and over", profile: core.ProfilePlain, role: core.RoleServer,
		play: func(_ *testing.T, f *flooded) { f.pour(askings(1, 100)) },
	},
	{
		name: "notifications that nobody fetches, from a server", profile: core.ProfileMCP, role: core.RoleClient, change: inMessages,
		play: func(_ *testing.T, f *flooded) { f.pour(shortNote) },
	},
	{
		name: "large notifications that nobody fetches, from a server", profile: core.ProfileMCP, role: core.RoleClient, change: inMessages,
		play: func(_ *testing.T, f *flooded) { f.pour(largeNote(100_000)) },
	},
	{
		name: "notifications that nobody fetches, from a client", profile: core.ProfileMCP, role: core.RoleServer, change: inMessages,
		play: func(_ *testing.T, f *flooded) { f.pour(shortNote) },
	},
	{
		name: "frames through a relay that nobody fetches from", profile: core.ProfilePlain, role: core.RoleRelay, change: inMessages,
		play: func(_ *testing.T, f *flooded) { f.pour(shortNote) },
	},
	{
		name: "an array of nothing that is a message", profile: core.ProfilePlain, role: core.RoleServer,
		play: func(_ *testing.T, f *flooded) {
			f.send("[" + strings.Repeat("1,", floodFrameBytes/2-2) + "1]\n")
		},
	},
	{
		name: "calls that time out before they begin, since nobody reads", profile: core.ProfilePlain, role: core.RoleClient,
		play: func(t *testing.T, f *flooded) {
			f.call(t, "", core.CallOptions{})
			f.Take(nil) // and it is never written
			params := `["` + strings.Repeat("x", 100_000) + `"]`
			for sent := 0; sent < 8*floodBytes() && f.Err() == nil; sent += len(params) {
				f.call(t, params, core.CallOptions{Deadline: f.now + 1})
			}
		},
	},
	{
		name: "calls that time out while nobody reads, so that every notice is owed", profile: core.ProfileMCP, role: core.RoleClient,
		play: func(t *testing.T, f *flooded) {
			f.reading = true
			for range 1000 {
				f.call(t, "", core.CallOptions{Deadline: core.Second})
			}
			f.reading = false
			for f.Notify("a", nil) == nil {
			}
			f.now = core.Second
			f.turn()
		},
	},
}
