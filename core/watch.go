package core

import (
	"iter"

	"github.com/parley-rpc/parley/core/internal/ident"
	"github.com/parley-rpc/parley/core/internal/slab"
)

// Side is one of the two parties between which a relay stands.
type Side uint8

const (
	SideClient Side = iota
	SideServer
)

// Pairing is what a message means in the light of those before it.
type Pairing uint8

const (
	PairingNone      Pairing = iota // a notification, a batch, an invalid frame, an error for nobody
	PairingRequest                  // a request: it is open now
	PairingDuplicate                // a request whose id is open already
	PairingAnswer                   // the answer to an open request
	PairingUnknown                  // an answer to nothing that is open
)

// Paired is what a Watch makes of one message.
type Paired struct {
	Pairing Pairing
	Ordinal uint64 // of the request that is open now or answered, from 1 in the order in which they came
	Method  []byte // of the request that is answered; valid until the next call on the Watch
	Elapsed Time   // from the request to the answer
	Open    int    // requests of both sides that are open afterwards
}

// Watch pairs the messages of two relays, one a direction: for latency, for lint, for a panel of
// traffic. It changes nothing and holds at most its openMax requests; the oldest is forgotten first.
type Watch struct {
	seed    uint64
	openMax int
	slots   slab.Slab[watched]
	ids     [2]slab.Table // by who asked
	order   slab.Ring[CallID]
	count   uint64 // requests seen
	key     []byte
	method  []byte
}

// watched is an open request.
type watched struct {
	key     keyBuffer
	ordinal uint64
	from    Side
	at      Time
	method  []byte
}

// OpenRequest is a request that has no answer yet.
type OpenRequest struct {
	Ordinal uint64
	From    Side
	Method  []byte // valid until the next call on the Watch
	At      Time
}

// Open yields the requests that have no answer yet, oldest first. Nothing else is called on the Watch
// meanwhile.
func (w *Watch) Open() iter.Seq[OpenRequest] {
	return func(yield func(OpenRequest) bool) {
		for i := range w.order.Count() {
			index, status := w.slots.Find(uint64(*w.order.At(i)))
			if status != slab.Live {
				continue
			}
			r := w.slots.At(index)
			if !yield(OpenRequest{Ordinal: r.ordinal, From: r.from, Method: r.method, At: r.at}) {
				return
			}
		}
	}
}

// NewWatch returns a Watch for openMax open requests, at least 1. The seed keys its id tables.
func NewWatch(seed uint64, openMax int) *Watch {
	return &Watch{seed: seed, openMax: max(1, openMax)}
}

// Saw takes an EventMessage of the relay that reads from one side, and the time at which it came.
func (w *Watch) Saw(from Side, ev *Event, at Time) Paired {
	var p Paired
	switch ev.Class {
	case ClassRequest:
		if p.Pairing = w.open(from, ev, at); p.Pairing == PairingRequest {
			p.Ordinal = w.count
		}
	case ClassResult, ClassError:
		p = w.settle(1-from, ev, at)
	}
	p.Open = w.slots.Count()
	return p
}

func (w *Watch) open(from Side, ev *Event, at Time) Pairing {
	w.key = ident.Append(w.key[:0], ev.ID)
	if _, taken := w.find(from); taken {
		return PairingDuplicate
	}
	if w.slots.Count() >= w.openMax {
		w.forgetOldest()
	}
	index, r := w.slots.Put()
	r.key.set(w.key)
	w.count++
	r.ordinal, r.from, r.at, r.method = w.count, from, at, append(r.method[:0], ev.Method...)
	w.ids[from].Put(ident.Hash(w.seed, w.key), index)
	w.order.Push(CallID(w.slots.Handle(index)))
	w.trim()
	return PairingRequest
}

// settle pairs an answer with the request of the side that asked.
func (w *Watch) settle(asked Side, ev *Event, at Time) Paired {
	if !ident.Valid(ev.ID) || string(ev.ID) == "null" {
		return Paired{} // an error for nobody (MSG-2)
	}
	w.key = ident.Append(w.key[:0], ev.ID)
	index, found := w.find(asked)
	if !found {
		return Paired{Pairing: PairingUnknown}
	}
	r := w.slots.At(index)
	w.method = append(w.method[:0], r.method...)
	p := Paired{Pairing: PairingAnswer, Ordinal: r.ordinal, Method: w.method, Elapsed: at - r.at}
	w.forget(index)
	return p
}

func (w *Watch) find(from Side) (uint32, bool) {
	return w.ids[from].Find(ident.Hash(w.seed, w.key), func(i uint32) bool { return w.slots.At(i).key.is(w.key) })
}

func (w *Watch) forget(index uint32) {
	r := w.slots.At(index)
	w.ids[r.from].Delete(ident.Hash(w.seed, r.key.bytes()), index)
	w.slots.Drop(index)
}

func (w *Watch) forgetOldest() {
	for ; w.order.Count() > 0; w.order.Drop() {
		if index, status := w.slots.Find(uint64(*w.order.At(0))); status == slab.Live {
			w.forget(index)
			return
		}
	}
}

// trim drops the answered from the order once they outnumber the open.
func (w *Watch) trim() {
	if w.order.Count() <= 2*w.slots.Count()+compactSlack {
		return
	}
	for range w.order.Count() {
		handle := *w.order.At(0)
		w.order.Drop()
		if _, status := w.slots.Find(uint64(handle)); status == slab.Live {
			w.order.Push(handle)
		}
	}
}
