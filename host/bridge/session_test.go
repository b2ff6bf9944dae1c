//go:build unix

package bridge

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

func TestMessagesPassByteForByte(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p := begin(t, Options{Engine: engine}).dial(wsPath)
		const odd = `{ "a" : 1.0e2, "é": "\u00e9", "n": 9007199254740993 }`
		if got := string(p.call("echo", odd).Result); got != odd {
			t.Errorf("%s came back as %s", odd, got)
		}
		p.send(`{"jsonrpc":"2.0","id":"z","method":"ask","params":[7]}`)
		if asked := p.receive(); asked != `{"jsonrpc":"2.0","id":"q","method":"asked","params":[7]}` {
			t.Errorf("the server's request came as %s", asked)
		}
		p.send(`{"jsonrpc":"2.0","id":"q","result":[8]}`)
		if got := string(p.answer(`"z"`).Result); got != "[8]" {
			t.Errorf("our answer came as %s", got)
		}
	})
}

func TestProcessIDIsOurs(t *testing.T) {
	for _, test := range []struct{ keep, params, want string }{
		{"", `{"processId":123,"x":"processId"}`, `{"processId":%d,"x":"processId"}`},
		{"", `{ "rootUri":null, "processId" : null }`, `{ "rootUri":null, "processId" : %d }`},
		{"", `{"process\u0049d":1,"a":{"processId":2},"processId":3}`, `{"process\u0049d":%[1]d,"a":{"processId":2},"processId":%[1]d}`},
		{"", `{"capabilities":{}}`, `{"capabilities":{}}`},
		{"", `[1]`, `[1]`},
		{"keep", `{"processId":123}`, `{"processId":123}`},
	} {
		p := begin(t, Options{KeepProcessID: test.keep != ""}).dial(wsPath)
		want := test.want
		if strings.Contains(want, "%") {
			want = fmt.Sprintf(want, os.Getpid())
		}
		if got := string(p.call("initialize", test.params).Result); got != want {
			t.Errorf("%s became %s, want %s", test.params, got, want)
		}
	}
}

func TestEachSocketHasAServerOfItsOwn(t *testing.T) {
	f := begin(t, Options{SessionsMax: 2})
	one, two := f.dial(wsPath), f.dial(wsPath)
	one.call("echo", "[1]")
	two.call("echo", "[2]")
	if got := len(f.children()); got != 2 {
		t.Errorf("%d children, want 2", got)
	}
	f.dial(wsPath).wantClosed(websocket.StatusTryAgainLater, "too-many-sessions")
	one.conn.CloseNow()
	two.call("echo", "[3]")
}

func TestNamesChooseTheServer(t *testing.T) {
	f := begin(t, Options{Servers: []Server{scriptedServer("first"), scriptedServer("second")}})
	f.dial("/ws/second?token=the+token").call("echo", "[1]")
	if _, response, err := f.tryDial(f.url("/ws/third?token=the+token"), nil); err == nil || response.StatusCode != 404 {
		t.Errorf("an unknown name: %v", response)
	}
}

func TestServerThatDiesSaysWhy(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		f := begin(t, Options{Engine: engine})
		p := f.dial(wsPath)
		p.send(`{"jsonrpc":"2.0","id":1,"method":"notes","params":[100]}`)
		p.send(`{"jsonrpc":"2.0","id":2,"method":"die"}`)
		for i := range 100 { // what it said before comes first
			if got, want := p.receive(), fmt.Sprintf(`{"jsonrpc":"2.0","method":"noted","params":[%d]}`, i); got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
		}
		p.receive()
		closed := p.closed()
		if closed.Code != CloseServerExited || !strings.HasPrefix(closed.Reason, "server-exited: exit status 3: ") || !strings.Contains(closed.Reason, "reasons") {
			t.Errorf("closed with %d %q", closed.Code, closed.Reason)
		}
		f.emptied()
	})
}

func TestPageThatAskedForTheExitGetsANormalClose(t *testing.T) {
	f := begin(t, Options{})
	p := f.dial(wsPath)
	p.call("initialize", "{}")
	p.call("shutdown", "{}")
	p.send(`{"jsonrpc":"2.0","method":"exit"}`)
	p.wantClosed(websocket.StatusNormalClosure, "server-exited: exit status 0")
	f.emptied()
	if got := f.heard(); !slices.Equal(got, []string{"initialize", "shutdown", "exit"}) {
		t.Errorf("the server heard %v", got)
	}
}

func TestServerWhosePageLeftHearsAFarewell(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		f := begin(t, Options{Engine: engine})
		p := f.dial(wsPath)
		p.call("initialize", "{}")
		p.conn.CloseNow()
		f.emptied()
		if got := f.heard(); !slices.Equal(got, []string{"initialize", "shutdown", "exit"}) {
			t.Errorf("the server heard %v", got)
		}
	})
}

