package wasmhost

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

const (
	scratchBytesMin = 4 << 10
	scratchBytesBig = abi.ScratchBytesMin // a larger block is given back by the next command
)

// arguments is scratch space being filled for one export.
type arguments struct {
	at   uint32 // address of view[0]
	view []byte
	used uint32
}

// arguments makes room for n bytes of arguments, 8 bytes aligned. The block is asked for again
// only where it is too small, or large for nothing.
func (in *instance) arguments(n int) (arguments, error) {
	if n > math.MaxInt32 {
		return arguments{}, core.ErrTooLarge
	}
	if uint32(n) > in.scratch.size || in.scratch.size > scratchBytesBig {
		in.scratch = block{}
		size := max(uint32(n), scratchBytesMin)
		address, err := in.callInt(exportScratch, uint64(size))
		if errors.Is(err, abi.ErrScratch) {
			return arguments{}, core.ErrTooLarge
		}
		if err != nil {
			return arguments{}, err
		}
		in.scratch = block{address: address, size: size}
	}
	view, err := in.read(in.scratch.address, in.scratch.size)
	return arguments{at: in.scratch.address, view: view}, err
}

// put copies bytes in and returns where they are; nil is {0, 0}, an absent member.
func (a *arguments) put(b []byte) abi.Span {
	if b == nil {
		return abi.Span{}
	}
	span := abi.Span{Address: a.at + a.used, Bytes: uint32(len(b))}
	a.used += uint32(copy(a.view[a.used:], b))
	return span
}

// putText is put for a text, which is never absent.
func (a *arguments) putText(s string) abi.Span {
	span := abi.Span{Address: a.at + a.used, Bytes: uint32(len(s))}
	a.used += uint32(copy(a.view[a.used:], s))
	return span
}

// skip leaves room for records, which are filled in when their spans are known.
func (a *arguments) skip(n int) (address uint32, view []byte) {
	address, view = a.at+a.used, a.view[a.used:a.used+uint32(n)]
	a.used += uint32(n)
	return address, view
}

// putRecord encodes a record of package abi.
func putRecord(view []byte, record any) {
	if _, err := binary.Encode(view, binary.LittleEndian, record); err != nil {
		panic("wasmhost: " + err.Error()) // the layouts are of fixed size and the room was computed from them
	}
}

// record decodes a record of package abi out of linear memory.
func (in *instance) record(address uint32, record any) error {
	view, err := in.read(address, uint32(binary.Size(record)))
	if err != nil {
		return err
	}
	_, err = binary.Decode(view, binary.LittleEndian, record)
	return err
}

// errorOf names the error whose negative an export returned.
func errorOf(code int32) error {
	if code < int32(abi.ErrHandle) {
		return core.UsageError(code)
	}
	return abi.Error(code)
}

// timeBits is a time as it crosses: Never is +Inf, and so is whatever is too far away to be exact.
func timeBits(t core.Time) uint64 { return math.Float64bits(floatOf(t)) }

func floatOf(t core.Time) float64 {
	if t > abi.NumberMax {
		return math.Inf(1)
	}
	return float64(max(t, -abi.NumberMax))
}

func timeOf(f float64) core.Time {
	if math.IsInf(f, 1) {
		return core.Never
	}
	return core.Time(f)
}

// numberBits is a handle, an id or an ordinal as it crosses. One that is out of range becomes NaN,
// which names nobody.
func numberBits(n uint64) uint64 {
	if n > abi.NumberMax {
		return noNumber
	}
	return math.Float64bits(float64(n))
}

var noNumber = math.Float64bits(math.NaN())
