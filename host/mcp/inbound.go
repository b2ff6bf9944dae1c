package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"runtime/debug"
	"strconv"
	"sync/atomic"

	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host"
)

// inbound consumes what a server asks and tells, from its first message to its last. While no era
// is chosen everything is dropped unanswered (ERA-1).
type inbound struct {
	options *Options
	log     *slog.Logger
	era     atomic.Uint32 // an era.Era
	dropped atomic.Int64  // messages before the era was chosen, and requests of a modern server
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

func (in *inbound) choose(e era.Era) { in.era.Store(uint32(e)) }

// run ends with the session. It does not stop before: a session that is closed answers what its
// consumer left, and a modern client answers nothing (ERA-7).
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
	chosen := era.Era(in.era.Load())
	switch {
	case chosen == era.EraUnknown:
		in.drop(m, "no era is chosen yet")
	case !m.IsRequest():
		if in.options.Notified != nil {
			in.options.Notified(m)
		}
	case chosen == era.EraModern:
		in.drop(m, "a modern server must not ask")
	default:
		select {
		case in.serving <- struct{}{}:
			go in.serve(ctx, m)
		case <-ctx.Done(): // nobody is left to be answered
		}
	}
}

func (in *inbound) drop(m *host.Message, why string) {
	in.dropped.Add(1)
	in.log.Warn("message dropped unanswered", "method", quote(m.Method), "request", m.IsRequest(), "why", why)
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
