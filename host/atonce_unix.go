//go:build unix

package host

import (
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/parley-rpc/parley/internal/polled"
)

// atOnce writes to a descriptor in non-blocking mode what it takes without waiting. One goroutine uses it at a time.
type atOnce struct {
	raw   syscall.RawConn
	block []byte
	count int
	try   func(fd uintptr) bool // one for all writes: each would be an allocation
}

// newAtOnce returns nil for a writer that is more than its descriptor, as what embeds one may be, and for one whose
// writes wait in the kernel.
func newAtOnce(writer any) *atOnce {
	switch writer.(type) {
	case *os.File, *polled.File, *net.TCPConn, *net.UnixConn:
	default:
		return nil
	}
	raw := descriptor(writer)
	if raw == nil || !nonBlocking(raw) {
		return nil
	}
	a := &atOnce{raw: raw}
	a.try = func(fd uintptr) bool {
		for {
			n, err := unix.Write(int(fd), a.block)
			if err != unix.EINTR {
				a.count = max(n, 0)
				return true // also where it would have to wait
			}
		}
	}
	return a
}

func nonBlocking(raw syscall.RawConn) bool {
	flags, err := 0, error(nil)
	failed := raw.Control(func(fd uintptr) { flags, err = unix.FcntlInt(fd, unix.F_GETFL, 0) })
	return failed == nil && err == nil && flags&unix.O_NONBLOCK != 0
}

// write returns how many bytes of block were written: 0 where none could be.
func (a *atOnce) write(block []byte) int {
	a.block, a.count = block, 0
	if a.raw.Write(a.try) != nil {
		return 0 // closed: the next write says so
	}
	a.block = nil
	return a.count
}
