package host

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode"

	"github.com/parley-rpc/parley/core"
)

// Sentinels for errors.Is. What is returned is a *CallError or *SessionError around them, with the
// details.
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

func (e *RPCError) Error() string {
	return "parley: call " + quote(e.Method) + ": peer: error " + strconv.Itoa(int(e.Code)) + ": " + oneLine(e.Message)
}

// ParseError is the answer to a call that does not fit: its result is no value of the type asked
// for (API-6), or the whole answer is no JSON-RPC response (MSG-5). The session lives.
type ParseError struct {
	Method string
	Raw    json.RawMessage // the result, or the whole answer
	Err    error
}

func (e *ParseError) Error() string {
	return "parley: call " + quote(e.Method) + ": peer: the answer does not fit: " + oneLine(e.Err.Error())
}

// Unwrap returns what the decoder said.
func (e *ParseError) Unwrap() error { return e.Err }

// Fault is who has to change something.
type Fault uint8

// The parties.
const (
	FaultCaller  Fault = iota // the arguments, or the caller gave up
	FaultPeer                 // the other side of the transport; a timeout is its silence
	FaultSession              // the session has ended; its SessionError says over what
)

var faultNames = [...]string{"caller", "peer", "session"}

func (f Fault) String() string { return faultNames[f] }

// CallError is a call, notification or answer that failed on this side: nothing the peer said.
type CallError struct {
	Op     string // "call", "notify", "reply", "fail", "flush", "finish input", "messages"
	Method string // empty where there is none
	ID     string // the call's id on the wire, a JSON token; empty where no call was accepted
	Fault  Fault
	Err    error // a sentinel, another core.UsageError, or a *SessionError
	Cause  error // what the caller's context said (context.Cause), or the encoder; nil

	// UndecidedBytes is how many bytes of the peer's lay undecided when a call timed out: half a
	// frame, or the beginning of something else. Undecided is a sample of them (CALL-3).
	UndecidedBytes uint64
	Undecided      string
}

func (e *CallError) Error() string {
	text := "parley: " + e.Op
	if e.Method != "" {
		text += " " + quote(e.Method)
	}
	if e.ID != "" {
		text += " (id " + oneLine(e.ID) + ")"
	}
	text += ": " + e.Fault.String() + ": " + e.reason()
	if e.Cause != nil && e.Cause != context.DeadlineExceeded && e.Cause != context.Canceled { // said already
		text += ": " + oneLine(e.Cause.Error())
	}
	return text
}

func (e *CallError) reason() string {
	switch e.Err {
	case ErrTimeout:
		if e.ID == "" {
			return "the time was up before anything was sent; give it more"
		}
		if e.UndecidedBytes > 0 {
			return "no answer in the time given, but " + strconv.FormatUint(e.UndecidedBytes, 10) +
				" bytes that are no whole message: " + strconv.QuoteToASCII(e.Undecided)
		}
		return "no answer in the time given"
	case ErrCanceled:
		if e.Op == "reply" || e.Op == "fail" {
			break
		}
		return "cancelled by the caller"
	}
	return oneLine(strings.TrimPrefix(strings.TrimPrefix(e.Err.Error(), "core: "), "parley: session: "))
}

// Unwrap returns Err and Cause.
func (e *CallError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.Cause}
}

func faultOf(err error) Fault {
	switch {
	case errors.Is(err, ErrClosed):
		return FaultSession
	case err == ErrTimeout:
		return FaultPeer
	}
	return FaultCaller
}

// SessionError is why a session ended. It matches ErrClosed: to every later verb an ended session
// is a closed one. errors.As finds the *core.ProtocolError in it, errors.Is ErrTooLarge where a
// limit ended it.
type SessionError struct {
	Reason  core.Reason
	Trapped bool   // the engine failed, neither side's fault: Err is what it said
	Err     error  // *core.ProtocolError, the engine's or the transport's error; nil
	Detail  string // what Options.Explain said, whole and unescaped (STOP-4)
}

var reasonTexts = map[core.Reason]string{
	core.ReasonNone:        "closed for sending",
	core.ReasonEOF:         "the peer's output has ended",
	core.ReasonViolation:   "the peer broke the protocol",
	core.ReasonWriteFailed: "the peer's input refused our bytes",
	core.ReasonTorn:        "an interruption tore a frame",
	core.ReasonShutdown:    "shut down on this side",
	core.ReasonAborted:     "aborted on this side",
	core.ReasonExit:        "the peer sent exit",
	core.ReasonStalled:     "the peer stopped reading",
	core.ReasonReadFailed:  "reading from the peer failed",
}

func (e *SessionError) Error() string {
	text := reasonTexts[e.Reason]
	if e.Trapped {
		text = "the engine failed"
	}
	if e.Err != nil {
		text += ": " + oneLine(strings.TrimPrefix(e.Err.Error(), "core: peer: "))
	}
	if e.Detail != "" {
		text += " (" + oneLine(e.Detail) + ")"
	}
	return "parley: session: " + text
}

// Is matches ErrClosed.
func (e *SessionError) Is(target error) bool { return target == ErrClosed }

// Unwrap returns what ended the session.
func (e *SessionError) Unwrap() error { return e.Err }

// clean reports an end that nobody has to be told about.
func (e *SessionError) clean() bool {
	switch e.Reason {
	case core.ReasonEOF, core.ReasonShutdown, core.ReasonExit:
		return e.Err == nil
	}
	return false
}

func quote(method string) string { return `"` + oneLine(method) + `"` }

// oneLine makes foreign text fit to be shown: 512 characters at most, control characters, line
// separators, bidirectional controls and bad UTF-8 replaced (REQ-6).
func oneLine(text string) string {
	const charactersMax = 512
	var shown strings.Builder
	count := 0
	for _, r := range text {
		if count++; count > charactersMax {
			shown.WriteString("…")
			break
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) || unicode.Is(unicode.Bidi_Control, r) {
			r = unicode.ReplacementChar
		}
		shown.WriteRune(r)
	}
	return shown.String()
}
