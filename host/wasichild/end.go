package wasichild

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero/sys"
)

// ErrTime says that Server.TimeMax ended the guest. It matches context.DeadlineExceeded.
var ErrTime = fmt.Errorf("wasichild: the guest's time is up: %w", context.DeadlineExceeded)

// errInterrupted is why a guest that Start has started was ended: its session, or its owner, is done.
var errInterrupted = errors.New("wasichild: interrupted")

// TrapError is a guest that ended without an exit code: it ran into an instruction that must not be
// reached, out of its stack or out of its memory. What it said about that is on its stderr.
type TrapError struct {
	Err error // wazero's; its text holds names that the guest chose
}

func (e *TrapError) Error() string {
	first, _, _ := strings.Cut(e.Err.Error(), "\n")
	return "wasichild: the guest trapped: " + strconv.QuoteToASCII(first)
}

// Unwrap returns what wazero said, a stack trace included.
func (e *TrapError) Unwrap() error { return e.Err }

// ending is the exit code in what running returned. An interrupted guest may still have found a code to
// leave with; why it was interrupted says more.
func ending(ctx context.Context, err error) (code int, _ error) {
	var exit *sys.ExitError
	switch {
	case err == nil:
		return 0, nil
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case errors.As(err, &exit):
		return int(exit.ExitCode()), nil
	}
	return 0, &TrapError{err}
}

// status says it in the words of os.ProcessState.
func status(code int, err error) string {
	if err != nil {
		return strings.TrimPrefix(err.Error(), "wasichild: ")
	}
	return "exit status " + strconv.Itoa(code)
}
