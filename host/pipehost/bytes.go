package pipehost

import (
	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/transcript"
)

// pieceBytesMax is how much of what arrived crosses in one record.
const pieceBytesMax = 1 * core.MiB

// spaceBytesMin is the least that Reserve hands out.
const spaceBytesMin = 4 * core.KiB

// Reserve returns space on this side of the pipes, which Commit sends across.
func (m *machine) Reserve(n int) []byte {
	if n = max(n, spaceBytesMin); n > len(m.space) {
		m.space = make([]byte, n)
	}
	return m.space
}

func (m *machine) Commit(n int) error { return m.commit(n, transcript.OpIn) }

// CommitMessage sends the last piece of a message as a frame, which in framing whole ends it.
func (m *machine) CommitMessage(n int) error {
	if m.framing != core.FramingWhole {
		return core.ErrUnsupported
	}
	return m.commit(n, transcript.OpFrame)
}

// commit sends the first n bytes of space, the last piece of them as op.
func (m *machine) commit(n int, op transcript.Op) error {
	if n < 0 || n > len(m.space) {
		return core.ErrBadCount
	}
	rest := m.space[:n]
	for len(rest) > pieceBytesMax {
		if err := m.give(&transcript.Record{Op: transcript.OpIn, Text: rest[:pieceBytesMax]}, answer{}); err != nil {
			return closedBy(err)
		}
		rest = rest[pieceBytesMax:]
	}
	return closedBy(m.give(&transcript.Record{Op: op, Text: rest}, answer{}))
}

func (m *machine) CommitEOF() error { return m.do(transcript.Record{Op: transcript.OpEOF}) }

func (m *machine) ReadFailed() { m.must(m.do(transcript.Record{Op: transcript.OpReadFailed})) }

func (m *machine) Paused() bool { return m.alive() && m.paused }

func (m *machine) Pending() int {
	if !m.alive() {
		return 0
	}
	return int(m.ready.Count)
}

// Take asks only where there is something: a command without output has no block.
func (m *machine) Take(spare []byte) []byte {
	if m.Pending() == 0 {
		return nil
	}
	m.must(m.give(&transcript.Record{Op: transcript.OpTake}, answer{spare: spare}))
	return m.answer.block
}

// Wrote ignores more than was taken, as core does.
func (m *machine) Wrote(n int) {
	err := m.do(transcript.Record{Op: transcript.OpWrote, Count: uint64(max(n, 0))})
	if err != core.ErrBadCount {
		m.must(err)
	}
}

func (m *machine) WriteFailed() { m.must(m.do(transcript.Record{Op: transcript.OpWriteFailed})) }

// OutputDone is true after a failure: nothing more will ever be written.
func (m *machine) OutputDone() bool { return !m.alive() || m.outputDone }
