package core

// EventKind is what happened. Numbers are stable: they cross the ABI.
type EventKind uint8

const (
	EventNone EventKind = iota

	// From the peer, delivered against credit (Want).
	EventRequest      // Req, Ordinal, ID, Method, Body = params
	EventNotification // Req (InboundHandlers; else 0), Ordinal, Method, Body = params
	EventMessage      // relay: Class, ID, Method, Body, Frame

	// Outcomes of our calls, exactly one for each accepted call (CALL-3).
	EventResult        // Call, Body = result
	EventError         // Call, Code, Text = message, Body = data
	EventInvalidAnswer // Call, ID, Body = the whole raw answer (MSG-5)
	EventTimeout       // Call, ID, Count = bytes that wait undecided, Text = a sample of them (CALL-3)
	EventCanceled      // Call, ID
	EventLost          // Call, ID, Reason

	// About our calls and their requests.
	EventProgress      // Call, Body = params (CALL-10)
	EventCancelRequest // Req, Ordinal: the running handler is to stop (REQ-4)

	// Observations.
	EventInvalid   // one frame was no message: Invalid, Offset, Hint, Text = sample, Count
	EventNoise     // a line that was not JSON at all, skipped by a client: as EventInvalid (LINE-7)
	EventPeerError // an error response for nobody: Code, Text = message, Body = data (MSG-2)
	EventResync    // bytes skipped to the next header: Offset, Count = bytes, Text = sample (HEAD-8)
	EventWritable  // a command that found no room may be tried again
	EventStalled   // the peer has not read for StallNs (SEND-6)
	EventDropped   // a message that the MCP era does not allow, unanswered: ID, Method (ERA-1, ERA-7)

	// The end.
	EventEnding // no further message will arrive: Reason, and State().Err for a violation
	EventClosed // the last event
	eventEnd
)

var eventNames = [eventEnd]string{
	"none", "request", "notification", "message", "result", "error", "invalid-answer", "timeout",
	"canceled", "lost", "progress", "cancel-request", "invalid", "noise", "peer-error", "resync",
	"writable", "stalled", "dropped", "ending", "closed",
}

func (k EventKind) String() string { return eventNames[k] }

// Reason is why a conversation ended or a call was lost. The first one stays.
type Reason uint8

const (
	ReasonNone        Reason = iota
	ReasonEOF                // the peer's output ended between frames
	ReasonViolation          // the peer broke the stream or the protocol: State().Err
	ReasonWriteFailed        // the transport refused our bytes
	ReasonTorn               // an interruption hit a frame that had begun, under SendEnd
	ReasonShutdown           // Shutdown ran to its end
	ReasonAborted            // Abort
	ReasonExit               // the peer sent exit (STOP-9)
	ReasonStalled            // the peer did not read for StallMaxNs (SEND-6)
	ReasonReadFailed         // the transport failed while it was read (STOP-3)
	reasonEnd
)

var reasonNames = [reasonEnd]string{
	"none", "eof", "violation", "write-failed", "torn", "shutdown", "aborted", "exit", "stalled", "read-failed",
}

func (r Reason) String() string { return reasonNames[r] }

// Invalid is why one well-framed frame is no message (MSG).
type Invalid uint8

const (
	InvalidNone      Invalid = iota
	InvalidEmpty             // a zero-length body
	InvalidJSON              // not one strict JSON text
	InvalidUTF8              // bytes that are not UTF-8
	InvalidDepth             // nested deeper than DepthMax
	InvalidCharset           // a header that names another charset (HEAD-5)
	InvalidScalar            // JSON, but neither object nor array
	InvalidBatch             // an array where none is accepted (MSG-8)
	InvalidVersion           // jsonrpc is not "2.0"
	InvalidMethod            // method is not a string, or is empty
	InvalidParams            // params is neither object nor array
	InvalidID                // id is of another type or over IDBytesMax
	InvalidNullID            // a request with id null (MSG-4)
	InvalidError             // error is misshapen
	InvalidShape             // neither method nor result nor error, or a mixture
	InvalidDuplicate         // an envelope member is repeated
	InvalidDAP               // Debug Adapter Protocol traffic (MSG-7)
	InvalidLineSize          // a line over FrameBytesMax, discarded by a server (LINE-4)
	InvalidBatchSize         // an array that is empty, or with more than BatchMax requests (MSG-8)
	invalidEnd
)

var invalidNames = [invalidEnd]string{
	"none", "empty", "json", "utf8", "depth", "charset", "scalar", "batch", "version", "method",
	"params", "id", "null-id", "error", "shape", "duplicate", "dap", "line-size", "batch-size",
}

func (i Invalid) String() string { return invalidNames[i] }

// Class is what a frame is, as far as its envelope tells (relay).
type Class uint8

const (
	ClassInvalid Class = iota
	ClassRequest
	ClassNotification
	ClassResult
	ClassError
	ClassBatch
)

// CallID is a handle for one of our calls, below 2^53. It is not the wire id.
type CallID uint64

// ReqID is a handle for one of their messages, below 2^53. It is not the wire id; 0 is nobody.
type ReqID uint64

// Event is one fact. It is a flat union that Next fills in place: no allocation, no interface, one
// layout across the ABI. Slices are valid until the next input (Reserve, Commit, Advance or any
// command) on the same Conn; copy what you keep. Which fields are set stands beside each kind.
type Event struct {
	Kind    EventKind
	Class   Class
	Reason  Reason
	Invalid Invalid
	Hint    Hint
	Code    Code
	Call    CallID
	Req     ReqID
	Ordinal uint64 // of their message, from 1, in order of acceptance (SCHED-3)
	Offset  uint64 // of the frame's first byte of body, or of the deciding byte
	Count   uint64

	ID     []byte // their id, or that of our call, as on the wire: the raw JSON token
	Method []byte // unescaped UTF-8
	Body   []byte // raw JSON, already validated; nil where the member is absent
	Text   []byte // a message, unescaped; or a sample, to be escaped before it is shown
	Frame  []byte // relay: the whole frame
}
