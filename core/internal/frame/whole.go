package frame

// NextWhole takes buf as the end of one transport message, and as all of it unless Next was shown
// the beginning, which buf then still begins with or which was consumed (FRAME-9). It consumes
// buf in one step and never returns Partial; an empty message is an empty Frame.
func (d *Decoder) NextWhole(buf []byte) Step {
	step := d.Next(buf)
	if step.Status == Partial && !d.discarding {
		step = Step{Status: Frame, Size: len(buf), End: len(buf), Hint: textHint(buf)}
		d.offset += uint64(len(buf))
	} else if step.Status == Partial {
		step.Status = Skipped
	}
	d.discarding = false
	return step
}

// partOfWhole watches the size of an unfinished message, so that it is refused as soon as it is
// too long and not when it is complete.
func (d *Decoder) partOfWhole(buf []byte) Step {
	limit := d.cfg.BodyBytesMax
	switch {
	case d.discarding && len(buf) > 0:
		return Step{Status: Skipped, Size: len(buf)}
	case d.discarding || len(buf) <= limit:
		return Step{}
	}
	step := d.overlong(buf[:limit+1])
	if step.Status == Overlong {
		step.Size = len(buf)
	}
	return step
}

// finishWhole judges what is left when input ends inside a message.
func (d *Decoder) finishWhole(buf []byte) Step {
	if len(buf) == 0 {
		return Step{Status: End}
	}
	return d.truncated(len(buf), 0, buf)
}
