package child

import "golang.org/x/sys/unix"

// awaitExit blocks until our child has exited, and does not reap it. It returns as well when it
// is no child of ours any more.
func awaitExit(pid int) {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}
