package frame

import "encoding/binary"

func (d *Decoder) nextHeader(buf []byte) Step {
	b := &d.block
	if b.body == 0 && !b.resyncing {
		if body, length := d.canonicalBlock(buf); body > 0 {
			d.searched, b.body, b.length, b.declared = body, body, length, true
		} else if step := d.nextBlock(buf); step.Status != Partial {
			return step
		}
	}
	if b.resyncing {
		return d.resync(buf)
	}
	if b.body == 0 {
		return Step{}
	}
	if have := len(buf) - b.body; have < b.length {
		return Step{Need: b.length - have}
	}
	step := Step{
		Status: Frame, Size: b.body + b.length, Start: b.body, End: b.body + b.length,
		CharsetStart: b.charsetStart, CharsetEnd: b.charsetEnd,
	}
	if step.CharsetEnd > 0 {
		step.Hint = HintCharset
	}
	d.beginBlock()
	return step
}

// plainHeader takes a frame with a canonical header. Between two frames the block is as beginBlock
// leaves it.
func (d *Decoder) plainHeader(buf []byte) (start, size int) {
	body, length := d.canonicalBlock(buf)
	if body == 0 || len(buf)-body < length {
		return 0, 0
	}
	d.blankBytes, d.bomDone = 0, true
	return body, body + length
}

// finishHeader judges what is left when input ends and nextHeader wants more.
func (d *Decoder) finishHeader(buf []byte) Step {
	b := &d.block
	if len(buf) == 0 {
		return Step{Status: End}
	}
	if d.searched == 0 { // the beginning of a byte order mark, which is above 0x7F
		b.flaw = flawField
	}
	if b.flaw != flawNone && !b.resyncing {
		if step := d.refuseFlaw(buf); step.Status != Partial {
			return step
		}
	}
	switch {
	case b.resyncing:
		return d.finishResync(buf)
	case b.body > 0:
		return d.truncated(len(buf)-b.body, b.length, buf)
	}
	return d.truncated(len(buf), 0, buf)
}

// canonicalBlock recognises the block nearly every peer writes, Content-Length alone in its usual
// spelling, and returns where the body starts and its length; 0 where it is left to nextBlock.
func (d *Decoder) canonicalBlock(buf []byte) (body, length int) {
	const nameBytes, endBytes = len("Content-Length: "), len("\r\n\r\n")
	const digitsMax = 10 // no body is longer, and no int overflows
	if d.searched > 0 || len(buf) < nameBytes ||
		binary.LittleEndian.Uint64(buf) != wordContent || binary.LittleEndian.Uint64(buf[8:]) != wordLength {
		return 0, 0
	}
	declared, at := uint64(0), nameBytes
	for at < len(buf) && at < nameBytes+digitsMax && isDigit(buf[at]) {
		declared = declared*10 + uint64(buf[at]-'0')
		at++
	}
	body = at + endBytes
	if at == nameBytes || len(buf) < body || binary.LittleEndian.Uint32(buf[at:]) != wordEnd {
		return 0, 0
	}
	if body > d.cfg.HeaderBytesMax || !d.inRange(declared) {
		return 0, 0
	}
	return body, int(declared)
}

// The canonical block as little-endian words: in the sandbox a comparison of texts is a call.
const (
	wordContent = 0x2D746E65746E6F43 // Content-
	wordLength  = 0x203A6874676E654C // Length: and a space
	wordEnd     = 0xA0D0A0D          // CRLF CRLF
)

// beginBlock makes the decoder ready for the block behind the one it consumes.
func (d *Decoder) beginBlock() {
	d.block = block{}
	d.searched = 0
	d.blankBytes = 0
	d.bomDone = true
}
