package polled

import (
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Open returns f with reads and writes that wait in the poller, and owns f. A pipe is opened once more, so that
// nobody who shares f sees a difference; a socket cannot be, and is changed until Close. What is neither, or
// cannot be changed, is left as it is.
func Open(f *os.File) *File {
	asItIs := &File{File: f}
	if f.SetDeadline(time.Time{}) == nil {
		return asItIs
	}
	descriptor := int(f.Fd())
	var status unix.Stat_t
	if unix.Fstat(descriptor, &status) != nil {
		return asItIs
	}
	switch status.Mode & unix.S_IFMT {
	case unix.S_IFIFO:
		if again := reopen(f, descriptor); again != nil {
			return again
		}
	case unix.S_IFSOCK:
		if again := unblock(f, descriptor); again != nil {
			return again
		}
	}
	return asItIs
}

// reopen opens the pipe of f once more and closes f; nil: that is not allowed here.
func reopen(f *os.File, descriptor int) *File {
	flags, err := unix.FcntlInt(uintptr(descriptor), unix.F_GETFL, 0)
	if err != nil {
		return nil
	}
	again, err := os.OpenFile("/proc/self/fd/"+strconv.Itoa(descriptor), flags&unix.O_ACCMODE|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	f.Close()
	return &File{File: again}
}

// unblock duplicates the socket of f, and closes f; nil: there is no descriptor left. The mode belongs to the socket.
func unblock(f *os.File, descriptor int) *File {
	again, err := unix.FcntlInt(uintptr(descriptor), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil
	}
	if unix.SetNonblock(again, true) != nil {
		unix.Close(again)
		return nil
	}
	f.Close()
	return &File{File: os.NewFile(uintptr(again), f.Name()), isChanged: true}
}

// block puts the socket back into blocking mode.
func (f *File) block() {
	raw, err := f.SyscallConn()
	if err != nil {
		return // closed
	}
	// Nobody waits for a socket that cannot be changed.
	_ = raw.Control(func(descriptor uintptr) { _ = unix.SetNonblock(int(descriptor), false) })
}
