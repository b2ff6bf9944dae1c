package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host"
)

// gate stands before the handlers of one connection. It lets each request in by the era that it
// claims, and its answer out in the same one (ERA-8).
type gate struct {
	server *Server
	modern []string // versions that a request may claim
	all    []string // and those with a handshake, newest first

	// legacy is what initialize agreed on; nil before. Every legacy request is served by it.
	legacy atomic.Pointer[Request]
}

func newGate(s *Server) *gate {
	modern := era.ModernVersions()
	return &gate{server: s, modern: modern, all: append(modern[:len(modern):len(modern)], era.LegacyVersions()...)}
}

// mux is the table of one connection: the server's methods and its own, each behind the gate.
func (g *gate) mux() *host.Mux {
	mux := host.NewMux()
	for _, method := range g.server.methods() {
		r := g.server.routes[method]
		if r.notification {
			mux.HandleNotificationRaw(method, r.mode, func(ctx context.Context, params json.RawMessage) error {
				_, err := r.serve(ctx, params)
				return err
			})
			continue
		}
		mux.HandleRaw(method, r.mode, g.guard(method, r.serve))
	}
	mux.HandleRaw("initialize", core.ModeDefault, g.guard("initialize", g.initialize))
	mux.HandleRaw("server/discover", core.ModeDefault, g.guard("server/discover", g.discover))
	mux.HandleRaw("ping", core.ModeBypass, g.guard("ping", pong))
	mux.HandleNotificationRaw("notifications/initialized", core.ModeDefault, func(context.Context, json.RawMessage) error {
		return nil // the barrier of initialize has done what it stands for (SCHED-6)
	})
	return mux
}

// guard is a handler behind the gate.
func (g *gate) guard(method string, serve rawHandler) rawHandler {
	return func(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
		request, err := g.admit(method, params)
		if err != nil {
			return nil, err
		}
		request.peer = host.PeerFrom(ctx)
		result, err := serve(context.WithValue(ctx, requestKey{}, &request), params)
		if err != nil {
			return nil, err
		}
		return g.render(method, request.Era, result)
	}
}

// admit judges what a request claims.
func (g *gate) admit(method string, params json.RawMessage) (Request, error) {
	claim := era.ReadClaim(params, g.modern)
	switch claim.Kind {
	case era.ClaimMisshapen:
		return Request{}, &host.RPCError{Code: host.InvalidParams, Message: "params._meta: " + claim.Key + " is missing or misshapen"}
	case era.ClaimUnserved:
		return Request{}, &host.RPCError{
			Code: era.CodeUnsupportedVersion, Message: "Unsupported protocol version",
			Data: g.supported(&claim.Version),
		}
	case era.ClaimServed:
		if !era.MethodIn(era.EraModern, method) {
			return Request{}, methodNotFound
		}
		return Request{Era: era.EraModern, Version: claim.Version, Client: claim.Info, Capabilities: claim.Capabilities}, nil
	}
	if !era.MethodIn(era.EraLegacy, method) {
		return Request{}, methodNotFound
	}
	if agreed := g.legacy.Load(); agreed != nil {
		return *agreed, nil
	}
	if method != "initialize" && method != "ping" {
		return Request{}, &host.RPCError{
			Code: host.InvalidParams, Message: "initialize first, or name a version in params._meta",
			Data: g.supported(nil),
		}
	}
	return Request{Era: era.EraLegacy}, nil
}

var methodNotFound = &host.RPCError{Code: host.MethodNotFound, Message: "method not found"}

// supported is the data of an answer that refuses a version.
func (g *gate) supported(requested *string) json.RawMessage {
	return encode(struct {
		Supported []string `json:"supported"`
		Requested *string  `json:"requested,omitempty"`
	}{g.all, requested})
}

// render lets an answer out.
func (g *gate) render(method string, e era.Era, result json.RawMessage) (json.RawMessage, error) {
	var rendered []byte
	var err error
	switch {
	case e == era.EraModern:
		rendered, err = era.AppendModernResult(nil, result, g.server.info)
		if err == nil && cacheable[method] && era.TypeOf(rendered) == era.ResultComplete {
			rendered, err = appendLifetime(rendered)
		}
	case era.TypeOf(result) == era.ResultInputRequired:
		err = errors.New("a legacy client cannot be asked by a result; ask it through RequestFrom")
	default:
		rendered, err = era.AppendLegacyResult(nil, result)
	}
	if err != nil {
		return nil, fmt.Errorf("mcp: the result of %q cannot be sent: %w", method, err)
	}
	return rendered, nil
}

// initialize opens the legacy session. Nothing that the client sends behind it is dispatched before
// its answer is out (SCHED-6).
func (g *gate) initialize(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	handshake, ok := era.ReadHandshake(params)
	if !ok {
		return nil, &host.RPCError{Code: host.InvalidParams, Message: "params.protocolVersion is missing or misshapen"}
	}
	agreed := &Request{
		Era: era.EraLegacy, Version: handshake.Version,
		Client: handshake.Info, Capabilities: handshake.Capabilities,
	}
	if !g.legacy.CompareAndSwap(nil, agreed) {
		return nil, &host.RPCError{Code: host.InvalidRequest, Message: "already initialized"}
	}
	if err := host.PeerFrom(ctx).SetVersion(handshake.Version); err != nil {
		return nil, err
	}
	return encode(struct {
		ProtocolVersion string          `json:"protocolVersion"`
		Capabilities    json.RawMessage `json:"capabilities"`
		ServerInfo      json.RawMessage `json:"serverInfo"`
		Instructions    string          `json:"instructions,omitempty"`
	}{handshake.Version, g.server.capabilities(era.EraLegacy), g.server.info, g.server.Instructions}), nil
}

// discover tells a modern client everything that a handshake tells a legacy one.
func (g *gate) discover(context.Context, json.RawMessage) (json.RawMessage, error) {
	return encode(struct {
		SupportedVersions []string        `json:"supportedVersions"`
		Capabilities      json.RawMessage `json:"capabilities"`
		Instructions      string          `json:"instructions,omitempty"`
		TTLMs             int             `json:"ttlMs"`
		CacheScope        string          `json:"cacheScope"`
	}{g.all, g.server.capabilities(era.EraModern), g.server.Instructions, 0, "private"}), nil
}

func pong(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }

// encode renders what is made of strings and valid JSON only.
func encode(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic("mcp: invariant: an answer of our own is JSON")
	}
	return text
}
