package main

import (
	"context"

	"github.com/parley-rpc/parley/host"
)

// peerEchoCmd is "parley peer echo": plain JSON-RPC, whatever the methods are called.
type peerEchoCmd struct {
	Framing string `enum:"header,line,length4" default:"line" help:"How messages are framed: ${enum}."`
}

// Run serves until the client is gone.
func (c peerEchoCmd) Run(ctx context.Context, e *env, peer *peerCmd) error {
	options := host.PlainServer
	chosen := framings[c.Framing]
	options.Config.Framing, options.Config.Limits.FrameBytesMax = chosen.framing, chosen.frameBytesMax
	options.Logger = peerLogger(e)
	transport, err := peer.transport(e, options.Config)
	if err != nil {
		return err
	}
	session, err := host.New(transport, options)
	if err != nil {
		return err
	}
	if err := echoAll(ctx, session); err != nil {
		// Why the session ended is said already.
		_ = session.Close()
		return err
	}
	return session.Close()
}

func echoAll(ctx context.Context, session *host.Peer) error {
	for m, err := range session.Messages(ctx) {
		switch {
		case err != nil:
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
