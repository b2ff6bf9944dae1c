// Package transcript holds the one record of what went into a machine and what came out of it,
// its text spelling, and the player that drives any machine through the inputs.
//
// A vector of conformance/ is a titled list of records. The records are flat, without interfaces
// and maps, so that a binary spelling can be generated from the same types.
package transcript

import "github.com/parley-rpc/parley/core"

// Op is what a record says. The zero Op is no record.
type Op uint8

const (
	OpNone Op = iota

	// The machine, before anything happens.
	OpOpen   // Settings: configuration fields that differ from the profile's defaults
	OpMethod // Method, Mode, Flag = notification, Text = supersede: one entry of the method table
	OpNote   // Text: for the reader alone

	// Inputs: bytes and time.
	OpIn      // Text, Repeat: bytes
	OpFrame   // Text, Repeat: one body, framed as the vector's framing says
	OpEOF     // the end of input
	OpAt      // Time: ends a turn
	OpHold    // the writer is busy: turns take no output from here
	OpRelease // the writer is free again
	OpTake    // the writer takes one block and has not written it
	OpWrote   // Count bytes of the block taken were written
	OpWriteFailed

	// Inputs: commands.
	OpCall    // Method, Body, Deadline, Extend, DeadlineMax, Token, ID, Flag = quiet
	OpNotify  // Method, Body
	OpAddCall // as OpCall: one member of the next batch
	OpAddNotify
	OpBatch
	OpCancel        // Call
	OpReply         // Req, Body
	OpFail          // Req, Code, Body, Text
	OpDone          // Req
	OpCancelRequest // Ordinal
	OpWant          // Count
	OpForward       // Text
	OpFinishInput
	OpShutdown
	OpAbort
	OpTraceStart
	OpTraceStop
	OpSetVersion // Text
	OpStats      // Settings: names of counters
	OpState      // Settings: names of fields

	// Observations at once.
	OpRefused      // Refused: the command or the bytes before this line
	OpConfigError  // Text: the field that was refused
	OpStatsAnswer  // Settings
	OpStateAnswer  // Settings
	OpTaken        // Text: the block of OpTake
	OpTakenNothing // OpTake found no block

	// Observations of a turn: events, as core.EventKind describes them.
	OpRequest
	OpNotification
	OpMessage
	OpResult
	OpError
	OpInvalidAnswer
	OpTimeout
	OpCanceled
	OpLost
	OpProgress
	OpCancelNotice
	OpInvalid
	OpNoise
	OpPeerError
	OpResync
	OpWritable
	OpStalled
	OpDropped
	OpEnding
	OpViolation // the core.ProtocolError behind OpEnding
	OpClosed

	// Observations of a turn: what changed.
	OpOut        // Text: output of the whole turn; in framing whole of one message
	OpPaused     // reading is to stop
	OpReading    // reading goes on
	OpOutputDone // the output is to be closed
	OpDeadline   // Time, Timer
	opEnd
)

// Record is one line of a transcript: a flat union, whose Op says which fields are set. An empty
// slice and an absent one are the same. Calls and requests go by their number in the transcript,
// from 1, never by a machine's handle.
type Record struct {
	Op      Op
	Flag    bool
	Mode    core.Mode
	Timer   core.TimerKind
	Reason  core.Reason
	Invalid core.Invalid
	Class   core.Class
	Hint    core.Hint
	Refused core.UsageError
	Broken  core.Violation
	Code    core.Code

	Call    uint64 // the n-th accepted call
	Req     uint64 // the n-th message delivered with a handle
	Ordinal uint64
	Offset  uint64 // bytes from the start of the stream
	Have    uint64 // bytes
	Need    uint64 // bytes
	Count   uint64
	Repeat  uint64 // times that Text stands in the input; 0 is once

	Time        core.Time
	Deadline    core.Time // 0: none
	Extend      core.Time // 0: none
	DeadlineMax core.Time // 0: none

	ID       []byte // raw JSON token
	Token    []byte // raw JSON token
	Method   []byte
	Body     []byte // raw JSON
	Text     []byte
	Settings []Setting
}

// Setting is one name, or a name and its value.
type Setting struct {
	Name  []byte
	Value []byte
}

// Vector is one titled transcript.
type Vector struct {
	Rules   []string // ids of docs/protocol.md that it shows
	Title   string   // one sentence
	Records []Record // the first is OpOpen, then OpMethod
}

// IsObservation reports whether a machine says op, as opposed to being told it.
func (op Op) IsObservation() bool { return op >= OpRefused && op < opEnd }
