package transcript

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/parley-rpc/parley/core"
)

// arrive adds a record's bytes to what the next commit hands over. In framing whole a frame is a
// transport message and handed over at once.
func (p *player) arrive(r *Record) error {
	piece := r.bytes(p.framing)
	if r.Op == OpFrame && p.framing == core.FramingWhole {
		for range max(r.Repeat, 1) {
			p.arriving = append(p.arriving, piece...)
			if err := p.commit(true); err != nil {
				return err
			}
		}
		return nil
	}
	p.arriving = append(p.arriving, bytes.Repeat(piece, int(max(r.Repeat, 1)))...)
	return nil
}

// bytes returns what one repetition of an input puts on the wire.
func (r *Record) bytes(framing core.Framing) []byte {
	if r.Op == OpIn {
		return r.Text
	}
	switch framing {
	case core.FramingHeader:
		return append([]byte("Content-Length: "+strconv.Itoa(len(r.Text))+"\r\n\r\n"), r.Text...)
	case core.FramingLine:
		return append(bytes.Clone(r.Text), '\n')
	case core.FramingLength4:
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(r.Text))), r.Text...)
	}
	return r.Text
}

// commit hands over the bytes that have arrived, in the pieces that the cutting makes. isMessage
// ends one transport message.
func (p *player) commit(isMessage bool) error {
	if len(p.arriving) == 0 && !isMessage {
		return nil
	}
	// A piece that ends inside the vector's own turn must not begin frames which a later command of
	// that turn could still have withdrawn.
	mayWrite := p.machine.Pending() == 0 && !p.holding
	for {
		size := p.cutting.pieceSize(p.offset, min(len(p.arriving), readBytesMax))
		space := p.machine.Reserve(size)
		size = copy(space, p.arriving[:size])
		p.arriving = p.arriving[size:]
		p.offset += uint64(size)
		isLast := len(p.arriving) == 0
		var err error
		if isLast && isMessage {
			err = p.machine.CommitMessage(size)
		} else {
			err = p.machine.Commit(size)
		}
		if err := p.committed(err); err != nil {
			return err
		}
		if size == 0 { // the machine takes no more: the rest is lost, as a reader would lose it
			p.offset += uint64(len(p.arriving))
			p.arriving = nil
			isLast = true
		}
		if p.cutting.Turns {
			if err := p.turn(mayWrite); err != nil {
				return err
			}
		}
		if isLast {
			return nil
		}
	}
}

// committed checks that a violation is sticky and the one that State names; it is shown with
// the end it causes. A refusal is shown once in a row, so that cuts do not multiply it.
func (p *player) committed(err error) error {
	var broken *core.ProtocolError
	if errors.As(err, &broken) {
		state := p.machine.State()
		if p.broken == "" {
			p.broken = broken.Error()
		}
		if p.broken != broken.Error() || state.Err == nil || state.Err.Error() != p.broken {
			return fmt.Errorf("transcript: Commit reports %q after %q, State reports %v", broken, p.broken, state.Err)
		}
		return nil
	}
	last := &p.records[len(p.records)-1]
	if err != nil && last.Op == OpRefused && errors.Is(last.Refused, err) {
		return nil
	}
	return p.refuse(err)
}
