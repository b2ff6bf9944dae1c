//go:build unix

package bridge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/resume"
	"github.com/parley-rpc/parley/host"
)

// resumer is a page whose socket may be lost: the other side of the same Link.
type resumer struct {
	t       *testing.T
	f       *fixture
	address string // of the bridge, or of a cutter before it
	link    *resume.Link
	sockets int
	heard   []string

	conn       *websocket.Conn // nil: there is none
	generation resume.Generation
}

func (f *fixture) newResumer(address string) *resumer {
	f.t.Helper()
	link, err := resume.New(resume.Defaults(""))
	if err != nil {
		f.t.Fatal(err)
	}
	return &resumer{t: f.t, f: f, address: address, link: link}
}

// do sends texts and goes on until so many have been heard in all, over as many sockets as it takes.
func (r *resumer) do(ctx context.Context, until int, texts ...string) error {
	for _, text := range texts {
		if err := r.link.Send([]byte(text), 0); err != nil {
			return err
		}
	}
	for {
		if r.conn == nil {
			if err := r.connect(ctx); err != nil {
				return err
			}
			continue
		}
		text, ok := r.link.Next(r.generation)
		switch {
		case ok && r.conn.Write(ctx, websocket.MessageText, text) != nil:
			r.lose()
		case ok:
		case len(r.heard) >= until:
			return ctx.Err()
		default:
			r.hear(ctx)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("heard %d of %d: %w", len(r.heard), until, ctx.Err())
		}
	}
}

// connect opens a socket and hears the greeting. An error is final.
func (r *resumer) connect(ctx context.Context) error {
	query := url.Values{"token": {testToken}}
	if r.link.Session() != "" {
		query.Set("session", r.link.Session())
		query.Set("received", strconv.FormatUint(r.link.Received(), 10))
	}
	r.sockets++
	conn, response, err := websocket.Dial(ctx, "ws://"+r.address+"/ws?"+query.Encode(), &websocket.DialOptions{Subprotocols: []string{resumeProtocol}})
	if err != nil {
		if response != nil && response.StatusCode != http.StatusSwitchingProtocols {
			return err
		}
		return ctx.Err() // cut in the handshake
	}
	conn.SetReadLimit(-1)
	r.f.t.Cleanup(func() { _ = conn.CloseNow() })
	r.conn = conn
	if r.generation, err = r.link.Attach(0); err != nil {
		return err
	}
	_, text, err := conn.Read(ctx)
	if closed := (websocket.CloseError{}); errors.As(err, &closed) {
		return closed
	}
	if err != nil {
		r.lose()
		return nil
	}
	return r.link.Greet(r.generation, text, 0)
}

func (r *resumer) hear(ctx context.Context) {
	_, text, err := r.conn.Read(ctx)
	if err != nil {
		r.lose()
		return
	}
	if r.link.Receive(r.generation) {
		r.heard = append(r.heard, string(text))
	}
}

// lose drops the socket without a word.
func (r *resumer) lose() {
	_ = r.conn.CloseNow() // it may be lost already
	r.conn = nil
	r.link.Detach(r.generation, 0)
}

