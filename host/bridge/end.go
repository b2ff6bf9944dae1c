package bridge

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coder/websocket"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/resume"
)

// The codes that a session's socket is closed with, besides those of RFC 6455 and of RESUME-8. The
// reason starts with the name (BRIDGE-5).
const (
	CloseServerExited     websocket.StatusCode = 4003 // server-exited: it ended, with this status
	CloseServerNotStarted websocket.StatusCode = 4004 // server-not-started: and why
	CloseServerBroke      websocket.StatusCode = 4005 // server-broke-protocol: at which byte
	CloseServerStalled    websocket.StatusCode = 4006 // server-stalled: it does not read
	CloseRefused          websocket.StatusCode = 4007 // refused: who asks so is never let in (BRIDGE-9)
)

// cause is why a session, or one socket of it, is over, and what the socket is closed with.
type cause struct {
	code   websocket.StatusCode
	reason string
	// flush: what the server has said is delivered first.
	flush bool
}

var (
	causePageGone   = cause{code: websocket.StatusNormalClosure, reason: "page-gone"}
	causeStopped    = cause{code: websocket.StatusGoingAway, reason: "bridge-stopped"}
	causeFull       = cause{code: websocket.StatusTryAgainLater, reason: "too-many-sessions"}
	causeBroke      = cause{code: websocket.StatusProtocolError, reason: "page-broke-protocol"}
	causeLost       = cause{code: resume.CloseLost, reason: resume.CloseLostName}
	causeSuperseded = cause{code: resume.CloseSuperseded, reason: resume.CloseSupersededName}
)

func tooLarge(detail string) cause {
	return cause{code: websocket.StatusMessageTooBig, reason: reasonText("message-too-large", detail)}
}

// reasonBytesMax is what a close frame holds besides its code (RFC 6455, 5.5).
const reasonBytesMax = 123

// reasonText is one printable line of at most reasonBytesMax bytes. What is too long loses the middle
// of its detail: the start says what happened and the end, mostly of stderr, why.
func reasonText(name, detail string) string {
	text := strings.Map(printable, strings.ToValidUTF8(name+": "+detail, "\uFFFD"))
	if len(text) <= reasonBytesMax {
		return text
	}
	const gap = "…"
	head, tail := reasonBytesMax/2, len(text)-(reasonBytesMax-reasonBytesMax/2-len(gap))
	for !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + gap + text[tail:]
}

func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return ' '
}

// end is how far the end of a session has come.
type end struct {
	cause      *cause        // nil: it goes on
	over       chan struct{} // closed once cause is set
	told       chan struct{} // closed once the page knows, or there is none to be told
	serverOver chan struct{} // closed once nothing more comes from the server
}

func (e *end) isTold() bool { return isClosed(e.told) }

func isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

// finish ends the session. The first cause stays; a later one can take away the time to deliver what is
// left. mu is held.
func (r *relay) finish(c cause) {
	if r.end.cause == nil {
		r.end.cause = &c
		close(r.end.over)
	} else if !c.flush {
		r.end.cause.flush = false
	}
	if !r.end.cause.flush && r.generation == 0 {
		r.tell()
	}
}

// tell records that nobody waits to hear of the end any more. mu is held.
func (r *relay) tell() {
	if r.end.cause != nil && !r.end.isTold() {
		close(r.end.told)
	}
}

// noteEnds draws the conclusions of a turn.
func (r *relay) noteEnds() {
	if r.server.inputOver && r.server.machine.State().Output == core.OutputFailed {
		r.server.failed = true // its writer may wait for more, which there will not be
	}
	if (r.server.inputOver || r.server.failed) && !isClosed(r.end.serverOver) {
		close(r.end.serverOver)
	}
	if err := errors.Join(r.page.machine.Err(), r.server.machine.Err()); err != nil {
		r.finish(cause{code: websocket.StatusInternalError, reason: reasonText("engine-failed", err.Error())})
		if !isClosed(r.end.serverOver) {
			close(r.end.serverOver)
		}
	}
	if r.page.inputOver && r.end.cause == nil {
		r.finish(cause{code: websocket.StatusProtocolError, reason: reasonText("page-broke-protocol", violationText(r.page.machine.State()))})
	}
	var failure *resume.Failure
	if errors.As(r.link.Err(), &failure) {
		code, name := failure.Close()
		r.finish(cause{code: websocket.StatusCode(code), reason: name})
	}
}

func violationText(state core.State) string {
	if state.Err != nil {
		return state.Err.Error()
	}
	return state.Reason.String()
}

// isUnheard reports that nobody is left to read what the server says.
func (r *relay) isUnheard() bool { return r.end.cause != nil && !r.end.cause.flush }

// drained reports that everything the server has said is in the link.
func (r *relay) drained() bool {
	return r.server.inputOver && r.server.machine.State().Waiting == 0 && r.server.held.text == nil &&
		r.page.machine.Pending() == 0 && r.block == nil
}

// wasSilent reports that the server never said a word.
func (r *relay) wasSilent() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.server.heard
}
