package tap

import (
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// polled returns f, or another File for what f reads, so that a read of it waits in the runtime's poller.
//
// Standard input comes as a descriptor whose reads wait in the kernel. Such a read keeps the processor of its
// goroutine until the runtime's monitor notices, and wakes the monitor when it ends: the server's answer waits
// for the one, the client's question for the other (docs/capture.md has the figures).
//
// A pipe is opened once more, so that nobody who shares f sees a difference; a socket cannot be, and undo gives it
// back as it was. What is neither is left as it is. The File that is not returned is closed.
func polled(f *os.File) (reader *os.File, undo func()) {
	undo = func() {}
	if f.SetReadDeadline(time.Time{}) == nil {
		return f, undo
	}
	descriptor := int(f.Fd())
	var status unix.Stat_t
	if unix.Fstat(descriptor, &status) != nil {
		return f, undo
	}
	switch status.Mode & unix.S_IFMT {
	case unix.S_IFIFO:
		again, err := os.OpenFile("/proc/self/fd/"+strconv.Itoa(descriptor), os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			return f, undo
		}
		f.Close()
		return again, undo
	case unix.S_IFSOCK:
		again, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return f, undo
		}
		if unix.SetNonblock(again, true) != nil {
			unix.Close(again)
			return f, undo
		}
		f.Close()
		reader = os.NewFile(uintptr(again), f.Name())
		return reader, func() { block(reader) }
	}
	return f, undo
}

// block puts the socket back into blocking mode, for whoever shares it and reads after us.
func block(socket *os.File) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return // closed: its other end is too
	}
	// Nobody waits for a socket that cannot be changed.
	_ = raw.Control(func(descriptor uintptr) { _ = unix.SetNonblock(int(descriptor), false) })
}
