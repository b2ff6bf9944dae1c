package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/resume"
)

// FuzzRelay puts a page and a server at the two ends of a relay, with sockets between it and the page that
// are cut, replaced while they live, slow, and lost without anybody noticing. Goal: each hears what the other
// said, once each and in order (RESUME-2, RESUME-3); what is over says so, with the cause that ended it,
// and a server that has said its last word is heard out first (BRIDGE-5).
func FuzzRelay(f *testing.F) {
	f.Add(uint16(9000), byte(0), []byte{0, 2, 3, 1, 0, 2, 4, 0, 1, 1, 2, 3, 1})
	f.Add(uint16(9000), byte(1), []byte{0, 0, 2, 2, 6, 0, 1, 2, 7, 1, 3, 3, 1, 1})
	f.Add(uint16(300), byte(2), []byte{2, 2, 2, 2, 2, 5, 250, 0, 0, 4, 1, 1, 1})
	f.Add(uint16(9000), byte(3), []byte{2, 10, 18, 2, 7, 2, 2, 5, 4, 1, 7, 5})
	f.Add(uint16(1), byte(4), []byte{2, 1, 2, 1, 7, 253, 253, 253, 253, 253, 253, 253, 253})
	f.Add(uint16(0), byte(2), []byte{0, 1, 0, 253, 253, 0}) // a server that reads again once it was given up
	random := rand.New(rand.NewPCG(1, 2))
	for ending := range byte(200) {
		script := make([]byte, 1+random.IntN(60))
		for i := range script {
			script[i] = byte(random.Uint32())
		}
		f.Add(uint16(random.Uint32()>>random.IntN(16)), ending, script)
	}
	f.Fuzz(func(t *testing.T, keptBytesMax uint16, ending byte, script []byte) {
		if len(script) > scriptBytesMax {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			w := newRelayWorld(t, 1+int(keptBytesMax))
			for _, op := range script {
				w.step(op)
				synctest.Wait()
			}
			w.endBy(ending)
		})
	})
}

const scriptBytesMax = 256

// relayWorld is a relay and everybody around it. Its goroutines are those of a session; between two steps
// all of them wait.
type relayWorld struct {
	t         *testing.T
	relay     *relay
	deadAfter time.Duration
	page      relayPage
	work      sync.WaitGroup

	// The server.
	said     int          // notifications it has written
	saying   chan []byte  // pieces of its output
	hasLeft  bool         // saying is closed
	mayEat   chan int     // how many bytes it reads next
	eaten    bytes.Buffer // what it has read
	stdin    *io.PipeWriter
	serverIn *io.PipeReader
}

// relayPage is the page, and its newest socket.
type relayPage struct {
	link   *resume.Link
	said   int // notifications accepted by its link
	heard  int
	socket *relaySocket
	older  []*relaySocket // replaced while they lived
	causes []cause        // with which its sockets were closed, but for those that were cut before
}

var causeServerLeft = cause{code: CloseServerExited, reason: "server-exited: status 0", flush: true}

// relaySocket is one socket. What is in the channels is on its way.
type relaySocket struct {
	relays, pages resume.Generation
	toRelay       chan []byte
	toPage        chan []byte
	cut           chan struct{}
	closed        chan cause
	isGreeted     bool
}

func newRelayWorld(t *testing.T, keptBytesMax int) *relayWorld {
	o, err := Options{Servers: []Server{{Name: "x", Profile: core.ProfileLSP, Command: []string{"x"}}}}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	o.ResumeBytesMax = keptBytesMax
	r, err := openRelay(&o, core.ProfileLSP, "s", true)
	if err != nil {
		t.Fatal(err)
	}
	link, err := resume.New(resume.Defaults(""))
	if err != nil {
		t.Fatal(err)
	}
	w := &relayWorld{
		t: t, relay: r, deadAfter: o.DeadAfter, page: relayPage{link: link},
		saying: make(chan []byte, 4*scriptBytesMax), mayEat: make(chan int, 4*scriptBytesMax),
	}
	stdout, serverOut := io.Pipe()
	serverIn, stdin := io.Pipe()
	w.stdin, w.serverIn = stdin, serverIn
	w.work.Go(func() {
		r.readServer(stdout)
		stdout.Close()
	})
	w.work.Go(func() { _ = r.writeServer(stdin) })
	w.work.Go(func() {
		for piece := range w.saying {
			if _, err := serverOut.Write(piece); err != nil {
				break
			}
		}
		serverOut.Close()
	})
	w.work.Go(func() {
		for n := range w.mayEat {
			if _, err := io.CopyN(&w.eaten, serverIn, int64(n)); err != nil {
				return
			}
		}
	})
	w.work.Go(func() {
		select {
		case <-r.end.serverOver:
			r.update(func() { r.finish(causeServerLeft) })
		case <-r.end.over:
		}
	})
	w.connect()
	return w
}

