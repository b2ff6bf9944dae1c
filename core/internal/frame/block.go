package frame

import "bytes"

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

const byteOrderMark = "\xEF\xBB\xBF"

// nextBlock looks for the end of the block. On Partial it has either not ended, or ended well and
// block.body says where, or was given up and block.resyncing is set.
func (d *Decoder) nextBlock(buf []byte) Step {
	b := &d.block
	if d.searched == 0 && !d.bomDone {
		mark := min(len(buf), len(byteOrderMark))
		if string(buf[:mark]) == byteOrderMark[:mark] {
			if mark < len(byteOrderMark) {
				return Step{}
			}
			d.bomDone = true
			return Step{Status: ByteOrderMark, Size: mark}
		}
	}
	window := buf[:min(len(buf), d.cfg.HeaderBytesMax)]
	for {
		d.searched += b.plainBytes(window[:d.searched], window[d.searched:])
		if d.searched == len(window) {
			break
		}
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

// plainBytes returns how many bytes at the front of rest change nothing about the line that seen
// ends in.
func (b *block) plainBytes(seen, rest []byte) int {
	if b.flaw != flawNone || len(seen) > b.line && seen[len(seen)-1] == '\r' {
		return 0
	}
	for i, c := range rest {
		if b.value == 0 && !isNameByte(c) || !isPrintable(c) {
			return i
		}
	}
	return len(rest)
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
			if !isPrintable(c) && c != '\t' && c != '\r' {
				b.flaw = flawField
			}
		case c == ':':
			if at == b.line {
				b.flaw = flawField
			}
		case c == '\r':
			// A CRLF may follow, which makes this a line without a colon.
		case c == ' ' || !isPrintable(c):
			b.flaw = flawField
		case !isNameByte(c):
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
		d.searched = 0
		return Step{Status: Blank, Size: len(seen)}
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
		d.beginResync(seen)
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
