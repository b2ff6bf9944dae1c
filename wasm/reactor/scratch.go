//go:build wasip1

package main

import (
	"unsafe"

	"github.com/parley-rpc/parley/wasm/abi"
)

// scratch is where the host puts arguments: the block last handed out by parley_scratch. No export
// reads or writes through a pointer that does not lie in it.
var scratch []byte

// scratchMax is what one block may hold: any message that some open connection or link would accept.
func scratchMax() int {
	frame := 0
	for c := range connections.all {
		frame = max(frame, c.frameBytesMax)
	}
	for g := range links.all {
		frame = max(frame, g.textBytesMax)
	}
	return abi.ScratchBytesMin + frame
}

// growScratch hands out n bytes. A block for a giant message is kept until the next, smaller one.
func growScratch(n int) {
	if n > cap(scratch) || cap(scratch) > abi.ScratchBytesMin && n <= abi.ScratchBytesMin {
		scratch = nil // garbage before its successor is made
		scratch = make([]byte, max(n, 4096))
	}
	scratch = scratch[:max(n, 1)]
}

// bytesAt returns the argument at an address. {0, 0} is nil: the member is absent.
func bytesAt(address, n uint32) ([]byte, abi.Error) {
	if address == 0 && n == 0 {
		return nil, 0
	}
	base := addressOf(scratch)
	if scratch == nil || address < base {
		return nil, abi.ErrPointer
	}
	start, size := uint64(address-base), uint64(len(scratch))
	if start > size || uint64(n) > size-start {
		return nil, abi.ErrPointer
	}
	return scratch[start : start+uint64(n) : start+uint64(n)], 0
}

// spansAt returns the arguments at several addresses, or the first error.
func spansAt(spans ...abi.Span) (found [5][]byte, err abi.Error) {
	for i, s := range spans {
		if found[i], err = bytesAt(s.Address, s.Bytes); err != 0 {
			return found, err
		}
	}
	return found, 0
}

// recordAt returns a copy of the one record at an address in scratch.
func recordAt[T any](address, n uint32) (record T, err abi.Error) {
	b, err := bytesAt(address, n)
	if err != 0 {
		return record, err
	}
	if len(b) != int(unsafe.Sizeof(record)) {
		return record, abi.ErrRecord
	}
	copy(bytesOf(&record), b)
	return record, 0
}

// recordsAt returns count records of one type at an address in scratch.
func recordsAt[T any](address, count uint32) ([]T, abi.Error) {
	if count == 0 {
		return nil, 0
	}
	var record T
	stride := uint64(unsafe.Sizeof(record))
	if uint64(count)*stride > uint64(len(scratch)) {
		return nil, abi.ErrPointer
	}
	b, err := bytesAt(address, count*uint32(stride))
	if err != 0 {
		return nil, err
	}
	if address%8 != 0 {
		return nil, abi.ErrRecord
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), count), 0
}

// addressOf is where a slice begins in linear memory. Go's heap does not move: the address is good
// for as long as something in the module holds the slice.
func addressOf(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// pointerTo is the address of a block as an export returns it; memory ends below 2 GiB.
func pointerTo[T any](block *T) int32 { return int32(uintptr(unsafe.Pointer(block))) }

// spanOf is nil as {0, 0} and anything else by its address, which is never 0.
func spanOf(b []byte) abi.Span {
	if b == nil {
		return abi.Span{}
	}
	return abi.Span{Address: addressOf(b), Bytes: uint32(len(b))}
}

// textSpan is spanOf for a string; the empty one is absent.
func textSpan(s string) abi.Span {
	if s == "" {
		return abi.Span{}
	}
	return spanOf(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// textOf sees an argument as a string for the length of one command, which keeps nothing of it.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
