package control

import "github.com/parley-rpc/parley/host"

// Version is the version of the protocol, and part of every method's name. A shape that changes gets
// a new version; members may be added to one (CTL-2).
const Version = 1

// Method is one method of the contract, with the types that both sides use (CTL-8).
type Method[P, R any] struct {
	Name string
	// Mutates marks what changes something. A read is tried once more when its connection is lost,
	// a mutation never (CTL-7).
	Mutates bool
}

// The methods. There are no others, but the notification CancelRequestMethod (CTL-5).
var (
	// ConnectionGet is the first call on a connection: who answers, and how long it may be idle.
	ConnectionGet = Method[None, Connection]{Name: "parley/control/v1/connection/get"}
	// KeepAlive restarts the idle limit, as every complete message does.
	KeepAlive = Method[None, Alive]{Name: "parley/control/v1/connection/keep-alive"}
	// SessionsList lists the process's sessions, in the order in which they were registered.
	SessionsList = Method[None, Sessions]{Name: "parley/control/v1/sessions/list"}
	// SessionsGet shows one session with its limits and counters.
	SessionsGet = Method[SessionParams, SessionDetail]{Name: "parley/control/v1/sessions/get"}
	// RequestsList lists what the sessions work on: messages of their peers that have not ended.
	RequestsList = Method[FilterParams, Requests]{Name: "parley/control/v1/requests/list"}
	// RequestsCancel cancels one of them, as its session's owner, and is answered once it has ended.
	RequestsCancel = Method[CancelParams, Cancelled]{Name: "parley/control/v1/requests/cancel", Mutates: true}
	// TraceStart empties a session's trace and starts it. One that runs is an error.
	TraceStart = Method[SessionParams, Tracing]{Name: "parley/control/v1/trace/start", Mutates: true}
	// TraceStop stops a session's trace and returns it. One that does not run is an error.
	TraceStop = Method[SessionParams, Trace]{Name: "parley/control/v1/trace/stop", Mutates: true}
	// StatsGet counts what became of a session's messages, by method.
	StatsGet = Method[SessionParams, Stats]{Name: "parley/control/v1/stats/get"}
)

// CancelRequestMethod is the notification that cancels a request of the same connection, and of no
// other: {"number":n} or {"text":s}, as the request's id is. A client sends it when its caller
// gives up (CTL-5).
const CancelRequestMethod = "parley/control/v1/connection/cancel-request"

// Codes of errors, beside JSON-RPC's own.
const (
	CodeNoSession   = -32001 // no session has that id, or it has ended
	CodeTracing     = -32002 // the trace runs already, or does not run
	CodeUnsupported = -32003 // this session cannot do that
	CodeBusy        = -32004 // too many connections; sent with id null before the connection is closed
)

// None stands for no params.
type None struct{}

// Connection says who answers and how long a connection may be idle (CTL-4).
type Connection struct {
	ProtocolVersion     int    `json:"protocolVersion"`
	PID                 int    `json:"pid"`                 // must be that of the socket's name
	Program             string `json:"program"`             // its own words
	IdleTimeoutMs       int64  `json:"idleTimeoutMs"`       // a connection is closed after this long without a message or a request in work
	KeepAliveIntervalMs int64  `json:"keepAliveIntervalMs"` // how often a client that wants to stay sends a keep-alive
}

// Alive is the answer to a keep-alive.
type Alive struct {
	Alive bool `json:"alive"` // false: this connection is about to be closed
}

// SessionParams name a session.
type SessionParams struct {
	Session string `json:"session"`
}

// FilterParams name a session, or all.
type FilterParams struct {
	Session string `json:"session,omitempty"` // absent or empty: all
}

// Sessions are the newest 256 of a process.
type Sessions struct {
	Sessions  []Session `json:"sessions"`
	Truncated bool      `json:"truncated"` // there are more
}

// Session is one session and its pressure, in a line.
type Session struct {
	ID      string  `json:"id"`      // the first half of its correlation ids
	Name    string  `json:"name"`    // what it is, in the words of its program
	Profile string  `json:"profile"` // lsp, mcp or plain
	Role    string  `json:"role"`    // of this process: client, server, peer or relay
	Phase   string  `json:"phase"`   // uninitialized, ready, or shutting-down
	AgeMs   float64 `json:"ageMs"`   // since it was registered

	Calls      int    `json:"calls"`      // open calls of this process
	Running    int    `json:"running"`    // messages of the peer in work
	RunningMax int    `json:"runningMax"` // 0, here and below: it has no such bound, as what passes a tap
	Waiting    int    `json:"waiting"`    // messages of the peer that wait
	QueuedMax  int    `json:"queuedMax"`
	Generation uint64 `json:"generation"` // raised by each write that succeeded

	OutBytes    int     `json:"outBytes"` // output that waits to be written
	OutBytesMax int     `json:"outBytesMax"`
	Paused      bool    `json:"paused"`   // the peer's input is not read, so that memory stays bounded
	PausedMs    float64 `json:"pausedMs"` // in all

	Requests      uint64 `json:"requests"` // accepted from the peer so far
	Notifications uint64 `json:"notifications"`
	BytesIn       uint64 `json:"bytesIn"`
	BytesOut      uint64 `json:"bytesOut"`
	Tracing       bool   `json:"tracing"`
}