// step does one thing: the low three bits say which, the others how much.
func (w *relayWorld) step(op byte) {
	amount := int(op >> 3)
	switch op & 7 {
	case 0:
		w.pageSays()
	case 1:
		w.pageHears()
	case 2:
		w.serverSays(amount)
	case 3:
		w.serverHears(amount)
	case 4:
		w.cut(true)
		w.connect()
	case 5:
		time.Sleep(time.Duration(amount) * time.Second)
	case 6:
		w.connect() // while the one before lives
	case 7:
		w.cut(amount&1 == 0) // and nobody comes back yet
	}
}

// connect gives the session a new socket, where it still takes one.
func (w *relayWorld) connect() {
	p := &w.page
	isTold := w.relay.end.isTold()
	generation, greeting, err := w.relay.attach(p.link.Received())
	if isTold && generation != 0 {
		w.t.Error("a session that its page knows to be over takes a socket")
	}
	if err != nil && generation == 0 {
		return
	}
	pages, err := p.link.Attach(w.now())
	if err != nil {
		w.relay.detach(generation)
		return
	}
	k := &relaySocket{
		relays: generation, pages: pages,
		toRelay: make(chan []byte, 2*scriptBytesMax), toPage: make(chan []byte, 4), cut: make(chan struct{}), closed: make(chan cause, 1),
	}
	if p.socket != nil {
		p.older = append(p.older, p.socket)
	}
	p.socket = k
	w.work.Go(func() { w.speak(k, greeting) })
	w.work.Go(func() {
		for text := range k.toRelay {
			w.relay.receive(k.relays, text, func(bool) {})
		}
	})
}

// speak is the socket's writer: it waits where the page is slow.
func (w *relayWorld) speak(k *relaySocket, text []byte) {
	for {
		select {
		case k.toPage <- bytes.Clone(text):
		case <-k.cut:
			return
		}
		next, c, isText := w.relay.next(k.relays)
		if !isText {
			k.closed <- c
			return
		}
		text = next
	}
}

// cut loses a socket with what is on its way. The page notices at once, the relay where isNoticed,
// or when nobody has answered its pings for long.
func (w *relayWorld) cut(isNoticed bool) {
	k := w.page.socket
	if k == nil {
		return
	}
	w.page.socket = nil
	k.lose()
	w.page.link.Detach(k.pages, w.now())
	if isNoticed {
		w.relay.detach(k.relays)
		return
	}
	w.work.Go(func() {
		time.Sleep(w.deadAfter)
		w.relay.detach(k.relays)
	})
}

func (k *relaySocket) lose() {
	close(k.cut)
	close(k.toRelay)
}

func (w *relayWorld) now() core.Time { return w.relay.clock.Now() }

func (w *relayWorld) pageSays() {
	p := &w.page
	text := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"up","params":[%d]}`, p.said)
	if p.link.Send(text, w.now()) == nil {
		p.said++
	}
	w.pageFlushes()
}

func (w *relayWorld) pageFlushes() {
	k := w.page.socket
	if k == nil {
		return
	}
	for len(k.toRelay) < cap(k.toRelay) {
		text, ok := w.page.link.Next(k.pages)
		if !ok {
			return
		}
		k.toRelay <- bytes.Clone(text)
	}
}

// pageHears takes one text off the socket, or the news that it is closed.
func (w *relayWorld) pageHears() (heard bool) {
	p, k := &w.page, w.page.socket
	if k == nil {
		return false
	}
	select {
	case text := <-k.toPage:
		w.take(k, text)
		w.pageFlushes()
		return true
	default:
	}
	select {
	case c := <-k.closed:
		if c == causeSuperseded {
			w.t.Error("the newest socket was closed as superseded")
		}
		p.causes = append(p.causes, c)
		w.relay.answered(k.relays)
		w.cut(true)
		return true
	default:
		return false
	}
}

func (w *relayWorld) take(k *relaySocket, text []byte) {
	p := &w.page
	if !k.isGreeted {
		k.isGreeted = true
		_ = p.link.Greet(k.pages, text, w.now()) // check looks at Err
		return
	}
	if !p.link.Receive(k.pages) {
		return
	}
	if want := downText(p.heard); string(text) != want {
		w.t.Fatalf("the page hears %.80s, want %.80s", text, want)
	}
	p.heard++
}

// downText is the server's n-th notification. Every eleventh is large: three of them are what may wait for the page (BRIDGE-4).
func downText(n int) string {
	pad := ""
	if n%11 == 3 {
		pad = strings.Repeat("x", waitingBytesMax/3)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"down","params":[%d,"%s"]}`, n, pad)
}

// serverSays writes one notification in two pieces, of which the second may come later.
func (w *relayWorld) serverSays(cut int) {
	if !isClosed(w.relay.end.over) { // else nothing that it says counts
		w.serverWrites(cut)
	}
}

func (w *relayWorld) serverWrites(cut int) {
	body := downText(w.said)
	text := fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
	w.said++
	w.saying <- text[:cut]
	w.saying <- text[cut:]
}

