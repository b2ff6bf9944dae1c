package chaos

import (
	"io"
	"os"
	"sync"
)

// NeverRead is an input from which nothing is ever read: a Read waits for Close.
func NeverRead(in io.ReadCloser) io.ReadCloser {
	return &unending{ReadCloser: in, neverRead: true, closed: make(chan struct{})}
}

// IgnoreEOF is an input without an end: a Read that meets it waits for Close.
func IgnoreEOF(in io.ReadCloser) io.ReadCloser {
	return &unending{ReadCloser: in, closed: make(chan struct{})}
}

type unending struct {
	io.ReadCloser
	neverRead bool

	once   sync.Once
	closed chan struct{}
}

// Read returns os.ErrClosed after Close.
func (u *unending) Read(p []byte) (int, error) {
	if !u.neverRead {
		if n, err := u.ReadCloser.Read(p); n > 0 || err != io.EOF {
			return n, err
		}
	}
	<-u.closed
	return 0, os.ErrClosed
}

// Close closes the input and ends a Read that waits. It is repeatable.
func (u *unending) Close() error {
	u.once.Do(func() { close(u.closed) })
	return u.ReadCloser.Close()
}