// recording is the session that is cut everywhere: what the page says, and how much it has heard then.
var recording = []struct {
	says  []string
	until int
}{
	{[]string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`}, 1},
	{[]string{`{"jsonrpc":"2.0","method":"initialized"}`, `{"jsonrpc":"2.0","id":2,"method":"notes","params":[3]}`}, 5},
	{[]string{`{"jsonrpc":"2.0","id":"a","method":"ask","params":[1]}`}, 6},
	{[]string{`{"jsonrpc":"2.0","id":"q","result":"é"}`}, 7},
	{[]string{`{"jsonrpc":"2.0","id":3,"method":"echo","params":[1]}`, `{"jsonrpc":"2.0","id":4,"method":"big","params":[40000]}`, `{"jsonrpc":"2.0","id":5,"method":"echo","params":["` + strings.Repeat("x", 20000) + `"]}`}, 10},
	{[]string{`{"jsonrpc":"2.0","id":6,"method":"shutdown"}`}, 11},
}

// play plays the recording through a cutter, and returns what each side heard.
func play(t *testing.T, o Options, plan cut) (page, server []string, sockets int, c *cutter) {
	t.Helper()
	f := begin(t, o)
	c = newCutter(t, f.web.Listener.Addr().String(), plan)
	r := f.newResumer(c.listener.Addr().String())
	ctx, cancel := context.WithTimeout(t.Context(), waitMax)
	defer cancel()
	for _, step := range recording {
		if err := r.do(ctx, step.until, step.says...); err != nil {
			t.Fatal(err)
		}
	}
	r.lose()
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	c.close()
	return r.heard, f.heard(), r.sockets, c
}

// The socket is killed at every message, in both directions, before, inside and behind it: nothing is
// lost, nothing doubled, nothing out of order.
func TestSocketKilledAtEveryMessage(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		o := Options{Engine: engine}
		page, server, _, whole := play(t, o, cut{})
		toBridge, toPage := whole.counts()
		if toBridge != 9 || toPage != 12 { // the greeting among them
			t.Fatalf("the recording has %d and %d messages", toBridge, toPage)
		}
		for direction, messages := range []int{toBridge, toPage} {
			for message := 1; message <= messages; message++ {
				for place, name := range wheres {
					plan := cut{toPage: direction == 1, message: message, where: place}
					t.Run(fmt.Sprintf("toPage=%v/%d/%s", plan.toPage, message, name), func(t *testing.T) {
						gotPage, gotServer, sockets, _ := play(t, o, plan)
						if !slices.Equal(gotPage, page) {
							t.Errorf("the page heard\n%.80q, want\n%.80q", gotPage, page)
						}
						if !slices.Equal(gotServer, server) {
							t.Errorf("the server heard %q, want %q", gotServer, server)
						}
						if sockets < 2 && message < messages {
							t.Error("nothing was cut")
						}
					})
				}
			}
		}
	})
}

// begun is a session with a lost socket, of which the page has heard one answer.
func begun(t *testing.T, o Options) (*fixture, *resumer) {
	t.Helper()
	f := begin(t, o)
	r := f.newResumer(f.web.Listener.Addr().String())
	if err := r.do(t.Context(), 1, `{"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}`); err != nil {
		t.Fatal(err)
	}
	return f, r
}

// resumePath is the URL of a reconnect.
func resumePath(session, received string) string {
	return wsPath + "&session=" + session + "&received=" + received
}

func TestResumingWithLies(t *testing.T) {
	servers := []Server{scriptedServer("first"), scriptedServer("second")}
	for name, test := range map[string]struct {
		path func(session string) string
		ends bool // the session
	}{
		"more received than sent": {func(s string) string { return resumePath(s, "2") }, true},
		"all the numbers":         {func(s string) string { return resumePath(s, "9007199254740991") }, true},
		"unknown session":         {func(string) string { return resumePath("AAAAAAAAAAAAAAAAAAAAAAAAAA", "1") }, false},
		"odd session":             {func(string) string { return resumePath("..%2F%00", "1") }, false},
		"another server's":        {func(s string) string { return strings.Replace(resumePath(s, "1"), "/ws", "/ws/second", 1) }, false},
		"no count":                {func(s string) string { return resumePath(s, "") }, false},
		"negative":                {func(s string) string { return resumePath(s, "-1") }, false},
		"leading zero":            {func(s string) string { return resumePath(s, "01") }, false},
		"exponent":                {func(s string) string { return resumePath(s, "1e0") }, false},
		"over 2^53":               {func(s string) string { return resumePath(s, "9007199254740992") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, r := begun(t, Options{Servers: servers})
			p := f.dial(test.path(r.link.Session()), resumeProtocol)
			p.wantClosed(resume.CloseLost, resume.CloseLostName)
			if test.ends {
				(&page{t: t, conn: r.conn}).wantClosed(resume.CloseSuperseded, resume.CloseSupersededName)
				f.emptied()
			}
			err := r.do(t.Context(), 2, `{"jsonrpc":"2.0","id":2,"method":"echo","params":[1]}`)
			if closed := (websocket.CloseError{}); test.ends != errors.As(err, &closed) || test.ends && closed.Code != resume.CloseLost {
				t.Errorf("the true page goes on with %v", err)
			}
		})
	}
}

func TestWrongTokenResumesNothing(t *testing.T) {
	f, r := begun(t, Options{})
	path := strings.Replace(resumePath(r.link.Session(), "1"), "token=the+token", "token=x", 1)
	f.dial(path, resumeProtocol).wantClosed(CloseRefused, "token")
	if err := r.do(t.Context(), 2, `{"jsonrpc":"2.0","id":2,"method":"echo","params":[1]}`); err != nil || r.sockets != 1 {
		t.Errorf("the true page: %v, %d sockets", err, r.sockets)
	}
}

// Goal: who asks for signs of life gets them, uncounted and behind the greeting, and nobody else does.
// Method: three pages wait for the second sign of the first one; then each makes a call.
func TestSignsOfLife(t *testing.T) {
	f := begin(t, Options{})
	asking := f.dial(wsPath+"&beat=100", resumeProtocol)
	session := greetingOf(t, asking.receive()).Session
	silent, plain := f.dial(wsPath, resumeProtocol), f.dial(wsPath+"&beat=100")
	greetingOf(t, silent.receive())
	for range 2 {
		if got := asking.receive(); got != "" {
			t.Errorf("%q, want a sign of life", got)
		}
	}
	for name, p := range map[string]*page{"not asked": silent, "a plain socket": plain} {
		p.send(`{"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}`)
		if got := p.receive(); !strings.Contains(got, `"result":[1]`) {
			t.Errorf("%s: %q comes before the answer", name, got)
		}
	}
	asking.send(`{"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}`)
	answer := asking.receive()
	for answer == "" {
		answer = asking.receive()
	}
	_ = asking.conn.CloseNow()
	again := f.dial(resumePath(session, "0"), resumeProtocol) // it has counted nothing yet
	if got := greetingOf(t, again.receive()); got != (greeting{session, 1}) {
		t.Errorf("greeting %+v", got)
	}
	if got := again.receive(); got != answer {
		t.Errorf("%q is sent again, want %q", got, answer)
	}
}

func TestNewerSocketTakesTheSession(t *testing.T) {
	f, r := begun(t, Options{})
	newer := f.dial(resumePath(r.link.Session(), "1"), resumeProtocol)
	if got := greetingOf(t, newer.receive()); got != (greeting{r.link.Session(), 1}) {
		t.Errorf("greeting %+v", got)
	}
	newer.call("echo", "[2]")
	_ = r.conn.Close(websocket.StatusNormalClosure, "") // says nothing about the session any more
	newer.call("echo", "[3]")
	if got := f.heard(); len(got) != 3 {
		t.Errorf("the server heard %q", got)
	}
}

func TestSessionWithoutASocketExpires(t *testing.T) {
	f, r := begun(t, Options{ResumeFor: 50 * time.Millisecond})
	session := r.link.Session()
	r.lose()
	f.emptied()
	f.dial(resumePath(session, "1"), resumeProtocol).wantClosed(resume.CloseLost, resume.CloseLostName)
	if got := f.heard(); !slices.Equal(got, []string{"echo"}) {
		t.Errorf("the server heard %q", got)
	}
}

func TestPlainSocketTakesItsSessionWithIt(t *testing.T) {
	f := begin(t, Options{})
	p := f.dial(wsPath)
	p.call("echo", "[1]")
	id := f.only().id
	p.conn.CloseNow()
	f.emptied()
	f.dial(resumePath(id, "1"), resumeProtocol).wantClosed(resume.CloseLost, resume.CloseLostName)
}

func TestServerThatDiesMeanwhileIsHeardOut(t *testing.T) {
	f, r := begun(t, Options{})
	s := f.only()
	if err := r.do(t.Context(), 1, `{"jsonrpc":"2.0","id":2,"method":"notes","params":[5]}`, `{"jsonrpc":"2.0","method":"die"}`); err != nil {
		t.Fatal(err)
	}
	r.lose()
	f.await(s.relay.end.over, "the server to die")
	if err := r.do(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	(&page{t: t, conn: r.conn}).wantClosed(CloseServerExited, "exit status 3")
	f.emptied()
}

// What a server says to nobody is held back beyond the buffer, and comes in order once there is somebody.
func TestServerThatFloodsADetachedSessionIsHeldBack(t *testing.T) {
	f, r := begun(t, Options{ResumeBytesMax: 64 * core.KiB})
	const notes = 2000
	if err := r.do(t.Context(), 1, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"flood","params":[%d]}`, notes)); err != nil {
		t.Fatal(err)
	}
	r.lose()
	relay := f.only().relay
	relay.mu.Lock()
	for !relay.server.machine.Paused() {
		relay.page.mayWrite.Wait() // every turn wakes it
	}
	relay.mu.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 2*waitMax)
	defer cancel()
	if err := r.do(ctx, 1+notes+1); err != nil {
		t.Fatal(err)
	}
	for i, text := range r.heard[1 : 1+notes] {
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"noted","params":[%d,%q]}`, i, pad); text != want {
			t.Fatalf("heard %.60s, want %.60s", text, want)
		}
	}
}
