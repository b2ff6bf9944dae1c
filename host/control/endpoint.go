package control

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/parley-rpc/parley/host"
)

// Why a place for sockets is refused (CTL-1). What is returned says which file, and what to do.
var (
	ErrNotPrivate  = errors.New("the folder is not private")
	ErrPathTooLong = errors.New("the path is too long for a socket")
	ErrInUse       = errors.New("something listens there already")
)

// socketSuffix follows the process id in a socket's name.
const socketSuffix = ".parley.socket"

// Directory is where the control sockets of this account are: .parley/sockets in its home, which the
// account database names and not the environment (CTL-1).
func Directory() (string, error) {
	if err := supported(); err != nil {
		return "", err
	}
	home, err := accountHome()
	if err != nil {
		return "", fmt.Errorf("control: no home in the account database: %w", err)
	}
	if !filepath.IsAbs(home) {
		return "", fmt.Errorf("control: the account database names the home %q, which is no absolute path", home)
	}
	return filepath.Join(home, ".parley", "sockets"), nil
}

// orDirectory is the directory chosen, or the account's.
func orDirectory(chosen string) (string, error) {
	if chosen != "" {
		return filepath.Abs(chosen)
	}
	return Directory()
}

func socketName(pid int) string { return strconv.Itoa(pid) + socketSuffix }

// socketPath is the socket of a process.
func socketPath(directory string, pid int) (string, error) {
	path := filepath.Join(directory, socketName(pid))
	if len(path) > socketPathBytesMax {
		return "", fmt.Errorf("control: %s has %d bytes, a socket's path at most %d; use a shorter directory: %w",
			path, len(path), socketPathBytesMax, ErrPathTooLong)
	}
	return path, nil
}

// pidOf reads the process id in a socket's name.
func pidOf(name string) (int, bool) {
	pid, err := strconv.Atoi(strings.TrimSuffix(name, socketSuffix))
	return pid, err == nil && pid > 0 && socketName(pid) == name
}

// makeDirectory makes the folder and the one around it where they are missing, and refuses both
// where somebody else could put a socket there: not ours, open to others, or a symbolic link.
func makeDirectory(directory string) error {
	if err := supported(); err != nil {
		return err
	}
	for _, path := range []string{filepath.Dir(directory), directory} {
		if err := os.Mkdir(path, 0o700); err == nil {
			err = protect(path)
			if err != nil {
				return fmt.Errorf("control: %w", err)
			}
		} else if !errors.Is(err, os.ErrExist) {
			return fmt.Errorf("control: %w", err)
		}
	}
	return checkDirectory(directory)
}

// checkDirectory refuses a folder that is not this account's alone. The one around it may be read by
// others, but not changed: who can rename the folder can replace it.
func checkDirectory(directory string) error {
	if err := checkPrivate(filepath.Dir(directory), 0o022); err != nil {
		return err
	}
	return checkPrivate(directory, 0o077)
}

func checkPrivate(path string, forbidden os.FileMode) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return fmt.Errorf("control: %w", err)
	case info.Mode()&os.ModeSymlink != 0:
		return fmt.Errorf("control: %s is a symbolic link; remove it, or use another folder: %w", path, ErrNotPrivate)
	case !info.IsDir():
		return fmt.Errorf("control: %s is no folder; remove it, or use another: %w", path, ErrNotPrivate)
	case !owned(info):
		return fmt.Errorf("control: %s belongs to another account; use a folder of your own: %w", path, ErrNotPrivate)
	case permissions(info)&forbidden != 0:
		return fmt.Errorf("control: %s has mode %04o, so that others reach into it; chmod 700 it: %w", path, info.Mode().Perm(), ErrNotPrivate)
	}
	return nil
}

// supported refuses a platform that cannot keep others out, or was never seen to.
func supported() error {
	if unsupported != "" {
		return fmt.Errorf("control: %s: %w", unsupported, host.ErrUnsupported)
	}
	return nil
}
