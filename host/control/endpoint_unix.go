//go:build linux || darwin

package control

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// socketPathBytesMax leaves room for the terminating zero.
const socketPathBytesMax = len(syscall.RawSockaddrUnix{}.Path) - 1

const unsupported = ""

// protect undoes what the umask took away or an inherited list added.
func protect(directory string) error { return os.Chmod(directory, 0o700) }

// owned reports whether a file is this account's.
func owned(info os.FileInfo) bool {
	status, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(status.Uid) == os.Geteuid()
}

func permissions(info os.FileInfo) os.FileMode { return info.Mode().Perm() }

// alive reports whether a process exists, whoever's it is.
func alive(pid int) bool {
	err := unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}

// refused reports a socket that nobody listens on.
func refused(err error) bool { return errors.Is(err, unix.ECONNREFUSED) }

// party is who made the other end of a connection, as the kernel knows it.
type party struct {
	uid int
	pid int // 0: the kernel does not tell
}

// partyOf asks the kernel for the other end.
func partyOf(conn *net.UnixConn) (party, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return party{}, err
	}
	var p party
	var asked error
	if err := raw.Control(func(fd uintptr) { p, asked = peerCredentials(int(fd)) }); err != nil {
		return party{}, err
	}
	if asked != nil {
		return party{}, fmt.Errorf("who is connected: %w", asked)
	}
	return p, nil
}
