package wasichild

import (
	"context"
	"io/fs"
	"os"

	experimental "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/experimental/sysfs"
)

// file is a file or directory that a guest has open: wazero's, and what wazero's has only for files that
// it has opened itself.
type file struct {
	experimental.File
	directory *directory
	opened    *os.File
	isAppend  bool
	isClosed  bool
}

func newFile(d *directory, opened *os.File, name string, flags experimental.Oflag) (experimental.File, experimental.Errno) {
	adapter := &sysfs.AdaptFS{FS: &openedOnce{d, opened}}
	adapted, errno := adapter.OpenFile(name, flags, 0)
	f := &file{
		File: adapted, directory: d, opened: opened,
		isAppend: flags&experimental.O_APPEND != 0,
	}
	if errno != 0 {
		// Nothing was written.
		_ = f.opened.Close()
		d.files.Add(-1)
		return nil, errno
	}
	return f, 0
}

func (f *file) IsAppend() bool { return f.isAppend }

func (f *file) Truncate(size int64) experimental.Errno {
	return f.directory.tell(func() error { return f.opened.Truncate(size) })
}

func (f *file) Sync() experimental.Errno { return f.directory.tell(f.opened.Sync) }

func (f *file) Datasync() experimental.Errno { return f.Sync() }

func (f *file) Close() experimental.Errno {
	if f.isClosed {
		return experimental.EBADF
	}
	f.isClosed = true
	f.directory.files.Add(-1)
	return f.File.Close()
}

// openedOnce gives wazero the file that is open already, and after that, to rewind a directory, the one
// of that name.
type openedOnce struct {
	directory *directory
	opened    *os.File
}

func (o *openedOnce) Open(name string) (fs.File, error) {
	opened := o.opened
	o.opened = nil
	if opened == nil {
		var err error
		if opened, err = o.directory.root.Open(name); err != nil {
			return nil, err
		}
	}
	return &interruptible{opened, o.directory.ctx}, nil
}

// interruptible fails once the guest is interrupted: one call of a guest's may ask for any number of
// reads or writes.
type interruptible struct {
	*os.File
	ctx context.Context
}

func (f *interruptible) Read(p []byte) (int, error) {
	if f.ctx.Err() != nil {
		return 0, context.Cause(f.ctx)
	}
	return f.File.Read(p)
}

func (f *interruptible) ReadAt(p []byte, offset int64) (int, error) {
	if f.ctx.Err() != nil {
		return 0, context.Cause(f.ctx)
	}
	return f.File.ReadAt(p, offset)
}

func (f *interruptible) Write(p []byte) (int, error) {
	if f.ctx.Err() != nil {
		return 0, context.Cause(f.ctx)
	}
	return f.File.Write(p)
}

func (f *interruptible) WriteAt(p []byte, offset int64) (int, error) {
	if f.ctx.Err() != nil {
		return 0, context.Cause(f.ctx)
	}
	return f.File.WriteAt(p, offset)
}
