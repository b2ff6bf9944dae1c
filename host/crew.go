package host

// crew is the goroutines that run handlers, each one handler at a time. One that has answered takes the
// next item: a new goroutine would grow its stack anew, which costs more than many a handler. Guarded
// by Peer.mu.
type crew struct {
	first, last *request // begun by the machine, which bounds them (REQ-1), and taken by nobody yet
	coming      bool     // a goroutine is on its way to them
	idle        int      // goroutines that wait for mayServe
}

// crewIdleMax is how many goroutines a session keeps that have nothing to do: one to serve, and one
// for when the first is waiting. Each holds a stack.
const crewIdleMax = 2

// enlist has a request handled. Peer.mu is held.
func (p *Peer) enlist(r *request) {
	if p.crew.first == nil {
		p.crew.first = r
	} else {
		p.crew.last.next = r
	}
	p.crew.last = r
	p.summon()
}

// summon sees to it that a goroutine comes. One on its way is enough: before it runs what it takes, it
// summons another for what it leaves, so that no item waits for a handler to return. Peer.mu is held.
func (p *Peer) summon() {
	if p.crew.coming {
		return
	}
	p.crew.coming = true
	if p.crew.idle == 0 {
		go p.serveAll()
		return
	}
	p.crew.idle--
	p.mayServe.Signal()
}

// serveAll is one of the crew, until nothing is left for it or a handler ends its goroutine.
func (p *Peer) serveAll() {
	for r := p.firstRequest(); r != nil; r = p.nextRequest() {
		p.handle(r)
	}
}

// firstRequest is nextRequest for a goroutine that was summoned.
func (p *Peer) firstRequest() *request {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.crew.coming = false
	return p.awaitRequest()
}

func (p *Peer) nextRequest() *request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.awaitRequest()
}

// awaitRequest waits for an item; nil where enough others wait, and after the session's end. What the
// machine has begun is handled even then. Peer.mu is held.
func (p *Peer) awaitRequest() *request {
	c := &p.crew
	for c.first == nil {
		if p.end.over || c.idle == crewIdleMax {
			return nil
		}
		c.idle++
		p.mayServe.Wait()
		c.coming = false
	}
	r := c.first
	c.first, r.next = r.next, nil // a request that stays must not hold all that came after it
	if c.first != nil {
		p.summon()
	}
	return r
}
