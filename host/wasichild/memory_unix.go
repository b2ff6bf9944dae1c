//go:build linux || darwin

package wasichild

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// mapMemory reserves address space; the system gives it memory page by page, as the guest touches it.
func mapMemory(bytesMax int64) ([]byte, error) {
	memory, err := unix.Mmap(-1, 0, int(bytesMax), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes for the guest: %w", bytesMax, err)
	}
	return memory, nil
}

func unmapMemory(memory []byte) error { return unix.Munmap(memory) }
