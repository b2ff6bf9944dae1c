//go:build unix

package host

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// readable reports whether a read would return at once: bytes, or the end. It does not wait.
func readable(raw syscall.RawConn) bool {
	if raw == nil {
		return false
	}
	ready := false
	err := raw.Control(func(fd uintptr) {
		polls := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		count, err := unix.Poll(polls, 0)
		ready = err == nil && count > 0
	})
	return err == nil && ready
}
