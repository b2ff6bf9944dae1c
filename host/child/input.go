package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Input is our end of a child's stdin. What exec.Cmd.Stdin yields goes first, to its end; Write
// waits for that (API-3).
type Input struct {
	file    *os.File
	dropped chan struct{}
	once    sync.Once
	ready   chan struct{} // closed with the first of fed and dropped

	mu       sync.Mutex
	fed      chan struct{} // closed once the first bytes are through
	feedErr  error         // valid then: why they are not all through
	closeFed bool          // Close was called before
}

func newInput(file *os.File, first io.Reader) *Input {
	in := &Input{file: file, dropped: make(chan struct{}), fed: make(chan struct{}), ready: make(chan struct{})}
	if first == nil {
		close(in.fed)
		close(in.ready)
		return in
	}
	go in.feed(first)
	go func() {
		in.wait()
		close(in.ready)
	}()
	return in
}

// Ready is closed once Write no longer waits. A session hands over nothing before that, so that
// none of its frames has begun (SEND-3).
func (in *Input) Ready() <-chan struct{} { return in.ready }

// writer is the file itself where nothing goes first: a session writes to it without waking its writer where it can.
func (in *Input) writer() io.WriteCloser {
	if isClosed(in.fed) && in.feedError() == nil {
		return in.file
	}
	return in
}

func (in *Input) wait() {
	select {
	case <-in.fed:
	case <-in.dropped:
	}
}

// Write writes to the child. It fails when Close or the end of the child comes first.
func (in *Input) Write(p []byte) (int, error) {
	in.wait()
	if err := in.feedError(); err != nil {
		return 0, err
	}
	return in.file.Write(p)
}

// Close ends the child's stdin, behind what exec.Cmd.Stdin still yields. It does not wait for
// that, and it is repeatable.
func (in *Input) Close() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if !isClosed(in.fed) {
		in.closeFed = true
		return nil
	}
	if err := in.file.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// feed copies the first bytes. If the child stops reading, it ends with the pipe; a reader that
// never ends holds this goroutine for as long as its Read blocks.
func (in *Input) feed(first io.Reader) {
	_, err := io.Copy(in.file, first)
	in.mu.Lock()
	defer in.mu.Unlock()
	if err != nil && !errors.Is(err, os.ErrClosed) {
		in.feedErr = fmt.Errorf("child: copying the Stdin of the command: %w", err)
	}
	close(in.fed)
	if in.closeFed || in.feedErr != nil {
		// What follows a gap would be misread: the child sees the end instead.
		closeAll(in.file)
	}
}

func (in *Input) feedError() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.feedErr
}

// drop closes stdin at once, whatever has not been written, and ends a Write that waits.
func (in *Input) drop() {
	in.once.Do(func() { close(in.dropped) })
	closeAll(in.file)
}
