//go:build unix

package host

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/parley-rpc/parley/internal/polled"
)

// Stdio is the transport of a server on standard input and output (FRAME-8). It moves both to
// private descriptors; from then on fd 1 is stderr and fd 0 the null device, so that no stray
// print and no child reaches the wire. Call it once, first thing in main. On Linux a pipe or socket is read
// and written through the runtime's poller, which saves a sixth of a round trip.
func Stdio() (*Transport, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, fmt.Errorf("parley: stdio: %w", err)
	}
	defer null.Close()
	input, err := moveAway(unix.Stdin, int(null.Fd()), "stdin")
	if err != nil {
		return nil, err
	}
	output, err := moveAway(unix.Stdout, unix.Stderr, "stdout")
	if err != nil {
		input.Close()
		return nil, err
	}
	return Pipes(polled.Open(input), polled.Open(output)), nil
}

// moveAway duplicates fd to a private descriptor, closed in children, and puts a copy of
// replacement in its place.
func moveAway(fd, replacement int, name string) (*os.File, error) {
	private, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("parley: %s: duplicating descriptor %d: %w", name, fd, err)
	}
	if err := replace(replacement, fd); err != nil {
		unix.Close(private)
		return nil, fmt.Errorf("parley: %s: replacing descriptor %d: %w", name, fd, err)
	}
	return os.NewFile(uintptr(private), name), nil
}
