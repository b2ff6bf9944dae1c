package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// Server is a table of methods that are served in both eras. Fill it, then Serve with it, on any
// number of transports at once; it is not changed afterwards. initialize, ping, server/discover and
// notifications/initialized are its own.
type Server struct {
	// Instructions tell a model how to use the server; empty: none.
	Instructions string

	info   json.RawMessage
	routes map[string]*route
}

type rawHandler func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)

type route struct {
	mode         core.Mode
	notification bool
	serve        rawHandler
}

// NewServer returns a server without methods.
func NewServer(name, version string) *Server {
	info, err := json.Marshal(Implementation{Name: name, Version: version})
	if err != nil {
		panic("mcp: invariant: two strings are JSON")
	}
	return &Server{info: info, routes: map[string]*route{}}
}

// Handle registers fn for requests, as host.Handle does. RequestFrom tells it what era it serves;
// what only that era knows is added to its result, or taken out of it (ERA-8). What a modern client
// could cache it is told not to, unless the result has ttlMs and cacheScope of its own. A result is
// an object, or null for an empty one. A method registered twice panics, and so does one of the
// server's own.
func Handle[P, R any](s *Server, method string, mode core.Mode, fn func(ctx context.Context, params P) (R, error)) {
	s.register(method, &route{mode: mode, serve: func(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
		params, err := decode[P](ctx, raw)
		if err != nil {
			return nil, err
		}
		result, err := fn(ctx, params)
		if err != nil {
			return nil, err
		}
		return host.PeerFrom(ctx).Codec().Marshal(result)
	}})
}

// HandleNotification registers fn for notifications, as host.HandleNotification does. They carry no
// version, so they are the same in both eras.
func HandleNotification[P any](s *Server, method string, mode core.Mode, fn func(ctx context.Context, params P) error) {
	s.register(method, &route{mode: mode, notification: true, serve: func(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
		params, err := decode[P](ctx, raw)
		if err != nil {
			return nil, err
		}
		return nil, fn(ctx, params)
	}})
}

// Serve answers one client until its session ends: what an MCP server's main does. Start options
// from host.MCPServer. It returns as host.Serve does.
func Serve(ctx context.Context, transport *host.Transport, s *Server, options host.Options) error {
	return host.Serve(ctx, transport, newGate(s).mux(), options)
}

var ownMethods = []string{"initialize", "ping", "server/discover", "notifications/initialized"}

func (s *Server) register(method string, r *route) {
	switch {
	case slices.Contains(ownMethods, method):
		panic(fmt.Sprintf("mcp: method %q is the server's own", method))
	case s.routes[method] != nil:
		panic(fmt.Sprintf("mcp: method %q is registered twice", method))
	}
	s.routes[method] = r
}

// methods lists the registered methods, sorted by name.
func (s *Server) methods() []string { return slices.Sorted(maps.Keys(s.routes)) }

func decode[P any](ctx context.Context, raw json.RawMessage) (P, error) {
	var params P
	if raw == nil {
		return params, nil
	}
	if err := host.PeerFrom(ctx).Codec().Unmarshal(raw, &params); err != nil {
		const shownMax = 256 // bytes of an error that may quote the peer
		text := err.Error()
		return params, &host.RPCError{Code: host.InvalidParams, Message: "invalid params: " + text[:min(len(text), shownMax)]}
	}
	return params, nil
}