// SessionDetail is one session with what bounds it and what happened to it.
type SessionDetail struct {
	Session  Session  `json:"session"`
	Limits   Limits   `json:"limits"`
	Counters Counters `json:"counters"`
}

// Limits are a session's bounds; each is inclusive.
type Limits struct {
	FrameBytesMax  int `json:"frameBytesMax"`
	CallsMax       int `json:"callsMax"`
	OutBytesMax    int `json:"outBytesMax"`
	RunningMax     int `json:"runningMax"`
	BackgroundMax  int `json:"backgroundMax"`
	QueuedMax      int `json:"queuedMax"`
	QueuedBytesMax int `json:"queuedBytesMax"`
	MessagesMax    int `json:"messagesMax"`
	ParkedBytesMax int `json:"parkedBytesMax"`
}

// Requests are the newest 4,096 messages in work.
type Requests struct {
	Requests  []Request `json:"requests"`
	Truncated bool      `json:"truncated"` // there are more, or more than 512 in one session
}

// Request is one message of a session's peer that has not ended.
type Request struct {
	CorrelationID string  `json:"correlationId"` // the session's id and the ordinal, for requests/cancel
	Session       string  `json:"session"`
	Ordinal       uint64  `json:"ordinal"` // counted from 1 in the order of arrival
	Method        string  `json:"method"`
	Mode          string  `json:"mode"`                // read, order, write, background or bypass
	Phase         string  `json:"phase"`               // queued or running
	Generation    *uint64 `json:"generation"`          // captured when it started; null while it waits
	AgeMs         float64 `json:"ageMs"`               // since it was accepted
	RunningMs     float64 `json:"runningMs,omitempty"` // since it started
	Cancelled     bool    `json:"cancelled"`           // it was signalled and has not ended yet
}

// CancelParams name a request.
type CancelParams struct {
	CorrelationID string `json:"correlationId"`
}

// Cancelled is the answer to a cancel.
type Cancelled struct {
	CorrelationID string `json:"correlationId"`
	Cancelled     bool   `json:"cancelled"` // true: it has ended because of this; false: it had ended before, or never was
}

// Tracing is the answer to a start.
type Tracing struct {
	Session  string `json:"session"`
	StepsMax int    `json:"stepsMax"` // the newest that many are kept
}

// Trace is what a session's trace recorded, oldest first.
type Trace struct {
	Session string `json:"session"`
	Steps   []Step `json:"steps"`
	Dropped uint64 `json:"dropped"` // older ones that were not kept
}

// Step is one message of the peer's entering a phase.
type Step struct {
	CorrelationID string  `json:"correlationId"`
	Method        string  `json:"method"`
	Phase         string  `json:"phase"` // queued, running, succeeded, failed or cancelled
	AgoMs         float64 `json:"agoMs"` // before the answer
}

// Stats are a session's counters.
type Stats struct {
	Session    string        `json:"session"`
	Generation uint64        `json:"generation"`
	Methods    []MethodStats `json:"methods"` // registered ones that came, the most frequent first, at most 1,024
	Dropped    []MethodCount `json:"dropped"` // notifications that were not delivered, for the first 256 names
	Counters   Counters      `json:"counters"`
}

// MethodStats is what became of one method's messages. Times are from start to end; percentiles are
// upper bounds, at most a quarter too high.
type MethodStats struct {
	Method string  `json:"method"`
	Count  uint64  `json:"count"`
	Failed uint64  `json:"failed"`
	MeanMs float64 `json:"meanMs"`
	P50Ms  float64 `json:"p50Ms"`
	P95Ms  float64 `json:"p95Ms"`
	P99Ms  float64 `json:"p99Ms"`
	MaxMs  float64 `json:"maxMs"`
}

// MethodCount is how often something happened to a method's messages.
type MethodCount struct {
	Method string `json:"method"`
	Count  uint64 `json:"count"`
}

// Counters are what happened in a session since its start.
type Counters = host.Counters
