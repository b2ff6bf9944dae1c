package control

import (
	"slices"
	"sync"
)

const (
	servedMax  = 16 // connections that are answered at once (CTL-3)
	waitingMax = 16 // connections that wait for one of those to end
)

// places is who is answered and who waits, in the order of arrival (CTL-3).
type places struct {
	mu      sync.Mutex
	served  int
	waiting []chan struct{}
}

// enter returns a turn, which is closed once it has come. It is false where too many wait.
func (p *places) enter() (turn chan struct{}, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	turn = make(chan struct{})
	switch {
	case p.served < servedMax:
		p.served++
		close(turn)
	case len(p.waiting) < waitingMax:
		p.waiting = append(p.waiting, turn)
	default:
		return nil, false
	}
	return turn, true
}

// leave gives a turn back, whether it has come or not.
func (p *places) leave(turn chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := slices.Index(p.waiting, turn); at >= 0 {
		p.waiting = slices.Delete(p.waiting, at, at+1)
		return
	}
	if len(p.waiting) == 0 {
		p.served--
		return
	}
	close(p.waiting[0])
	p.waiting = slices.Delete(p.waiting, 0, 1)
}

// counts returns how many are answered and how many wait.
func (p *places) counts() (served, waiting int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.served, len(p.waiting)
}
