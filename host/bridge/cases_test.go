//go:build unix

package bridge

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/coder/websocket"

	"github.com/parley-rpc/parley/core"
)

// upgrade sends a request for an upgrade as it stands, and returns what answers.
func (f *fixture) upgrade(head string) (net.Conn, *bufio.Reader, *http.Response) {
	f.t.Helper()
	conn, err := net.Dial("tcp", f.web.Listener.Addr().String())
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = conn.Close() }) // closed already, where the bridge was first
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\n%sUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", wsPath, head)
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	return conn, reader, response
}

// A message in fragments with a ping between them; then frames that RFC 6455 forbids.
func TestB103(t *testing.T) {
	const mask = "\x00\x00\x00\x00"
	fragments := "\x01\x8a" + mask + `{"jsonrpc"` + "\x89\x82" + mask + "hb" + "\x00\x81" + mask + ":" + "\x00\x80" + mask +
		"\x80\x9d" + mask + `"2.0","id":1,"method":"ping"}`
	f := begin(t, Options{MessageBytesMax: 1 * core.KiB})
	for name, feed := range map[string]func(io.Reader) io.Reader{
		"whole":   func(r io.Reader) io.Reader { return r },
		"by byte": iotest.OneByteReader,
	} {
		conn, reader, _ := f.upgrade("Host: localhost\r\n")
		if _, err := io.Copy(struct{ io.Writer }{conn}, feed(strings.NewReader(fragments))); err != nil {
			t.Fatal(err)
		}
		var got []string
		for range 2 {
			frame, _, err := readFrame(reader)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(frame))
		}
		if want := []string{"\x8a\x02hb", "\x81\x26" + `{"jsonrpc":"2.0","id":1,"result":null}`}; got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	large := strings.Repeat("\x00\xfe\x04\x00"+mask+strings.Repeat("x", 1*core.KiB), 4)
	for name, test := range map[string]struct{ frames, code string }{
		"a text inside another":    {"\x01\x81" + mask + "{" + "\x81\x82" + mask + "{}", "\x03\xea"},
		"no mask":                  {"\x81\x02{}", "\x03\xea"},
		"fragments over the sum":   {"\x01\x81" + mask + "[" + large, "\x03\xf1"},
		"a fragment of nothing":    {"\x80\x81" + mask + "{", "\x03\xea"},
		"a reserved operation":     {"\x83\x80" + mask, "\x03\xea"},
		"a control frame in parts": {"\x09\x80" + mask, "\x03\xea"},
	} {
		conn, reader, _ := f.upgrade("Host: localhost\r\n")
		if _, err := io.WriteString(conn, test.frames); err != nil {
			t.Fatal(err)
		}
		if frame, _, err := readFrame(reader); err != nil || !strings.HasPrefix(string(frame), "\x88") || string(frame[2:4]) != test.code {
			t.Errorf("%s: %q %v, want a close frame with %q", name, frame, err, test.code)
		}
	}
}

func TestB107(t *testing.T) {
	f := begin(t, Options{SessionsMax: 100})
	for _, head := range []string{
		"Host: 127.0.0.1:8787\r\n",
		"Host: 127.0.0.1:8787\r\nOrigin: http://localhost:5173\r\n",
		"Host: localhost:8787\r\nOrigin: http://127.0.0.1:8787\r\n",
		"Host: [::1]:8787\r\nOrigin: http://[::1]:5173\r\n",
	} {
		if _, _, response := f.upgrade(head); response.StatusCode != http.StatusSwitchingProtocols {
			t.Errorf("%q: %s", head, response.Status)
		}
	}
	for _, head := range []string{
		"Host: 127.0.0.1:8787\r\nOrigin: https://evil.example\r\n",
		"Host: evil.example:8787\r\nOrigin: http://evil.example:8787\r\n",
		"Host: 127.0.0.1:8787\r\nOrigin: http://localhost.evil.example\r\n",
		"Host: 127.0.0.1:8787\r\nOrigin: http://127.0.0.1.evil.example\r\n",
		"Host: 127.0.0.1:8787\r\nOrigin: null\r\n",
		"Host: 127.0.0.1:8787\r\nOrigin: http://user@localhost@evil.example\r\n",
		"Host: localhost.evil.example:8787\r\nOrigin: http://localhost:5173\r\n",
	} {
		if _, _, response := f.upgrade(head); response.StatusCode != http.StatusForbidden {
			t.Errorf("%q: %s", head, response.Status)
		}
	}
	if n := strings.Count(f.log.String(), "refused a request"); n != 7 {
		t.Errorf("%d lines of log for 7 that were refused", n)
	}
}

// A page of an origin that was allowed may read what the bridge answers, and is asked about by its browser.
func TestAllowedOriginsMayRead(t *testing.T) {
	f := begin(t, Options{AllowOrigins: []string{"https://ide.example"}})
	status, _, header := f.ask("OPTIONS", "/files/x", "", "Origin", "https://ide.example", "Access-Control-Request-Method", "PUT")
	if status != http.StatusNoContent || header.Get("Access-Control-Allow-Origin") != "https://ide.example" ||
		!strings.Contains(header.Get("Access-Control-Allow-Headers"), "If-Match") || !strings.Contains(header.Get("Access-Control-Allow-Methods"), "PUT") {
		t.Errorf("asked: %d %v", status, header)
	}
	if status, _, header := f.ask("GET", "/config.json", "", "Origin", "https://ide.example"); status != http.StatusOK || header.Get("Access-Control-Allow-Origin") != "https://ide.example" {
		t.Errorf("read: %d %v", status, header)
	}
	if status, _, header := f.ask("OPTIONS", "/config.json", "", "Origin", "https://evil.example"); status != http.StatusForbidden || header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another: %d %v", status, header)
	}
}

func TestPageThatClosesTakesItsSessionWithIt(t *testing.T) {
	for _, code := range []websocket.StatusCode{websocket.StatusNormalClosure, websocket.StatusGoingAway} {
		f, r := begun(t, Options{})
		if err := r.conn.Close(code, ""); err != nil {
			t.Error(err)
		}
		f.emptied()
		f.dial(resumePath(r.link.Session(), "1"), resumeProtocol).wantClosed(4001, "resume-lost")
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	f := begin(t, Options{})
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- f.Serve(ctx, listener) }()
	p, _, err := f.tryDial("ws://"+listener.Addr().String()+wsPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.call("echo", "[]")
	cancel()
	p.wantClosed(websocket.StatusGoingAway, "bridge-stopped")
	if err := <-served; err != nil {
		t.Error(err)
	}
}
