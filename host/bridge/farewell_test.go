//go:build unix

package bridge

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/coder/websocket"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/resume"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
)

// patient are the bounds under which a server that is not told what it waits for outlasts the test.
var patient = child.Bounds{Grace: 2 * waitMax, Terminate: waitMax}

// until waits for a state of the relay: every turn may bring it.
func (f *fixture) until(r *relay, what string, holds func() bool) {
	f.t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.mu.Lock()
		defer r.mu.Unlock()
		for !holds() {
			r.page.mayWrite.Wait() // every turn wakes it
		}
	}()
	f.await(done, what)
}

// signal sends a signal to the one child.
func (f *fixture) signal(signal syscall.Signal) {
	f.t.Helper()
	pids := f.children()
	if len(pids) != 1 {
		f.t.Fatalf("%d children, want one", len(pids))
	}
	if err := syscall.Kill(pids[0], signal); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) wantHeard(want ...string) {
	f.t.Helper()
	if got := f.heard(); !slices.Equal(got, want) {
		f.t.Errorf("the server heard %q, want %q", got, want)
	}
}

// A server that does not read has no room for the farewell: it is not waited for, and nothing overtakes what
// still waits for room.
func TestFarewellWithoutRoomIsLeftOut(t *testing.T) {
	for name, test := range map[string]struct {
		texts, bytes int
		isHeld       bool // the last one, while something small would find room
	}{
		"full":              {1, 2 * core.MiB, false},
		"a text that waits": {3, 400 * core.KiB, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := begin(t, Options{Bounds: patient})
			p := f.dial(wsPath)
			p.call("initialize", "{}")
			p.call("pause", "[]")
			text := fmt.Sprintf(`{"jsonrpc":"2.0","method":"x","params":[%q]}`, strings.Repeat("x", test.bytes))
			want := []string{"initialize", "pause", "x"}
			p.send(text)
			r := f.only().relay
			server := r.server.machine
			f.until(r, "the first text to be on its way", func() bool { return server.State().AcceptedBytes > uint64(test.bytes) && server.Pending() == 0 })
			for range test.texts {
				p.send(text)
				want = append(want, "x")
			}
			f.until(r, "the server's input to be full", func() bool {
				return (r.page.held.text != nil) == test.isHeld && server.Pending() >= 2*400*core.KiB
			})
			_ = p.conn.CloseNow()
			f.until(r, "the end of the server's input", func() bool {
				return server.State().Output != core.OutputOpen && r.page.held.text == nil
			})
			f.signal(syscall.SIGUSR1)
			f.emptied()
			if test.isHeld {
				want = want[:len(want)-1] // it never found room
			}
			f.wantHeard(want...)
		})
	}
}

func TestFarewellThatThePageSaidIsNotRepeated(t *testing.T) {
	f := begin(t, Options{Servers: []Server{scriptedServer("lingering")}})
	p := f.dial(wsPath)
	p.call("initialize", "{}")
	p.call("shutdown", "[]")
	p.send(`{"jsonrpc":"2.0","method":"exit"}`)
	r := f.only().relay
	f.until(r, "exit to pass", func() bool { return r.life.isExiting })
	_ = p.conn.CloseNow()
	f.emptied()
	f.wantHeard("initialize", "shutdown", "exit")
}

// initialize is a word of MCP's too; shutdown is not.
func TestOnlyALanguageServerHearsAFarewell(t *testing.T) {
	server := scriptedServer("by-line")
	server.Profile = core.ProfileMCP
	f := begin(t, Options{Servers: []Server{server}})
	p := f.dial(wsPath)
	p.call("initialize", "{}")
	_ = p.conn.CloseNow()
	f.emptied()
	f.wantHeard("initialize")
}

// Nobody reads the answer to a farewell once an engine has failed: it is not waited for.
func TestFarewellDoesNotWaitForAFailedEngine(t *testing.T) {
	f := begin(t, Options{Bounds: patient, Engine: func(cfg core.Config) (host.Machine, error) {
		m, err := host.Native(cfg)
		return tripping{m}, err
	}})
	p := f.dial(wsPath)
	p.call("initialize", "{}")
	p.send(`{"jsonrpc":"2.0","id":2,"method":"echo","params":[]}`)
	p.wantClosed(websocket.StatusInternalError, "engine-failed")
	f.emptied()
}

