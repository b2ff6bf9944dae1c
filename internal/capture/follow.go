package capture

import (
	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/transcript"
)

// Seen is one thing that a capture tells: a message, bytes that are in none, or a record that holds
// neither. Its slices are valid during the call that shows it.
type Seen struct {
	Record *transcript.Record // the record that told it; nil at the end
	At     core.Time
	Side   core.Side   // who sent the message or the bytes
	Found  *Found      // nil: neither
	Pair   core.Paired // of a message

	InBatch bool // a member of the batch that was shown before
}

// IsMessage reports whether it is a message. A batch is one, and its members are none.
func (s *Seen) IsMessage() bool {
	return s.Found != nil && s.Found.Message != nil && !s.InBatch
}

// Follower finds the messages in the records of a capture and pairs requests with answers. A batch is shown
// as one message, and behind it each of its members.
type Follower struct {
	Header Header
	Bytes  [2]uint64 // that passed from the client and from the server, in all sessions

	framers [2]*Framer
	members *Members
	watch   *core.Watch
	last    core.Time
}

// openMax is how many unanswered requests are remembered.
const openMax = 65_536

// NewFollower returns a Follower for one capture, or for its parts one after the other.
func NewFollower() *Follower { return &Follower{members: NewMembers()} }

// Framing is how the messages of a side are told apart, as far as that is known.
func (f *Follower) Framing(side core.Side) Framing {
	if f.framers[side] == nil {
		return FramingGuess
	}
	return f.framers[side].Framing()
}

func (f *Follower) begin(h Header) {
	isNext := f.framers[0] != nil && h.Session != "" && h.Session == f.Header.Session && h.Part == f.Header.Part+1
	if !isNext {
		f.framers = [2]*Framer{NewFramer(h.Framing), NewFramer(h.Framing)}
		f.watch = core.NewWatch(0, openMax)
		if h.Part > 1 { // the parts before it are missing
			f.framers[0].Lost(0)
			f.framers[1].Lost(0)
		}
	}
	f.Header = h
}

// Take takes the next record and shows what it completes. A header that cannot be read is an error.
func (f *Follower) Take(r *transcript.Record, see func(*Seen)) error {
	if f.framers[0] == nil || r.Op == transcript.OpCapture {
		h, err := parseHeader(r)
		if err != nil {
			return err
		}
		if f.framers[0] != nil && h.Part == 1 {
			f.End(see)
		}
		f.begin(h)
	}
	f.last = max(f.last, r.Time)
	side := core.SideClient
	switch r.Op {
	case transcript.OpServer, transcript.OpServerEOF, transcript.OpServerGap:
		side = core.SideServer
	}
	show := func(found Found) { f.show(r, r.Time, side, found, see) }
	switch r.Op {
	case transcript.OpClient, transcript.OpServer:
		f.Bytes[side] += uint64(len(r.Text))
		f.framers[side].Feed(r.Text, show)
		return nil
	case transcript.OpClientEOF, transcript.OpServerEOF:
		f.framers[side].End(show)
	case transcript.OpClientGap, transcript.OpServerGap:
		f.framers[side].Lost(r.Count)
	}
	see(&Seen{Record: r, At: r.Time, Side: side})
	return nil
}

// End says that no record follows, and shows what is left.
func (f *Follower) End(see func(*Seen)) {
	for side, framer := range f.framers {
		if framer != nil {
			framer.End(func(found Found) { f.show(nil, f.last, core.Side(side), found, see) })
		}
	}
	f.framers, f.last = [2]*Framer{}, 0
}

func (f *Follower) show(r *transcript.Record, at core.Time, side core.Side, found Found, see func(*Seen)) {
	seen := Seen{Record: r, At: at, Side: side, Found: &found}
	if found.Message == nil {
		see(&seen)
		return
	}
	seen.Pair = f.watch.Saw(side, found.Message, at)
	see(&seen)
	if found.Message.Class != core.ClassBatch {
		return
	}
	f.members.Each(found.Message.Frame, found.Start, func(member Found) {
		seen := Seen{Record: r, At: at, Side: side, Found: &member, InBatch: true}
		seen.Pair = f.watch.Saw(side, member.Message, at)
		see(&seen)
	})
}
