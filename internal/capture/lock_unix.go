//go:build unix

package capture

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openFlags keep the opening of a named pipe that nobody reads from waiting for a reader.
const openFlags = unix.O_NONBLOCK

// lock makes file ours until it is closed, or the process ends.
func lock(file *os.File) error {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
