package child

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Output is our end of a child's stdout, for one reader. It ends, with io.EOF, where the child's
// output ends, or Bounds.Output after the child's exit if a descendant still holds the pipe
// (STOP-4). Close may be called from any goroutine.
type Output struct {
	file *os.File
	turn chan struct{} // holds one token while Read or discard uses file

	closeOnce sync.Once
	closed    chan struct{} // closed by Close
	endOnce   sync.Once
	ended     chan struct{} // closed at the end of the output
	isCut     atomic.Bool
}

func newOutput(file *os.File) *Output {
	return &Output{
		file:   file,
		turn:   make(chan struct{}, 1),
		closed: make(chan struct{}),
		ended:  make(chan struct{}),
	}
}

// Read reads what the child has written. After Close it returns os.ErrClosed.
func (o *Output) Read(p []byte) (int, error) {
	select {
	case o.turn <- struct{}{}:
		defer func() { <-o.turn }()
	case <-o.closed:
		return 0, os.ErrClosed
	}
	if isClosed(o.closed) { // both cases were ready
		return 0, os.ErrClosed
	}
	n, err := o.file.Read(p)
	switch {
	case err == nil:
		return n, nil
	case o.isCut.Load():
		err = io.EOF
	case isClosed(o.closed):
		return n, os.ErrClosed // Close has ended this Read; the output goes on
	}
	o.end()
	return n, err
}

// Close stops the reading. What the child still writes is dropped until it ends, so that it does
// not hang on a pipe nobody reads.
func (o *Output) Close() error {
	o.closeOnce.Do(func() {
		close(o.closed)
		// It fails on a file already closed, where there is no Read to end.
		_ = o.file.SetReadDeadline(time.Unix(1, 0))
		go o.discard()
	})
	return nil
}

// SyscallConn gives access to the descriptor, for asking whether bytes lie in the pipe.
func (o *Output) SyscallConn() (syscall.RawConn, error) { return o.file.SyscallConn() }

func (o *Output) discard() {
	o.turn <- struct{}{}
	defer func() { <-o.turn }()
	if o.file.SetReadDeadline(time.Time{}) == nil {
		// Whatever ends the copy, nobody is left to be told.
		_, _ = io.Copy(io.Discard, o.file)
	}
	o.end()
}

// cut ends the output even if somebody still holds the other end.
func (o *Output) cut() {
	o.isCut.Store(true)
	closeAll(o.file)
	o.end()
}

func (o *Output) end() { o.endOnce.Do(func() { close(o.ended) }) }
