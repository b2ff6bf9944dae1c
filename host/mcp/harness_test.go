package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/mcp"
)

// dyingChild makes this test binary a server that cannot bear its first request.
const dyingChild = "PARLEY_MCP_TEST_DYING_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(dyingChild) != "" {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		fmt.Fprintln(os.Stderr, "expected initialize")
		os.Exit(3)
	}
	goleak.VerifyTestMain(m)
}

// wire is a server as raw lines.
type wire struct {
	net.Conn
	t     *testing.T
	lines *bufio.Reader

	mu    sync.Mutex
	heard []string
}

func newWire(t *testing.T, conn net.Conn) *wire {
	return &wire{Conn: conn, t: t, lines: bufio.NewReader(conn)}
}

func (w *wire) say(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.Conn, line+"\n"); err != nil {
		w.t.Errorf("wire: say %s: %v", line, err)
	}
}

// hear returns the next line; it is empty at the end of the stream.
func (w *wire) hear() string {
	w.t.Helper()
	line, err := w.lines.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
		w.t.Errorf("wire: %v", err)
	}
	line = strings.TrimSuffix(line, "\n")
	if line != "" {
		w.mu.Lock()
		w.heard = append(w.heard, line)
		w.mu.Unlock()
	}
	return line
}

// all returns every line heard so far.
func (w *wire) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.heard...)
}

func (w *wire) expect(want string) {
	w.t.Helper()
	if got := w.hear(); got != want {
		w.t.Errorf("on the wire\n got %s\nwant %s", got, want)
	}
}

// hearCall returns the id of the next line, which must be a call of a method.
func (w *wire) hearCall(method string) string {
	w.t.Helper()
	line := w.hear()
	var call struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.Unmarshal([]byte(line), &call); err != nil || call.Method != method || call.ID == nil {
		w.t.Errorf("on the wire: %q, want a call of %s", line, method)
	}
	return string(call.ID)
}

// answer hears a call and gives it a result; refuse gives it an error, with data or none.
func (w *wire) answer(method, result string) {
	w.t.Helper()
	w.say(`{"jsonrpc":"2.0","id":` + w.hearCall(method) + `,"result":` + result + `}`)
}

func (w *wire) refuse(method string, code int, data string) {
	w.t.Helper()
	if data != "" {
		data = `,"data":` + data
	}
	w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"%s}}`, w.hearCall(method), code, data))
}

// shakeHands answers the legacy handshake.
func (w *wire) shakeHands() {
	w.t.Helper()
	w.answer("initialize", legacyResult)
	w.expect(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

const (
	modernResult = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}`
	legacyResult = `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`
)

// scripted is a server that plays a script on each connection in turn, then listens to the end.
type scripted struct {
	mcp.Endpoint
	mu    sync.Mutex
	wires []*wire
}

func script(t *testing.T, scripts ...func(w *wire)) *scripted {
	s := &scripted{}
	s.Endpoint = mcp.Endpoint{
		Key: "server",
		Open: func(_ context.Context, options host.Options) (mcp.Conn, error) {
			near, far := net.Pipe()
			peer, err := host.New(host.Duplex(near), options)
			if err != nil {
				return nil, err
			}
			w := newWire(t, far)
			s.mu.Lock()
			play := scripts[len(s.wires)]
			s.wires = append(s.wires, w)
			s.mu.Unlock()
			go func() {
				defer far.Close()
				play(w)
				for w.hear() != "" {
				}
			}()
			return peer, nil
		},
	}
	return s
}

func spawned(t *testing.T, scripts ...func(w *wire)) *scripted {
	s := script(t, scripts...)
	s.Spawned = true
	return s
}

// hangUp ends a connection.
func hangUp(w *wire) { w.Close() }

// clientOptions are the defaults with an era memory of their own, which is returned.
func clientOptions() (mcp.Options, mcp.Cache) {
	cache := mcp.NewCache(nil, 0)
	options := mcp.NewOptions("t", "1")
	options.Eras = mcp.NewEras(cache)
	return options, cache
}

// connect must succeed; the session is closed with the test.
func connect(t *testing.T, endpoint mcp.Endpoint, options mcp.Options) *mcp.Session {
	t.Helper()
	s, err := mcp.Connect(t.Context(), endpoint, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// connectFails returns the failure of a connect that must not succeed.
func connectFails(t *testing.T, endpoint mcp.Endpoint, options mcp.Options) *mcp.ConnectError {
	t.Helper()
	s, err := mcp.Connect(t.Context(), endpoint, options)
	if err == nil {
		s.Close()
		t.Fatalf("connected as %v", s.Era())
	}
	var e *mcp.ConnectError
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	return e
}

func wantEra(t *testing.T, s *mcp.Session, want era.Era, version string) {
	t.Helper()
	if s.Era() != want || s.Version() != version {
		t.Errorf("got %v %s, want %v %s", s.Era(), s.Version(), want, version)
	}
}
