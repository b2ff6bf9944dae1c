// Package transcript holds the one record of what went into a machine and what came out of it,
// its text spelling, and the player that drives any machine through the inputs.
//
// A vector of conformance/ is a titled list of records. The records are flat, without interfaces
// and maps: their binary spelling (binary.go) is generated from the same types.
package transcript

import "github.com/parley-rpc/parley/core"

//go:generate go run github.com/tinylib/msgp@v1.6.5 -file record.go -o record_msgp.go -io=false -tests=false
//go:generate ../../build/bin/gofumpt -w record_msgp.go

//msgp:ignore Op Vector
//msgp:replace Op with:uint8
//msgp:replace core.Mode with:uint8
//msgp:replace core.TimerKind with:uint8
//msgp:replace core.Reason with:uint8
//msgp:replace core.Invalid with:uint8
//msgp:replace core.Class with:uint8
//msgp:replace core.Hint with:uint8
//msgp:replace core.UsageError with:uint8
//msgp:replace core.Violation with:uint8
//msgp:replace core.Code with:int32
//msgp:replace core.Time with:int64
//msgp:limit arrays:67112960 maps:64 marshal:true
//msgp:clearomitted
//msgp:noduplicates
//msgp:tuple Setting

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

	// What passed a tap, since its capture began. The client is who started the tap, the server
	// whom the tap started. Every record is one read.
	OpCapture   // Settings: what is captured (docs/capture.md); begins a session
	OpClient    // Time, Text, Flag = the next record of this kind is of the same read
	OpServer    // as OpClient
	OpStderr    // Time, Text
	OpClientEOF // Time
	OpServerEOF // Time
	OpClientGap // Time, Count: bytes that passed and were not recorded
	OpServerGap // Time, Count
	OpStderrGap // Time, Count
	OpSignal    // Time, Text: the name of a signal that was passed to the server
	OpExit      // Time, Code, Text: the signal that ended the server

	// Inputs that only hosts over pipes give.
	OpReadFailed
	OpAdvance  // Time: moves, and nothing is drained
	OpDrain    // as OpAt, and time does not move
	OpSnapshot // the work in progress

	// What ends and fills an answer over pipes (docs/abi.md). Each of the settings has the fields of
	// one record of core: of Snapshot, of an entry of its lists.
	OpAccepted       // Call: its handle; once for each call that an input made
	OpMore           // there is more to drain
	OpSnapshotAnswer // Settings
	OpItem           // Settings: one of Snapshot.Items
	OpMethodStats    // Settings: one of Snapshot.Methods
	OpMethodDropped  // Settings: one of Snapshot.Dropped
	OpTraced         // Settings: one of Snapshot.Trace
	OpReady          // Time, Timer: the deadline; Count: output bytes not taken. The answer is complete
	opEnd
)

// Record is one line of a transcript: a flat union, whose Op says which fields are set. An empty
// slice and an absent one are the same. In a vector calls and requests go by their number in the
// transcript, from 1; over pipes by the handles that the machine gave.
type Record struct {
	Op      Op              `msg:"op"`
	Flag    bool            `msg:"flag,omitempty"`
	Mode    core.Mode       `msg:"mode,omitempty"`
	Timer   core.TimerKind  `msg:"timer,omitempty"`
	Reason  core.Reason     `msg:"reason,omitempty"`
	Invalid core.Invalid    `msg:"invalid,omitempty"`
	Class   core.Class      `msg:"class,omitempty"`
	Hint    core.Hint       `msg:"hint,omitempty"`
	Refused core.UsageError `msg:"refused,omitempty"`
	Broken  core.Violation  `msg:"broken,omitempty"`
	Code    core.Code       `msg:"code,omitempty"`

	Call    uint64 `msg:"call,omitempty"` // the n-th accepted call, or a handle
	Req     uint64 `msg:"req,omitempty"`  // the n-th message delivered with a handle, or a handle
	Ordinal uint64 `msg:"ordinal,omitempty"`
	Offset  uint64 `msg:"offset,omitempty"` // bytes from the start of the stream
	Have    uint64 `msg:"have,omitempty"`   // bytes
	Need    uint64 `msg:"need,omitempty"`   // bytes
	Count   uint64 `msg:"count,omitempty"`
	Repeat  uint64 `msg:"repeat,omitempty"` // times that Text stands in the input; 0 is once

	Time        core.Time `msg:"time,omitempty"`
	Deadline    core.Time `msg:"deadline,omitempty"`    // 0: none
	Extend      core.Time `msg:"extend,omitempty"`      // 0: none
	DeadlineMax core.Time `msg:"deadlineMax,omitempty"` // 0: none

	ID       []byte    `msg:"id,omitempty,zerocopy"`    // raw JSON token
	Token    []byte    `msg:"token,omitempty,zerocopy"` // raw JSON token
	Method   []byte    `msg:"method,omitempty,zerocopy"`
	Body     []byte    `msg:"body,omitempty,zerocopy"` // raw JSON
	Text     []byte    `msg:"text,omitempty,zerocopy"`
	Settings []Setting `msg:"settings,omitempty,zerocopy,limit=256"`
}

// Setting is one name, or a name and its value.
type Setting struct {
	Name  []byte `msg:",zerocopy"`
	Value []byte `msg:",zerocopy"`
}

// Vector is one titled transcript.
type Vector struct {
	Rules   []string // ids of docs/protocol.md that it shows
	Title   string   // one sentence
	Records []Record // the first is OpOpen, then OpMethod
}

// IsObservation reports whether a machine says op, as opposed to being told it.
func (op Op) IsObservation() bool {
	return op >= OpRefused && op <= OpDeadline || op >= OpAccepted && op <= OpReady
}
