package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// peerEchoCmd is "parley peer echo": plain JSON-RPC, whatever the methods are called.
type peerEchoCmd struct {
	Framing string        `enum:"header,line,length4" default:"line" help:"How messages are framed: ${enum}."`
	Work    time.Duration `placeholder:"TIME" help:"Work on each request this long, on 256 at once; one that is cancelled fails."`
}

// Help is the part of the help below the flags' summary.
func (peerEchoCmd) Help() string {
	return `It answers any method, so it shows what a client does and not what a server means. With --work a request is seen by parley
requests and top while it lasts.

Examples:

  parley peer echo --work 1m
  parley peer echo --framing header --never-answer
  echo '{"jsonrpc":"2.0","id":1,"method":"hello","params":["world"]}' | parley peer echo`
}

// Run serves until the client is gone.
func (c peerEchoCmd) Run(ctx context.Context, e *env, peer *peerCmd) error {
	options, closeControl, err := peer.options(e, host.PlainServer, "parley peer echo")
	if err != nil {
		return err
	}
	defer closeControl()
	chosen := framings[c.Framing]
	options.Config.Framing, options.Config.Limits.FrameBytesMax = chosen.framing, chosen.frameBytesMax
	transport, err := peer.transport(e, options.Config)
	if err != nil {
		return err
	}
	session, err := host.New(transport, options)
	if err != nil {
		return err
	}
	if err := c.echoAll(ctx, session, options.Logger); err != nil {
		// Why the session ended is said already.
		_ = session.Close()
		return err
	}
	return session.Close()
}

func (c peerEchoCmd) echoAll(ctx context.Context, session *host.Peer, log *slog.Logger) error {
	const workingMax = 256
	working := make(chan struct{}, workingMax)
	for m, err := range session.Messages(ctx) {
		switch {
		case err != nil:
		case m.IsRequest() && c.Work > 0:
			working <- struct{}{}
			go func() {
				defer func() { <-working }()
				if err := c.work(m); err != nil && !errors.Is(err, host.ErrClosed) {
					log.Warn("answer refused", "error", oneLine(err.Error()))
				}
			}()
		case m.IsRequest():
			err = m.ReplyRaw(ctx, m.Params)
		default:
			err = session.NotifyRaw(ctx, m.Method, m.Params)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// work takes its time for one request. The message's context ends with the session at the latest.
func (c peerEchoCmd) work(m *host.Message) error {
	select {
	case <-time.After(c.Work):
		return m.ReplyRaw(m.Context(), m.Params)
	case <-m.Context().Done():
		_ = m.Fail(context.Background(), core.CodeCanceled, "") // at its session's end it is answered already
		return nil
	}
}
