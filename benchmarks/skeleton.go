package main

import (
	"context"
	"encoding/binary"
	"io"
	"sync"
)

// skeleton is the usual goroutines and no protocol: a reader, a writer that takes all that has gathered,
// a new goroutine for each request. A frame is frameBytes long and begins with its number.
type skeleton struct {
	rw         pipePair
	frameBytes int
	isServer   bool

	mu       sync.Mutex
	mayWrite sync.Cond
	out      []byte
	calls    map[uint32]chan struct{}
	number   uint32
	isOver   bool
	done     sync.WaitGroup
}

// envelopeBytes is about what header and envelope of a JSON-RPC request add to its params.
const envelopeBytes = 64

func newSkeleton(rw pipePair, isServer bool) *skeleton {
	s := &skeleton{rw: rw, frameBytes: len(echoParams) + envelopeBytes, isServer: isServer, calls: map[uint32]chan struct{}{}}
	s.mayWrite.L = &s.mu
	s.done.Go(s.read)
	s.done.Go(s.write)
	return s
}

func (s *skeleton) call(context.Context) error {
	answered := make(chan struct{})
	s.mu.Lock()
	s.number++
	s.calls[s.number] = answered
	s.queue(s.number)
	s.mu.Unlock()
	<-answered
	return nil
}

// queue appends one frame. mu is held.
func (s *skeleton) queue(number uint32) {
	at := len(s.out)
	s.out = append(s.out, make([]byte, s.frameBytes)...)
	binary.LittleEndian.PutUint32(s.out[at:], number)
	s.mayWrite.Signal()
}

func (s *skeleton) read() {
	block := make([]byte, 64<<10)
	have := 0
	for {
		n, err := s.rw.r.Read(block[have:])
		if err != nil {
			s.end()
			return
		}
		have += n
		at := 0
		for ; have-at >= s.frameBytes; at += s.frameBytes {
			s.handle(binary.LittleEndian.Uint32(block[at:]))
		}
		have = copy(block, block[at:have])
	}
}

func (s *skeleton) handle(number uint32) {
	if s.isServer {
		go func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.queue(number)
		}()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.calls[number])
	delete(s.calls, number)
}

func (s *skeleton) write() {
	var block []byte
	for {
		s.mu.Lock()
		for len(s.out) == 0 && !s.isOver {
			s.mayWrite.Wait()
		}
		block, s.out = s.out, block[:0]
		isOver := s.isOver
		s.mu.Unlock()
		if isOver {
			return
		}
		if _, err := s.rw.w.Write(block); err != nil {
			s.end()
			return
		}
	}
}

func (s *skeleton) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isOver = true
	for _, answered := range s.calls {
		close(answered)
	}
	clear(s.calls)
	s.mayWrite.Signal()
}

func (s *skeleton) stop() error {
	s.end()
	err := s.rw.w.Close()
	if _, isPipe := s.rw.r.(io.Closer); isPipe {
		s.rw.r.Close()
	}
	s.done.Wait()
	return err
}
