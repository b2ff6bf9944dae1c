package bridge

import (
	"errors"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/resume"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/control"
)

// relay couples two machines of role relay: what one receives, the other sends. It knows neither
// sockets nor processes. Every method is one turn: inputs, then time, then what can be moved is moved
// and whoever can go on is woken.
type relay struct {
	clock           host.Clock
	log             *slog.Logger
	messageBytesMax int
	processID       []byte // what initialize.params.processId becomes; nil: what it is
	hasFarewell     bool   // the server expects LSP's words before its end

	mu           sync.Mutex
	page, server port
	watch        *core.Watch
	passage      *control.Passage // nil: no control connection shows this session
	event        core.Event       // reused by every turn
	timer        host.Timer
	armed        core.Time // what timer is set to

	// The page's output goes through the link, which keeps what a lost socket may not have delivered.
	link       *resume.Link
	block      []byte // taken, and not yet in the link; nil: none
	spare      []byte
	resumable  bool
	generation resume.Generation // of the socket there is; 0: none

	life   life
	end    end
	notes  []note // for the log, which is not written under the lock (API-9)
	closed bool
}

// note is one line of log that waits for the lock to be free.
type note struct {
	text string
	args []any
}

// port is one of the two machines.
type port struct {
	side    core.Side
	machine host.Machine
	other   *port

	asked     bool    // credit for one message is out
	held      message // the last one, which finds no room where it goes; text nil: none
	inputOver bool    // no further message will arrive
	failed    bool    // nothing can be written to it any more
	heard     bool    // it has said something

	mayRead, mayWrite *sync.Cond
}

// newRelay couples two machines, which it owns from then on.
func newRelay(o *Options, profile core.Profile, page, server host.Machine, link *resume.Link) *relay {
	r := &relay{
		clock: o.Clock, log: o.Logger, messageBytesMax: o.MessageBytesMax,
		hasFarewell: profile == core.ProfileLSP,
		watch:       core.NewWatch(0, watchedMax),
		link:        link, armed: core.Never,
		end: end{over: make(chan struct{}), told: make(chan struct{}), serverOver: make(chan struct{})},
	}
	r.page = port{side: core.SideClient, machine: page, other: &r.server}
	r.server = port{side: core.SideServer, machine: server, other: &r.page}
	for _, p := range []*port{&r.page, &r.server} {
		p.mayRead, p.mayWrite = sync.NewCond(&r.mu), sync.NewCond(&r.mu)
	}
	r.life.answered = make(chan struct{})
	r.timer = r.clock.AfterFunc(time.Duration(math.MaxInt64), func() { r.update(func() { r.armed = core.Never }) })
	r.update(func() {})
	return r
}

// watchedMax is how many open requests are followed, to know when initialize and shutdown were answered.
const watchedMax = 1024

// update is the only door: one turn.
func (r *relay) update(f func()) {
	r.mu.Lock()
	if !r.closed {
		f()
		r.turn()
	}
	r.unlock()
}

// unlock writes what is to be logged, outside of the lock.
func (r *relay) unlock() {
	notes := r.notes
	r.notes = nil
	r.mu.Unlock()
	for _, n := range notes {
		r.log.Warn(n.text, n.args...)
	}
}

// turn ends a turn whose inputs have been made. mu is held.
func (r *relay) turn() {
	now := r.clock.Now()
	r.page.machine.Advance(now)
	r.server.machine.Advance(now)
	r.link.Advance(now)
	for r.move(&r.page) || r.move(&r.server) || r.fill(now) {
	}
	r.noteEnds()
	r.wake()
	r.rearm(now)
}

// move hands on what has arrived at one side, until there is nothing more or no room for it.
func (r *relay) move(p *port) (moved bool) {
	for {
		if p.held.text != nil {
			if !(p == &r.server && r.isUnheard()) && !r.forward(&p.held) {
				return moved
			}
			p.held, moved = message{}, true
		}
		if !p.machine.Next(&r.event) {
			if p.asked || p.inputOver && p.machine.State().Waiting == 0 {
				return moved
			}
			p.machine.Want(1)
			p.asked = true
			continue
		}
		switch r.event.Kind {
		case core.EventMessage:
			p.asked, p.heard = false, true
			m := r.judge(p, &r.event)
			if m.to != nil && !r.forward(&m) {
				p.held = m.clone() // the event's memory ends with this turn
			}
		case core.EventResync:
			r.dropped(p, &r.event, "bytes that are no frame")
		case core.EventStalled:
			if p == &r.server {
				r.note("the server has not read its input for a while", "bytes", p.machine.Pending())
			}
		case core.EventEnding:
			p.inputOver = true
		}
	}
}

// forward queues a message where it goes, and reports whether that is done with. What cannot be sent
// any more is done with too: the end says so.
func (r *relay) forward(m *message) bool {
	return m.to.machine.Forward(m.text, m.splices...) != core.ErrOutputFull
}

// fill takes the page's output into the link, as far as there is room.
func (r *relay) fill(now core.Time) (moved bool) {
	for {
		if r.block == nil {
			r.block = r.page.machine.Take(r.spare)
			if r.spare = nil; r.block == nil { // it is the machine's now
				return moved
			}
		}
		if r.link.Send(r.block, now) == core.ErrOutputFull {
			return moved
		}
		r.page.machine.Wrote(len(r.block))
		r.spare, r.block, moved = r.block[:0], nil, true
	}
}

func (r *relay) wake() {
	if r.server.inputOver || !r.server.machine.Paused() {
		r.server.mayRead.Signal()
	}
	if r.server.machine.Pending() > 0 || r.server.machine.OutputDone() {
		r.server.mayWrite.Signal()
	}
	// Of those who wait for the page some may belong to a socket that was lost.
	r.page.mayRead.Broadcast()
	r.page.mayWrite.Broadcast()
}

// rearm sets the one timer to whatever is due first.
func (r *relay) rearm(now core.Time) {
	when := r.link.Deadline()
	for _, p := range []*port{&r.page, &r.server} {
		due, _ := p.machine.Deadline()
		when = min(when, due)
	}
	if r.end.isTold() {
		when = core.Never
	}
	if when == r.armed {
		return
	}
	r.armed = when
	if when == core.Never {
		r.timer.Stop()
		return
	}
	r.timer.Reset(time.Duration(max(when-now, 0)))
}

// close frees both machines, once nobody uses the relay any more.
func (r *relay) close() error {
	r.mu.Lock()
	defer r.unlock()
	r.timer.Stop()
	r.closed = true
	if r.passage != nil {
		r.passage.End()
	}
	return errors.Join(r.page.machine.Close(), r.server.machine.Close())
}
