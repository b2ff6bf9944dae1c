//go:build unix

package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
	"github.com/parley-rpc/parley/host/wasmhost"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

const serveArgument = "serve-as"

// TestMain is also the server of the tests.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == serveArgument {
		os.Exit(serveAs(os.Args[2]))
	}
	// Servers of a test with the race detector would sleep for a second before they leave.
	if err := os.Setenv("GORACE", strings.TrimSpace(os.Getenv("GORACE")+" atexit_sleep_ms=0")); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// waitMax bounds every wait: something that takes longer has not happened.
const waitMax = 30 * time.Second

// onEngines runs a test on both engines.
func onEngines(t *testing.T, test func(t *testing.T, engine host.Engine)) {
	t.Run("native", func(t *testing.T) { test(t, host.Native) })
	t.Run("wazero", func(t *testing.T) {
		engine, err := wasmhost.New(t.Context(), wasmhost.Module(wasmtest.Reactor(t)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := engine.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
		test(t, engine.Machine)
	})
}

// fixture is a bridge behind an HTTP server.
type fixture struct {
	*Bridge
	t   *testing.T
	web *httptest.Server
	log *lines
}

// lines is what a logger wrote.
type lines struct {
	mu      sync.Mutex
	text    strings.Builder
	written chan struct{} // holds one token after a write
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.written <- struct{}{}:
	default:
	}
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// logs waits until the log says something: it is written behind what the page sees.
func (f *fixture) logs(text string) {
	f.t.Helper()
	for !strings.Contains(f.log.String(), text) {
		f.await(f.log.written, "the log to say "+text)
	}
}

// hasty are the bounds for a server that will not leave by itself.
var hasty = child.Bounds{Grace: 10 * time.Millisecond, Terminate: time.Second}

const testToken = "the token"

// begin starts a bridge with the scripted server; at the end of the test it is closed, and no process
// that it started is left.
func begin(t *testing.T, o Options) *fixture {
	t.Helper()
	f := &fixture{t: t, log: &lines{written: make(chan struct{}, 1)}}
	if o.Servers == nil {
		o.Servers = []Server{scriptedServer("plain")}
	}
	if o.Root == "" {
		o.Root = t.TempDir()
	}
	o.Token = testToken
	o.Logger = slog.New(slog.NewTextHandler(f.log, nil))
	if o.Bounds == (child.Bounds{}) {
		o.Bounds = child.Bounds{Grace: time.Second, Terminate: time.Second}
	}
	var err error
	if f.Bridge, err = New(o); err != nil {
		t.Fatal(err)
	}
	f.serve()
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		for _, pid := range f.children() {
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("process %d is left: %v", pid, err)
			}
		}
	})
	return f
}

func (f *fixture) serve() {
	f.web = httptest.NewServer(f)
	f.t.Cleanup(f.web.Close)
}

func scriptedServer(name string) Server {
	return Server{Name: name, Profile: core.ProfileLSP, Command: []string{os.Args[0], serveArgument, name}}
}

