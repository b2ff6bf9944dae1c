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
	TimerNone   TimerKind = iota // nothing is due, ever: Deadline is Never
	TimerCall                    // a call's budget ends (CALL-4)
	TimerStall                   // the peer has not read for a while (SEND-6)
	TimerGrace                   // handlers are cancelled after it (STOP-2)
	TimerLinger                  // the output is closed after it (STOP-2)
)

var timerNames = [...]string{"none", "call", "stall", "grace", "linger"}

func (k TimerKind) String() string { return timerNames[k] }
