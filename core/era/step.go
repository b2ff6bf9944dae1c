package era

import "github.com/parley-rpc/parley/core"

// StepKind is what a Negotiation wants done. Numbers are stable: they cross the ABI.
type StepKind uint8

const (
	StepNone StepKind = iota
	// StepCall: call the peer, and Settle with the outcome. Method, Params, ID, Deadline, Call. The
	// call sends no cancel notice (core.CallOptions.Quiet); where the core refuses it, Settle with
	// EventLost for ErrClosed and EventTimeout for ErrTimeout, and wait for room on ErrOutputFull.
	StepCall
	// StepNotify: tell the peer. Method.
	StepNotify
	// StepProbed: the probe is over and taught that the server is of Era, or with EraUnknown
	// nothing: teach the cache, and release who waits for this probe (ERA-3, ERA-4, ERA-6).
	StepProbed
	// StepForget: what the cache knows of the server has been refuted (ERA-4, ERA-5).
	StepForget
	// StepRestart: end the child and start it once more; the steps that follow are for the new
	// connection, outcomes of calls on the old one need not be told (ERA-5).
	StepRestart

	// The decision, exactly one.
	StepModern // Version, Result of server/discover
	StepLegacy // Version, Result of initialize
	StepFailed // Negotiation.Failure says why; end the connection
)

// Step is one thing to do. It is a flat union, as core.Event is; slices stay valid and are the
// caller's to read only.
type Step struct {
	Kind     StepKind
	Era      Era
	Call     uint32 // names the call in Settle, from 1
	Deadline core.Time
	Method   string
	Version  string
	ID       []byte // the wire id, a JSON token; nil: the connection's next number
	Params   []byte
	Result   []byte
}
