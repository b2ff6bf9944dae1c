package frame

import "bytes"

const byteOrderMark = "\xEF\xBB\xBF"

// block is the header block at the front of the buffer, and the length it declares. Positions
// count from the front. Its zero value is a block of which nothing has been seen.
type block struct {
	line   int  // where the current line starts
	value  int  // where the value in it starts, behind the colon; 0: no colon yet
	flaw   flaw // the first thing in it that a field cannot hold
	body   int  // where the body starts; 0: the block has not ended
	length int  // of the body, in bytes
	// declared: a Content-Length line was seen.
	declared bool
	// The charset, when it is not UTF-8; both 0 otherwise.
	charsetStart, charsetEnd int
	// resyncing: the block was noise and the next header is searched; hint says what noise.
	resyncing bool
	hint      Hint
}

// flaw is why a line is no field. The line is judged later, so that the report can show more of it.
type flaw uint8

const (
	flawNone  flaw = iota
	flawField      // HEAD-2: field when the line has a colon, else noise
	flawNoise      // HEAD-8: a byte that no field name holds
)

func (d *Decoder) nextHeader(buf []byte) Step {
	b := &d.block
	if b.body == 0 && !b.resyncing && !d.canonicalBlock(buf) {
		if step := d.nextBlock(buf); step.Status != Partial {
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
	step := Step{Status: Frame, Size: b.body + b.length, Start: b.body, End: b.body + b.length}
	if b.charsetEnd > 0 {
		step.Charset, step.Hint = true, HintCharset
		step.CharsetStart, step.CharsetEnd = b.charsetStart, b.charsetEnd
	}
	return d.consumeBlock(step)
}

// consumeBlock makes the decoder ready for the next block.
func (d *Decoder) consumeBlock(step Step) Step {
	d.block = block{}
	d.bomDone = true
	d.blankBytes = 0
	return d.consume(step)
}

// canonicalBlock recognises the block nearly every peer writes, Content-Length alone in its usual
// spelling, and nothing else: what it does not recognise is left to nextBlock untouched.
func (d *Decoder) canonicalBlock(buf []byte) bool {
	const name, end = "Content-Length: ", "\r\n\r\n"
	const digitsMax = 10 // no body is longer, and no int overflows
	if d.searched > 0 || len(buf) < len(name) || string(buf[:len(name)]) != name {
		return false
	}
	length, at := uint64(0), len(name)
	for at < len(buf) && at < len(name)+digitsMax && isDigit(buf[at]) {
		length = length*10 + uint64(buf[at]-'0')
		at++
	}
	body := at + len(end)
	if at == len(name) || len(buf) < body || string(buf[at:body]) != end {
		return false
	}
	if body > d.cfg.HeaderBytesMax || !d.inRange(length) {
		return false
	}
	d.searched, d.block.body, d.block.length, d.block.declared = body, body, int(length), true
	return true
}

// nextBlock looks for the end of the block. On Partial it has either not ended, or ended well and
// block.body says where, or was given up and block.resyncing is set.
func (d *Decoder) nextBlock(buf []byte) Step {
	b := &d.block
	if d.searched == 0 && !d.bomDone && len(buf) > 0 {
		mark := min(len(buf), len(byteOrderMark))
		if string(buf[:mark]) == byteOrderMark[:mark] {
			if mark < len(byteOrderMark) {
				return Step{}
			}
			d.bomDone = true
			return Step{Status: Blank, Size: mark, BOM: true}
		}
	}
	window := buf[:min(len(buf), d.cfg.HeaderBytesMax)]
	for d.searched < len(window) {
		d.searched++
		seen := window[:d.searched]
		if seen[len(seen)-1] == '\n' {
			if step := d.endLine(seen); step.Status != Partial || b.body > 0 || b.resyncing {
				return step
			}
		} else if step := d.nextByte(seen); step.Status != Partial || b.resyncing {
			return step
		}
	}
	if len(buf) > len(window) { // HEAD-1
		return d.fail(Failure{
			Kind: ViolationHeaderSize,
			Need: uint64(d.cfg.HeaderBytesMax),
			Hint: HintOverLimit,
		}, buf[:len(window)+1], b.line)
	}
	return Step{}
}

// nextByte judges the last byte of seen, which is not LF.
func (d *Decoder) nextByte(seen []byte) Step {
	b, at := &d.block, len(seen)-1
	c := seen[at]
	afterCR := at > b.line && seen[at-1] == '\r'
	if b.flaw == flawNone {
		switch {
		case afterCR && b.value > 0:
			return d.refuseLine(ViolationLineEnd, HintTextMode, seen)
		case afterCR:
			b.flaw = flawField
		case b.value > 0:
			if c > 0x7E || c < ' ' && c != '\t' && c != '\r' {
				b.flaw = flawField
			}
		case c == ':':
			if at == b.line {
				b.flaw = flawField
			}
		case c <= ' ' && c != '\r' || c > 0x7E:
			b.flaw = flawField
		case c != '\r' && !isNameByte(c):
			b.flaw = flawNoise
		}
	}
	if c == ':' && b.value == 0 {
		b.value = at + 1
	}
	if b.flaw != flawNone && len(seen)-b.line >= SampleBytesMax {
		return d.refuseFlaw(seen)
	}
	return Step{}
}

// endLine judges the line that the last byte of seen, a LF, ends.
func (d *Decoder) endLine(seen []byte) Step {
	b := &d.block
	line := seen[b.line:]
	withCR := len(line) >= 2 && line[len(line)-2] == '\r'
	switch {
	case b.flaw != flawNone:
		return d.refuseFlaw(seen)
	case len(line) == 1 || len(line) == 2 && withCR:
		return d.endBlankLine(seen, withCR)
	case b.value == 0:
		return d.refuseLine(ViolationNoise, noiseHint(line), seen)
	case !withCR:
		return d.refuseLine(ViolationLineEnd, HintTextMode, seen)
	}
	if step := d.field(seen); step.Status != Partial {
		return step
	}
	b.line, b.value = len(seen), 0
	return Step{}
}

// endBlankLine skips a blank line before the block (HEAD-7) or ends the block.
func (d *Decoder) endBlankLine(seen []byte, withCR bool) Step {
	b := &d.block
	switch {
	case b.line == 0:
		d.blankBytes += len(seen)
		if d.blankBytes > d.cfg.BlankBytesMax {
			return d.refuseLine(ViolationNoise, HintStdoutNoise, seen)
		}
		return d.consume(Step{Status: Blank, Size: len(seen)})
	case !withCR:
		return d.refuseLine(ViolationNoise, HintTextMode, seen)
	case !b.declared:
		// The line that shows it is empty: the block says more.
		return d.fail(Failure{Kind: ViolationMissingLength}, seen, 0)
	}
	b.body = len(seen)
	return Step{}
}

// refuseFlaw refuses a flawed line, of which enough has been seen (HEAD-2, HEAD-8).
func (d *Decoder) refuseFlaw(seen []byte) Step {
	kind := ViolationNoise
	if d.block.flaw == flawField && d.block.value > 0 {
		kind = ViolationField
	}
	return d.refuseLine(kind, noiseHint(seen[d.block.line:]), seen)
}

// refuseLine breaks the stream over the current line, or begins to resynchronise.
func (d *Decoder) refuseLine(kind Violation, hint Hint, seen []byte) Step {
	if d.mayResync(kind, seen) {
		d.beginResync(hint)
		return Step{}
	}
	return d.fail(Failure{Kind: kind, Hint: hint}, seen, d.block.line)
}

// noiseHint guesses what wrote a line that is no field (HEAD-8).
func noiseHint(line []byte) Hint {
	switch {
	case bytes.IndexByte(line, '\x1b') >= 0:
		return HintTerminal
	case line[0] == '{' || line[0] == '[':
		return HintBareJSON
	}
	return HintStdoutNoise
}

// finishHeader judges what is left when input ends and nextHeader wants more.
func (d *Decoder) finishHeader(buf []byte) Step {
	b := &d.block
	if len(buf) == 0 {
		return Step{Status: End}
	}
	if d.searched == 0 { // the beginning of a byte order mark is none, so it was noise
		d.bomDone = true
		if step := d.nextHeader(buf); step.Status != Partial {
			return step
		}
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
