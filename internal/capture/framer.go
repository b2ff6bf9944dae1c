package capture

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/parley-rpc/parley/core"
)

// Framing is how the messages of a capture are told apart. The zero value is to find out: a line that
// begins with { is a message of FramingLine, and Content-Length: begins one of FramingHeader.
type Framing uint8

const (
	FramingGuess Framing = iota
	FramingHeader
	FramingLine
	FramingLength4
)

var framingNames = [...]string{FramingGuess: "guess", FramingHeader: "header", FramingLine: "line", FramingLength4: "length4"}

func (f Framing) String() string { return framingNames[f] }

// ParseFraming is the inverse of String.
func ParseFraming(name string) (Framing, error) {
	if i := slices.Index(framingNames[:], name); i >= 0 {
		return Framing(i), nil
	}
	return 0, fmt.Errorf("%q: want one of %s", name, strings.Join(framingNames[:], ", "))
}

// core is the framing of a relay.
func (f Framing) core() core.Framing {
	switch f {
	case FramingHeader:
		return core.FramingHeader
	case FramingLine:
		return core.FramingLine
	case FramingLength4:
		return core.FramingLength4
	}
	panic("capture: a framing that nobody has found yet")
}

// Append appends body in its frame.
func (f Framing) Append(to, body []byte) []byte {
	switch f {
	case FramingLine:
		return append(append(to, body...), '\n')
	case FramingLength4:
		return append(binary.BigEndian.AppendUint32(to, uint32(len(body))), body...)
	}
	return append(fmt.Appendf(to, "Content-Length: %d\r\n\r\n", len(body)), body...)
}

// Framer finds the messages in the bytes of one direction. A relay of the core cuts and judges
// them; after bytes that break its framing, and after bytes that are missing, the Framer looks for
// the next place where a message can begin and goes on there with a new relay.
type Framer struct {
	framing Framing
	relay   *core.Conn // nil: looking for a place where a message can begin
	base    uint64     // stream offset of the relay's first byte
	offset  uint64     // stream offset of the next byte, missing ones included

	decided uint64 // stream offset: what lies before it has been reported
	head    []byte // what follows it, as far as a broken header can reach back

	matched     int                 // bytes of headerName at the end of what was looked through
	isLineBegun bool                // the last byte looked at was no line feed
	sample      []byte              // the first of what was looked through and not reported
	broken      *core.ProtocolError // why it is looked through; nil: that has been reported
}

// Found is one message, or bytes that are in none.
type Found struct {
	Message *core.Event         // EventMessage; nil: bytes outside of any message. Valid during the call
	Broken  *core.ProtocolError // why the bytes are no message; nil: they follow such bytes, or nothing came before them
	Sample  []byte              // at most 64 of the bytes outside of a message, for people. Valid during the call
	Start   uint64              // stream offset of the first byte of the body, or of the bytes
	End     uint64              // stream offset behind it
}

const sampleBytesMax = 64

// NewFramer returns a Framer for one direction of a session.
func NewFramer(framing Framing) *Framer {
	f := &Framer{framing: framing}
	if framing != FramingGuess {
		f.restart()
	}
	return f
}

// Framing is how messages are told apart, as far as that is known.
func (f *Framer) Framing() Framing { return f.framing }

// headerBytesMax is how far back a broken header can reach.
const headerBytesMax = 8 * core.KiB

func (f *Framer) restart() {
	config := core.Defaults(core.ProfilePlain, core.RoleRelay)
	config.Inbound = core.InboundMessages
	config.SetFraming(f.framing.core())
	relay, err := core.New(config)
	if err != nil {
		panic("capture: the default configuration is refused: " + err.Error())
	}
	relay.Want(math.MaxInt32)
	f.relay, f.base = relay, f.offset
	f.decide(f.offset, nil)
}

// giveUp looks for the next place where a message can begin.
func (f *Framer) giveUp() {
	f.relay, f.matched, f.isLineBegun, f.sample, f.broken = nil, 0, true, f.sample[:0], nil
}

// Offset is how many bytes have passed, missing ones included.
func (f *Framer) Offset() uint64 { return f.offset }

// feedBytesMax is what a relay is fed at once, so that what one piece turns into is bounded.
const feedBytesMax = 64 * core.KiB

// Feed takes the next bytes of the stream and calls found for what becomes complete with them, in
// the order of the stream.
func (f *Framer) Feed(bytes []byte, found func(Found)) {
	for len(bytes) > 0 {
		piece := bytes[:min(len(bytes), feedBytesMax)]
		bytes = bytes[len(piece):]
		for len(piece) > 0 {
			if f.relay == nil {
				piece = f.seek(piece, found)
			} else {
				piece = f.cut(piece, found)
			}
		}
	}
}

