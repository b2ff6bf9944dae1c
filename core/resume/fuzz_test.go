package resume

import (
	"strconv"
	"testing"

	"github.com/parley-rpc/parley/core"
)

// FuzzLink joins two links by sockets that are cut at any place, replaced while they live, and say
// their last words late. Goal: what each side delivers is what the other sent, once each and in
// order, or both know that the session is over; with room and time enough it is never over.
func FuzzLink(f *testing.F) {
	f.Add(uint16(5000), []byte{0, 1, 2, 2, 3, 3, 4, 0, 1, 2, 3})
	f.Add(uint16(300), []byte{0, 0, 0, 2, 2, 2, 4, 4, 5, 200, 0, 1, 3, 3})
	f.Add(uint16(5000), []byte{0, 2, 6, 0, 2, 6, 1, 3, 7, 7, 4, 2, 3})
	f.Fuzz(func(t *testing.T, bytesMax uint16, script []byte) {
		w := newWorld(t, 1+int(bytesMax))
		w.isRoomy = int(bytesMax) > 2*ChargeBytes*len(script)
		for i := 0; i < len(script); i++ {
			w.step(script[i])
		}
		w.connect()
		for range 3 { // what found no room finds it once the rest is written
			w.drain()
		}
		w.check()
	})
}

const serverSide, clientSide = 0, 1

// world is two links and the sockets between them.
type world struct {
	t       *testing.T
	now     core.Time
	isRoomy bool // the buffers hold everything
	hasAged bool // time has passed
	sides   [2]*side
	socket  *socket
	old     *socket // the one before, whose texts may still come
	session string
}

type side struct {
	link      *Link
	sent      int // accepted by Send
	delivered int
}

// socket is a pair of generations, and what is on its way to each side.
type socket struct {
	generations [2]Generation
	on          [2][][]byte // by the side that they go to
	greeted     bool
}

func newWorld(t *testing.T, bytesMax int) *world {
	w := &world{t: t, session: "s"}
	for i, name := range []string{w.session, ""} {
		cfg := Defaults(name)
		cfg.BytesMax = bytesMax
		link, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		w.sides[i] = &side{link: link}
	}
	w.connect()
	return w
}

func (w *world) step(op byte) {
	which := int(op>>3) & 1
	switch op & 7 {
	case 0, 1:
		w.send(which)
	case 2:
		w.write(which)
	case 3:
		w.deliver(w.socket, which)
	case 4:
		w.cut()
		w.connect()
	case 5:
		w.now += core.Time(op>>3) * core.Second
		w.hasAged = true
		w.sides[which].link.Advance(w.now)
	case 6:
		w.connect() // the old one lives on
	case 7:
		w.deliver(w.old, which)
	}
}

func (w *world) send(from int) {
	s := w.sides[from]
	if s.link.Send([]byte(strconv.Itoa(s.sent)), w.now) == nil {
		s.sent++
	}
}

func (w *world) write(from int) {
	if w.socket == nil {
		return
	}
	if text, ok := w.sides[from].link.Next(w.socket.generations[from]); ok {
		w.socket.on[1-from] = append(w.socket.on[1-from], text)
	}
}

func (w *world) deliver(on *socket, to int) {
	if on == nil || len(on.on[to]) == 0 {
		return
	}
	text, s := on.on[to][0], w.sides[to]
	on.on[to] = on.on[to][1:]
	if to == clientSide && !on.greeted {
		on.greeted = true
		_ = s.link.Greet(on.generations[to], text, w.now) // check looks at Err
		return
	}
	if !s.link.Receive(on.generations[to]) {
		return
	}
	if string(text) != strconv.Itoa(s.delivered) {
		w.t.Fatalf("side %d: text %s, want %d", to, text, s.delivered)
	}
	s.delivered++
}

// cut loses what is on its way; each side may notice.
func (w *world) cut() {
	if w.socket == nil {
		return
	}
	for i, s := range w.sides {
		s.link.Detach(w.socket.generations[i], w.now)
	}
	w.socket = nil
}

// connect makes a new socket, as a client and a bridge do.
func (w *world) connect() {
	w.old, w.socket = w.socket, nil
	server, client := w.sides[serverSide].link, w.sides[clientSide].link
	clientGen, err := client.Attach(w.now)
	if err != nil {
		return
	}
	received := client.Received()
	serverGen, err := server.Attach(w.now)
	if err != nil {
		return
	}
	if err := server.Resume(serverGen, received, w.now); err != nil {
		return
	}
	w.socket = &socket{generations: [2]Generation{serverGen, clientGen}}
	w.socket.on[clientSide] = [][]byte{server.Greeting()}
}

// drain writes and delivers everything.
func (w *world) drain() {
	for w.socket != nil {
		before := [2]int{w.sides[0].delivered, w.sides[1].delivered}
		greeted := w.socket.greeted
		for i := range w.sides {
			w.write(i)
			w.deliver(w.socket, i)
		}
		if before == [2]int{w.sides[0].delivered, w.sides[1].delivered} && greeted == w.socket.greeted {
			return
		}
	}
}

func (w *world) check() {
	for i, s := range w.sides {
		if kind := kindOf(s.link.Err()); kind != FailureNone {
			if kind != FailureLost && kind != FailureExpired {
				w.t.Fatalf("side %d: ended by %v", i, s.link.Err())
			}
			if w.isRoomy && !w.hasAged {
				w.t.Fatalf("side %d: ended by %v, with room and time enough", i, s.link.Err())
			}
			return
		}
	}
	for i, s := range w.sides {
		if want := w.sides[1-i].sent; s.delivered != want {
			w.t.Fatalf("side %d: delivered %d of %d", i, s.delivered, want)
		}
		b := &s.link.sent
		if b.chargedBytes < b.waitingBytes || b.waitingBytes != 0 || b.chargedBytes > max(s.link.cfg.BytesMax, 200) {
			w.t.Fatalf("side %d: %d bytes kept, %d wait", i, b.chargedBytes, b.waitingBytes)
		}
	}
}
