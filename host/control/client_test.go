//go:build linux || darwin

package control

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/parley-rpc/parley/host"
)

// fragile is a process that answers the first call of each connection, with what greeting says, and hangs
// up on the second; heard are the methods that arrived.
type fragile struct {
	path string

	mu    sync.Mutex
	heard []string
}

func newFragile(t *testing.T, greeting string) *fragile {
	t.Helper()
	directory := folder(t)
	must(t, makeDirectory(directory))
	f := &fragile{path: filepath.Join(directory, socketName(os.Getpid()))}
	listener, err := net.Listen("unix", f.path)
	must(t, err)
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			f.serve(conn, greeting)
		}
	})
	t.Cleanup(func() {
		listener.Close()
		serving.Wait()
	})
	return f
}

func (f *fragile) serve(conn net.Conn, greeting string) {
	defer conn.Close()
	for _, answer := range []string{greeting, ""} {
		var size [4]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(size[:]))
		if _, err := io.ReadFull(conn, body); err != nil {
			return
		}
		var call struct {
			ID     json.Number
			Method string
		}
		if json.Unmarshal(body, &call) != nil {
			return
		}
		f.mu.Lock()
		f.heard = append(f.heard, call.Method)
		f.mu.Unlock()
		if answer == "" {
			return
		}
		text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, answer)
		frame := append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)
		if _, err := io.Copy(conn, bytes.NewReader(frame)); err != nil {
			return
		}
	}
}

func greeting(version, pid, idle, interval int) string {
	return fmt.Sprintf(`{"protocolVersion":%d,"pid":%d,"program":"p","idleTimeoutMs":%d,"keepAliveIntervalMs":%d}`,
		version, pid, idle, interval)
}

func TestCTL7ReadsAreRetriedOnceAndMutationsNever(t *testing.T) {
	for _, test := range []struct {
		method string
		ask    func(c *Client) error
		want   int
	}{
		{SessionsList.Name, func(c *Client) error { _, err := c.Sessions(t.Context()); return err }, 2},
		{StatsGet.Name, func(c *Client) error { _, err := c.Stats(t.Context(), "s"); return err }, 2},
		{RequestsCancel.Name, func(c *Client) error { _, err := c.Cancel(t.Context(), "s-1"); return err }, 1},
		{TraceStart.Name, func(c *Client) error { _, err := c.TraceStart(t.Context(), "s"); return err }, 1},
		{TraceStop.Name, func(c *Client) error { _, err := c.TraceStop(t.Context(), "s"); return err }, 1},
	} {
		t.Run(test.method, func(t *testing.T) {
			f := newFragile(t, greeting(1, os.Getpid(), 120000, 40000))
			c, err := NewClient(f.path, nil)
			must(t, err)
			defer c.Close()
			if err := test.ask(c); !errors.Is(err, host.ErrClosed) {
				t.Errorf("error %v", err)
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			asked := 0
			for _, method := range f.heard {
				if method == test.method {
					asked++
				}
			}
			if asked != test.want {
				t.Errorf("asked %d times, want %d: %v", asked, test.want, f.heard)
			}
		})
	}
}

func TestClientRefusesWhoItDidNotLookFor(t *testing.T) {
	me := os.Getpid()
	for _, test := range []struct {
		name, greeting string
		want           error
		text           string
	}{
		{"another version", greeting(2, me, 120000, 40000), ErrVersion, "another version of the control protocol: 2"},
		{"another process", greeting(1, me+1, 120000, 40000), ErrStranger, "says to be process"},
		{"no interval", greeting(1, me, 120000, 0), nil, "does not fit"},
		{"an interval as long as the limit", greeting(1, me, 1000, 1000), nil, "does not fit"},
		{"a limit over the largest", greeting(1, me, 120001, 1000), nil, "does not fit"},
		{"no object", "[]", nil, "does not fit"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := NewClient(newFragile(t, test.greeting).path, nil)
			must(t, err)
			defer c.Close()
			_, err = c.Sessions(t.Context())
			if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestCTL4ClientStaysByKeepingAlive(t *testing.T) {
	clock := newFakeClock()
	s := serveWith(t, Options{Clock: clock, IdleTimeout: thirty})
	silent := dialRaw(t, s)
	c := clientOf(t, s, clock)
	before, err := c.connect(t.Context())
	must(t, err)
	clock.await(2, thirty)
	for range 3 {
		clock.await(1, thirty/3)
		clock.advance(thirty / 3)
	}
	silent.wantEnd()
	if after, err := c.connect(t.Context()); err != nil || after != before {
		t.Errorf("the connection was lost: %v", err)
	}
	if _, err := c.Sessions(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestClientConnectsAgain(t *testing.T) {
	directory := folder(t)
	s := serveWith(t, Options{Directory: directory})
	c := clientOf(t, s, nil)
	if _, err := c.Sessions(t.Context()); err != nil {
		t.Fatal(err)
	}
	must(t, s.Close())
	serveWith(t, Options{Directory: directory})
	if _, err := c.Sessions(t.Context()); err != nil {
		t.Errorf("after the process opened its control connection anew: %v", err)
	}
	must(t, c.Close())
	if _, err := c.Sessions(t.Context()); !errors.Is(err, host.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestManyAskOverOneConnection(t *testing.T) {
	s := serveWith(t, Options{})
	c := clientOf(t, s, nil)
	var asking sync.WaitGroup
	for range 100 {
		asking.Go(func() {
			if _, err := c.Sessions(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	asking.Wait()
	if served, waiting := s.places.counts(); served != 1 || waiting != 0 {
		t.Errorf("%d connections, %d wait", served, waiting)
	}
}

func TestNewClientWantsASocketsName(t *testing.T) {
	for _, bad := range []string{"", "/x/7", "/x/-7" + socketSuffix, "/x/07" + socketSuffix, "/x/" + socketSuffix, "/x/99999999999999999999" + socketSuffix} {
		if _, err := NewClient(bad, nil); err == nil {
			t.Errorf("%q is taken for a socket", bad)
		}
	}
	if _, err := NewClient("/"+strings.Repeat("x", 100)+"/7"+socketSuffix, nil); !errors.Is(err, ErrPathTooLong) {
		t.Errorf("a long path: %v", err)
	}
}