func (w *relayWorld) serverHears(bytesMax int) {
	w.mayEat <- bytesMax
}

// endBy lets everything come to rest, ends the session in one of the ways that there are, and checks what
// everybody has heard.
func (w *relayWorld) endBy(ending byte) {
	switch ending % 5 {
	case 0: // the server leaves, and the page hears it out
		w.settle()
		if heard := w.serverHeard(); heard != w.page.said && w.isWhole() && w.relay.end.cause == nil {
			w.t.Errorf("the server heard %d of the page's %d", heard, w.page.said)
		}
		w.endServer()
		w.settle()
		w.wantCause(true)
	case 1: // the server leaves while there is no page, which then comes back
		w.cut(true)
		w.endServer()
		w.settle()
		w.wantCause(true)
	case 2: // the bridge stops
		w.settle()
		w.relay.update(func() { w.relay.finish(causeStopped) })
		synctest.Wait()
		for w.pageHears() {
			synctest.Wait()
		}
		w.wantCause(false)
	case 3: // the server reads no more, which ends the session, and goes on talking
		w.settle()
		isOver := isClosed(w.relay.end.over)
		w.serverIn.Close()
		w.pageSays()
		synctest.Wait()
		for i := 0; i < 12 && !isOver; i++ {
			w.serverWrites(20)
		}
		w.settle()
		w.endServer()
		w.settle()
		w.wantCause(true)
	case 4: // nobody comes back
		w.cut(true)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
	}
	if w.relay.end.cause == nil {
		w.t.Fatal("nothing has ended the session")
	}
	w.cut(true)
	time.Sleep(2 * time.Minute) // a socket that is dead is noticed, and then nobody comes in time
	synctest.Wait()
	if !w.relay.end.isTold() {
		w.t.Errorf("the session ended with %q and still waits for its page", w.relay.end.cause.reason)
	}
	w.stop()
}

// wantCause checks that the page was told why its session is over: by its last socket, or by its link. isHeardOut:
// it has heard everything that the server said.
func (w *relayWorld) wantCause(isHeardOut bool) {
	p := &w.page
	if !w.isWhole() {
		return // over before, with a loss that both sides name
	}
	want := w.relay.end.cause
	if n := len(p.causes); n == 0 || p.causes[n-1].code != want.code || p.causes[n-1].reason != want.reason {
		w.t.Errorf("the page's sockets were closed with %v, want %v last", p.causes, *want)
	}
	if isHeardOut && p.heard != w.said {
		w.t.Errorf("the page heard %d of the server's %d", p.heard, w.said)
	}
}

// endServer closes the server's output, as one that exits does.
func (w *relayWorld) endServer() {
	w.hasLeft = true
	close(w.saying)
}

// settle lets page and server hear everything that is under way, on a socket that stays.
func (w *relayWorld) settle() {
	w.serverHears(1 << 20)
	for range 2*len(w.page.causes) + 3 {
		if w.page.socket == nil {
			w.connect()
		}
		synctest.Wait()
		w.pageFlushes()
		synctest.Wait()
		for w.pageHears() {
			synctest.Wait()
		}
	}
}

// stop ends every goroutine, and compares what the server has heard.
func (w *relayWorld) stop() {
	for _, k := range w.page.older {
		isSlow := len(k.toPage) == cap(k.toPage)
		k.lose()
		synctest.Wait()
		select {
		case c := <-k.closed:
			if c != causeSuperseded && c.code != w.relay.end.cause.code { // which came first
				w.t.Errorf("a socket that was replaced was closed with %v", c)
			}
		default:
			if !isSlow {
				w.t.Error("a socket that was replaced is not closed")
			}
		}
	}
	w.relay.sayFarewell(context.Background())
	synctest.Wait()
	if !w.hasLeft {
		close(w.saying)
	}
	close(w.mayEat)
	synctest.Wait()
	w.stdin.CloseWithError(errors.New("the server is gone"))
	if err := w.relay.close(); err != nil {
		w.t.Error(err)
	}
	w.work.Wait()
	if heard := w.serverHeard(); heard > w.page.said {
		w.t.Errorf("the server heard %d of the page's %d", heard, w.page.said)
	}
}

// serverHeard reads the server's input, which is what the page said, nothing left out and nothing twice, and returns how
// many messages of it are whole.
func (w *relayWorld) serverHeard() (count int) {
	for rest := w.eaten.Bytes(); len(rest) > 0; count++ {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","method":"up","params":[%d]}`, count)
		frame := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
		size := min(len(frame), len(rest))
		if string(rest[:size]) != frame[:size] {
			w.t.Fatalf("the server hears %.80q, want %.80q", rest, frame)
		}
		if size < len(frame) {
			break
		}
		rest = rest[size:]
	}
	return count
}

// isWhole reports that neither link has given the session up.
func (w *relayWorld) isWhole() bool { return w.page.link.Err() == nil && w.relay.link.Err() == nil }
