package core

import "strconv"

// UsageError is the caller's fault or the caller's bad luck: the command was refused and the
// state is untouched. Values compare with == and cross the ABI as their number.
type UsageError uint8

const (
	ErrUnsupported    UsageError = iota + 1 // not possible in this role, profile or configuration
	ErrClosed                               // the conversation has ended; State says why
	ErrTooLarge                             // the frame is over FrameBytesMax, or the queue is full under OutFailFast
	ErrOutputFull                           // no room; retry after EventWritable (SEND-2)
	ErrTooManyCalls                         // CallsMax calls are open (CALL-1)
	ErrTimeout                              // the deadline was due at the last Advance (CALL-4)
	ErrCanceled                             // the request was cancelled and its profile answers none (REQ-2)
	ErrUnknownCall                          // no such call was ever made here
	ErrUnknownRequest                       // no such request was ever delivered here
	ErrAnswered                             // the request already has its answer (REQ-2)
	ErrNotRequest                           // a notification cannot be answered (REQ-2)
	ErrBadJSON                              // params, result or data is not one JSON text (CALL-8)
	ErrBadParams                            // params is neither object nor array (CALL-8)
	ErrBadMethod                            // the method name is empty (CALL-8)
	ErrBadID                                // the chosen id is neither a string nor an integer, or too long
	ErrIDTaken                              // the chosen id is pending or was abandoned (CALL-1)
	ErrBadCount                             // Commit of more than was reserved, Wrote of more than was taken
	ErrTracing                              // the trace runs already, or does not run (SCHED-5)
	ErrBadProgress                          // the token is unusable or taken, or Extend lacks token or maximum (CALL-4)
	usageErrorEnd
)

var usageErrors = [usageErrorEnd]string{
	ErrUnsupported:    "unsupported here",
	ErrClosed:         "the conversation has ended",
	ErrTooLarge:       "message too large: over the frame limit, or backlog full",
	ErrOutputFull:     "output queue full",
	ErrTooManyCalls:   "too many open calls",
	ErrTimeout:        "deadline already passed",
	ErrCanceled:       "the request was cancelled; nothing is sent for it",
	ErrUnknownCall:    "unknown call",
	ErrUnknownRequest: "unsupported: unknown request",
	ErrAnswered:       "unsupported: the request is already answered",
	ErrNotRequest:     "unsupported: a notification cannot be answered",
	ErrBadJSON:        "not one valid JSON text",
	ErrBadParams:      "params must be an object or an array",
	ErrBadMethod:      "the method name is empty",
	ErrBadID:          "a chosen id must be a string or an integer of at most IDBytesMax bytes",
	ErrIDTaken:        "the chosen id is pending or was abandoned unanswered",
	ErrBadCount:       "count exceeds what was handed out",
	ErrTracing:        "the trace runs already, or does not run",
	ErrBadProgress:    "the progress token is unusable or taken, or Extend lacks a token or DeadlineMax",
}

func (e UsageError) Error() string { return "core: " + usageErrors[e] }

// Is makes the several faces of "not supported" answer errors.Is(err, ErrUnsupported).
func (e UsageError) Is(target error) bool {
	return target == ErrUnsupported && (e == ErrUnknownRequest || e == ErrAnswered || e == ErrNotRequest)
}

// ConfigError is a refused configuration (New).
type ConfigError struct {
	Field           string
	Value, Min, Max int64  // the range; unused when Reason is set
	Reason          string // why, where a range does not say it
}

func (e *ConfigError) Error() string {
	if e.Reason != "" {
		return "core: config: " + e.Field + ": " + e.Reason
	}
	return "core: config: " + e.Field + " = " + strconv.FormatInt(e.Value, 10) + ", want " +
		strconv.FormatInt(e.Min, 10) + " to " + strconv.FormatInt(e.Max, 10)
}

// Violation is why the peer's byte stream can no longer be trusted, or why the session ended
// over what the peer sent. Numbers are stable: they cross the ABI.
type Violation uint8

const (
	ViolationNone            Violation = iota
	ViolationTruncated                 // input ended inside a frame (FRAME-4)
	ViolationHeaderSize                // the header block is over HeaderBytesMax (HEAD-1)
	ViolationField                     // a header field is malformed (HEAD-2)
	ViolationNoise                     // something else than the protocol (HEAD-8, MSG-6)
	ViolationLength                    // a length is malformed or out of range (HEAD-4, LEN4-1)
	ViolationMissingLength             // a header block without Content-Length (HEAD-4)
	ViolationDuplicateLength           // a header block with two (HEAD-4)
	ViolationLineEnd                   // a header line does not end with CRLF (HEAD-6)
	ViolationLineSize                  // a line is over FrameBytesMax (LINE-4)
	ViolationParse                     // a frame that is no message, under policy end (MSG-6)
	ViolationBacklog                   // a request found the backlog full (BACK-1, BACK-2)
	violationEnd
)

