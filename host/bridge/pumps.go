package bridge

import (
	"errors"
	"io"

	"github.com/parley-rpc/parley/core"
)

const (
	readBytesMin  = 4 * core.KiB  // the least space a read is given
	writeBytesMax = 16 * core.KiB // the most one write takes: progress is noted after each (SEND-6)
)

// readServer takes what the server says, until it says no more. After the session's end it goes on, so
// that a server that is busy writing can leave.
func (r *relay) readServer(stdout io.Reader) {
	for {
		space := r.reserve()
		if space == nil {
			return
		}
		n, err := stdout.Read(space)
		r.update(func() {
			m := r.server.machine
			if n > 0 {
				_ = m.Commit(n) // what is wrong with it comes as EventEnding
			}
			switch {
			case err == nil:
			case errors.Is(err, io.EOF):
				_ = m.CommitEOF() // likewise
			default:
				m.ReadFailed()
			}
		})
		if err != nil {
			return
		}
	}
}

// reserve waits while reading is paused and returns space for one read; nil once input is over.
func (r *relay) reserve() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.closed && !r.server.inputOver && r.server.machine.Paused() {
		r.server.mayRead.Wait()
	}
	if r.closed || r.server.inputOver || r.server.machine.Err() != nil {
		return nil
	}
	return r.server.machine.Reserve(readBytesMin)
}

// writeServer writes what the server is told, until nothing more will be said; then it closes stdin.
func (r *relay) writeServer(stdin io.WriteCloser) error {
	var block []byte
	for {
		if block = r.take(block[:0]); block == nil {
			return stdin.Close()
		}
		for rest := block; len(rest) > 0; {
			n, err := stdin.Write(rest[:min(len(rest), writeBytesMax)])
			r.update(func() {
				r.server.machine.Wrote(n)
				if err != nil {
					r.server.machine.WriteFailed()
					r.server.failed = true
				}
			})
			if err != nil {
				return errors.Join(err, stdin.Close())
			}
			rest = rest[n:]
		}
	}
}

// take waits for output for the server and returns one block of it; nil once there will be no more.
func (r *relay) take(spare []byte) []byte {
	r.mu.Lock()
	defer r.unlock()
	for !r.closed {
		if block := r.server.machine.Take(spare); block != nil {
			r.turn()
			return block
		}
		spare = nil // it is the machine's now
		if r.server.machine.OutputDone() || r.server.failed {
			return nil
		}
		r.server.mayWrite.Wait()
	}
	return nil
}
