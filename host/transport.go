package host

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

// Transport is one duplex byte stream, and the claim on it: one session, ever (API-1). From its
// claim on the session alone reads, writes and closes the stream; processes and listeners behind
// it stay their maker's (API-2).
type Transport struct {
	reader io.Reader
	writer io.Writer // nil: nothing can be sent (API-3)

	// closeWrite ends our direction and leaves the other open; nil where there is no such thing.
	closeWrite func() error
	closeAll   func() error
	ready      <-chan struct{} // closed once writer takes bytes; nil: it does from the start
	polled     syscall.RawConn // the descriptor behind reader; nil where there is none
	atOnce     *atOnce         // the descriptor behind writer; nil where writing to it may wait
	claimed    atomic.Bool
}

// readiness asks a writer that is not its session's alone from the start when it will be: nothing is
// handed to it before, so that what is given up meanwhile has not begun (API-3, SEND-3).
func readiness(writer any) <-chan struct{} {
	if later, ok := writer.(interface{ Ready() <-chan struct{} }); ok {
		return later.Ready()
	}
	return nil
}

// Duplex is a transport over one value for both directions, for example a net.Conn. Where rw has
// CloseWrite() error, as *net.TCPConn and *net.UnixConn do, it is the half-close. For Ready see
// Pipes.
func Duplex(rw io.ReadWriteCloser) *Transport {
	t := &Transport{reader: rw, writer: rw, polled: descriptor(rw), atOnce: newAtOnce(rw), closeAll: closeOnce(rw)}
	t.ready = readiness(rw)
	if half, ok := rw.(interface{ CloseWrite() error }); ok {
		t.closeWrite = sync.OnceValue(half.CloseWrite)
	}
	return t
}

// Pipes is a transport over one pipe for each direction, for example a child's stdout and stdin.
// Closing w is the half-close. With w nil everything that sends is ErrUnsupported and receiving
// works (API-3). Where w has Ready() <-chan struct{}, nothing is written before that channel is
// closed: meanwhile a call that times out or is cancelled is withdrawn, and fails alone (SEND-3).
func Pipes(r io.ReadCloser, w io.WriteCloser) *Transport {
	t := &Transport{reader: r, polled: descriptor(r), closeAll: closeOnce(r)}
	if w == nil {
		return t
	}
	t.writer, t.ready, t.atOnce = w, readiness(w), newAtOnce(w)
	t.closeWrite = closeOnce(w)
	closeRead := t.closeAll
	t.closeAll = func() error { return errors.Join(t.closeWrite(), closeRead()) }
	return t
}

// Close closes both directions. It is repeatable. A session closes its transport when it ends.
func (t *Transport) Close() error { return t.closeAll() }

// closeOnce closes once, which somebody else may have done before: the owner of a child that has died.
func closeOnce(c io.Closer) func() error {
	return sync.OnceValue(func() error {
		if err := c.Close(); !errors.Is(err, os.ErrClosed) {
			return err
		}
		return nil
	})
}

// claim takes the transport for a session and reports whether it was free.
func (t *Transport) claim() bool { return t.claimed.CompareAndSwap(false, true) }

func descriptor(reader any) syscall.RawConn {
	source, ok := reader.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := source.SyscallConn()
	if err != nil {
		return nil // a closed file: the first read says so
	}
	return raw
}
