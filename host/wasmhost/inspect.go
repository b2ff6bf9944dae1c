package wasmhost

import (
	"bytes"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

// State answers after a trap as a connection that was aborted.
func (m *machine) State() core.State {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	state, err := m.readState()
	if err != nil {
		return core.State{
			Input: core.InputBroken, Output: core.OutputFailed, Reason: core.ReasonAborted,
			Err: m.violation, Closed: true,
		}
	}
	return state
}

func (m *machine) readState() (core.State, error) {
	var r abi.State
	if err := m.inspect(exportState, &r); err != nil {
		return core.State{}, err
	}
	if r.Violation != 0 && m.violation == nil {
		sample, err := m.in.read(r.Sample.Address, r.Sample.Bytes)
		if err != nil {
			return core.State{}, err
		}
		m.violation = &core.ProtocolError{
			Kind: core.Violation(r.Violation), Invalid: core.Invalid(r.Invalid), Hint: core.Hint(r.Hint), Offset: uint64(r.Offset),
			Have: uint64(r.HaveBytes), Need: uint64(r.NeedBytes), Sample: bytes.Clone(sample),
		}
	}
	return core.State{
		Input: core.InputPhase(r.Input), Output: core.OutputPhase(r.Output),
		Lifecycle: core.Lifecycle(r.Lifecycle), Reason: core.Reason(r.Reason),
		Err: m.violation, Closed: r.Closed != 0 && m.unread+len(m.kept) == 0,
		Calls: int(r.Calls), Running: int(r.Running), Waiting: int(r.Waiting),
		Paused: r.Paused != 0, Credit: int64(r.Credit), ExitCode: int(r.ExitCode),
		AcceptedBytes: uint64(r.AcceptedBytes), WrittenBytes: uint64(r.WrittenBytes), QueuedBytes: int(r.QueuedBytes),
	}, nil
}

// Stats is zero after a trap.
func (m *machine) Stats() core.Stats {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	var r abi.Stats
	if m.inspect(exportStats, &r) != nil {
		return core.Stats{}
	}
	var stats core.Stats
	for i, n := range r {
		abi.StatFields(&stats)[i] = uint64(n)
	}
	return stats
}

// Limits is zero after a trap.
func (m *machine) Limits() core.Limits {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	var r abi.Limits
	if m.inspect(exportLimits, &r) != nil {
		return core.Limits{}
	}
	var limits core.Limits
	for i, n := range r {
		abi.LimitFields(&limits)[i] = int(n)
	}
	return limits
}

// inspect runs an export that returns the address of a block and decodes the block.
func (m *machine) inspect(x export, block any) error {
	if m.closed {
		return errClosed
	}
	address, err := m.in.callInt(x, m.handle)
	if err != nil {
		return err
	}
	return m.in.record(address, block)
}
