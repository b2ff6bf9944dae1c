//go:build linux || darwin

package wasichild

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
)

// STOP-6: whatever a guest does, it ends; and meanwhile another session goes on, and so does the
// collector, which a guest that cannot be interrupted would stop and with it every goroutine.
func TestGuestsThatWillNotEnd(t *testing.T) {
	other := start(t, behaving("echo"), host.Plain)
	for _, behaviour := range []string{"loop", "recurse", "sleep", "sleep-reading", "ignore-end", "flood", "stderr", "memory"} {
		t.Run(behaviour, func(t *testing.T) {
			// In this role a session takes messages only as they are asked for: the flood stands still.
			p := start(t, behaving(behaviour), host.PlainServer)
			awaitMessage(t, p, "ready")
			runtime.GC()
			if answer, err := host.Call[[]int](t.Context(), other, "m", []int{7}); err != nil || len(answer) != 1 || answer[0] != 7 {
				t.Errorf("the other session: %v, %v", answer, err)
			}
			mustClose(t, p)
			if got := statusOf(t, p); behaviour != "memory" && behaviour != "recurse" && got != "interrupted" {
				t.Errorf("status %q", got)
			}
		})
	}
}

// STOP-4: a guest that ends by itself says how.
func TestGuestsThatEnd(t *testing.T) {
	for _, test := range []struct {
		name           string
		server         *Server
		status, stderr string
	}{
		{"exit", behaving("exit", "3"), "exit status 3", ""},
		{"exit of more than a byte", behaving("exit", "256"), "exit status 256", ""},
		{"in order", behaving("environment"), "exit status 0", ""},
		{"panic", behaving("panic"), "exit status 2", "on purpose"},
		{"out of memory", limited(behaving("memory"), 16*core.MiB), "exit status 2", "out of memory"},
		{"endless recursion", limited(behaving("recurse"), 16*core.MiB), "exit status 2", "out of memory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := start(t, test.server, host.Plain)
			_, err := p.CallRaw(t.Context(), "m", nil)
			if !errors.Is(err, host.ErrClosed) || !strings.Contains(err.Error(), test.status) {
				t.Errorf("call: %v, want ErrClosed and %q", err, test.status)
			}
			if got := statusOf(t, p); got != test.status {
				t.Errorf("status %q, want %q", got, test.status)
			}
			if got := string(p.Process.Stderr.Bytes()); !strings.Contains(got, test.stderr) {
				t.Errorf("stderr %q, want %q in it", got, test.stderr)
			}
		})
	}
}

func limited(s *Server, memoryBytesMax int64) *Server {
	s.MemoryBytesMax = memoryBytesMax
	return s
}

// A guest whose time is up ends, also while it waits for input.
func TestTimeMax(t *testing.T) {
	for _, behaviour := range []string{"loop", "ignore-end"} {
		s := behaving(behaviour)
		s.TimeMax = 100 * time.Millisecond
		p := start(t, s, host.Plain)
		if got, want := statusOf(t, p), "the guest's time is up"; !strings.HasPrefix(got, want) {
			t.Errorf("%s: status %q, want %q", behaviour, got, want)
		}
	}
}

// Run ends with its context while the guest is blocked by a stdout that nobody reads.
func TestRunEndsWhileStdoutIsFull(t *testing.T) {
	stdinTheirs, stdinOurs := pipe(t)
	stdoutOurs, stdoutTheirs := pipe(t)
	for _, f := range []*os.File{stdinOurs, stdinTheirs, stdoutOurs, stdoutTheirs} {
		defer f.Close()
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("enough")
	ended := make(chan error, 1)
	go func() {
		_, err := Run(ctx, behaving("flood"), stdinTheirs, stdoutTheirs, nil)
		ended <- err
	}()
	if _, err := stdoutOurs.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	cancel(reason)
	if err := <-ended; !errors.Is(err, reason) {
		t.Errorf("Run: %v, want %v", err, reason)
	}
}

func TestRunPassesTheExitCode(t *testing.T) {
	if code, err := Run(context.Background(), behaving("exit", "42"), nil, nil, nil); code != 42 || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
	trapped := behaving()
	// (module (func (export "_start") unreachable))
	trapped.Module = []byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x07\x0a\x01\x06_start\x00\x00\x0a\x05\x01\x03\x00\x00\x0b")
	_, err := Run(context.Background(), trapped, nil, nil, nil)
	if trap := new(TrapError); !errors.As(err, &trap) || !strings.Contains(err.Error(), "unreachable") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a trap: %v, want a *TrapError in one line", err)
	}
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// Nothing runs where something is refused, and the error says what.
func TestRefusedServers(t *testing.T) {
	file := writeFile(t, t.TempDir(), "file", "")
	for _, test := range []struct {
		change func(s *Server)
		want   string
	}{
		{func(s *Server) { s.Name = "" }, "no name"},
		{func(s *Server) { s.Module = []byte("MZ") }, "GOOS=wasip1"},
		{func(s *Server) { s.Module = []byte("\x00asm\x01\x00\x00\x00") }, "_start"},
		{func(s *Server) { s.MemoryBytesMax = 1 }, "MemoryBytesMax"},
		{func(s *Server) { s.MemoryBytesMax = pageBytes }, "memory"}, // less than the module begins with
		{func(s *Server) { s.MemoryBytesMax = memoryBytesCeiling + 1 }, "MemoryBytesMax"},
		{func(s *Server) { s.CompileBytesMax = -1 }, "CompileBytesMax"},
		{func(s *Server) { s.TimeMax = -1 }, "TimeMax"},
		{func(s *Server) { s.Env = []string{"=x"} }, "NAME=VALUE"},
		{func(s *Server) { s.Args = []string{"a\x00b"} }, "zero byte"},
		{func(s *Server) { s.Grants = []Grant{{Host: "/nowhere", Guest: "/"}} }, "/nowhere"},
		{func(s *Server) { s.Grants = []Grant{{Host: file, Guest: "/"}} }, "not a directory"},
		{func(s *Server) { s.Grants = []Grant{{Host: ".", Guest: "src"}} }, "absolute"},
		{func(s *Server) { s.Grants = []Grant{{Host: ".", Guest: "/src/.."}} }, "absolute"},
		{func(s *Server) { s.Grants = []Grant{{Host: ".", Guest: "/a"}, {Host: "..", Guest: "/a"}} }, "two directories"},
	} {
		s := behaving("echo")
		test.change(s)
		_, err := Start(t.Context(), s, host.Plain)
		if start := new(child.StartError); !errors.As(err, &start) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want a *child.StartError with %q", err, test.want)
		}
	}
	broken := host.Plain
	broken.Config.Limits.FrameBytesMax = -1
	var refused *core.ConfigError
	if _, err := Start(t.Context(), behaving("echo"), broken); !errors.As(err, &refused) {
		t.Errorf("%v, want a *core.ConfigError", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	fresh := behaving("echo")
	fresh.CacheDir = t.TempDir()
	if _, err := prepare(over, fresh, true); !errors.Is(err, context.Canceled) {
		t.Errorf("compiling: %v, want context.Canceled", err)
	}
	if _, err := Start(over, behaving("echo"), host.Plain); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}
