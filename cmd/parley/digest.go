package main

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"github.com/parley-rpc/parley/host"
)

// digests are the SHA-256 of everything said in each direction, as it went over the wire. How it
// was cut into reads and writes does not show.
type digests struct {
	Sent     string `json:"sent"`
	Received string `json:"received"`
}

// recorder is a Machine that looks at the bytes which another one is given and gives. It sees the
// wire from inside the session, whatever the transport and the engine are.
type recorder struct {
	host.Machine
	reserved       []byte
	sent, received hash.Hash
}

func newRecorder(m host.Machine) *recorder {
	return &recorder{Machine: m, sent: sha256.New(), received: sha256.New()}
}

func (r *recorder) Reserve(n int) []byte {
	r.reserved = r.Machine.Reserve(n)
	return r.reserved
}

func (r *recorder) Commit(n int) error {
	r.received.Write(r.reserved[:n]) // before the machine may use the space again
	return r.Machine.Commit(n)
}

func (r *recorder) Take(spare []byte) []byte {
	segment := r.Machine.Take(spare)
	r.sent.Write(segment)
	return segment
}

func (r *recorder) digests() digests {
	return digests{
		Sent:     hex.EncodeToString(r.sent.Sum(nil)),
		Received: hex.EncodeToString(r.received.Sum(nil)),
	}
}