// children are the process ids of all scripted servers that ran.
func (f *fixture) children() []int {
	files, err := filepath.Glob(filepath.Join(f.options.Root, logPrefix+"*"))
	if err != nil {
		f.t.Fatal(err)
	}
	var pids []int
	for _, file := range files {
		pid, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(file), logPrefix))
		if err != nil {
			f.t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// heard is what the server was told, by method. One that was told nothing does not count: it belongs to
// a page that was lost before it knew its session.
func (f *fixture) heard() []string {
	f.t.Helper()
	var heard []string
	for _, pid := range f.children() {
		text, err := os.ReadFile(filepath.Join(f.options.Root, logPrefix+strconv.Itoa(pid)))
		if err != nil {
			f.t.Fatal(err)
		}
		if methods := strings.Fields(string(text)); len(heard) == 0 {
			heard = methods
		} else if len(methods) > 0 {
			f.t.Fatalf("two servers were told something: %q and %q", heard, methods)
		}
	}
	return heard
}

// emptied waits until no session is left.
func (f *fixture) emptied() {
	f.t.Helper()
	forgotten := make(chan struct{})
	go func() {
		f.work.Wait()
		close(forgotten)
	}()
	f.await(forgotten, "the sessions to end")
}

func (f *fixture) await(done <-chan struct{}, what string) {
	f.t.Helper()
	select {
	case <-done:
	case <-time.After(waitMax):
		f.t.Fatal("waited in vain for " + what)
	}
}

// page is the client's end of a socket.
type page struct {
	t    *testing.T
	conn *websocket.Conn
	next int
}

func (f *fixture) url(path string) string {
	return "ws" + strings.TrimPrefix(f.web.URL, "http") + path
}

// dial opens a socket; the test fails where the upgrade is refused.
func (f *fixture) dial(path string, subprotocols ...string) *page {
	f.t.Helper()
	p, response, err := f.tryDial(f.url(path), &websocket.DialOptions{Subprotocols: subprotocols})
	if err != nil {
		f.t.Fatalf("%v (%v)", err, response)
	}
	return p
}

func (f *fixture) tryDial(url string, o *websocket.DialOptions) (*page, *http.Response, error) {
	ctx, cancel := context.WithTimeout(f.t.Context(), waitMax)
	defer cancel()
	conn, response, err := websocket.Dial(ctx, url, o)
	if err != nil {
		return nil, response, err
	}
	conn.SetReadLimit(-1)
	f.t.Cleanup(func() { _ = conn.CloseNow() })
	return &page{t: f.t, conn: conn}, response, nil
}

const wsPath = "/ws?token=the+token"

func (p *page) send(text string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), waitMax)
	defer cancel()
	if err := p.conn.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
		p.t.Fatal(err)
	}
}

// read returns the next text, or why there is none.
func (p *page) read() (string, error) {
	ctx, cancel := context.WithTimeout(p.t.Context(), waitMax)
	defer cancel()
	_, text, err := p.conn.Read(ctx)
	return string(text), err
}

func (p *page) receive() string {
	p.t.Helper()
	text, err := p.read()
	if err != nil {
		p.t.Fatal(err)
	}
	return text
}

// call sends a request and returns its answer; what comes before it is dropped.
func (p *page) call(method, params string) wire {
	p.t.Helper()
	p.next++
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, p.next, method, params))
	return p.answer(strconv.Itoa(p.next))
}

func (p *page) answer(id string) wire {
	p.t.Helper()
	for {
		var m wire
		text := p.receive()
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			p.t.Fatalf("%v: %.200s", err, text)
		}
		if m.Method == "" && string(m.ID) == id {
			return m
		}
	}
}

// closed reads to the end and returns how the socket was closed.
func (p *page) closed() websocket.CloseError {
	p.t.Helper()
	for {
		_, err := p.read()
		if err == nil {
			continue
		}
		var closed websocket.CloseError
		if !errors.As(err, &closed) {
			p.t.Fatalf("the socket ended without a close frame: %v", err)
		}
		return closed
	}
}

func (p *page) wantClosed(code websocket.StatusCode, reason string) {
	p.t.Helper()
	if got := p.closed(); got.Code != code || !strings.Contains(got.Reason, reason) {
		p.t.Errorf("closed with %d %q, want %d with %q", got.Code, got.Reason, code, reason)
	}
}

// only returns the one session there is.
func (f *fixture) only() *session {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.sessions) != 1 {
		f.t.Fatalf("%d sessions, want one", len(f.sessions))
	}
	for _, s := range f.sessions {
		return s
	}
	return nil
}

// greeting is the first text on a socket that may be resumed.
type greeting struct {
	Session  string
	Received uint64
}

func greetingOf(t *testing.T, text string) greeting {
	t.Helper()
	var first struct{ Parley greeting }
	if err := json.Unmarshal([]byte(text), &first); err != nil || first.Parley.Session == "" {
		t.Fatalf("no greeting: %s", text)
	}
	return first.Parley
}
