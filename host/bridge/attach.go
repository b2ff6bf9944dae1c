package bridge

import (
	"errors"

	"github.com/parley-rpc/parley/core/resume"
)

// The page's side of a relay. A socket is named by its generation; what an older one says or asks for
// is ignored (RESUME-4).

var errTold = errors.New("bridge: the session is over and its page has been told")

// attach gives the session a socket whose page has received so many texts. The greeting is written
// first; nil under no subprotocol.
func (r *relay) attach(received uint64) (generation resume.Generation, greeting []byte, err error) {
	err = errTold // unless the relay still turns
	r.update(func() {
		if r.end.isTold() {
			return
		}
		if generation, err = r.link.Attach(r.clock.Now()); err != nil {
			return
		}
		if r.resumable {
			greeting = r.link.Greeting()
		}
		r.generation = generation
		err = r.link.Resume(generation, received, r.clock.Now())
	})
	return generation, greeting, err
}

// detach says that a socket is lost. A session that cannot be resumed is over with it.
func (r *relay) detach(generation resume.Generation) {
	r.update(func() {
		if generation != r.generation {
			return
		}
		r.generation = 0
		r.link.Detach(generation, r.clock.Now())
		if !r.resumable {
			r.finish(causePageGone)
		}
		if r.end.cause != nil && !r.end.cause.flush {
			r.tell()
		}
	})
}

// receive takes one text of the page's, once there is room for it, and ignores what comes on a socket
// that the session has done with; waits is told that it waits for
// that, under the lock.
func (r *relay) receive(generation resume.Generation, text []byte, waits func(bool)) {
	r.mu.Lock()
	defer r.unlock()
	for r.page.machine.Paused() && generation == r.generation && r.end.cause == nil {
		waits(true)
		r.page.mayRead.Wait()
	}
	waits(false)
	if r.closed || generation != r.generation || r.end.cause != nil || !r.link.Receive(generation) {
		return
	}
	copy(r.page.machine.Reserve(len(text)), text)
	_ = r.page.machine.CommitMessage(len(text)) // what is wrong with it comes as an event
	r.turn()
}

// next waits for a text to be written to a socket; isText is false once there will be none, and c says
// with what the socket is to be closed then.
func (r *relay) next(generation resume.Generation) (text []byte, c cause, isText bool) {
	r.mu.Lock()
	defer r.unlock()
	for {
		switch {
		case r.closed || generation != r.generation:
			return nil, causeSuperseded, false
		case r.isUnheard():
			return nil, *r.end.cause, false
		}
		if text, isText = r.link.Next(generation); isText {
			r.turn() // there is room now
			return text, cause{}, true
		}
		if r.end.cause != nil && r.drained() {
			return nil, *r.end.cause, false
		}
		r.page.mayWrite.Wait()
	}
}

// finishFrom ends the session for a cause that its page has given, unless a newer socket has the session.
// The page counts as told once this socket is detached.
func (r *relay) finishFrom(generation resume.Generation, c cause) {
	r.update(func() {
		if generation == r.generation {
			r.finish(c)
		}
	})
}
