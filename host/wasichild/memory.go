package wasichild

import "github.com/tetratelabs/wazero/experimental"

// memory is a guest's linear memory, outside of Go's heap. wazero's own is a slice that moves as it
// grows: a guest that grows to its limit leaves copies behind that are several times the limit.
type memory struct{ reserved []byte }

func reserveMemory(bytesMax int64) (*memory, error) {
	reserved, err := mapMemory(bytesMax)
	return &memory{reserved}, err
}

// Allocate is called once: a module has one memory.
func (m *memory) Allocate(_, _ uint64) experimental.LinearMemory { return m }

// Reallocate grows in place. A nil tells the guest that there is no more.
func (m *memory) Reallocate(bytes uint64) []byte {
	if bytes > uint64(len(m.reserved)) {
		return nil
	}
	return m.reserved[:bytes:bytes]
}

// Free leaves it to release, when nothing of the guest is left.
func (m *memory) Free() {}

func (m *memory) release() error { return unmapMemory(m.reserved) }
