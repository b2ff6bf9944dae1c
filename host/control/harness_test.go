//go:build linux || darwin

package control

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// otherVariable makes the test binary another process with a control connection: it names the folder.
const otherVariable = "PARLEY_TEST_CONTROL"

func TestMain(m *testing.M) {
	if directory := os.Getenv(otherVariable); directory != "" {
		if err := beOther(directory); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// beOther serves one session until stdin ends.
func beOther(directory string) error {
	server, err := Listen(Options{Directory: directory, Program: "other"})
	if err != nil {
		return err
	}
	near, far := net.Pipe()
	defer far.Close()
	options := host.PlainServer
	options.Mux, options.Config.SessionID = host.NewMux(), server.NewSessionID()
	peer, err := host.New(host.Duplex(near), options)
	if err != nil {
		return err
	}
	if err := server.Register(peer, "the other's"); err != nil {
		return err
	}
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return server.Close()
}

// other is such a process; ending its input ends it.
type other struct {
	*exec.Cmd
	input io.Closer
}

func startOther(t *testing.T, directory string) *other {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := &other{Cmd: exec.Command(program)}
	o.Env = append(os.Environ(), otherVariable+"="+directory, "GORACE=atexit_sleep_ms=0")
	o.Stderr = os.Stderr
	if o.input, err = o.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	output, err := o.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Process.Kill(); _ = o.Wait() })
	if line, err := bufio.NewReader(output).ReadString('\n'); line != "ready\n" {
		t.Fatalf("the other process said %q: %v", line, err)
	}
	return o
}

// folder is a private one with a short name: a socket's path has about a hundred bytes.
func folder(t *testing.T) string {
	t.Helper()
	made, err := os.MkdirTemp("", "ctl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(made) })
	return filepath.Join(made, "sockets")
}

func serveWith(t *testing.T, options Options) *Server {
	t.Helper()
	if options.Directory == "" {
		options.Directory = folder(t)
	}
	s, err := Listen(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func clientOf(t *testing.T, s *Server, clock host.Clock) *Client {
	t.Helper()
	c, err := NewClient(s.Path(), clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c
}

// subject is a session to look at: its method "work" runs until it is cancelled, says so, and ends
// once it is let go.
type subject struct {
	*host.Peer
	wire      *bufio.ReadWriter
	started   chan string
	cancelled chan struct{}
	release   chan struct{}
}

func newSubject(t *testing.T, s *Server) *subject {
	t.Helper()
	sub := &subject{started: make(chan string, 16), cancelled: make(chan struct{}, 16), release: make(chan struct{})}
	mux := host.NewMux()
	mux.HandleRaw("work", core.ModeRead, func(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
		sub.started <- string(params)
		<-ctx.Done()
		sub.cancelled <- struct{}{}
		<-sub.release
		return nil, ctx.Err()
	})
	mux.HandleRaw("echo", core.ModeWrite, func(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
		return params, nil
	})
	near, far := net.Pipe()
	options := host.PlainServer
	options.Mux, options.Config.SessionID = mux, s.NewSessionID()
	peer, err := host.New(host.Duplex(near), options)
	if err != nil {
		t.Fatal(err)
	}
	sub.Peer, sub.wire = peer, bufio.NewReadWriter(bufio.NewReader(far), bufio.NewWriter(far))
	if err := s.Register(peer, "editor"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		sub.letGo()
		now, cancel := context.WithCancel(context.Background())
		cancel()
		_ = peer.Shutdown(now) // whatever still runs
		far.Close()
	})
	return sub
}

func (s *subject) letGo() {
	select {
	case <-s.release:
	default:
		close(s.release)
	}
}

// ask sends the subject a request, as its client.
func (s *subject) ask(t *testing.T, id int, method, params string) {
	t.Helper()
	fmt.Fprintf(s.wire, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
	if err := s.wire.Flush(); err != nil {
		t.Fatal(err)
	}
}

// hear is the subject's next answer.
func (s *subject) hear(t *testing.T) string {
	t.Helper()
	line, err := s.wire.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// raw is a client that writes bytes.
type raw struct {
	net.Conn
	t *testing.T
}

func dialRaw(t *testing.T, s *Server) *raw {
	t.Helper()
	conn, err := net.Dial("unix", s.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &raw{conn, t}
}

// send writes one frame.
func (r *raw) send(body string) {
	r.t.Helper()
	frame := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	if _, err := r.Write(frame); err != nil {
		r.t.Fatal(err)
	}
}

// call sends a request with id 1.
func (r *raw) call(method, params string) {
	r.t.Helper()
	r.send(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`)
}

// hear returns the next frame's body.
func (r *raw) hear() string {
	r.t.Helper()
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		r.t.Fatal(err)
	}
	body := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(r, body); err != nil {
		r.t.Fatal(err)
	}
	return string(body)
}

// wantFrame fails the test unless the next frame has each part.
func (r *raw) wantFrame(parts ...string) {
	r.t.Helper()
	body := r.hear()
	for _, part := range parts {
		if !strings.Contains(body, part) {
			r.t.Errorf("frame %s, want %s in it", body, part)
		}
	}
}

// wantEnd waits for the end of the connection, and fails the test when anything comes before it.
func (r *raw) wantEnd() {
	r.t.Helper()
	if n, err := r.Read(make([]byte, 1)); n != 0 || err == nil {
		r.t.Error("the connection goes on")
	}
}

// fakeClock moves when it is told.
type fakeClock struct {
	mu     sync.Mutex
	armed  *sync.Cond
	now    core.Time
	timers map[*fakeTimer]core.Time // when each is due
}

type fakeTimer struct {
	clock *fakeClock
	f     func()
}

func newFakeClock() *fakeClock {
	c := &fakeClock{now: 1, timers: map[*fakeTimer]core.Time{}}
	c.armed = sync.NewCond(&c.mu)
	return c
}

func (c *fakeClock) Now() core.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) AfterFunc(d time.Duration, f func()) host.Timer {
	t := &fakeTimer{c, f}
	t.Reset(d)
	return t
}

func (t *fakeTimer) Reset(d time.Duration) bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	_, was := t.clock.timers[t]
	t.clock.timers[t] = t.clock.now + core.Time(d)
	t.clock.armed.Broadcast()
	return was
}

func (t *fakeTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	_, was := t.clock.timers[t]
	delete(t.clock.timers, t)
	return was
}

// advance moves the time and starts what is due.
func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now += core.Time(d)
	for t, due := range c.timers {
		if due <= c.now {
			delete(c.timers, t)
			go t.f()
		}
	}
}

// await returns once count timers are due in exactly d.
func (c *fakeClock) await(count int, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		found := 0
		for _, due := range c.timers {
			if due == c.now+core.Time(d) {
				found++
			}
		}
		if found >= count {
			return
		}
		c.armed.Wait()
	}
}
