package core

// State is where a Conn stands, for people and for hosts. It never allocates.
type State struct {
	Input     InputPhase
	Output    OutputPhase
	Lifecycle Lifecycle
	Reason    Reason // why the conversation ended; ReasonNone while it goes on
	Err       *ProtocolError
	Closed    bool // EventClosed was delivered

	Calls    int // ours, open
	Running  int // theirs, delivered and not ended
	Waiting  int // theirs, not delivered
	Paused   bool
	Credit   int64
	ExitCode int // what a server process returns (STOP-9)

	AcceptedBytes uint64 // output accepted into the queue since the start
	WrittenBytes  uint64 // output written since the start: Flush waits until it reaches AcceptedBytes
	QueuedBytes   int    // output accepted and not yet taken
}

// Stats counts, since the start. The order is the order across the ABI; fields are only appended.
type Stats struct {
	BytesIn, BytesOut   uint64
	FramesIn, FramesOut uint64

	Calls, Requests, Notifications uint64 // ours accepted, theirs accepted

	Late           uint64 // answers to a call that has its outcome (CALL-5)
	Unknown        uint64 // answers to an id never issued (CALL-5)
	BlankBytes     uint64 // blank lines skipped (HEAD-7), blank messages (LINE-2)
	ByteOrderMarks uint64 // dropped (MSG-9)
	Invalid        uint64 // frames that were no message (MSG)
	Noise          uint64 // lines that were not JSON (LINE-7)
	ResyncBytes    uint64 // skipped to the next header (HEAD-8)
	NullMembers    uint64 // error: null beside a result, result: null beside an error (MSG-2)
	PeerErrors     uint64 // error responses for nobody (MSG-2)
	Rejected       uint64 // requests that core answered itself with an error
	Dropped        uint64 // notifications not delivered: evicted, before initialize, unknown
	CancelsIgnored uint64 // cancel notices for nobody, or malformed (REQ-4)
	Progress       uint64 // progress for nobody (CALL-10)
	ClockBackwards uint64 // Advance with an earlier time than before
	WaitingMax     uint64 // high-water mark of messages not delivered
	OutBytesMax    uint64 // high-water mark of queued output
	PausedNs       uint64 // time spent paused
	Unserved       uint64 // messages that the MCP era does not allow (ERA-1, ERA-7)
}

// InputPhase is the peer's direction.
type InputPhase uint8

const (
	InputOpen   InputPhase = iota
	InputEnded             // the peer's output ended between frames
	InputBroken            // a violation, or the session ended otherwise: nothing more is read
	inputEnd
)

// OutputPhase is our direction.
type OutputPhase uint8

const (
	OutputOpen      OutputPhase = iota
	OutputAnswering             // the peer's output ended: only admitted work is still answered (STOP-1)
	OutputFinishing             // nothing is accepted any more; what is queued is written (STOP-5)
	OutputDone                  // everything owed is written: close the transport's output
	OutputFailed                // a write failed or was torn: nothing more is ever written (SEND-5)
	outputEnd
)

// Lifecycle is LSP's, on servers that have initialize in their method table (STOP-9).
type Lifecycle uint8

const (
	LifecycleNone Lifecycle = iota // no gates
	LifecycleUninitialized
	LifecycleInitializing
	LifecycleReady
	LifecycleShutdown
	LifecycleExited
)

// CallOptions are the optional parts of a call. The zero value is a call without a deadline.
type CallOptions struct {
	Deadline    Time // absolute; 0 and Never: none (CALL-4)
	Extend      Time // progress restarts the budget to now + Extend, up to DeadlineMax (CALL-4)
	DeadlineMax Time // required with Extend
	// ProgressToken is the raw JSON token (string or integer) that params carries (CALL-10).
	ProgressToken []byte
	// ID is a chosen wire id, a raw JSON string or integer; nil: the next number (CALL-1).
	ID []byte
	// Quiet sends no cancel notice when the call times out or is cancelled (CALL-6).
	Quiet bool
}

// BatchItem is one member of an outbound batch (CALL-9).
type BatchItem struct {
	Method       string
	Params       []byte
	Notification bool
	Options      CallOptions
}

// Splice replaces Frame[Start:End] by Value when a relay forwards a frame.
type Splice struct {
	Start, End int
	Value      []byte
}

// Phase is how far one message of theirs has come (SCHED-3).
type Phase uint8

const (
	PhaseQueued Phase = iota
	PhaseRunning
	PhaseSucceeded
	PhaseFailed
	PhaseCancelled
	phaseEnd
)

var phaseNames = [phaseEnd]string{"queued", "running", "succeeded", "failed", "cancelled"}

func (p Phase) String() string { return phaseNames[p] }

// Snapshot is a view of the work in progress (SCHED-5). Its slices are reused when it is filled
// again; limits and counters come from Limits, State and Stats.
type Snapshot struct {
	Items      []SnapshotItem // the newest SnapshotItemsMax that have not ended, oldest first
	Truncated  bool           // there are more
	Generation uint64         // raised by each write that succeeded (SCHED-3)
	Methods    []MethodStats  // of the method table, in its order

	Dropped []MethodCount // notifications dropped, for the first DroppedMethodsMax names (BACK-1)

	Tracing      bool
	Trace        []TraceRecord // oldest first, at most TraceRecordsMax
	TraceDropped uint64        // older ones that the ring has lost
}

// MethodCount is how often something happened to a method's messages.
type MethodCount struct {
	Method string // at most 64 bytes of it
	Count  uint64
}

// DroppedMethodsMax is how many names the drops are counted by; Stats.Dropped counts all.
const DroppedMethodsMax = 256

// SnapshotItemsMax is the most items that a Snapshot shows.
const SnapshotItemsMax = 512

// TraceRecordsMax is the size of the trace ring.
const TraceRecordsMax = 1024

// SnapshotItem is one accepted message that has not ended.
type SnapshotItem struct {
	Ordinal    uint64
	Method     string
	Mode       Mode
	Running    bool // else it waits
	Cancelled  bool
	Generation uint64 // captured when it started
	AcceptedAt Time
	StartedAt  Time // 0: it waits
}

// MethodStats is what became of one registered method's messages. Percentiles are upper bounds of
// their class and at most a quarter too high.
type MethodStats struct {
	Name                string
	Count, Failed       uint64
	MeanNs, MaxNs       Time // from start to end
	P50Ns, P95Ns, P99Ns Time
}

// TraceRecord is one step of one message while a trace runs.
type TraceRecord struct {
	At      Time // of the last Advance before it
	Ordinal uint64
	Phase   Phase
	Method  string
}
