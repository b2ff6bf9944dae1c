//go:build wasip1

package main

import (
	"math"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

// countOf reads a whole number from 0 to 2^53-1. NaN compares false and is refused.
func countOf(f float64) (uint64, bool) {
	if !(f >= 0 && f <= abi.NumberMax) || f != math.Trunc(f) {
		return 0, false
	}
	return uint64(f), true
}

// timeOf reads a time: +Inf is Never; a fraction of a nanosecond is dropped.
func timeOf(f float64) (core.Time, bool) {
	if math.IsInf(f, 1) {
		return core.Never, true
	}
	if !(math.Abs(f) <= abi.NumberMax) {
		return 0, false
	}
	return core.Time(f), true
}

// nowOf reads a time that is not Never.
func nowOf(f float64) (core.Time, bool) {
	t, ok := timeOf(f)
	return t, ok && t != core.Never
}

// floatOf writes a time.
func floatOf(t core.Time) float64 {
	if t == core.Never {
		return math.Inf(1)
	}
	return float64(t)
}

// codeOf is the result of a command: 0, or the negative of what core refused it with. A command
// that meets a violation finds the connection closed; the state block says why.
func codeOf(err error) int32 {
	switch err := err.(type) {
	case nil:
		return 0
	case core.UsageError:
		return -int32(err)
	}
	return -int32(core.ErrClosed)
}

func flagByte(on bool) uint8 {
	if on {
		return 1
	}
	return 0
}
