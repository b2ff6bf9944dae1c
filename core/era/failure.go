package era

import (
	"strconv"

	"github.com/parley-rpc/parley/core"
)

// FailureKind is why no era was agreed on. Numbers are stable: they cross the ABI.
type FailureKind uint8

const (
	FailureNone      FailureKind = iota
	FailureVersions              // there is no version that both sides speak: Ours, Theirs
	FailureRefused               // the server answered with an error: Code, Text
	FailureMalformed             // the server's answer has not the shape asked for
	FailureTimeout               // the probe's budget or the connect budget was used up
	FailureLost                  // the connection ended
	FailureCanceled              // the call was cancelled on this side
)

// Failure is why no era was agreed on.
type Failure struct {
	Kind      FailureKind
	Method    string    // what was asked last
	Code      core.Code // refused
	Text      string    // refused: the server's message, at most textBytesMax, to be escaped
	Ours      []string  // versions that would have been accepted, newest first
	Theirs    []string  // versions that the server named, the first 16
	Restarted bool      // the child had been started once more
}

// textBytesMax is how much of a server's message a Failure keeps.
const textBytesMax = 512

func (e *Failure) Error() string {
	text := "era: " + e.Method + ": "
	switch e.Kind {
	case FailureVersions:
		text += "peer: no version in common"
	case FailureRefused:
		text += "peer: error " + strconv.Itoa(int(e.Code)) + ": " + strconv.QuoteToASCII(e.Text)
	case FailureMalformed:
		text += "peer: the answer has not the shape asked for"
	case FailureTimeout:
		text += "peer: no answer in the time given"
	case FailureLost:
		text += "peer: the connection ended"
	case FailureCanceled:
		text += "caller: cancelled"
	}
	if e.Restarted {
		text += ", also after a restart"
	}
	if len(e.Theirs) > 0 || e.Kind == FailureVersions {
		text += ": the server speaks " + list(e.Theirs) + ", this client " + list(e.Ours)
	}
	return text
}

// Is lets errors.Is find core.ErrTimeout, core.ErrClosed and core.ErrCanceled.
func (e *Failure) Is(target error) bool {
	switch e.Kind {
	case FailureTimeout:
		return target == core.ErrTimeout
	case FailureLost:
		return target == core.ErrClosed
	case FailureCanceled:
		return target == core.ErrCanceled
	}
	return false
}

func list(versions []string) string {
	if len(versions) == 0 {
		return "none"
	}
	var text string
	for i, v := range versions {
		if i > 0 {
			text += ", "
		}
		text += strconv.QuoteToASCII(v)
	}
	return text
}
