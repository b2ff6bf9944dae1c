package main

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"math"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// digests are the SHA-256 of the messages said in each direction, in order, each behind a line
// feed. How they were framed and cut into reads and writes does not show.
type digests struct {
	Sent     string `json:"sent"`
	Received string `json:"received"`
}

// recorder is a Machine that listens to the bytes which another one is given and gives. It hears the
// wire from inside the session, whatever the transport and the engine are.
type recorder struct {
	host.Machine
	reserved       []byte
	sent, received *listener
}

func newRecorder(m host.Machine, profile core.Profile) (*recorder, error) {
	sent, err := newListener(profile)
	if err != nil {
		return nil, err
	}
	received, err := newListener(profile)
	if err != nil {
		return nil, err
	}
	return &recorder{Machine: m, sent: sent, received: received}, nil
}

func (r *recorder) Reserve(n int) []byte {
	r.reserved = r.Machine.Reserve(n)
	return r.reserved
}

func (r *recorder) Commit(n int) error {
	r.received.hear(r.reserved[:n]) // before the machine may use the space again
	return r.Machine.Commit(n)
}

func (r *recorder) Take(spare []byte) []byte {
	segment := r.Machine.Take(spare)
	r.sent.hear(segment)
	return segment
}

func (r *recorder) digests() digests {
	return digests{Sent: r.sent.digest(), Received: r.received.digest()}
}

// listener is a relay of one direction that hashes the messages and forwards none.
type listener struct {
	relay *core.Conn
	sum   hash.Hash
}

func newListener(profile core.Profile) (*listener, error) {
	relay, err := core.New(core.Defaults(profile, core.RoleRelay))
	if err != nil {
		return nil, err
	}
	relay.Want(math.MaxInt32)
	return &listener{relay: relay, sum: sha256.New()}, nil
}

func (l *listener) hear(bytes []byte) {
	copy(l.relay.Reserve(len(bytes)), bytes)
	// What breaks the framing ends the session itself, which says so.
	_ = l.relay.Commit(len(bytes))
	for ev := range l.relay.Events() {
		if ev.Kind == core.EventMessage {
			l.sum.Write([]byte{'\n'})
			l.sum.Write(ev.Frame)
		}
	}
}

func (l *listener) digest() string { return hex.EncodeToString(l.sum.Sum(nil)) }
