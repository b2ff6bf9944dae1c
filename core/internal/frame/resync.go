package frame

import "bytes"

const (
	resyncBytesMax = 64 << 10 // one region given up (HEAD-8)
	resyncsMax     = 16       // regions in the life of a stream
)

const resyncTarget = "content-length:"

// mayResync reports whether the refused line at the end of seen is the work of something else than
// the peer's protocol code, and searching is still allowed. A Content-Length line is the peer's
// own, and a mistake in its line end would repeat itself in the header found next.
func (d *Decoder) mayResync(kind Violation, seen []byte) bool {
	if !d.cfg.Resync || d.resyncs == resyncsMax {
		return false
	}
	return kind != ViolationLineEnd || !isContentLength(seen[d.block.line:d.block.value-1])
}

// beginResync searches from the second byte of the refused line, since a header may begin inside
// it, but not where it was just refused.
func (d *Decoder) beginResync(seen []byte) {
	b := &d.block
	d.resyncs++
	b.resyncing, b.hint = true, noiseHint(seen[b.line:])
	d.searched = b.line + 1
}

// resync gives up the bytes before the next Content-Length.
func (d *Decoder) resync(buf []byte) Step {
	line := d.block.line
	window := buf[:min(len(buf), resyncBytesMax+len(resyncTarget))]
	for {
		i := bytes.IndexByte(window[d.searched:], ':')
		if i < 0 {
			d.searched = len(window)
			break
		}
		d.searched += i + 1
		start := d.searched - len(resyncTarget)
		if start > line && equalFold(window[start:d.searched], resyncTarget) {
			hint := d.block.hint
			d.beginBlock()
			return Step{
				Status: Skipped,
				Size:   start,
				Start:  line,
				End:    min(line+SampleBytesMax, start),
				Hint:   hint,
			}
		}
	}
	if len(window) < resyncBytesMax+len(resyncTarget) {
		return Step{}
	}
	return d.fail(Failure{Kind: ViolationNoise, Hint: d.block.hint}, window, line)
}

// finishResync is resync once no byte will follow.
func (d *Decoder) finishResync(buf []byte) Step {
	if step := d.resync(buf); step.Status != Partial {
		return step
	}
	return d.fail(Failure{Kind: ViolationNoise, Hint: d.block.hint}, buf, d.block.line)
}
