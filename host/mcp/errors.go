package mcp

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host"
)

// ConnectError is why Connect agreed on no era with a server. errors.As finds the *era.Failure in
// it, and where the server refused a *host.RPCError without data; errors.Is host.ErrTimeout and
// host.ErrClosed.
type ConnectError struct {
	Failure *era.Failure
	// Ends are the errors of the connections that ended on the way, each with what became of the
	// server: two for one that ended again after it had been started once more (ERA-5).
	Ends []error
}

func (e *ConnectError) Error() string {
	var text strings.Builder
	text.WriteString("mcp: connect: ")
	text.WriteString(strings.TrimPrefix(e.Failure.Error(), "era: "))
	for _, end := range e.Ends {
		text.WriteString("; ")
		text.WriteString(strings.TrimPrefix(end.Error(), "parley: "))
	}
	return text.String()
}

// Unwrap returns the failure, the answer that refused, and the ends.
func (e *ConnectError) Unwrap() []error {
	errs := []error{e.Failure}
	if e.Failure.Kind == era.FailureRefused {
		errs = append(errs, &host.RPCError{Method: e.Failure.Method, Code: e.Failure.Code, Message: e.Failure.Text})
	}
	return append(errs, e.Ends...)
}

// InputRequired is the answer to a modern call that asks back: look at what it wants, and call
// again with inputResponses and the requestState of the result in params (ERA-9).
type InputRequired struct {
	Method string
	Result json.RawMessage // with inputRequests and requestState
}

func (e *InputRequired) Error() string {
	return "mcp: call " + quote(e.Method) + ": the server needs input; call again with what it asks for"
}

var errResultType = errors.New("its resultType is none that is known")
