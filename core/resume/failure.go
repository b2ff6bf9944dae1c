package resume

import (
	"strconv"

	"github.com/parley-rpc/parley/core"
)

// FailureKind is why an attempt or the session is over. Numbers are stable: they cross the ABI.
type FailureKind uint8

const (
	FailureNone       FailureKind = iota
	FailureLost                   // what the peer lacks is no longer kept: the session is over
	FailureClaim                  // the peer says it has more than was sent: the session is over
	FailureGreeting               // the first text is no greeting to this session: it is over
	FailureExpired                // no socket came in time: the session is over
	FailureCount                  // as many texts as can be counted: the session is over
	FailureSuperseded             // this attempt alone is over: a newer one has the session
	failureEnd
)

var failures = [failureEnd]string{
	FailureNone:       "none",
	FailureLost:       "peer: it lacks texts that are no longer kept",
	FailureClaim:      "peer: it claims texts that were never sent",
	FailureGreeting:   "peer: the first text is no greeting to this session",
	FailureExpired:    "peer: no socket came in time",
	FailureCount:      "too many texts: a session counts to 2^53-1",
	FailureSuperseded: "caller: this attempt is over, another has the session or none has",
}

func (k FailureKind) String() string { return failures[k] }

// Failure is why an attempt or the session is over.
type Failure struct {
	Kind     FailureKind
	Received uint64 // lost, claim: what the peer says it has
	First    uint64 // lost: how many texts come before the oldest kept
	Sent     uint64 // lost, claim: how many texts were sent
	Sample   []byte // greeting: the start of the text, at most core.SampleBytesMax, to be escaped
}

// What a socket is closed with (RESUME-8).
const (
	CloseLost           = 4001
	CloseLostName       = "resume-lost"
	CloseSuperseded     = 4002
	CloseSupersededName = "superseded"
)

// Close is the code and the reason with which the socket of this attempt is to be closed.
func (e *Failure) Close() (code int, name string) {
	if e.Kind == FailureSuperseded {
		return CloseSuperseded, CloseSupersededName
	}
	return CloseLost, CloseLostName
}

func (e *Failure) Error() string {
	text := "resume: " + e.Kind.String()
	switch e.Kind {
	case FailureLost:
		text += ": it has " + decimal(e.Received) + ", of " + decimal(e.Sent) + " the first " + decimal(e.First) + " are gone"
	case FailureClaim:
		text += ": it has " + decimal(e.Received) + " of " + decimal(e.Sent)
	case FailureGreeting:
		text += ": " + strconv.QuoteToASCII(string(e.Sample))
	}
	return text
}

// Is lets errors.Is find core.ErrClosed in whatever ends the session.
func (e *Failure) Is(target error) bool {
	return target == core.ErrClosed && e.Kind != FailureSuperseded
}

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }
