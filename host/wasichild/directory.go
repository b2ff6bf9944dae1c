package wasichild

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	experimental "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"
)

// Every operation goes through os.Root, which resolves a path component by component from the granted
// directory's descriptor: neither a symbolic link nor a rename meanwhile leads out of it. wazero's own
// mounts join paths and follow links wherever they lead.
var _ experimental.FS = (*directory)(nil)

// OpenFile opens regular files and directories. Anything else might block for ever, or do something
// when it is opened.
func (d *directory) OpenFile(name string, flags experimental.Oflag, perm fs.FileMode) (experimental.File, experimental.Errno) {
	if d.ctx.Err() != nil {
		return nil, experimental.EIO
	}
	if info, err := d.root.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 && flags&experimental.O_NOFOLLOW != 0 {
		return nil, experimental.ELOOP
	}
	if info, err := d.root.Stat(name); err == nil && !info.IsDir() {
		switch {
		case !info.Mode().IsRegular():
			return nil, experimental.EACCES
		case flags&experimental.O_DIRECTORY != 0:
			return nil, experimental.ENOTDIR
		}
	}
	if d.files.Add(1) > filesMax {
		d.files.Add(-1)
		return nil, experimental.EAGAIN
	}
	opened, err := d.root.OpenFile(name, openFlags(flags), perm.Perm())
	if err != nil {
		d.files.Add(-1)
		return nil, errnoOf(err)
	}
	return newFile(d, opened, name, flags)
}

func openFlags(flags experimental.Oflag) int {
	ours := os.O_RDONLY
	for _, flag := range []struct {
		theirs experimental.Oflag
		ours   int
	}{
		{experimental.O_RDWR, os.O_RDWR},
		{experimental.O_WRONLY, os.O_WRONLY},
		{experimental.O_APPEND, os.O_APPEND},
		{experimental.O_CREAT, os.O_CREATE},
		{experimental.O_EXCL, os.O_EXCL},
		{experimental.O_TRUNC, os.O_TRUNC},
		{experimental.O_SYNC | experimental.O_DSYNC, os.O_SYNC},
	} {
		if flags&flag.theirs != 0 {
			ours |= flag.ours
		}
	}
	return ours
}

// ask is an operation with a result.
func ask[R any](d *directory, operation func() (R, error)) (result R, _ experimental.Errno) {
	if d.ctx.Err() != nil {
		return result, experimental.EIO
	}
	result, err := operation()
	return result, errnoOf(err)
}

// tell is one without.
func (d *directory) tell(operation func() error) experimental.Errno {
	if d.ctx.Err() != nil {
		return experimental.EIO
	}
	return errnoOf(operation())
}

func (d *directory) Stat(name string) (sys.Stat_t, experimental.Errno) {
	return ask(d, func() (sys.Stat_t, error) { return statOf(d.root.Stat(name)) })
}

func (d *directory) Lstat(name string) (sys.Stat_t, experimental.Errno) {
	return ask(d, func() (sys.Stat_t, error) { return statOf(d.root.Lstat(name)) })
}

func (d *directory) Readlink(name string) (string, experimental.Errno) {
	return ask(d, func() (string, error) { return d.root.Readlink(name) })
}

func (d *directory) Mkdir(name string, perm fs.FileMode) experimental.Errno {
	return d.tell(func() error { return d.root.Mkdir(name, perm.Perm()) })
}

func (d *directory) Chmod(name string, perm fs.FileMode) experimental.Errno {
	return d.tell(func() error { return d.root.Chmod(name, perm.Perm()) })
}

func (d *directory) Rename(from, to string) experimental.Errno {
	return d.tell(func() error { return d.root.Rename(from, to) })
}

func (d *directory) Rmdir(name string) experimental.Errno { return d.remove(name, true) }

func (d *directory) Unlink(name string) experimental.Errno { return d.remove(name, false) }

// remove keeps the two apart, which os.Root does not.
func (d *directory) remove(name string, directory bool) experimental.Errno {
	return d.tell(func() error {
		info, err := d.root.Lstat(name)
		switch {
		case err != nil:
			return err
		case directory && !info.IsDir():
			return syscall.ENOTDIR
		case !directory && info.IsDir():
			return syscall.EISDIR
		}
		return d.root.Remove(name)
	})
}

func (d *directory) Link(from, to string) experimental.Errno {
	return d.tell(func() error { return d.root.Link(from, to) })
}

// Symlink is refused: the guest could follow none that leads outside, but whoever looks at the
// directory from outside would.
func (d *directory) Symlink(string, string) experimental.Errno { return experimental.EPERM }

func (d *directory) Utimens(name string, atimeNs, mtimeNs int64) experimental.Errno {
	return d.tell(func() error { return d.root.Chtimes(name, timeOf(atimeNs), timeOf(mtimeNs)) })
}

// timeOf is the zero time, which changes nothing, where the guest leaves one out.
func timeOf(ns int64) time.Time {
	if ns == experimental.UTIME_OMIT {
		return time.Time{}
	}
	return time.Unix(0, ns)
}

func statOf(info fs.FileInfo, err error) (sys.Stat_t, error) {
	if err != nil {
		return sys.Stat_t{}, err
	}
	return sys.NewStat_t(info), nil
}

// errnoOf is what the guest is told. os.Root refuses a path that leads outside with an error that is no
// number of the system's.
func errnoOf(err error) experimental.Errno {
	errno := experimental.UnwrapOSError(err)
	if errno == experimental.EIO && !errors.As(err, new(syscall.Errno)) {
		return experimental.EPERM
	}
	return errno
}
