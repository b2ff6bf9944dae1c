//go:build unix

package bridge

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

func TestWhoIsRefused(t *testing.T) {
	f := begin(t, Options{})
	address := f.web.Listener.Addr().String()
	for _, test := range []struct {
		name, host, origin, token string
		status                    int
	}{
		{"right", address, "http://localhost:1", "the+token", http.StatusSwitchingProtocols},
		{"no origin", address, "", "the+token", http.StatusSwitchingProtocols},
		{"wrong token", address, "", "the+tokem", http.StatusUnauthorized},
		{"start of the token", address, "", "the", http.StatusUnauthorized},
		{"no token", address, "", "", http.StatusUnauthorized},
		{"another site", address, "https://evil.example", "the+token", http.StatusForbidden},
		{"null", address, "null", "the+token", http.StatusForbidden},
		{"rebound name", "evil.example", "http://evil.example", "the+token", http.StatusForbidden},
		{"origin before token", address, "https://evil.example", "wrong", http.StatusForbidden},
	} {
		for _, path := range []string{"/ws", "/config.json", "/files/", "/sessions/x/stderr", "/", "/healthz", "/parley.wasm"} {
			isOpen := path == "/" || path == "/healthz" || path == "/parley.wasm"
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.web.URL+path+"?token="+test.token, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Host = test.host
			if test.origin != "" {
				request.Header.Set("Origin", test.origin)
			}
			if path == "/ws" {
				for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="} {
					request.Header.Set(name, value)
				}
			}
			want := test.status
			switch {
			case want == http.StatusSwitchingProtocols && path == "/sessions/x/stderr":
				want = http.StatusNotFound
			case want == http.StatusSwitchingProtocols && path != "/ws", want == http.StatusUnauthorized && isOpen:
				want = http.StatusOK
			}
			response, err := f.web.Client().Do(request)
			if err != nil {
				t.Fatal(err)
			}
			if err := response.Body.Close(); err != nil {
				t.Error(err)
			}
			if response.StatusCode != want {
				t.Errorf("%s: %s: %d, want %d", test.name, path, response.StatusCode, want)
			}
		}
	}
	if got := len(f.children()); got > 2 {
		t.Errorf("%d children for two sockets", got)
	}
}

// Goal: a page is told that it will never be let in, and why. Method: sockets that offer to resume, each
// with one thing wrong.
func TestRefusedPageIsToldByTheCloseCode(t *testing.T) {
	f := begin(t, Options{})
	for name, test := range map[string]struct{ path, origin, reason string }{
		"wrong token":           {"/ws?token=x", "", "refused: the token is missing or wrong"},
		"no token":              {"/ws", "", "refused: the token is missing or wrong"},
		"another site":          {wsPath, "https://evil.example", `refused: origin "https://evil.example" is neither`},
		"origin before token":   {"/ws?token=x", "null", `refused: origin "null"`},
		"no such server":        {"/ws/absent?token=the+token", "", "refused: there is no server of this name"},
		"signs that are none":   {wsPath + "&beat=often", "", "refused: beat: want whole milliseconds, 100 to 3600000"},
		"signs that are hasty":  {wsPath + "&beat=99", "", "refused: beat"},
		"signs that are seldom": {wsPath + "&beat=3600001", "", "refused: beat"},
		"signs without end":     {wsPath + "&beat=4294967396", "", "refused: beat"}, // 100 more than 32 bits
	} {
		t.Run(name, func(t *testing.T) {
			options := &websocket.DialOptions{Subprotocols: []string{"other", resumeProtocol}, HTTPHeader: http.Header{}}
			if test.origin != "" {
				options.HTTPHeader.Set("Origin", test.origin)
			}
			p, _, err := f.tryDial(f.url(test.path), options)
			if err != nil {
				t.Fatal(err)
			}
			p.wantClosed(CloseRefused, test.reason)
		})
	}
	if got := len(f.children()); got != 0 {
		t.Errorf("%d children for pages that were refused", got)
	}
}

