package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"runtime/debug"
	"strconv"

	"github.com/parley-rpc/parley/host"
)

// inbound consumes what a server asks and tells, from its first message to its last: what its era
// allows, all else the machine drops (ERA-1, ERA-7).
type inbound struct {
	options *Options
	log     *slog.Logger
	serving chan struct{} // a token for each request that is being served
}

// servingMax is how many requests of a legacy server are served at once; more wait (REQ-1).
const servingMax = 256

func newInbound(options *Options) *inbound {
	in := &inbound{options: options, log: options.Host.Logger, serving: make(chan struct{}, servingMax)}
	if in.log == nil {
		in.log = slog.New(slog.DiscardHandler)
	}
	return in
}

// run ends with the session.
func (in *inbound) run(conn Conn) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-conn.Done()
		cancel()
	}()
	for m, err := range conn.Messages(context.Background()) {
		if err != nil {
			return // Err of the session says it too
		}
		in.receive(ctx, m)
	}
}

func (in *inbound) receive(ctx context.Context, m *host.Message) {
	if !m.IsRequest() {
		if in.options.Notified != nil {
			in.options.Notified(m)
		}
		return
	}
	select {
	case in.serving <- struct{}{}:
		go in.serve(ctx, m)
	case <-ctx.Done(): // nobody is left to be answered
	}
}

// serve answers a request of a legacy server. What panics is answered as failed (REQ-5).
func (in *inbound) serve(ctx context.Context, m *host.Message) {
	var err error
	defer func() {
		<-in.serving
		if v := recover(); v != nil {
			in.log.Error("handler failed", "method", quote(m.Method), "panic", v, "stack", string(debug.Stack()))
			err = m.Fail(ctx, host.InternalError, "")
		}
		if err != nil {
			in.log.Debug("answer refused", "method", quote(m.Method), "error", err.Error())
		}
	}()
	switch {
	case m.Method == "ping":
		err = m.ReplyRaw(ctx, json.RawMessage("{}"))
	case in.options.Serve != nil:
		in.options.Serve(ctx, m)
	default:
		err = m.Fail(ctx, host.MethodNotFound, "")
	}
}

// quote makes a peer's text fit to be shown, at most 128 bytes of it (REQ-6).
func quote(text string) string { return strconv.QuoteToASCII(text[:min(len(text), 128)]) }
