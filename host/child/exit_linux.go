package child

import (
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The part of siginfo_t that waitid fills in: the union begins at the alignment of a pointer.
const statusOffset = 12 + (unsafe.Sizeof(uintptr(0))-4)/4*4 + 8

// Values of si_code.
const (
	childExited = 1
	childKilled = 2
	childDumped = 3
)

// awaitExit blocks until our child has exited, and does not reap it. It returns as well when it
// is no child of ours any more. It says how the child ended, in the words of os.ProcessState;
// "" where the system did not tell.
func awaitExit(pid int) string {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return ""
		}
	}
	status := *(*int32)(unsafe.Add(unsafe.Pointer(&info), statusOffset))
	switch info.Code {
	case childExited:
		return "exit status " + strconv.Itoa(int(status))
	case childKilled:
		return "signal: " + syscall.Signal(status).String()
	case childDumped:
		return "signal: " + syscall.Signal(status).String() + " (core dumped)"
	}
	return ""
}
