package child

import (
	"io"
	"sync"
)

// sink hands stderr to a writer of the caller's, from a goroutine of its own. What the writer is
// too slow for is lost and counted (STOP-7).
type sink struct {
	w     io.Writer
	ended chan struct{}

	mu       sync.Mutex
	changed  sync.Cond
	waiting  []byte // at most TailBytesMax
	finished bool   // nothing more comes
	failed   bool   // w returned an error: nothing more is written
	lost     int64  // bytes
}

func newSink(w io.Writer) *sink {
	s := &sink{w: w, ended: make(chan struct{})}
	s.changed.L = &s.mu
	go s.run()
	return s
}

// add never blocks.
func (s *sink) add(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(len(p), TailBytesMax-len(s.waiting))
	if s.failed {
		n = 0
	}
	s.waiting = append(s.waiting, p[:n]...)
	s.lost += int64(len(p) - n)
	s.changed.Signal()
}

func (s *sink) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finished = true
	s.changed.Signal()
}

func (s *sink) bytesLost() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// run writes until the text has ended or the writer fails. A Write that never returns holds this
// goroutine and nothing else.
func (s *sink) run() {
	defer close(s.ended)
	var batch []byte
	for {
		var more bool
		if batch, more = s.take(batch[:0]); !more {
			return
		}
		if n, err := s.w.Write(batch); err != nil {
			s.fail(int64(len(batch) - n))
			return
		}
	}
}

// take waits for text and exchanges it for an empty buffer.
func (s *sink) take(spare []byte) (batch []byte, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waiting) == 0 && !s.finished {
		s.changed.Wait()
	}
	batch, s.waiting = s.waiting, spare
	return batch, len(batch) > 0
}

func (s *sink) fail(unwritten int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = true
	s.lost += unwritten + int64(len(s.waiting))
	s.waiting = nil
}
