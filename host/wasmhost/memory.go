package wasmhost

import (
	"context"

	"github.com/tetratelabs/wazero/experimental"

	"github.com/parley-rpc/parley/core"
)

// linearMemory is the memory of one instance. wazero's own grows as slices do, by a quarter more than
// was asked for, and most instances grow once and never again: theirs is as large as they asked for.
type linearMemory struct{ bytes []byte }

// exactBytesMax is how large a memory grows exactly. Beyond it a copy for each step costs too much.
const exactBytesMax = 8 * core.MiB

// withLinearMemory has what is instantiated under the context use linearMemory.
func withLinearMemory(ctx context.Context) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(
		func(uint64, uint64) experimental.LinearMemory { return new(linearMemory) },
	))
}

// Reallocate keeps what is there; what is new is zero, as a guest expects. wazero has checked the size
// against MemoryBytesMax.
func (m *linearMemory) Reallocate(size uint64) []byte {
	if size > uint64(cap(m.bytes)) {
		room := size
		if size > exactBytesMax {
			room += size / 4
		}
		next := make([]byte, size, room)
		copy(next, m.bytes)
		m.bytes = next
	}
	m.bytes = m.bytes[:size]
	return m.bytes
}

// Free leaves the bytes to the collector: a view of them may still be held.
func (m *linearMemory) Free() { m.bytes = nil }
