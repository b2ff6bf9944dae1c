package chaos

import (
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

// Split writes in pieces of 1 to bytesMax bytes. bytesMax is at least 1.
func Split(out io.WriteCloser, random *rand.Rand, bytesMax int) io.WriteCloser {
	return &split{WriteCloser: out, random: random, bytesMax: bytesMax}
}

type split struct {
	io.WriteCloser
	random   *rand.Rand
	bytesMax int
}

func (s *split) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		n, err := s.WriteCloser.Write(p[written:][:1+s.random.IntN(min(s.bytesMax, len(p)-written))])
		written += n
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// Delay waits before each write.
func Delay(out io.WriteCloser, wait time.Duration) io.WriteCloser {
	return &delay{WriteCloser: out, wait: wait, closed: make(chan struct{})}
}

type delay struct {
	io.WriteCloser
	wait time.Duration

	once   sync.Once
	closed chan struct{}
}

// Write returns os.ErrClosed where Close comes first.
func (d *delay) Write(p []byte) (int, error) {
	timer := time.NewTimer(d.wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return d.WriteCloser.Write(p)
	case <-d.closed:
		return 0, os.ErrClosed
	}
}

func (d *delay) Close() error {
	d.once.Do(func() { close(d.closed) })
	return d.WriteCloser.Close()
}

// DieAtByte writes offset bytes, then calls die instead of writing the next. If die returns, that
// write and every later one fail with io.ErrClosedPipe.
func DieAtByte(out io.WriteCloser, offset int64, die func()) io.WriteCloser {
	return &mortal{WriteCloser: out, left: offset, die: die}
}

type mortal struct {
	io.WriteCloser
	left int64 // bytes
	die  func()
}

func (m *mortal) Write(p []byte) (int, error) {
	n, err := m.WriteCloser.Write(p[:min(int64(len(p)), m.left)])
	m.left -= int64(n)
	if err == nil && n < len(p) {
		m.die()
		err = io.ErrClosedPipe
	}
	return n, err
}
