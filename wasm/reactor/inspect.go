//go:build wasip1

package main

import (
	"unsafe"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

// snapshotBlock holds one snapshot until the next.
type snapshotBlock struct {
	block abi.Snapshot
	items []abi.SnapshotItem
	held  core.Snapshot
}

func (c *connection) encodeState() int32 {
	s := c.conn.State()
	c.state = abi.State{
		Input:         uint8(s.Input),
		Output:        uint8(s.Output),
		Lifecycle:     uint8(s.Lifecycle),
		Reason:        uint8(s.Reason),
		Closed:        flagByte(s.Closed),
		Paused:        flagByte(s.Paused),
		Calls:         uint32(s.Calls),
		Running:       uint32(s.Running),
		Waiting:       uint32(s.Waiting),
		ExitCode:      int32(s.ExitCode),
		Credit:        float64(s.Credit),
		AcceptedBytes: float64(s.AcceptedBytes),
		WrittenBytes:  float64(s.WrittenBytes),
		QueuedBytes:   float64(s.QueuedBytes),
	}
	if e := s.Err; e != nil {
		c.state.Violation, c.state.Hint = uint8(e.Kind), uint8(e.Hint)
		c.state.Offset = float64(e.Offset)
		c.state.HaveBytes, c.state.NeedBytes = float64(e.Have), float64(e.Need)
		c.state.Sample = spanOf(e.Sample)
	}
	return pointerTo(&c.state)
}

func (c *connection) encodeStats() int32 {
	s := c.conn.Stats()
	for i, n := range abi.StatFields(&s) {
		c.stats[i] = float64(n)
	}
	return pointerTo(&c.stats)
}

func (c *connection) encodeSnapshot() int32 {
	s := &c.snapshot
	if code := codeOf(c.conn.Snapshot(&s.held)); code != 0 {
		return code
	}
	s.items = s.items[:0]
	for i := range s.held.Items {
		item := &s.held.Items[i]
		s.items = append(s.items, abi.SnapshotItem{
			Ordinal:    float64(item.Ordinal),
			Generation: float64(item.Generation),
			AcceptedAt: floatOf(item.AcceptedAt),
			StartedAt:  floatOf(item.StartedAt),
			Method:     textSpan(item.Method),
			Mode:       uint8(item.Mode),
			Running:    flagByte(item.Running),
			Cancelled:  flagByte(item.Cancelled),
		})
	}
	s.block = abi.Snapshot{
		Items:     uint32(uintptr(unsafe.Pointer(unsafe.SliceData(s.items)))),
		Count:     uint32(len(s.items)),
		ItemBytes: uint32(unsafe.Sizeof(abi.SnapshotItem{})),
		Truncated: uint32(flagByte(s.held.Truncated)),
	}
	return pointerTo(&s.block)
}

func encodeLimits(l *core.Limits) (encoded abi.Limits) {
	for i, n := range abi.LimitFields(l) {
		encoded[i] = float64(n)
	}
	return encoded
}
