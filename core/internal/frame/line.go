package frame

import "bytes"

func (d *Decoder) nextLine(buf []byte) Step {
	if d.discarding {
		return d.discardLine(buf)
	}
	limit := d.cfg.BodyBytesMax
	window := buf
	if len(buf) > limit {
		window = buf[:limit+1]
	}
	if i := bytes.IndexByte(window[d.searched:], '\n'); i >= 0 {
		return d.line(buf[:d.searched+i+1])
	}
	d.searched = len(window)
	switch {
	case len(window) <= limit:
		return Step{}
	case buf[limit] != '\r':
		return d.overlong(window)
	case len(buf) == len(window):
		return Step{} // a LF would make the CR part of the line end (LINE-1)
	case buf[limit+1] != '\n':
		return d.overlong(buf[:limit+2])
	}
	return d.line(buf[:limit+2])
}

// plainLine takes a line that begins like a message.
func (d *Decoder) plainLine(buf []byte) (end, size int) {
	if d.discarding || len(buf) == 0 || buf[0] != '{' && buf[0] != '[' {
		return 0, 0
	}
	end = bytes.IndexByte(buf[:min(len(buf), d.cfg.BodyBytesMax+1)], '\n')
	if end < 0 {
		return 0, 0
	}
	size = end + 1
	if buf[end-1] == '\r' {
		end--
	}
	return end, size
}

// line takes a complete line, LF included.
func (d *Decoder) line(line []byte) Step {
	end := len(line) - 1
	if end > 0 && line[end-1] == '\r' {
		end--
	}
	text := line[:end]
	d.searched = 0
	if isBlank(text) {
		return Step{Status: Blank, Size: len(line)}
	}
	return Step{Status: Frame, Size: len(line), End: end, Hint: textHint(text)}
}

// overlong reports a message over BodyBytesMax once, over the last byte of seen (LINE-4).
func (d *Decoder) overlong(seen []byte) Step {
	if !d.cfg.Discard {
		return d.fail(Failure{
			Kind: ViolationLineSize,
			Need: uint64(d.cfg.BodyBytesMax),
			Hint: HintOverLimit,
		}, seen, 0)
	}
	d.discarding = true
	d.searched = 0
	return Step{
		Status: Overlong,
		Size:   len(seen),
		Start:  max(0, len(seen)-SampleBytesMax),
		End:    len(seen),
	}
}

// discardLine drops the rest of an over-long line up to and with its LF.
func (d *Decoder) discardLine(buf []byte) Step {
	if len(buf) == 0 {
		return Step{}
	}
	size := len(buf)
	if i := bytes.IndexByte(buf, '\n'); i >= 0 {
		size = i + 1
		d.discarding = false
	}
	return Step{Status: Skipped, Size: size}
}

// finishLine judges a last line without LF (LINE-5). One that Overlong reported is not reported
// again.
func (d *Decoder) finishLine(buf []byte) Step {
	switch {
	case len(buf) == 0:
		return Step{Status: End}
	case len(buf) > d.cfg.BodyBytesMax: // by a CR that no LF followed
		return d.overlong(buf)
	case isBlank(buf):
		d.searched = 0
		return Step{Status: Blank, Size: len(buf)}
	}
	failure := d.truncation(len(buf), 0, buf)
	failure.Sample = sampleOf(buf)
	d.searched = 0
	return Step{
		Status: Frame,
		Size:   len(buf),
		End:    len(buf),
		Hint:   textHint(buf),
		Broken: &failure,
	}
}

// isBlank reports whether a line holds nothing but JSON's white space (LINE-2).
func isBlank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// textHint guesses what a message is that does not even begin like one (LINE-7, FRAME-9).
func textHint(text []byte) Hint {
	if len(text) == 0 || text[0] == '{' || text[0] == '[' {
		return HintNone
	}
	start := text[:min(len(text), SampleBytesMax)]
	if bytes.IndexByte(start, '\x1b') >= 0 {
		return HintTerminal
	}
	if i := bytes.IndexByte(start, ':'); i >= 0 {
		if name := start[:i]; isContentLength(name) || equalFold(name, "content-type") {
			return HintHeader
		}
	}
	if c := bytes.TrimLeft(start, " \t\r\n"); len(c) > 0 && (c[0] == '{' || c[0] == '[') {
		return HintNone
	}
	return HintStdoutNoise
}
