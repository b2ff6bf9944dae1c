package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/parley-rpc/parley/host"
)

// Bounds of a discovery (CTL-6).
const (
	probesMax            = 16
	probeTimeout         = 2 * time.Second
	entriesMax           = 4096
	discoveredSessionMax = 256
)

// ErrTooManyEntries is a folder with more than 4,096 entries: not only sockets of ours lie in it.
var ErrTooManyEntries = errors.New("more than 4,096 entries")

// Process is one that answered.
type Process struct {
	PID      int       `json:"pid"`
	Program  string    `json:"program"`
	Path     string    `json:"path"` // of its socket
	Sessions []Session `json:"sessions"`
}

// Silent is a socket whose process did not answer, and why.
type Silent struct {
	PID  int
	Path string
	Err  error
}

// Discovery is what was found, in the order of process ids.
type Discovery struct {
	Processes []Process
	Silent    []Silent
	Truncated bool // there are more sessions than the 256 that are shown
}

// Discover asks every process that has a control socket in directory, "" being the account's, for its
// sessions: 16 at once, 2 s each (CTL-6). Sockets that nobody listens on and whose process is dead are
// removed. A folder that is missing holds nothing; one that is not this account's alone is
// ErrNotPrivate, and nothing in it is touched. clock nil is host.SystemClock.
func Discover(ctx context.Context, directory string, clock host.Clock) (Discovery, error) {
	if err := supported(); err != nil {
		return Discovery{}, err
	}
	if clock == nil {
		clock = host.SystemClock()
	}
	directory, err := orDirectory(directory)
	if err != nil {
		return Discovery{}, err
	}
	paths, err := socketsIn(directory, entriesMax)
	if err != nil {
		return Discovery{}, err
	}
	probes := make([]probe, len(paths))
	var running sync.WaitGroup
	turns := make(chan struct{}, probesMax)
	for i, path := range paths {
		turns <- struct{}{}
		running.Go(func() {
			defer func() { <-turns }()
			probes[i] = probeSocket(ctx, path, clock)
		})
	}
	running.Wait()
	return gather(probes), ctx.Err()
}

// socketsIn lists what is named like a control socket, in the order of process ids, where the folder has
// no more than countMax entries of any kind.
func socketsIn(directory string, countMax int) ([]string, error) {
	if err := checkDirectory(directory); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil // nobody here has ever served
		}
		return nil, err
	}
	folder, err := os.Open(directory)
	if err != nil {
		return nil, fmt.Errorf("control: %w", err)
	}
	defer folder.Close()
	names, err := folder.Readdirnames(countMax + 1)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("control: %w", err)
	}
	if len(names) > countMax {
		return nil, fmt.Errorf("control: %s: %w; remove what does not belong there", directory, ErrTooManyEntries)
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		_, ok := pidOf(name)
		return !ok
	})
	slices.SortFunc(names, func(a, b string) int {
		first, _ := pidOf(a)
		second, _ := pidOf(b)
		return cmp.Compare(first, second)
	})
	for i, name := range names {
		names[i] = filepath.Join(directory, name)
	}
	return names, nil
}

// probe is what came of asking one socket: a process, a silence, or neither where it was stale.
type probe struct {
	process *Process
	silent  *Silent
	cut     bool // the process has more sessions
}

func probeSocket(ctx context.Context, path string, clock host.Clock) probe {
	pid, _ := pidOf(filepath.Base(path))
	before, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return probe{} // its process has just left
	case err == nil && before.Mode().Type() != os.ModeSocket:
		err = errors.New("it is no socket")
	case err == nil && !owned(before):
		err = errors.New("it belongs to another account")
	}
	if err != nil {
		return probe{silent: &Silent{pid, path, err}}
	}
	process, cut, err := askProcess(ctx, path, clock)
	if err == nil {
		return probe{process: process, cut: cut}
	}
	if refused(err) && !alive(pid) {
		err = removeStale(path, before)
		if err == nil {
			return probe{}
		}
	}
	return probe{silent: &Silent{pid, path, err}}
}

// removeStale removes the socket that was looked at, and not one that a new process with the same id
// has made since.
func removeStale(path string, looked os.FileInfo) error {
	now, err := os.Lstat(path)
	if err == nil && os.SameFile(now, looked) {
		err = os.Remove(path)
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil // somebody else's discovery was faster
	}
	return err
}

// errSilent is a process that took too long. It is measured on the clock that was given.
var errSilent = fmt.Errorf("no answer within %v: %w", probeTimeout, host.ErrTimeout)

func askProcess(ctx context.Context, path string, clock host.Clock) (*Process, bool, error) {
	client, err := NewClient(path, clock)
	if err != nil {
		return nil, false, err
	}
	defer client.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer clock.AfterFunc(probeTimeout, func() { cancel(errSilent) }).Stop()
	info, err := client.Connection(ctx)
	var listed Sessions
	if err == nil {
		listed, err = client.Sessions(ctx)
	}
	if err != nil {
		if context.Cause(ctx) == errSilent {
			err = errSilent
		}
		return nil, false, err
	}
	return &Process{PID: info.PID, Program: info.Program, Path: path, Sessions: listed.Sessions}, listed.Truncated, nil
}

// gather puts the answers together, and no more sessions than the bound.
func gather(probes []probe) Discovery {
	var d Discovery
	room := discoveredSessionMax
	for _, p := range probes {
		if p.silent != nil {
			d.Silent = append(d.Silent, *p.silent)
		}
		if p.process == nil {
			continue
		}
		if cut := len(p.process.Sessions) - room; cut > 0 {
			p.process.Sessions, p.cut = p.process.Sessions[:room], true
		}
		room -= len(p.process.Sessions)
		d.Processes = append(d.Processes, *p.process)
		d.Truncated = d.Truncated || p.cut
	}
	return d
}
