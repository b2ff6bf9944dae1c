package host

import (
	"context"
	"slices"

	"github.com/parley-rpc/parley/core"
)

// flush is one caller of Flush. written gets its one value: whether everything was.
type flush struct {
	offset  uint64 // in our output, in bytes from its start
	written chan bool
}

// Flush returns when everything accepted before it has been written, or why not (API-8).
func (p *Peer) Flush(ctx context.Context) error {
	f := flush{written: make(chan bool, 1)}
	err := p.update(func(m Machine) error {
		f.offset = m.State().AcceptedBytes
		p.flushes = append(p.flushes, f)
		return nil
	})
	if err == nil {
		select {
		case written := <-f.written:
			if written {
				return nil
			}
			err = ErrClosed
		case <-ctx.Done():
			err = endOf(ctx)
			p.forgetFlush(f)
		}
	}
	return p.failed(ctx, "flush", "", "", err)
}

// forgetFlush drops a flush whose caller gave up: a peer that does not read must not collect them.
func (p *Peer) forgetFlush(f flush) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flushes = slices.DeleteFunc(p.flushes, func(other flush) bool { return other == f })
}

// settleFlushes answers the flushes that have come true or never will. Peer.mu is held.
func (p *Peer) settleFlushes() {
	if len(p.flushes) == 0 {
		return
	}
	state := p.state()
	hopeless := p.end.over || state.Output == core.OutputFailed
	waiting := p.flushes[:0]
	for _, f := range p.flushes {
		// Frames that were withdrawn are never written: written is also what nothing follows.
		written := state.WrittenBytes >= min(f.offset, state.AcceptedBytes)
		if written || hopeless {
			f.written <- written
		} else {
			waiting = append(waiting, f)
		}
	}
	clear(p.flushes[len(waiting):])
	p.flushes = waiting
}
