package wasichild

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync/atomic"

	experimental "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/experimental/sysfs"
)

// Grant is a directory that a guest sees, with everything below it and nothing else: a symbolic link
// that leads outside it cannot be followed.
type Grant struct {
	Host     string // the directory
	Guest    string // its absolute path in the guest, slashes only
	ReadOnly bool
}

// filesMax is how many files and directories a guest may have open in one grant at once. They are
// descriptors of this process.
const filesMax = 256

// directory is a grant that is open.
type directory struct {
	Grant
	root  *os.Root
	ctx   context.Context // set before the guest runs; done: every operation fails, so that none goes on for an interrupted guest
	files atomic.Int32    // open, at most filesMax
}

func openGrants(grants []Grant) ([]*directory, error) {
	var opened []*directory
	for i, g := range grants {
		d, err := openGrant(g)
		if err == nil && slices.ContainsFunc(grants[:i], func(other Grant) bool { return other.Guest == g.Guest }) {
			err = errors.Join(fmt.Errorf("two directories are granted as %q", g.Guest), d.root.Close())
		}
		if err != nil {
			return nil, errors.Join(err, closeGrants(opened))
		}
		opened = append(opened, d)
	}
	return opened, nil
}

func openGrant(g Grant) (*directory, error) {
	if !path.IsAbs(g.Guest) || path.Clean(g.Guest) != g.Guest {
		return nil, fmt.Errorf("directory %q is granted as %q, want an absolute path that is clean", g.Host, g.Guest)
	}
	root, err := os.OpenRoot(g.Host)
	if err != nil {
		return nil, fmt.Errorf("granted directory: %w", err)
	}
	return &directory{Grant: g, root: root}, nil
}

// fileSystem is what the guest sees of it.
func (d *directory) fileSystem() experimental.FS {
	if d.ReadOnly {
		return readOnly{&sysfs.ReadFS{FS: d}}
	}
	return d
}

// readOnly closes a gap in wazero's, which lets a file that is opened for reading be made or emptied.
type readOnly struct{ *sysfs.ReadFS }

func (r readOnly) OpenFile(name string, flags experimental.Oflag, perm fs.FileMode) (experimental.File, experimental.Errno) {
	const changes = experimental.O_WRONLY | experimental.O_RDWR | experimental.O_APPEND | experimental.O_CREAT | experimental.O_TRUNC
	if flags&changes != 0 {
		return nil, experimental.EROFS
	}
	return r.ReadFS.OpenFile(name, flags, perm)
}

func closeGrants(grants []*directory) error {
	var errs []error
	for _, d := range grants {
		errs = append(errs, d.root.Close())
	}
	return errors.Join(errs...)
}
