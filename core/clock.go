package core

import "math"

// Time is nanoseconds on the caller's monotonic clock, counted from an epoch of the caller's
// choosing. It is an integer because package time would add 46 KB and four imports to the WASI
// module. Times stay below 2^53, so that they cross into JavaScript exactly.
type Time int64

// Never is the deadline that does not come.
const Never Time = math.MaxInt64

// Durations in Time's unit.
const (
	Millisecond Time = 1e6
	Second      Time = 1e9
)

// TimerKind says why Deadline wants to be woken.
type TimerKind uint8

// The reasons, in the order in which they win a tie.
const (
	TimerNone     TimerKind = iota // nothing is due, ever: Deadline is Never
	TimerCall                      // a call's budget ends (CALL-4)
	TimerAnswers                   // calls written before a failed write are lost (SEND-5)
	TimerStall                     // the peer has not read for StallNs (SEND-6)
	TimerGrace                     // handlers are cancelled (STOP-2)
	TimerProgress                  // the output is closed: nobody reads what is drained (STOP-2)
	TimerLinger                    // the output is closed: the whole shutdown took too long (STOP-2)
	timerEnd
)

var timerNames = [timerEnd]string{"none", "call", "answers", "stall", "grace", "progress", "linger"}

func (k TimerKind) String() string { return timerNames[k] }

// timers are the fixed timers; calls have a heap of their own. A timer is armed by an input, which
// does not know the time, and starts to run at the next Advance: it is never computed from a stale
// clock.
type timers struct {
	due     [timerEnd]Time // 0: not running
	after   [timerEnd]Time // armed and not started; 0: no
	running int
	waiting int // armed and not started
}

// arm starts a timer anew; a span of 0 does not arm it.
func (t *timers) arm(kind TimerKind, span Time) {
	t.stop(kind)
	if span != 0 {
		t.after[kind] = span
		t.waiting++
	}
}

func (t *timers) stop(kind TimerKind) {
	if t.due[kind] != 0 {
		t.due[kind] = 0
		t.running--
	}
	if t.after[kind] != 0 {
		t.after[kind] = 0
		t.waiting--
	}
}

func (t *timers) armed(kind TimerKind) bool { return t.due[kind] != 0 || t.after[kind] != 0 }

// start gives what was armed since the last Advance its time.
func (t *timers) start(now Time) {
	if t.waiting == 0 {
		return // as at nearly every Advance
	}
	for kind, span := range t.after {
		if span != 0 {
			t.stop(TimerKind(kind))
			t.due[kind] = min(now, Never-span) + span
			t.running++
		}
	}
}

// next returns the earliest running timer.
func (t *timers) next() (Time, TimerKind) {
	when, which := Never, TimerNone
	if t.running == 0 {
		return when, which
	}
	for kind, due := range t.due {
		if due != 0 && due < when {
			when, which = due, TimerKind(kind)
		}
	}
	return when, which
}