// What only looks like exit does not make the server's end one that the page has asked for.
func TestOnlyTheNotificationExitAsksForTheExit(t *testing.T) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","method":"exit"}`, // before the handshake
		`{"jsonrpc":"2.0","id":2,"method":"exit"}`,
	} {
		f := begin(t, Options{})
		p := f.dial(wsPath)
		if strings.Contains(text, `"id"`) {
			p.call("initialize", "{}")
		}
		p.send(text)
		p.wantClosed(CloseServerExited, "exit status 0")
	}
}

// A server that is busy writing when its page leaves gets it all off, sees the end of its input, and leaves.
func TestServerThatIsBusyWritingCanLeave(t *testing.T) {
	f := begin(t, Options{Bounds: patient})
	p := f.dial(wsPath)
	p.call("pause", "[]")
	p.send(`{"jsonrpc":"2.0","method":"flood","params":[2000]}`)
	r := f.only().relay
	f.until(r, "the page's last word", func() bool { return r.server.machine.Stats().FramesOut == 2 })
	_ = p.conn.CloseNow()
	f.until(r, "the end of the server's input", func() bool { return r.server.machine.State().Output != core.OutputOpen })
	f.signal(syscall.SIGUSR1)
	f.emptied()
	f.logs(`status="exit status 1"`)
}

// Goal: a bridge that closes does not wait for a page to come back and hear a dead server out. Method: a
// server is killed while its session has no socket.
func TestCloseWaitsForNoPage(t *testing.T) {
	f, r := begun(t, Options{})
	relay := f.only().relay
	r.lose()
	f.until(relay, "the socket to be lost", func() bool { return relay.generation == 0 })
	f.signal(syscall.SIGKILL)
	f.await(relay.end.over, "the server's end")
	closed := make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		closed <- f.Close()
	}()
	f.await(done, "Close")
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// A session whose page has left is over, though its server has not left yet.
func TestSessionThatIsOverIsNotResumed(t *testing.T) {
	f, r := begun(t, Options{Bounds: patient})
	if err := r.do(t.Context(), 2, `{"jsonrpc":"2.0","id":2,"method":"pause"}`); err != nil {
		t.Fatal(err)
	}
	_ = r.conn.Close(websocket.StatusNormalClosure, "")
	f.await(f.only().relay.end.told, "the page's end")
	f.dial(resumePath(r.link.Session(), "2"), resumeProtocol).wantClosed(resume.CloseLost, resume.CloseLostName)
	f.signal(syscall.SIGUSR1)
	f.emptied()
}

// What a server said before it died is delivered first, more of it than the link and the page's machine
// hold too.
func TestServerThatDiesMeanwhileIsHeardOutThroughEveryBuffer(t *testing.T) {
	const notes = 400
	f, r := begun(t, Options{ResumeBytesMax: 64 * core.KiB, Bounds: patient})
	relay := f.only().relay
	if err := r.do(t.Context(), 2, `{"jsonrpc":"2.0","id":2,"method":"pause"}`); err != nil {
		t.Fatal(err)
	}
	if err := r.do(t.Context(), 2, fmt.Sprintf(`{"jsonrpc":"2.0","method":"flood","params":[%d]}`, notes), `{"jsonrpc":"2.0","method":"die"}`); err != nil {
		t.Fatal(err)
	}
	f.until(relay, "the page's last word", func() bool { return relay.server.machine.Stats().FramesOut == 4 })
	r.lose()
	f.until(relay, "the socket to be lost", func() bool { return relay.generation == 0 })
	f.signal(syscall.SIGUSR1)
	f.until(relay, "the buffers to be full", func() bool { return relay.server.held.text != nil })
	if err := r.do(t.Context(), 2+notes); err != nil {
		t.Fatal(err)
	}
	(&page{t: t, conn: r.conn}).wantClosed(CloseServerExited, "exit status 3")
}

// A message with a fault is its reader's to judge.
func TestMessagesWithAFaultAreHandedOn(t *testing.T) {
	p := begin(t, Options{}).dial(wsPath)
	p.send(`{"jsonrpc":"1.0","id":1,"method":"echo","params":[1]}`)
	if got := p.receive(); got != `{"jsonrpc":"2.0","id":1,"result":[1]}` {
		t.Errorf("answered %s", got)
	}
}
