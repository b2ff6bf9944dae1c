package capture

import (
	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/transcript"
)

// held is what passed in one direction and waits until it is known what is to be masked in it.
type held struct {
	op        transcript.Op
	framer    *Framer
	redaction *Redaction
	pieces    []piece
	start     uint64 // stream offset of the first piece
	decided   uint64 // stream offset: before it everything is masked
	scratch   []byte
}

// feed takes one piece, and appends the records of what is decided with it.
func (h *held) feed(to []byte, p *piece) ([]byte, error) {
	h.pieces = append(h.pieces, *p)
	h.framer.Feed(p.text, h.mask)
	return h.flush(to)
}

// lose says that size bytes are missing; what was waiting for them is masked as it is.
func (h *held) lose(to []byte, size uint64) ([]byte, error) {
	to, err := h.end(to)
	h.framer.Lost(size)
	h.start = h.framer.Offset()
	h.decided = h.start
	return to, err
}

// end appends what waits, masked as what is no message.
func (h *held) end(to []byte) ([]byte, error) {
	h.mask(Found{Start: h.decided, End: h.framer.Offset()})
	return h.flush(to)
}

// mask overwrites the secrets of what was found, in the pieces that hold it.
func (h *held) mask(found Found) {
	found.Start = max(found.Start, h.start)
	h.scratch = h.scratch[:0]
	h.each(found.Start, found.End, func(part []byte) { h.scratch = append(h.scratch, part...) })
	if found.Message != nil && isJSON(found.Message.Invalid) {
		h.redaction.mask(h.scratch)
	} else {
		h.redaction.maskLoose(h.scratch)
	}
	rest := h.scratch
	h.each(found.Start, found.End, func(part []byte) { rest = rest[copy(part, rest):] })
	h.decided = max(h.decided, found.End)
}

// isJSON reports whether a frame that is no message for this reason is valid JSON all the same.
func isJSON(invalid core.Invalid) bool {
	switch invalid {
	case core.InvalidEmpty, core.InvalidJSON, core.InvalidUTF8, core.InvalidDepth, core.InvalidCharset, core.InvalidLineSize:
		return false
	}
	return true
}

// each calls f with the parts of the pieces that lie between two stream offsets.
func (h *held) each(start, end uint64, f func(part []byte)) {
	at := h.start
	for i := range h.pieces {
		text := h.pieces[i].text
		behind := at + uint64(len(text))
		if from, to := max(start, at), min(end, behind); from < to {
			f(text[from-at : to-at])
		}
		at = behind
	}
}

// flush appends the records of what is decided. A piece that is decided in part makes two records.
func (h *held) flush(to []byte) (_ []byte, err error) {
	for len(h.pieces) > 0 {
		p := &h.pieces[0]
		ready := min(uint64(len(p.text)), h.decided-min(h.decided, h.start))
		for ready > 0 && ready < uint64(len(p.text)) && isLineEnd(p.text[ready]) {
			ready++ // it belongs to what stands before it
		}
		if ready == 0 {
			return to, nil
		}
		isPart := ready < uint64(len(p.text))
		record := transcript.Record{Op: h.op, Time: p.at, Text: p.text[:ready], Flag: isPart}
		if to, err = record.AppendBinary(to); err != nil {
			return to, err
		}
		h.start += ready
		if isPart {
			p.text = p.text[ready:]
			return to, nil
		}
		h.pieces = h.pieces[1:]
	}
	h.pieces = nil
	return to, nil
}

func isLineEnd(b byte) bool { return b == '\r' || b == '\n' }