func TestFarewellGoesOnWhereThePageStopped(t *testing.T) {
	f := begin(t, Options{})
	p := f.dial(wsPath)
	p.call("initialize", "{}")
	p.call("shutdown", "{}")
	p.conn.CloseNow()
	f.emptied()
	if got := f.heard(); !slices.Equal(got, []string{"initialize", "shutdown", "exit"}) {
		t.Errorf("the server heard %v", got)
	}
}

func TestServerThatCannotStart(t *testing.T) {
	f := begin(t, Options{Servers: []Server{{Name: "gone", Profile: core.ProfileLSP, Command: []string{"/nowhere/server"}}}})
	f.dial(wsPath).wantClosed(CloseServerNotStarted, "server-not-started: /nowhere/server: no such file")
}

func TestServerThatBreaksTheProtocol(t *testing.T) {
	f := begin(t, Options{Bounds: hasty})
	p := f.dial(wsPath)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"break"}`)
	p.wantClosed(CloseServerBroke, "length at byte 18")
	f.emptied()
}

func TestLinesOfLogOnStdoutAreSkippedAndShown(t *testing.T) {
	f := begin(t, Options{})
	p := f.dial(wsPath)
	p.call("print", "[]")
	p.call("echo", "[]")
	f.logs("a line of log on stdout")
}

func TestCloseEndsEverySession(t *testing.T) {
	f := begin(t, Options{})
	one, two := f.dial(wsPath), f.dial(wsPath, resumeProtocol)
	one.call("echo", "[]")
	two.call("echo", "[]")
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	one.wantClosed(websocket.StatusGoingAway, "bridge-stopped")
	two.wantClosed(websocket.StatusGoingAway, "bridge-stopped")
	f.await(done, "Close")
	if _, _, err := f.tryDial(f.url(wsPath), nil); err != nil {
		t.Logf("after Close: %v", err)
	}
}

func TestReasonsFitIntoACloseFrame(t *testing.T) {
	for _, detail := range []string{"", strings.Repeat("é", 200), strings.Repeat("\U0001F600", 200), "a\x00\x1b[31m\u202eb\n" + strings.Repeat("x", 300), "\xff\xfe"} {
		reason := reasonText("server-exited", detail)
		if len(reason) > 123 || !strings.HasPrefix(reason, "server-exited: ") || strings.ContainsAny(reason, "\x00\x1b\u202e\n") {
			t.Errorf("%q became %q", detail, reason)
		}
	}
}

// tripping is an engine whose machines fail behind their second frame.
type tripping struct{ host.Machine }

func (m tripping) Err() error {
	if m.Stats().FramesIn < 2 {
		return nil
	}
	return errors.New("the sandbox is broken")
}

func TestEngineThatFailsEndsTheSession(t *testing.T) {
	f := begin(t, Options{Engine: func(cfg core.Config) (host.Machine, error) {
		m, err := host.Native(cfg)
		return tripping{m}, err
	}})
	p := f.dial(wsPath)
	p.call("echo", "[]")
	p.send(`{"jsonrpc":"2.0","id":2,"method":"echo","params":[]}`)
	p.wantClosed(websocket.StatusInternalError, "engine-failed: the sandbox is broken")
	f.emptied()
}

// Pages come and go all at once; at no time are there more children than sessions are allowed.
func TestManySessionsAtOnce(t *testing.T) {
	const pages, rounds, sessionsMax = 8, 5, 4
	f := begin(t, Options{SessionsMax: sessionsMax})
	var all sync.WaitGroup
	var served, full atomic.Int32
	for range pages {
		all.Go(func() {
			for range rounds {
				conn, _, err := websocket.Dial(t.Context(), f.url(wsPath), nil)
				if err != nil {
					t.Error(err)
					return
				}
				text := []byte(`{"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}`)
				_ = conn.Write(t.Context(), websocket.MessageText, text) // the answer tells
				switch _, answer, err := conn.Read(t.Context()); {
				case websocket.CloseStatus(err) == websocket.StatusTryAgainLater:
					full.Add(1)
				case err != nil || string(answer) != `{"jsonrpc":"2.0","id":1,"result":[1]}`:
					t.Errorf("%s, %v", answer, err)
				default:
					served.Add(1)
				}
				if _, document := f.health(); document.Sessions > sessionsMax {
					t.Errorf("%d sessions", document.Sessions)
				}
				_ = conn.CloseNow() // closed already, where there was no place
			}
		})
	}
	all.Wait()
	f.emptied()
	if got := served.Load() + full.Load(); got != pages*rounds || int(served.Load()) != len(f.children()) {
		t.Errorf("%d served, %d refused, %d children", served.Load(), full.Load(), len(f.children()))
	}
}
