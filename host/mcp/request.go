package mcp

import (
	"context"
	"encoding/json"

	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host"
)

// Request is what a handler knows of the request that it serves. It is a host.Caller for what a
// legacy client can be asked.
type Request struct {
	Era          era.Era
	Version      string          // the protocol version that the request is served by
	Client       json.RawMessage // {"name":…,"version":…}; nil where the client gave none
	Capabilities json.RawMessage // an object; nil where a legacy client gave none

	peer *host.Peer
}

type requestKey struct{}

// RequestFrom returns the request that a handler serves; nil elsewhere.
func RequestFrom(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// Codec returns the session's codec.
func (r *Request) Codec() host.Codec { return r.peer.Codec() }

// clientMethods are what a client can be asked, and the capability that it needs for it (REQ-9).
var clientMethods = map[string]string{
	"roots/list":             "roots",
	"sampling/createMessage": "sampling",
	"elicitation/create":     "elicitation",
}

// CallRaw asks the client. It is host.ErrUnsupported, and nothing is written, while a modern request
// is served, whose result asks instead (ERA-8), and where the client has not said that it can
// (REQ-9).
func (r *Request) CallRaw(ctx context.Context, method string, params json.RawMessage, opts ...host.CallOption) (json.RawMessage, error) {
	capability, needed := clientMethods[method]
	if r.Era == era.EraModern || needed && !era.Can(r.Capabilities, capability) {
		return nil, &host.CallError{Op: "call", Method: method, Fault: host.FaultCaller, Err: host.ErrUnsupported}
	}
	return r.peer.CallRaw(ctx, method, params, opts...)
}

// Notify tells the client, in either era: progress, log messages.
func (r *Request) Notify(ctx context.Context, method string, params any) error {
	return r.peer.Notify(ctx, method, params)
}