// cut feeds the relay, and returns what is to be looked at again after it broke.
func (f *Framer) cut(piece []byte, found func(Found)) []byte {
	start := f.offset
	copy(f.relay.Reserve(len(piece)), piece)
	// What Commit returns is what State says.
	_ = f.relay.Commit(len(piece))
	f.offset += uint64(len(piece))
	if len(f.head) <= headerBytesMax {
		f.head = append(f.head, piece...)
	}
	f.report(found, piece, start)
	if broken := f.relay.State().Err; broken != nil {
		return f.abandon(broken, found)
	}
	return nil
}

// report calls found for every message that is complete. piece, from start on, is what was fed last.
func (f *Framer) report(found func(Found), piece []byte, start uint64) {
	for ev := range f.relay.Events() {
		if ev.Kind != core.EventMessage {
			continue
		}
		begin := f.base + ev.Offset
		end := begin + uint64(len(ev.Frame))
		found(Found{Message: &ev, Start: begin, End: end})
		f.decide(end, piece[min(uint64(len(piece)), end-min(end, start)):])
	}
}

// decide says that all before offset has been reported, and what has arrived behind it.
func (f *Framer) decide(offset uint64, head []byte) {
	f.decided, f.head = offset, append(f.head[:0], head...)
}

// abandon gives up the relay and returns the bytes to look at again: all but the first since the last
// message, because a header may begin in the middle of what broke. Where a body was under way none
// are kept: no header begins there.
func (f *Framer) abandon(broken *core.ProtocolError, found func(Found)) []byte {
	var again []byte
	at := f.offset
	if f.decided+uint64(len(f.head)) == f.offset {
		at = min(f.offset, f.decided+1)
		again = append(again, f.head[at-f.decided:]...)
	}
	f.giveUp()
	shown := *broken
	shown.Offset += f.base
	f.broken = &shown
	f.sample = append(f.sample, f.head[:min(uint64(len(f.head)), sampleBytesMax, at-f.decided)]...)
	f.offset = at
	return again
}

// Lost says that size bytes passed that Feed will not see.
func (f *Framer) Lost(size uint64) {
	f.offset += size
	f.decide(f.offset, nil)
	f.giveUp()
}

// End says that no byte follows, and calls found for what is left: a last line, or what broke off.
func (f *Framer) End(found func(Found)) {
	for f.relay != nil {
		// A relay that has ended says so in its State.
		_ = f.relay.CommitEOF()
		f.report(found, nil, f.offset)
		broken := f.relay.State().Err
		if broken == nil {
			return
		}
		f.Feed(f.abandon(broken, found), found)
	}
	f.matched = 0
	f.passOver(found)
}

// headerName begins a message in header framing, in any case. Its first letter stands in it once, so
// that a match which fails begins anew.
const headerName = "content-length:"

// seek looks for a place where a message can begin, and returns the bytes from there.
func (f *Framer) seek(piece []byte, found func(Found)) []byte {
	for i, b := range piece {
		f.offset++
		if len(f.sample) < sampleBytesMax {
			f.sample = append(f.sample, b)
		}
		begun, begins := f.begins(b)
		if !begins {
			continue
		}
		f.matched = len(begun)
		f.passOver(found)
		f.offset -= uint64(len(begun))
		f.restart()
		return append([]byte(begun), piece[i+1:]...)
	}
	f.passOver(found)
	return nil
}

// passOver reports what was looked through, without what may begin a message.
func (f *Framer) passOver(found func(Found)) {
	if end := f.offset - uint64(f.matched); end > f.decided {
		size := min(uint64(len(f.sample)), end-f.decided)
		found(Found{Broken: f.broken, Sample: f.sample[:size], Start: f.decided, End: end})
		f.broken = nil
		f.decide(end, nil)
		f.sample = f.sample[:copy(f.sample, f.sample[size:])]
	}
}

// begins reports whether a message can begin at or behind b, and with which bytes it has begun.
func (f *Framer) begins(b byte) (begun string, begins bool) {
	isFirst := !f.isLineBegun
	f.isLineBegun = b != '\n'
	switch f.framing {
	case FramingLine:
		return "", b == '\n'
	case FramingLength4:
		return "", false // four bytes of length look like any others
	case FramingGuess:
		if isFirst && b == '{' {
			f.framing = FramingLine
			return "{", true
		}
	}
	if 'A' <= b && b <= 'Z' {
		b += 'a' - 'A'
	}
	if b != headerName[f.matched] {
		f.matched = 0
	}
	if b == headerName[f.matched] {
		f.matched++
	}
	if f.matched < len(headerName) {
		return "", false
	}
	f.framing = FramingHeader
	return headerName, true
}