func TestGarbageIsAnswered(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		f := begin(t, Options{Engine: engine})
		p := f.dial(wsPath)
		for _, test := range []struct {
			text string
			code int
		}{
			{"\x00\xff\xfe\x01", -32700},
			{"", -32700},
			{"{", -32700},
			{strings.Repeat("[", 5000), -32700},
			{"7", -32600},
			{"Content-Length: 2\r\n\r\n{}", -32700},
		} {
			if err := p.conn.Write(t.Context(), websocket.MessageBinary, []byte(test.text)); err != nil {
				t.Fatal(err)
			}
			if got, want := p.receive(), fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,`, test.code); !strings.HasPrefix(got, want) {
				t.Errorf("%.20q: answered %s", test.text, got)
			}
		}
		p.call("echo", "[]")
		if got := f.heard(); len(got) != 1 {
			t.Errorf("the server heard %v", got)
		}
	})
}

func TestLargeMessages(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		const limit = 64 * core.KiB
		f := begin(t, Options{Engine: engine, MessageBytesMax: limit})
		p := f.dial(wsPath)
		const frameBytes = len(`{"jsonrpc":"2.0","id":1,"result":""}`)
		if got := p.call("big", fmt.Sprintf("[%d]", limit-frameBytes)); len(got.Result) == 0 {
			t.Errorf("an answer of the limit: %.200s", got.Error)
		}
		if got := p.call("big", fmt.Sprintf("[%d]", limit-frameBytes+1)); !strings.Contains(string(got.Error), "the answer to big has 65537 bytes, at most 65536") {
			t.Errorf("an answer over the limit: %.200s %.200s", got.Error, got.Result)
		}
		if got := p.call("echo", `["`+strings.Repeat("x", limit)+`"]`); !strings.Contains(string(got.Error), "at most 65536") {
			t.Errorf("a request over the limit: %.200s", got.Error)
		}
		p.call("shout", fmt.Sprintf("[%d]", limit))
		f.logs("a notification that is too large")
		p.send(`{"jsonrpc":"2.0","id":"z","method":"ask","params":[]}`)
		p.receive()
		p.send(`{"jsonrpc":"2.0","id":"q","result":"` + strings.Repeat("x", limit) + `"}`)
		if got := p.answer(`"z"`); !strings.Contains(string(got.Result), "the answer to asked has") {
			t.Errorf("our answer over the limit reached the server as %.200s", got.Result)
		}
		p.send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":["` + strings.Repeat("x", limit) + `"]}`)
		p.wantClosed(websocket.StatusMessageTooBig, "message-too-large: textDocument/didOpen of 65599 bytes, at most 65536")
		f.emptied()
	})
}

func TestGiantMessageEndsTheSession(t *testing.T) {
	f := begin(t, Options{MessageBytesMax: 1 * core.KiB})
	p := f.dial(wsPath, resumeProtocol)
	p.receive()
	p.send(`["` + strings.Repeat("x", 4*core.KiB) + `"]`)
	if got := p.closed(); got.Code != websocket.StatusMessageTooBig {
		t.Errorf("closed with %d %q", got.Code, got.Reason)
	}
	f.emptied()

	p = f.dial(wsPath)
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"big","params":[%d]}`, 5*core.KiB))
	p.wantClosed(CloseServerBroke, "server-broke-protocol: core: peer: length")
}

// flood sends until it is held back: what the server does not read, the bridge does not take in for ever.
func TestFloodIsHeldBack(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		f := begin(t, Options{Engine: engine, Bounds: hasty})
		p := f.dial(wsPath)
		p.call("stop-reading", "[]")
		ctx, cancel := context.WithCancel(t.Context())
		sent := make(chan int, 1)
		go func() {
			text := []byte(`{"jsonrpc":"2.0","method":"x","params":["` + strings.Repeat("x", 64*core.KiB) + `"]}`)
			n := 0
			for p.conn.Write(ctx, websocket.MessageText, text) == nil {
				n += len(text)
			}
			sent <- n
		}()
		s := f.only()
		s.relay.mu.Lock()
		for !s.relay.page.machine.Paused() {
			s.relay.page.mayWrite.Wait() // every turn wakes it
		}
		waiting := s.relay.page.machine.State()
		s.relay.mu.Unlock()
		cancel()
		// The socket's buffers lie between: the kernel's on both sides.
		if n := <-sent; n > 64*core.MiB {
			t.Errorf("%d bytes were taken in", n)
		}
		if limits := s.relay.page.machine.Limits(); waiting.Waiting > 2*limits.ParkedBytesMax/(64*core.KiB) {
			t.Errorf("%d messages wait", waiting.Waiting)
		}
	})
}

func TestServerThatStopsReadingEndsTheSession(t *testing.T) {
	f := begin(t, Options{StallMax: 50 * time.Millisecond, Bounds: hasty})
	p := f.dial(wsPath)
	p.call("stop-reading", "[]")
	p.send(`{"jsonrpc":"2.0","method":"x","params":["` + strings.Repeat("x", 1*core.MiB) + `"]}`)
	p.wantClosed(CloseServerStalled, "server-stalled")
	f.emptied()
}

func TestPageThatNeverReadsIsLost(t *testing.T) {
	f := begin(t, Options{PingEvery: 50 * time.Millisecond, DeadAfter: time.Second})
	p := f.dial(wsPath)
	p.call("echo", "[]")
	p.send(`{"jsonrpc":"2.0","id":"n","method":"flood","params":[20000]}`)
	f.emptied() // nobody reads p
}

func TestDeadSocketIsNoticed(t *testing.T) {
	f := begin(t, Options{PingEvery: 50 * time.Millisecond, DeadAfter: time.Second})
	lively := f.dial(wsPath)
	lost := make(chan error, 1)
	go func() {
		_, err := lively.read() // it answers pings meanwhile, and says nothing else
		lost <- err
	}()
	dead, err := net.Dial("tcp", f.web.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer dead.Close()
	fmt.Fprintf(dead, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", wsPath)
	if _, err := io.Copy(io.Discard, dead); err != nil { // until the bridge gives up
		t.Log(err)
	}
	select {
	case err := <-lost:
		t.Errorf("the lively socket was lost too: %v", err)
	default:
	}
	lively.conn.CloseNow()
	<-lost
}
