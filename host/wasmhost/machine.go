package wasmhost

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/wasm/abi"
)

// machine is one connection in an instance: host.Machine across the boundary. What it knows of the
// connection between exports it reads from the ready block.
type machine struct {
	engine *Engine
	in     *instance
	handle uint64 // as it crosses
	block  uint32 // address of the ready block
	ready  ready

	messageBytesMax int // framing whole: what one commit may copy in

	unread int          // event records of the last turn that Next has not handed out
	kept   []core.Event // those that an input overtook, in memory of their own; handed out first

	input     []byte              // what Reserve handed out; a view of linear memory would not survive its growth
	violation *core.ProtocolError // sticky, one value for every Commit and State
	closed    bool
	failure   error // what Err was when the machine was closed
}

var (
	_ host.Machine = (*machine)(nil)
	_ host.Turner  = (*machine)(nil)
)

// ready is the part of abi.Ready that changes.
type ready struct {
	events      uint32
	eventBytes  uint32 // from one record to the next
	eventCount  int    // records of the last turn that drained
	out, in     abi.Span
	flags       uint32
	timer       core.TimerKind
	deadline    core.Time
	outputBytes int
}

// command runs an export that may change something and takes over the ready block.
func (m *machine) command(x export, params ...uint64) (uint64, error) {
	if m.closed {
		return 0, errClosed
	}
	if m.unread > 0 {
		if err := m.keep(); err != nil {
			return 0, err
		}
	}
	raw, err := m.in.call(x, params...)
	if err != nil {
		return 0, err
	}
	return raw, m.refresh()
}

// commandInt is command for an export that returns 0 or an error.
func (m *machine) commandInt(x export, params ...uint64) (uint32, error) {
	raw, err := m.command(x, params...)
	if err != nil {
		return 0, err
	}
	if n := int32(uint32(raw)); n < 0 {
		return 0, errorOf(-n)
	}
	return uint32(raw), nil
}

func (m *machine) refresh() error {
	b, err := m.in.read(m.block, uint32(unsafe.Sizeof(abi.Ready{})))
	if err != nil {
		return err
	}
	var r abi.Ready
	m.ready = ready{
		events:      binary.LittleEndian.Uint32(b[unsafe.Offsetof(r.Events):]),
		eventBytes:  binary.LittleEndian.Uint32(b[unsafe.Offsetof(r.EventBytes):]),
		eventCount:  int(binary.LittleEndian.Uint32(b[unsafe.Offsetof(r.EventCount):])),
		out:         spanAt(b[unsafe.Offsetof(r.Out):]),
		in:          spanAt(b[unsafe.Offsetof(r.In):]),
		flags:       binary.LittleEndian.Uint32(b[unsafe.Offsetof(r.Flags):]),
		timer:       core.TimerKind(b[unsafe.Offsetof(r.Timer)]),
		deadline:    timeOf(floatAt(b[unsafe.Offsetof(r.Deadline):])),
		outputBytes: int(floatAt(b[unsafe.Offsetof(r.OutputBytes):])),
	}
	return nil
}

// turn runs parley_turn; now is NaN where time does not move.
func (m *machine) turn(received int, flags uint32, now uint64, wrote int) error {
	if _, err := m.commandInt(exportTurn, m.handle, uint64(received), uint64(flags), now, uint64(wrote)); err != nil {
		return err
	}
	m.unread = m.ready.eventCount
	return nil
}

// Reserve returns space on this side of the boundary, which Commit copies in: linear memory may
// move while the reader blocks.
func (m *machine) Reserve(n int) []byte {
	if n = max(n, 4<<10); n > len(m.input) {
		m.input = make([]byte, n)
	}
	return m.input
}

func (m *machine) Commit(n int) error { return m.commit(n, 0) }

func (m *machine) CommitMessage(n int) error { return m.commit(n, abi.TurnEnd) }

// Turn is Commit and Advance, and fetches the events as well: a small read costs one crossing.
func (m *machine) Turn(n int, now core.Time) error {
	if n < 0 || n > min(len(m.input), abi.ReserveBytesMax) || len(m.kept) > 0 {
		err := m.Commit(n)
		m.Advance(now)
		return err
	}
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	return closedBy(m.commitPart(m.input[:n], abi.TurnDrain, timeBits(min(now, abi.NumberMax))))
}

// commit copies the bytes in. The work of one export is bounded: it takes ReserveBytesMax, or the
// one message that it must be given whole, of which no more is copied than shows it is too large.
func (m *machine) commit(n int, flags uint32) error {
	if n < 0 || n > len(m.input) {
		return core.ErrBadCount
	}
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	if flags&abi.TurnEnd != 0 {
		return closedBy(m.commitPart(m.input[:min(n, m.messageBytesMax)], flags, noNumber))
	}
	for rest := m.input[:n]; ; {
		part := rest[:min(len(rest), abi.ReserveBytesMax)]
		rest = rest[len(part):]
		if err := m.commitPart(part, flags, noNumber); err != nil || len(rest) == 0 {
			return closedBy(err)
		}
	}
}

