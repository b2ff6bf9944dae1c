package child

import "golang.org/x/sys/unix"

// awaitExit blocks until our child has exited, and does not reap it. Darwin's waitid also returns
// for a child that was merely stopped, so the kernel's event queue is asked. Where that fails, a
// child already gone included, reaping is what waits.
func awaitExit(pid int) string {
	queue, err := unix.Kqueue()
	if err != nil {
		return ""
	}
	defer unix.Close(queue)
	var exit unix.Kevent_t
	unix.SetKevent(&exit, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	exit.Fflags = unix.NOTE_EXIT
	changes, events := []unix.Kevent_t{exit}, make([]unix.Kevent_t, 1)
	for {
		_, err := unix.Kevent(queue, changes, events, nil)
		if err != unix.EINTR {
			return "" // how it ended only reaping tells
		}
	}
}
