package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
	"github.com/parley-rpc/parley/host/mcp"
)

const (
	// hostileMax bounds one meeting with a hostile server, its end included.
	hostileMax = 15 * time.Second
	// meetingsMax are held at once.
	meetingsMax = 4
	// deafBudget is what a call is given that is not going to be answered.
	deafBudget = 300 * time.Millisecond
)

// hostileBounds are for servers that are known to use them up.
var hostileBounds = child.Bounds{Grace: 200 * time.Millisecond, Terminate: 200 * time.Millisecond, Output: 200 * time.Millisecond}

// meeting is one session with "parley peer", and what must be left of it: nothing.
type meeting struct {
	ctx     context.Context
	program string
	engine  host.Engine
}

// hostile holds meetings on every engine, some at once since they mostly wait. Each is a subtest that ends
// within hostileMax and leaves no process behind; together they leave no goroutine and no descriptor.
func hostile(t *testing.T, meetings map[string]func(t *testing.T, m *meeting)) {
	program := parley(t)
	for _, engine := range engines(t) {
		t.Run(engine.name, func(t *testing.T) {
			before, open := goleak.IgnoreCurrent(), descriptors(t)
			var all sync.WaitGroup
			free := make(chan struct{}, meetingsMax)
			for name, meet := range meetings {
				free <- struct{}{}
				all.Go(func() {
					defer func() { <-free }()
					t.Run(name, func(t *testing.T) { hold(t, meet, meeting{program: program, engine: engine.make}) })
				})
			}
			all.Wait()
			if err := goleak.Find(before); err != nil {
				t.Error(err)
			}
			if left := descriptors(t); left != open {
				t.Errorf("%d descriptors are open, %d were", left, open)
			}
		})
	}
}

// hold holds one meeting.
func hold(t *testing.T, meet func(t *testing.T, m *meeting), m meeting) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hostileMax)
	defer cancel()
	m.ctx = ctx
	met := make(chan struct{})
	go func() {
		defer close(met)
		meet(t, &m)
	}()
	select {
	case <-met:
	case <-ctx.Done():
		buf := make([]byte, core.MiB)
		t.Fatalf("it hangs:\n%s", buf[:runtime.Stack(buf, true)])
	}
}

// descriptors counts the open files of this process, where the system lists them; else it is 0.
func descriptors(t *testing.T) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// command is "parley peer" with args. The function it comes with demands that no process is left
// that holds what all of them inherit.
func (m *meeting) command(t *testing.T, args string) (cmd *exec.Cmd, allGone func()) {
	t.Helper()
	alive, held, err := os.Pipe()
	if err != nil {
		t.Error(err)
		runtime.Goexit()
	}
	cmd = exec.Command(m.program, append([]string{"peer"}, strings.Fields(args)...)...)
	cmd.ExtraFiles = []*os.File{held}
	return cmd, func() {
		t.Helper()
		held.Close()
		deadline, _ := m.ctx.Deadline()
		if err := alive.SetReadDeadline(deadline); err != nil {
			t.Error(err)
		}
		if _, err := io.Copy(io.Discard, alive); err != nil {
			t.Errorf("a process lives on: %v", err)
		}
		alive.Close()
	}
}

// with starts "parley peer" with args, talks, and closes; it returns how the closing failed.
func (m *meeting) with(t *testing.T, options host.Options, args string, talk func(p *child.Peer), more ...child.Option) error {
	t.Helper()
	cmd, allGone := m.command(t, args)
	defer allGone()
	options.Engine = m.engine
	p, err := child.Start(m.ctx, cmd, options, append([]child.Option{child.WithBounds(hostileBounds)}, more...)...)
	if err != nil {
		t.Error(err)
		return err
	}
	talk(p)
	err = p.Close()
	if _, waitErr := p.Process.Wait(m.ctx); waitErr != nil {
		t.Errorf("the server is not reaped: %v", waitErr)
	}
	if again := p.Close(); again != err {
		t.Errorf("closed once more: %v, before %v", again, err)
	}
	wantTyped(t, err)
	return err
}

