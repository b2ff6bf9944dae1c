package host

// A message that somebody waits for, and that is alone, is written by the goroutine that queued it: to wake
// the writer for it takes longer than the write. What the transport does not take at once is left to the writer,
// and so is a burst, which leaves in one write.

// lone is what Peer knows of such a message. Guarded by Peer.mu.
type lone struct {
	isAwaited bool   // by whoever made this turn's input: a call's answer, or the answer itself
	rest      []byte // of a block that the transport did not take at once
}

// takeAlone takes what is queued, where it is to be written at once; nil otherwise. Peer.mu is held.
func (p *Peer) takeAlone() []byte {
	isAwaited := p.lone.isAwaited
	p.lone.isAwaited = false
	if !isAwaited || !p.writerReady || p.transport.atOnce == nil || len(p.calls)+len(p.requests) > 1 {
		return nil
	}
	if pending := p.machine.Pending(); pending == 0 || pending > writeBytesMax {
		return nil
	}
	return p.takeBlock()
}

// writeAlone writes a block as far as the transport takes it without waiting. What went wrong the writer finds out
// with the rest. Peer.mu is held, but not meanwhile: until Wrote has covered the block there is no other.
func (p *Peer) writeAlone(block []byte) {
	p.mu.Unlock()
	n := p.transport.atOnce.write(block)
	p.mu.Lock()
	if p.end.over {
		return
	}
	p.machine.Wrote(n)
	if n == len(block) {
		p.spare = block
	} else {
		p.lone.rest = block[n:]
		p.mayWrite.Signal()
	}
	p.turn()
}
