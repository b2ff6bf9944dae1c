package mcp

import (
	"context"
	"sync"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host"
)

// Cache remembers the eras of servers. It owns its expiry, and what fails in it is unknown. It is
// called from any goroutine, never under a lock.
type Cache interface {
	Lookup(key string) era.Era
	// Teach is told era.EraLegacy or era.EraModern, at the time of the probe that taught it.
	Teach(key string, taught era.Era)
	Forget(key string)
}

// NewCache returns a cache in memory, of at most era.EntriesMax servers. Legacy entries live for
// lifetime on the clock given, modern ones until they are forgotten (ERA-4). A nil clock is the
// system's, a lifetime of 0 is five minutes.
func NewCache(clock host.Clock, lifetime time.Duration) Cache {
	if clock == nil {
		clock = host.SystemClock()
	}
	return &memory{clock: clock, cache: era.NewCache(core.Time(lifetime))}
}

type memory struct {
	clock host.Clock
	mu    sync.Mutex
	cache *era.Cache
}

func (m *memory) Lookup(key string) era.Era {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cache.Lookup([]byte(key), m.clock.Now())
}

func (m *memory) Teach(key string, taught era.Era) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cache.Teach([]byte(key), taught, m.clock.Now())
}

func (m *memory) Forget(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cache.Forget([]byte(key))
}

// Eras is what is known of servers, and who is finding out. Connects that share one probe a server
// once between them.
type Eras struct {
	cache Cache

	mu     sync.Mutex
	probes era.Probes
	ended  map[era.Probe]chan struct{} // closed when the probe has ended
}

// NewEras returns an Eras over a cache; nil is NewCache(nil, 0).
func NewEras(cache Cache) *Eras {
	if cache == nil {
		cache = NewCache(nil, 0)
	}
	return &Eras{cache: cache, ended: map[era.Probe]chan struct{}{}}
}

// processEras serves every connect that names no other.
var processEras = sync.OnceValue(func() *Eras { return NewEras(nil) })

// ask returns what is known of a server, waiting for a probe that is under way (ERA-4). Whoever gets
// a probe has to end it.
func (e *Eras) ask(ctx context.Context, key string) (era.Era, era.Probe, error) {
	known := e.cache.Lookup(key)
	advice, probe, ended := e.advise(key, known)
	if advice != era.AdviceWait {
		return known, probe, nil
	}
	select {
	case <-ended:
		return e.cache.Lookup(key), 0, nil
	case <-ctx.Done():
		return era.EraUnknown, 0, context.Cause(ctx)
	}
}

func (e *Eras) advise(key string, known era.Era) (era.Advice, era.Probe, <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	advice, probe := e.probes.Ask([]byte(key), known)
	if advice == era.AdviceProbe && probe != 0 {
		e.ended[probe] = make(chan struct{})
	}
	return advice, probe, e.ended[probe]
}

// end releases whoever waits for a probe. It is repeatable.
func (e *Eras) end(probe era.Probe) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if ended := e.ended[probe]; ended != nil {
		e.probes.End(probe)
		delete(e.ended, probe)
		close(ended)
	}
}

// learner takes what one negotiation learns to where it is kept. The zero learner keeps nothing.
type learner struct {
	eras  *Eras
	key   string
	probe era.Probe
}

// learn carries out era.StepProbed and era.StepForget.
func (l *learner) learn(step *era.Step) {
	switch {
	case l.eras == nil:
	case step.Kind == era.StepForget:
		l.eras.cache.Forget(l.key)
	default:
		if step.Era != era.EraUnknown {
			l.eras.cache.Teach(l.key, step.Era)
		}
		l.eras.end(l.probe)
	}
}

// end releases whoever waits, also for a negotiation that came to nothing.
func (l *learner) end() {
	if l.eras != nil {
		l.eras.end(l.probe)
	}
}