// wantTyped demands that a failure can be told by errors.Is or errors.As.
func wantTyped(t *testing.T, err error) {
	t.Helper()
	switch {
	case err == nil, errors.Is(err, host.ErrTimeout), errors.Is(err, host.ErrClosed), errors.Is(err, host.ErrTooLarge):
	case errors.As(err, new(*host.RPCError)), errors.As(err, new(*host.ParseError)):
	default:
		t.Errorf("untyped: %#v", err)
	}
}

// ask calls with params of its own, and demands that an answer is the answer to them.
func ask(ctx context.Context, t *testing.T, p host.Caller, n int, opts ...host.CallOption) error {
	t.Helper()
	got, err := host.Call[[]int](ctx, p, "ask", []int{n}, opts...)
	if err == nil && (len(got) != 1 || got[0] != n) {
		t.Errorf("call %d was given the answer %v", n, got)
	}
	wantTyped(t, err)
	return err
}

func askAll(ctx context.Context, t *testing.T, p host.Caller, count int) {
	t.Helper()
	var calls sync.WaitGroup
	for n := range count {
		calls.Go(func() {
			if err := ask(ctx, t, p, n); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
}

// Faults that a client can live with: every call has its own answer.
func TestHostilePeersThatAnswer(t *testing.T) {
	header, length4 := host.Plain, host.Plain
	header.Config.Framing, length4.Config.Framing = core.FramingHeader, core.FramingLength4
	length4.Config.Limits.FrameBytesMax = 4 * core.MiB
	meetings := map[string]func(t *testing.T, m *meeting){}
	for args, options := range map[string]host.Options{
		"echo":                                       host.Plain,
		"echo --split 3 --delay 1ms":                 host.Plain,
		"echo --framing header --split 1":            header,
		"echo --framing length4 --split 2":           length4,
		"echo --out-of-order":                        host.Plain,
		"echo --stderr-flood 4000000":                host.Plain,
		"echo --ignore-eof":                          host.Plain,
		"echo --hold-stdout 10m":                     host.Plain,
		"echo --ignore-eof --hold-stdout 10m":        host.Plain,
		"echo --framing length4 --out-of-order":      length4,
		"echo --framing header --delay 5ms --seed 7": header,
	} {
		meetings[args] = func(t *testing.T, m *meeting) {
			err := m.with(t, options, args, func(p *child.Peer) { askAll(m.ctx, t, p, 20) })
			if err != nil {
				t.Errorf("closed: %v", err)
			}
		}
	}
	meetings["and more than once"] = func(t *testing.T, m *meeting) {
		_ = m.with(t, host.Plain, "echo --answer-twice 1", func(p *child.Peer) {
			askAll(m.ctx, t, p, 20)
			if s := p.Stats(); s.Late+s.Unknown < 19 { // the last may still be under way
				t.Errorf("%d answers were late and %d unknown, want 19 at least", s.Late, s.Unknown)
			}
		})
	}
	meetings["between junk"] = func(t *testing.T, m *meeting) { // LINE-7
		_ = m.with(t, host.Plain, "echo --junk 1", func(p *child.Peer) {
			askAll(m.ctx, t, p, 20)
			if s := p.Stats(); s.Noise != 20 {
				t.Errorf("%d lines were noise, want 20", s.Noise)
			}
		})
	}
	meetings["amid a flood"] = func(t *testing.T, m *meeting) { // BACK-1
		_ = m.with(t, host.Plain, "echo --flood 100000", func(p *child.Peer) {
			askAll(m.ctx, t, p, 20)
			for p.DroppedMessages() == 0 {
				if err := ask(m.ctx, t, p, 1); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	hostile(t, meetings)
}

// Faults that keep the answer: the budget ends the call, and Close all that is left.
func TestHostilePeersThatDoNotAnswer(t *testing.T) {
	meetings := map[string]func(t *testing.T, m *meeting){}
	for _, args := range []string{
		"echo --drop 1", "echo --never-answer", "echo --never-read", "echo --never-read --ignore-eof",
		"echo --never-answer --flood 50000", "echo --delay 10m", "echo --never-read --hold-stdout 10m",
	} {
		meetings[args] = func(t *testing.T, m *meeting) {
			_ = m.with(t, host.Plain, args, func(p *child.Peer) {
				if err := ask(m.ctx, t, p, 1, host.WithTimeout(deafBudget)); !errors.Is(err, host.ErrTimeout) {
					t.Errorf("got %v", err)
				}
			})
		}
	}
	meetings["and announce too much"] = func(t *testing.T, m *meeting) {
		_ = m.with(t, host.LSP, "lsp --wrong-length 1 --seed 2", func(p *child.Peer) {
			if err := ask(m.ctx, t, p, 1, host.WithTimeout(deafBudget)); !errors.Is(err, host.ErrTimeout) || !strings.Contains(err.Error(), "no whole message") {
				t.Errorf("got %v", err)
			}
		})
	}
	meetings["and are told too much"] = func(t *testing.T, m *meeting) {
		_ = m.with(t, host.Plain, "echo --never-read", func(p *child.Peer) {
			ctx, cancel := context.WithTimeout(m.ctx, deafBudget)
			defer cancel()
			text := strings.Repeat("x", 4*core.MiB) // more than the pipe and the queue hold
			for range 2 {
				if _, err := host.Call[any](ctx, p, "tell", []string{text}); !errors.Is(err, host.ErrTimeout) {
					t.Errorf("got %v", err)
				}
			}
		})
	}
	hostile(t, meetings)
}

// Faults that end the session: every call is told why, with what became of the process.
func TestHostilePeersThatBreak(t *testing.T) {
	header := host.Plain
	header.Config.Framing = core.FramingHeader
	meetings := map[string]func(t *testing.T, m *meeting){}
	for args, want := range map[string]struct {
		options host.Options
		kind    core.Violation // 0: the output ended between messages
	}{
		"echo --die-at-byte 0":                        {host.Plain, 0},
		"echo --die-at-byte 0 --hold-stdout 10m":      {host.Plain, 0}, // STOP-4
		"echo --die-at-byte 0 --stderr-flood 1000000": {host.Plain, 0},
		"echo --die-at-byte 7":                        {host.Plain, core.ViolationTruncated},
		"echo --framing header --die-at-byte 5":       {header, core.ViolationTruncated},
		"echo --framing header --die-at-byte 30":      {header, core.ViolationTruncated},
		"echo --framing header --junk 1":              {header, core.ViolationNoise},
		"lsp --junk 1":                                {host.LSP, core.ViolationNoise},
		"lsp --wrong-length 1 --seed 1":               {host.LSP, core.ViolationParse}, // it announces too little
		"lsp --die-at-byte 100":                       {host.LSP, core.ViolationTruncated},
		"lsp --die-at-byte 100 --hold-stdout 10m":     {host.LSP, core.ViolationTruncated},
		"mcp --die-at-byte 20 --split 1 --ignore-eof": {host.MCP, core.ViolationTruncated},
	} {
		meetings[args] = func(t *testing.T, m *meeting) {
			_ = m.with(t, want.options, args, func(p *child.Peer) {
				params := json.RawMessage(`{"capabilities":{},"protocolVersion":"2025-11-25","clientInfo":{"name":"e2e","version":"0"}}`)
				_, err := p.CallRaw(m.ctx, "initialize", params)
				for range p.Messages(m.ctx) { // the session ends behind what is retained (BACK-1)
				}
				<-p.Done()
				later := p.NotifyRaw(m.ctx, "later", nil)
				for _, err := range []error{err, later} {
					var session *host.SessionError
					if !errors.Is(err, host.ErrClosed) || !errors.As(err, &session) {
						t.Errorf("got %v", err)
						continue
					}
					var violation *core.ProtocolError
					switch {
					case want.kind == 0 && session.Reason != core.ReasonEOF:
						t.Errorf("ended by %v: %v", session.Reason, err)
					case want.kind != 0 && (!errors.As(err, &violation) || violation.Kind != want.kind):
						t.Errorf("got %v, want a violation %v", err, want.kind)
					}
					if strings.Contains(args, "--die") && !strings.Contains(err.Error(), "signal: killed") {
						t.Errorf("it does not say what became of the server: %v", err)
					}
				}
			})
		}
	}
	meetings["in its goodbye"] = func(t *testing.T, m *meeting) { // STOP-10
		patient := child.WithBounds(child.Bounds{Grace: hostileMax})
		var greetedBytes uint64
		greet := func(p *child.Peer) {
			if _, err := p.CallRaw(m.ctx, "initialize", json.RawMessage(`{"capabilities":{}}`)); err != nil {
				t.Error(err)
			}
			greetedBytes = p.Stats().BytesIn
		}
		if err := m.with(t, host.LSP, "lsp", greet, patient); err != nil {
			t.Errorf("closed: %v", err)
		}
		if err := m.with(t, host.LSP, fmt.Sprint("lsp --die-at-byte ", greetedBytes+10), greet, patient); !errors.Is(err, host.ErrClosed) {
			t.Errorf("closed: %v", err)
		}
	}
	hostile(t, meetings)
}

// MCP servers that fail while an era is agreed on, and later.
func TestHostileMCPServers(t *testing.T) {
	meetings := map[string]func(t *testing.T, m *meeting){}
	for args, connects := range map[string]bool{
		"mcp --split 3":                          true,
		"mcp --junk 1 --answer-twice 1":          true,
		"mcp --hold-stdout 10m":                  true,
		"mcp --stderr-flood 1000000":             true,
		"mcp --never-answer":                     false,
		"mcp --never-read":                       false,
		"mcp --drop 1":                           false,
		"mcp --die-at-byte 0":                    false, // ERA-5: it is started twice
		"mcp --die-at-byte 40":                   false,
		"mcp --die-at-byte 40 --hold-stdout 10m": false,
	} {
		meetings[args] = func(t *testing.T, m *meeting) {
			cmd, allGone := m.command(t, args)
			defer allGone()
			options := mcp.NewOptions("parley-e2e", "0")
			options.Host.Engine, options.Mode, options.ConnectTimeout = m.engine, era.ModeAuto, hostileMax
			if !connects {
				options.ConnectTimeout = time.Second
			}
			s, err := mcp.Connect(m.ctx, mcp.Command(cmd, child.WithBounds(hostileBounds)), options)
			if !connects {
				if !errors.As(err, new(*mcp.ConnectError)) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := host.Call[json.RawMessage](m.ctx, s, "tools/list", struct{}{}); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	hostile(t, meetings)
}

// Any mixture of faults: a call has its own answer or a typed error, and nothing is left.
func TestHostileMixtures(t *testing.T) {
	const mixtures = 16
	meetings := map[string]func(t *testing.T, m *meeting){}
	for seed := range uint64(mixtures) {
		args := mixture(seed)
		meetings[args] = func(t *testing.T, m *meeting) {
			options := host.Plain
			if strings.Contains(args, "--framing header") {
				options.Config.Framing = core.FramingHeader
			}
			_ = m.with(t, options, args, func(p *child.Peer) {
				var calls sync.WaitGroup
				for n := range 8 {
					calls.Go(func() { _ = ask(m.ctx, t, p, n, host.WithTimeout(deafBudget)) })
				}
				calls.Wait()
			})
		}
	}
	hostile(t, meetings)
}

// mixture draws some of the faults.
func mixture(seed uint64) string {
	d := rand.New(rand.NewPCG(seed, 0))
	args := "echo --seed " + strconv.FormatUint(seed, 10)
	if d.IntN(2) == 0 {
		args += " --framing header"
		if d.IntN(3) == 0 {
			args += " --wrong-length 0.2"
		}
	}
	for _, fault := range []string{
		"--drop 0.3", "--junk 0.1", "--answer-twice 0.5", "--out-of-order", "--delay 2ms", "--split 5",
		"--ignore-eof", "--flood 2000", "--stderr-flood 200000", "--hold-stdout 10m",
		fmt.Sprint("--die-at-byte ", d.IntN(400)), "--never-read", "--never-answer",
	} {
		if d.IntN(4) == 0 {
			args += " " + fault
		}
	}
	return args
}