// commitPart runs one turn with bytes; now is NaN where time does not move.
func (m *machine) commitPart(part []byte, flags uint32, now uint64) error {
	if len(part) <= scratchBytesMin && m.in.minor >= minorScratch {
		a, err := m.in.arguments(len(part))
		if err != nil {
			return err
		}
		copy(a.view, part)
		flags |= abi.TurnScratch
	} else {
		if _, err := m.commandInt(exportReserve, m.handle, uint64(len(part))); err != nil {
			return err
		}
		space, err := m.in.read(m.ready.in.Address, m.ready.in.Bytes)
		if err != nil {
			return err
		}
		copy(space, part)
	}
	if err := m.turn(len(part), flags, now, 0); err != nil {
		return err
	}
	return m.violated()
}

// minorScratch is the first minor version with TurnScratch.
const minorScratch = 1

func (m *machine) CommitEOF() error {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	if err := m.turn(0, abi.TurnEOF, noNumber, 0); err != nil {
		return closedBy(err)
	}
	return closedBy(m.violated())
}

// violated is the violation that the last turn met, if any.
func (m *machine) violated() error {
	if m.ready.flags&abi.ReadyViolation == 0 {
		return nil
	}
	if _, err := m.readState(); err != nil {
		return err
	}
	return m.violation
}

func (m *machine) Paused() bool { return m.alive() && m.ready.flags&abi.ReadyPaused != 0 }

func (m *machine) Pending() int {
	if !m.alive() {
		return 0
	}
	return m.ready.outputBytes
}

// OutputDone is true after a trap: nothing more will ever be written.
func (m *machine) OutputDone() bool { return !m.alive() || m.ready.flags&abi.ReadyOutputDone != 0 }

func (m *machine) Deadline() (core.Time, core.TimerKind) {
	if !m.alive() {
		return core.Never, core.TimerNone
	}
	return m.ready.deadline, m.ready.timer
}

// Take copies the segment out: it belongs to the caller, and linear memory does not.
func (m *machine) Take(spare []byte) []byte {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	if err := m.turn(0, abi.TurnTake, noNumber, 0); err != nil || m.ready.out.Bytes == 0 {
		return nil
	}
	segment, err := m.in.read(m.ready.out.Address, m.ready.out.Bytes)
	if err != nil {
		return nil
	}
	return append(spare[:0], segment...)
}

func (m *machine) Wrote(n int) {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	m.must(m.turn(0, 0, noNumber, n))
}

func (m *machine) ReadFailed() {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	m.must(m.turn(0, abi.TurnReadFailed, noNumber, 0))
}

func (m *machine) WriteFailed() {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	m.must(m.turn(0, abi.TurnWriteFailed, noNumber, 0))
}

func (m *machine) Advance(now core.Time) {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	m.must(m.turn(0, 0, timeBits(min(now, abi.NumberMax)), 0))
}

func (m *machine) Want(n int) {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	_, err := m.commandInt(exportWant, m.handle, uint64(uint32(max(0, min(n, math.MaxInt32)))))
	m.must(err)
}

// must takes the result of an export that refuses nothing this side would ask for. A trap is told
// by Err, and so is a refusal: the two sides disagree, and the instance is not to be trusted.
func (m *machine) must(err error) {
	if err != nil && !m.closed {
		m.in.poison("parley", err)
	}
}

// alive is false once the instance has failed or the machine is closed.
func (m *machine) alive() bool { return !m.closed && m.in.trap.Load() == nil }

// Err is the *TrapError that ended the instance.
func (m *machine) Err() error {
	if m.closed {
		return m.failure
	}
	if trap := m.in.trap.Load(); trap != nil {
		return trap
	}
	return nil
}

// Close frees the connection; the last one on an instance frees the memory.
func (m *machine) Close() error {
	if m.closed {
		return nil
	}
	m.in.mu.Lock()
	if m.in.trap.Load() == nil {
		_, err := m.in.callInt(exportFree, m.handle)
		m.must(err)
	}
	m.in.mu.Unlock()
	m.failure = m.Err()
	m.closed = true
	return m.engine.release(m.in)
}

// closedBy is what a command answers: whatever ended the instance, the connection is closed.
func closedBy(err error) error {
	switch err.(type) {
	case nil, core.UsageError, *core.ProtocolError:
		return err
	}
	return core.ErrClosed
}
