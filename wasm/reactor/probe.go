//go:build wasip1 && probe

package main

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"runtime"
	"time"
)

// The exports below are for tests of the host around the module. They are not part of the ABI.

//go:wasmexport probe_panic
func probePanic() int32 { panic("probe: as asked") }

// last is what probe_garbage allocated; it makes the allocation real.
var last []byte

// probe_garbage makes n bytes of garbage.
//
//go:wasmexport probe_garbage
func probeGarbage(n uint32) int32 {
	last = make([]byte, n)
	return int32(len(last))
}

var kept [][]byte

// probe_reuse collects, and then fills what was free with pieces of n bytes.
//
//go:wasmexport probe_reuse
func probeReuse(n, pieces uint32) int32 {
	runtime.GC()
	for range pieces {
		kept = append(kept, bytes.Repeat([]byte{0xdd}, int(n)))
	}
	return int32(len(kept))
}

//go:wasmexport probe_random
func probeRandom() float64 {
	var b [8]byte
	rand.Read(b[:])
	return float64(binary.LittleEndian.Uint64(b[:]) >> 11)
}

//go:wasmexport probe_wall_seconds
func probeWallSeconds() float64 { return float64(time.Now().Unix()) }

var started = time.Now()

//go:wasmexport probe_monotonic_ns
func probeMonotonicNs() float64 { return float64(time.Since(started)) }
