package host_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/wasmhost"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

// TestMain is also the main of the child of TestStdioKeepsTheWireClean.
func TestMain(m *testing.M) {
	if os.Getenv(stdioChildEnv) != "" {
		if err := stdioChild(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// engines are the machines that every test of this package runs on.
var engines = []struct {
	name string
	make func(t *testing.T) host.Engine
}{
	{"native", func(*testing.T) host.Engine { return host.Native }},
	{"wazero", sandbox},
}

// shared is the one compiled sandbox of this process. Its engine lives as long as the process.
var shared struct {
	once   sync.Once
	engine *wasmhost.Engine
	err    error
}

// sandbox is called outside of any bubble: what it makes is used in many.
func sandbox(t *testing.T) host.Engine {
	t.Helper()
	shared.once.Do(func() {
		module, cache := wasmtest.Reactor(t), wasmtest.Root(t)+"/build/wasm/compiled"
		shared.engine, shared.err = wasmhost.New(context.Background(), wasmhost.Module(module), wasmhost.CacheDir(cache))
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.engine.Machine
}

// onEngines runs a test in a bubble of fake time, once an engine.
func onEngines(t *testing.T, test func(t *testing.T, engine host.Engine)) {
	for _, engine := range engines {
		t.Run(engine.name, func(t *testing.T) {
			made := engine.make(t)
			synctest.Test(t, func(t *testing.T) { test(t, made) })
		})
	}
}

// half is one direction of an in-memory stream that holds at most limit bytes.
type half struct {
	mu     sync.Mutex
	change *sync.Cond
	buf    []byte
	limit  int
	ended  bool // no more bytes will be written
	broken bool // nobody reads
}

func newHalf(limit int) *half {
	h := &half{limit: limit}
	h.change = sync.NewCond(&h.mu)
	return h
}

func (h *half) Read(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for len(h.buf) == 0 && !h.ended && !h.broken {
		h.change.Wait()
	}
	switch {
	case h.broken:
		return 0, io.ErrClosedPipe
	case len(h.buf) == 0:
		return 0, io.EOF
	}
	n := copy(p, h.buf)
	h.buf = h.buf[n:]
	h.change.Broadcast()
	return n, nil
}

func (h *half) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	written := 0
	for written < len(p) {
		for len(h.buf) >= h.limit && !h.ended && !h.broken {
			h.change.Wait()
		}
		if h.ended || h.broken {
			return written, io.ErrClosedPipe
		}
		n := min(len(p)-written, h.limit-len(h.buf))
		h.buf = append(h.buf, p[written:written+n]...)
		written += n
		h.change.Broadcast()
	}
	return written, nil
}

func (h *half) close(ended, broken bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended, h.broken = h.ended || ended, h.broken || broken
	h.change.Broadcast()
}

// stream is one end of an in-memory connection with a half-close.
type stream struct{ in, out *half }

func (s *stream) Read(p []byte) (int, error)  { return s.in.Read(p) }
func (s *stream) Write(p []byte) (int, error) { return s.out.Write(p) }

func (s *stream) CloseWrite() error {
	s.out.close(true, false)
	return nil
}

func (s *stream) Close() error {
	s.out.close(true, false)
	s.in.close(false, true)
	return nil
}

// connect returns both ends of a connection that holds limit bytes in each direction.
func connect(limit int) (a, b *stream) {
	there, back := newHalf(limit), newHalf(limit)
	return &stream{in: back, out: there}, &stream{in: there, out: back}
}

// wire is the far end of a session as raw lines.
type wire struct {
	*stream
	t     *testing.T
	lines *bufio.Reader
}

// say sends one line.
func (w *wire) say(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.stream, line+"\n"); err != nil {
		w.t.Errorf("wire: %v", err)
	}
}

// hear returns the next line; it is empty at the end of the stream.
func (w *wire) hear() string {
	w.t.Helper()
	line, err := w.lines.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		w.t.Errorf("wire: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}

// expect fails the test unless the next line is want.
func (w *wire) expect(want string) {
	w.t.Helper()
	if got := w.hear(); got != want {
		w.t.Errorf("on the wire\n got %s\nwant %s", got, want)
	}
}

const roomy = 1 << 20

// dial starts a session with options, talking to a wire over a connection that holds limit bytes
// in each direction. Both are closed with the test.
func dial(t *testing.T, engine host.Engine, options host.Options, limit int) (*host.Peer, *wire) {
	t.Helper()
	near, far := connect(limit)
	options.Engine = engine
	p, err := host.New(host.Duplex(near), options)
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{stream: far, t: t, lines: bufio.NewReader(far)}
	t.Cleanup(func() {
		far.Close()
		p.Close()
	})
	return p, w
}

// pair connects a client session and a server session.
func pair(t *testing.T, engine host.Engine, mux *host.Mux) (client, server *host.Peer) {
	t.Helper()
	near, far := connect(roomy)
	start := func(end *stream, options host.Options) *host.Peer {
		options.Engine = engine
		p, err := host.New(host.Duplex(end), options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		return p
	}
	serverOptions := host.PlainServer
	serverOptions.Mux = mux
	return start(near, host.Plain), start(far, serverOptions)
}

// withLimits returns options with changed limits.
func withLimits(options host.Options, change func(*core.Limits)) host.Options {
	change(&options.Config.Limits)
	return options
}