var violationNames = [violationEnd]string{
	"none", "truncated", "header-size", "field", "noise", "length", "missing-length",
	"duplicate-length", "line-end", "line-size", "parse", "backlog",
}

func (v Violation) String() string { return violationNames[v] }

// Hint is the likely cause of a Violation or of an Invalid frame. Numbers are stable.
type Hint uint8

const (
	HintNone        Hint = iota
	HintTextMode         // the peer writes in text mode: LF instead of CRLF
	HintBareJSON         // the peer sends JSON without a header
	HintStdoutNoise      // something else writes to the peer's stdout
	HintHeader           // the peer frames with Content-Length
	HintPretty           // the peer pretty-prints over several lines
	HintTerminal         // escape sequences: terminal output
	HintText             // the four length bytes are text
	HintLittle           // the four length bytes are little-endian
	HintDAP              // this is the Debug Adapter Protocol
	HintCharset          // the header names another charset than UTF-8
	HintOverLimit        // a size is over the limit
	hintEnd
)

var hints = [hintEnd]string{
	"", "lines end with LF alone: the peer writes stdout in text mode",
	"the peer sends bare JSON without a Content-Length header",
	"something else writes to the peer's stdout",
	"the peer frames with Content-Length headers",
	"the peer prints one JSON text over several lines",
	"escape sequences: terminal output",
	"the four length bytes look like text",
	"the four length bytes look little-endian",
	"this is Debug Adapter Protocol traffic, not JSON-RPC",
	"the header names a charset other than utf-8",
	"the size is over the limit",
}

func (h Hint) String() string { return hints[h] }

// SampleBytesMax is the most that a ProtocolError or an EventInvalid shows of the peer's bytes.
const SampleBytesMax = 64

// ProtocolError is the peer's fault. It is sticky: once Commit has returned it every later Commit
// returns the same value. The sample ends with the byte that decided; escape it before showing it.
type ProtocolError struct {
	Kind    Violation
	Invalid Invalid // parse: what was wrong with the frame
	Offset  uint64  // of the deciding byte, from the first byte of the stream
	Have    uint64  // truncated: bytes of the unfinished part that arrived
	Need    uint64  // truncated, length, header-size, line-size: bytes declared or allowed; 0 unknown
	Hint    Hint
	Sample  []byte // at most SampleBytesMax, its own copy
}

func (e *ProtocolError) Error() string {
	s := "core: peer: " + e.Kind.String() + " at byte " + strconv.FormatUint(e.Offset, 10)
	if e.Invalid != InvalidNone {
		s += ": invalid " + e.Invalid.String()
	}
	if e.Kind == ViolationTruncated {
		s += " (have " + strconv.FormatUint(e.Have, 10)
		if e.Need > 0 {
			s += " of " + strconv.FormatUint(e.Need, 10)
		}
		s += ")"
	}
	if len(e.Sample) > 0 {
		s += ": " + strconv.QuoteToASCII(string(e.Sample))
	}
	if e.Hint != HintNone {
		s += " (" + e.Hint.String() + ")"
	}
	return s
}

// Is lets errors.Is(err, ErrTooLarge) find every violation of a size (HEAD-1, LINE-4, BACK-1).
func (e *ProtocolError) Is(target error) bool {
	if target != ErrTooLarge {
		return false
	}
	switch e.Kind {
	case ViolationHeaderSize, ViolationLineSize, ViolationBacklog:
		return true
	case ViolationLength:
		return e.Hint == HintOverLimit
	}
	return false
}

// Code is a JSON-RPC error code.
type Code int32

// The codes that core itself sends.
const (
	CodeParse          Code = -32700
	CodeInvalidRequest Code = -32600
	CodeMethodNotFound Code = -32601
	CodeInvalidParams  Code = -32602
	CodeInternal       Code = -32603
	CodeNotInitialized Code = -32002 // LSP: before initialize (STOP-9)
	CodeCanceled       Code = -32800 // LSP: the peer cancelled it
	CodeSuperseded     Code = -32801 // LSP: content modified (REQ-7)
	CodeServerCanceled Code = -32803 // LSP: we cancelled it, or no room (REQ-7, BACK-3)
)
