package mcp

import (
	"context"
	"encoding/json"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host"
)

// Session is a connection to a server whose era is agreed on. It is a host.Caller: host.Call[R](ctx,
// session, …) calls a method in either era. Every method may be called from any goroutine.
type Session struct {
	conn      Conn
	client    era.Client
	stopCalls context.CancelFunc // of the negotiation: a probe may still be waited for

	era     era.Era
	version string
	server  json.RawMessage
}

// Era is era.EraModern or era.EraLegacy. An established session never changes it.
func (s *Session) Era() era.Era { return s.era }

// Version is the protocol version agreed on.
func (s *Session) Version() string { return s.version }

// Server is what the server said of itself: the result of server/discover or of initialize.
func (s *Session) Server() json.RawMessage { return s.server }

// Codec returns the session's codec.
func (s *Session) Codec() host.Codec { return s.conn.Codec() }

// CallRaw is host.Peer.CallRaw. On a modern session the request carries its version, who we are and
// what we can (ERA-9); there params is an object, or nil. A modern result that asks back is an
// *InputRequired, one of an unknown type a *host.ParseError.
func (s *Session) CallRaw(ctx context.Context, method string, params json.RawMessage, opts ...host.CallOption) (json.RawMessage, error) {
	if s.era != era.EraModern {
		return s.conn.CallRaw(ctx, method, params, opts...)
	}
	complete, err := s.client.AppendParams(nil, params, s.version)
	if err != nil {
		return nil, &host.CallError{Op: "call", Method: method, Fault: host.FaultCaller, Err: err}
	}
	result, err := s.conn.CallRaw(ctx, method, complete, opts...)
	if err != nil {
		return nil, err
	}
	switch era.TypeOf(result) {
	case era.ResultComplete:
		return result, nil
	case era.ResultInputRequired:
		return nil, &InputRequired{Method: method, Result: result}
	}
	return nil, &host.ParseError{Method: method, Raw: result, Err: errResultType}
}

// Notify sends a notification, its params encoded by the session's codec.
func (s *Session) Notify(ctx context.Context, method string, params any) error {
	var raw json.RawMessage
	if params != nil {
		encoded, err := s.Codec().Marshal(params)
		if err != nil {
			return &host.CallError{Op: "notify", Method: method, Err: host.ErrUnsupported, Cause: err}
		}
		raw = encoded
	}
	return s.NotifyRaw(ctx, method, raw)
}

// NotifyRaw is Notify with JSON text; nil sends no params. Notifications carry no version, in
// either era.
func (s *Session) NotifyRaw(ctx context.Context, method string, params json.RawMessage) error {
	return s.conn.NotifyRaw(ctx, method, params)
}

// DroppedMessages counts what the server said and nobody may answer or hear: everything before the
// era was chosen (ERA-1), and the requests of a modern server (ERA-7).
func (s *Session) DroppedMessages() int64 { return int64(s.Stats().Unserved) }

// Stats returns the counters of the session's connection, its negotiation included.
func (s *Session) Stats() core.Stats { return s.conn.Stats() }

// Done is closed once the session has ended.
func (s *Session) Done() <-chan struct{} { return s.conn.Done() }

// Err is nil while the session goes on and after a clean end; otherwise why it ended.
func (s *Session) Err() error { return s.conn.Err() }

// Close ends the session, and the server with it where Connect started it. It is repeatable. An
// Options.Notified or Serve that runs is not waited for.
func (s *Session) Close() error {
	s.stopCalls()
	return s.conn.Close()
}
