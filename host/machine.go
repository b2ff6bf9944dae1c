package host

import "github.com/parley-rpc/parley/core"

// Machine is what a Peer drives: a *core.Conn, or the same machine behind an engine. It is not
// safe for concurrent use. The contract of every method stands on core.Conn; an engine that fails
// (a trap) reports through Err and answers everything else as a closed connection.
type Machine interface {
	// Bytes in.
	Reserve(n int) []byte
	Commit(n int) error
	CommitMessage(n int) error
	CommitEOF() error
	ReadFailed()
	Paused() bool

	// Bytes out.
	Pending() int
	Take(spare []byte) []byte
	Wrote(n int)
	WriteFailed()
	OutputDone() bool

	// Time.
	Deadline() (core.Time, core.TimerKind)
	Advance(now core.Time)

	// Facts.
	Next(ev *core.Event) bool
	Want(n int)

	// Commands.
	Call(method string, params []byte, opts core.CallOptions) (core.CallID, error)
	Batch(items []core.BatchItem, ids []core.CallID) error
	Notify(method string, params []byte) error
	Cancel(id core.CallID) error
	Reply(req core.ReqID, result []byte) error
	Fail(req core.ReqID, code core.Code, message string, data []byte) error
	Done(req core.ReqID) error
	CancelRequest(ordinal uint64) error
	FinishInput() error
	Shutdown()
	Abort()
	TraceStart() error
	TraceStop() error
	SetVersion(version string) error

	// Relay.
	Forward(frame []byte, splices ...core.Splice) error

	// Inspection.
	State() core.State
	Stats() core.Stats
	Snapshot(s *core.Snapshot) error
	Limits() core.Limits

	// Err is the engine's failure: nil natively, the error of a sandbox that trapped.
	Err() error
	// Close frees what the engine holds for this connection. It is repeatable.
	Close() error
}

// Turner is a Machine that takes bytes and the time at once, where each of its methods is a call across
// a boundary.
type Turner interface {
	// Turn is Commit(n) and then Advance(now), and its error that of Commit.
	Turn(n int, now core.Time) error
}

// Turn commits n bytes and tells the time, in one call where the machine is a Turner.
func Turn(m Machine, n int, now core.Time) error {
	if t, ok := m.(Turner); ok {
		return t.Turn(n, now)
	}
	err := m.Commit(n)
	m.Advance(now)
	return err
}
