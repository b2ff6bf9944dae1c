package host

import (
	"time"

	"github.com/parley-rpc/parley/core"
)

// Clock is where a Peer's time comes from. Deadlines of contexts are carried over to it as
// remaining durations, so that a test's clock governs every deadline. Its methods are called under
// the session's lock: they must not wait, nor call the session.
type Clock interface {
	// Now is a monotonic time in ns since an epoch of the clock's choosing, at least 1.
	Now() core.Time
	// AfterFunc calls f in a goroutine of its own once d has passed.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is a timer made by a Clock; *time.Timer is one.
type Timer interface {
	Stop() bool
	Reset(d time.Duration) bool
}

// SystemClock returns the system's monotonic clock, counted from now.
func SystemClock() Clock { return systemClock{epoch: time.Now()} }

type systemClock struct{ epoch time.Time }

// Now starts at 1: to core a deadline of 0 is none.
func (c systemClock) Now() core.Time { return core.Time(time.Since(c.epoch)) + 1 }

func (c systemClock) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }
