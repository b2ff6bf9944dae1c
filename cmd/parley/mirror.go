package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// mirror hears whether a command sends our own requests back, as cat does, or a wrapper that copies. Our refusal
// comes back as well then, and would be taken for the server's answer.
type mirror struct{ heard atomic.Bool }

// listen has the methods that only we ask for refused as before, and heard.
func (m *mirror) listen(mux *host.Mux, dialect *dialect, methods ...string) {
	for _, method := range methods {
		if dialect.answers[method] != nil {
			continue
		}
		mux.HandleRaw(method, core.ModeRead, func(context.Context, json.RawMessage) (json.RawMessage, error) {
			m.heard.Store(true)
			return nil, &host.RPCError{Code: host.MethodNotFound, Message: "Method not found"}
		})
	}
}

// explain says what an answer is worth that may be our own.
func (m *mirror) explain(err error) error {
	var refusal *host.RPCError
	if !m.heard.Load() || !errors.As(err, &refusal) || refusal.Code != host.MethodNotFound {
		return err
	}
	return protocolError{fmt.Sprintf("call %q: our own request came back: the command copies what it reads, and no server answers (see parley doctor)", refusal.Method)}
}
