package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"unicode"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
	"github.com/parley-rpc/parley/host/control"
	"github.com/parley-rpc/parley/host/wasmhost"
)

// The exit codes, as --help lists them. A signal adds its number to exitSignal.
const (
	exitOK         = 0
	exitAnswer     = 1 // the peer answered with an error, or a check failed
	exitUsage      = 2
	exitStart      = 3
	exitTimeout    = 4
	exitProtocol   = 5
	exitPeerDied   = 6
	exitOurFailure = 70
	exitSignal     = 128
)

// usageError is a mistake in the command line or in what it names.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// protocolError is an answer that is well-formed and breaks the profile's rules.
type protocolError struct{ text string }

func (e protocolError) Error() string { return e.text }

// checkError is a failed check; the check has printed what there is to say.
type checkError struct{ failed int }

func (e checkError) Error() string { return fmt.Sprintf("%d of the checks failed", e.failed) }

// codeError ends a server with the exit code that its protocol demands, and nothing more to say.
type codeError int

func (e codeError) Error() string { return "" }

// serverExit is the exit code of a server that is passed on, whatever else happened.
type serverExit int

func (e serverExit) Error() string { return "" }

// peerDied is a server that ended before it was asked everything.
type peerDied struct{ obituary string }

func (e peerDied) Error() string { return "the server has ended: " + e.obituary }

// startError is a command that cannot be started and that is nobody's session.
type startError struct{ error }

func (e startError) Unwrap() error { return e.error }

// signalError is the cause of the context when a signal ended the command.
type signalError syscall.Signal

func (e signalError) Error() string { return "stopped by a signal: " + syscall.Signal(e).String() }

// exitCode says whose fault an error is. A server's own exit code is passed on as it is. A signal wins
// over what it led to, and the end of the time over the session that ended because of it.
func exitCode(ctx context.Context, err error) int {
	var (
		signal    signalError
		code      codeError
		usage     usageError
		passed    serverExit
		start     *child.StartError
		answer    *host.RPCError
		check     checkError
		nothing   foundNothing
		violation *core.ProtocolError
		breach    protocolError
		misfit    *host.ParseError
	)
	switch {
	case errors.As(err, &passed):
		return int(passed)
	case errors.As(context.Cause(ctx), &signal):
		return exitSignal + int(signal)
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, host.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return exitTimeout
	case errors.As(err, &start), errors.As(err, new(startError)):
		return exitStart
	case errors.As(err, &answer), errors.As(err, &check), errors.As(err, &nothing), errors.As(err, new(findings)):
		return exitAnswer
	case errors.As(err, &violation), errors.As(err, &breach), errors.As(err, &misfit):
		return exitProtocol
	case errors.As(err, new(*wasmhost.TrapError)):
		return exitOurFailure
	case errors.Is(err, control.ErrStranger), errors.Is(err, control.ErrVersion):
		return exitProtocol
	case errors.Is(err, control.ErrNotPrivate), errors.Is(err, control.ErrPathTooLong), errors.Is(err, control.ErrTooManyEntries):
		return exitUsage // the place is the caller's to choose or to mend
	case errors.Is(err, host.ErrClosed), errors.Is(err, control.ErrGone), errors.As(err, new(peerDied)):
		return exitPeerDied
	case errors.Is(err, host.ErrTooLarge):
		return exitUsage // our own message is over the limit; the peer's would be a violation
	}
	return exitOurFailure
}

// errorLine is what stderr gets: one line, whatever bytes of the peer's are in it (REQ-6).
func errorLine(ctx context.Context, err error) string {
	var signal signalError
	if errors.As(context.Cause(ctx), &signal) && !errors.As(err, new(serverExit)) {
		return signal.Error()
	}
	return oneLine(strings.TrimPrefix(err.Error(), "parley: "))
}

// lineRunesMax bounds a line for people.
const lineRunesMax = 1024

// oneLine replaces control and direction characters, so that text of a peer's can neither break a
// line nor steer a terminal, and cuts what is too long.
func oneLine(text string) string {
	runes := []rune(strings.TrimSpace(text))
	cut := len(runes) > lineRunesMax
	if cut {
		runes = runes[:lineRunesMax]
	}
	for i, r := range runes {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			runes[i] = ' '
		case !unicode.IsPrint(r):
			runes[i] = unicode.ReplacementChar
		}
	}
	if cut {
		return string(runes) + "…"
	}
	return string(runes)
}
