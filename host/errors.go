package host

import (
	"encoding/json"

	"github.com/parley-rpc/parley/core"
)

// Sentinels for errors.Is. What is returned is a *CallError, *SessionError or *RPCError around
// them, with the details.
const (
	ErrTimeout     = core.ErrTimeout     // the budget of a call ended (CALL-4)
	ErrCanceled    = core.ErrCanceled    // the caller gave up; the cause of its context is wrapped too
	ErrClosed      = core.ErrClosed      // the session has ended
	ErrTooLarge    = core.ErrTooLarge    // a limit: frame, backlog, header block
	ErrUnsupported = core.ErrUnsupported // not possible for this session, transport or message
)

// Codes of errors, for Message.Fail and RPCError.
const (
	ParseFailed    = core.CodeParse
	InvalidRequest = core.CodeInvalidRequest
	MethodNotFound = core.CodeMethodNotFound
	InvalidParams  = core.CodeInvalidParams
	InternalError  = core.CodeInternal
)

// RPCError is the peer's error answer to a call (API-6). A handler that returns one has it sent,
// code, message and data.
type RPCError struct {
	Method  string
	Code    core.Code
	Message string          // the peer's own text, whole and unescaped
	Data    json.RawMessage // nil where the peer sent none
}

// ParseError is a value that does not fit: the result of a call (API-6) or the parameters of a
// message. The session lives.
type ParseError struct {
	Method string
	Raw    json.RawMessage
	Err    error
}

// Fault is who has to change something.
type Fault uint8

// The parties. A timeout is the peer's: it did not answer in the time given.
const (
	FaultCaller  Fault = iota // the arguments, or the caller gave up
	FaultPeer                 // the other side of the transport
	FaultSession              // the session ended, or never could do it
)

// CallError is a call, notification or answer that failed on this side: nothing the peer said.
// Err matches one of the sentinels wherever one applies.
type CallError struct {
	Op     string // "call", "notify", "reply", "fail"
	Method string
	Call   core.CallID // 0 where no call was accepted
	Fault  Fault
	Err    error
}

// SessionError is why a session ended. It matches ErrClosed; *core.ProtocolError and *TrapError
// are found with errors.As, ErrTooLarge where a limit ended it.
type SessionError struct {
	Reason core.Reason
	Err    error  // *core.ProtocolError, *TrapError, the transport's error; nil
	Detail string // what Options.Explain said, one line (STOP-4)
}

// TrapError is an engine that failed: our fault, or its memory's. The session is over.
type TrapError struct {
	Engine string
	Text   string // what the engine printed, for example a Go panic
	Err    error
}

func (e *RPCError) Error() string     { return e.Message }
func (e *ParseError) Error() string   { return e.Err.Error() }
func (e *CallError) Error() string    { return e.Err.Error() }
func (e *SessionError) Error() string { return e.Err.Error() }
func (e *TrapError) Error() string    { return e.Text }

// Unwrap returns what the decoder said.
func (e *ParseError) Unwrap() error { return e.Err }

// Unwrap returns the reason.
func (e *CallError) Unwrap() error { return e.Err }

// Unwrap returns what ended the session.
func (e *SessionError) Unwrap() error { return e.Err }

// Unwrap returns the engine's own error.
func (e *TrapError) Unwrap() error { return e.Err }

// Is matches ErrClosed: to every later verb, an ended session is a closed one.
func (e *SessionError) Is(target error) bool { return target == ErrClosed }
