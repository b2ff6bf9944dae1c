package control

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// The idle limit of a connection (CTL-4).
const (
	IdleTimeoutMax      = 120 * time.Second
	idleTimeoutVariable = "PARLEY_CONTROL_IDLE_TIMEOUT_SECONDS"
)

// ErrIdleTimeout is an idle limit that is not a whole number of seconds from 1 to 120.
var ErrIdleTimeout = errors.New("an idle limit is a whole number of seconds, 1 to 120")

// idleTimeout is the limit chosen, else the environment's, else the largest.
func idleTimeout(chosen time.Duration) (time.Duration, error) {
	if chosen == 0 {
		text, set := os.LookupEnv(idleTimeoutVariable)
		if !set {
			return IdleTimeoutMax, nil
		}
		seconds, err := strconv.ParseUint(text, 10, 8)
		if err != nil || seconds < 1 || time.Duration(seconds)*time.Second > IdleTimeoutMax {
			return 0, fmt.Errorf("control: %s is %q: %w", idleTimeoutVariable, text, ErrIdleTimeout)
		}
		return time.Duration(seconds) * time.Second, nil
	}
	if chosen < time.Second || chosen > IdleTimeoutMax || chosen%time.Second != 0 {
		return 0, fmt.Errorf("control: Options.IdleTimeout is %v: %w", chosen, ErrIdleTimeout)
	}
	return chosen, nil
}

// idleWatch ends a connection that has been idle for the limit: since it was accepted, since the last
// complete message, or since the last request in work ended, whatever came last. Bytes that are not
// yet a message move nothing (CTL-4).
type idleWatch struct {
	clock  host.Clock
	limit  time.Duration
	expire func() // called once, in a goroutine of its own

	mu       sync.Mutex
	timer    host.Timer
	messages uint64
	active   bool
	due      core.Time
	over     bool
}

func watchIdle(clock host.Clock, limit time.Duration, expire func()) *idleWatch {
	w := &idleWatch{clock: clock, limit: limit, expire: expire}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.due = clock.Now() + core.Time(limit)
	w.timer = clock.AfterFunc(limit, w.tick)
	return w
}

// observe is told after every turn how many messages have come, and whether any is in work.
func (w *idleWatch) observe(messages uint64, active bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over || messages == w.messages && active == w.active {
		return
	}
	w.messages, w.active = messages, active
	w.due = w.clock.Now() + core.Time(w.limit)
	w.timer.Reset(w.limit)
}

// tick may come late, when what moved the limit was just before it: due decides, not the timer.
func (w *idleWatch) tick() {
	w.mu.Lock()
	expired := !w.over && !w.active && w.clock.Now() >= w.due
	w.over = w.over || expired
	w.mu.Unlock()
	if expired {
		w.expire()
	}
}

// stop ends the watch; expire is not called after it, but may be running.
func (w *idleWatch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.timer.Stop()
}

// watchedMachine tells an idleWatch of every turn. The session's lock is held there, which the watch
// never waits for.
type watchedMachine struct {
	host.Machine
	idle *idleWatch
}

func (m watchedMachine) Advance(now core.Time) {
	m.Machine.Advance(now)
	state := m.State()
	m.idle.observe(m.Stats().FramesIn, state.Running+state.Waiting > 0)
}
