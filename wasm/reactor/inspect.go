//go:build wasip1

package main

import (
	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

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
		c.state.Invalid = uint8(e.Invalid)
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

func encodeLimits(l *core.Limits) (encoded abi.Limits) {
	for i, n := range abi.LimitFields(l) {
		encoded[i] = float64(n)
	}
	return encoded
}
