package host

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/parley-rpc/parley/core"
)

// Mux is a table of methods and their handlers. Fill it, then make sessions with it: any number,
// at once. Registering a method twice, with capabilities that contradict, or after the first session
// was made, panics.
type Mux struct {
	mu           sync.Mutex
	routes       map[string]*route
	capabilities map[string]any // of all routes, merged
	sealed       bool
}

// route is one method. serve gets nil params where the peer sent none.
type route struct {
	method       string
	mode         core.Mode
	notification bool
	supersede    []string
	capability   map[string]any
	runningMax   int // 0: no limit of its own
	serve        func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
}

// MethodOption is one optional part of registering a method.
type MethodOption func(*route)

// Supersede names the value under params, by at most core.SupersedePathMax member names, that makes
// two waiting requests of a method the same work: the newer one replaces the older, which is
// answered as REQ-7 says. Only requests of mode read have it; New refuses others (SCHED-8).
func Supersede(path ...string) MethodOption {
	return func(r *route) { r.supersede = path }
}

// RunningMax bounds how many handlers of a method run at once in one session. More wait for a turn
// or for their cancel, in no promised order; meanwhile they count towards Limits.RunningMax.
func RunningMax(count int) MethodOption {
	return func(r *route) { r.runningMax = count }
}

// NewMux returns an empty table.
func NewMux() *Mux {
	return &Mux{routes: map[string]*route{}, capabilities: map[string]any{}}
}

// Handle registers fn for requests. Its context ends when the peer cancels the request and when
// the session ends; PeerFrom finds the session in it. Parameters that do not fit P are answered
// -32602. An *RPCError is sent with its code and data; any other error, and a panic, as -32603 with
// the details in the log alone (REQ-5). mode ModeDefault is ModeRead (SCHED-1).
func Handle[P, R any](mux *Mux, method string, mode core.Mode, fn func(ctx context.Context, params P) (R, error), options ...MethodOption) {
	mux.HandleRaw(method, mode, func(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
		codec := PeerFrom(ctx).codec
		params, err := decodeParams[P](codec, raw)
		if err != nil {
			return nil, err
		}
		result, err := fn(ctx, params)
		if err != nil {
			return nil, err
		}
		return codec.Marshal(result)
	}, options...)
}

// HandleNotification registers fn for notifications. An error goes to the log. mode ModeDefault
// is ModeOrder (SCHED-1).
func HandleNotification[P any](mux *Mux, method string, mode core.Mode, fn func(ctx context.Context, params P) error, options ...MethodOption) {
	mux.HandleNotificationRaw(method, mode, func(ctx context.Context, raw json.RawMessage) error {
		params, err := decodeParams[P](PeerFrom(ctx).codec, raw)
		if err != nil {
			return err
		}
		return fn(ctx, params)
	}, options...)
}

// HandleRaw is Handle with JSON text: params is nil where the peer sent none, a nil result is null.
func (m *Mux) HandleRaw(method string, mode core.Mode, fn func(ctx context.Context, params json.RawMessage) (json.RawMessage, error), options ...MethodOption) {
	m.register(method, &route{mode: mode, serve: fn}, options)
}

// HandleNotificationRaw is HandleNotification with JSON text.
func (m *Mux) HandleNotificationRaw(method string, mode core.Mode, fn func(ctx context.Context, params json.RawMessage) error, options ...MethodOption) {
	m.register(method, &route{
		mode: mode, notification: true,
		serve: func(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
			return nil, fn(ctx, params)
		},
	}, options)
}

func (m *Mux) register(method string, r *route, options []MethodOption) {
	r.method = method
	for _, option := range options {
		option(r)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.sealed:
		panic(fmt.Sprintf("host: method %q is registered after a session was made with this Mux", method))
	case m.routes[method] != nil:
		panic(fmt.Sprintf("host: method %q is registered twice", method))
	}
	if conflict := merge(m.capabilities, r.capability); conflict != "" {
		panic(fmt.Sprintf("host: method %q declares another capability %s than an earlier one", method, conflict))
	}
	m.routes[method] = r
}

// Methods lists the registered methods, sorted by name.
func (m *Mux) Methods() []core.Method {
	m.mu.Lock()
	defer m.mu.Unlock()
	methods := make([]core.Method, 0, len(m.routes))
	for _, name := range slices.Sorted(maps.Keys(m.routes)) {
		r := m.routes[name]
		methods = append(methods, core.Method{Name: name, Mode: r.mode, Notification: r.notification, Supersede: r.supersede})
	}
	return methods
}

// seal ends registration: from now on routes are read without a lock.
func (m *Mux) seal() []core.Method {
	m.mu.Lock()
	m.sealed = true
	m.mu.Unlock()
	return m.Methods()
}

func decodeParams[P any](codec Codec, raw json.RawMessage) (P, error) {
	var params P
	if raw == nil {
		return params, nil
	}
	if err := codec.Unmarshal(raw, &params); err != nil {
		return params, &RPCError{Code: InvalidParams, Message: "invalid params: " + oneLine(err.Error())}
	}
	return params, nil
}

type peerKey struct{}

// PeerFrom returns the session that a handler runs for; nil outside handlers.
func PeerFrom(ctx context.Context) *Peer {
	p, _ := ctx.Value(peerKey{}).(*Peer)
	return p
}
