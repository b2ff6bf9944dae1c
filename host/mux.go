package host

import (
	"context"
	"encoding/json"

	"github.com/parley-rpc/parley/core"
)

// Mux is a table of methods and their handlers. Fill it, then make sessions with it: any number,
// at once. Registering the same method twice, or after the first session was made, panics.
type Mux struct{}

// NewMux returns an empty table.
func NewMux() *Mux { return &Mux{} }

// Handle registers fn for requests. Its context ends when the peer cancels the request and when
// the session ends; PeerFrom finds the session in it. Parameters that do not fit P are answered
// -32602. An *RPCError is sent with its code and data, any other error and a panic as -32603 with
// the details in the log alone (REQ-5). mode ModeDefault is ModeRead (SCHED-1).
func Handle[P, R any](mux *Mux, method string, mode core.Mode, fn func(ctx context.Context, params P) (R, error)) {
}

// HandleNotification registers fn for notifications. An error goes to the log. mode ModeDefault
// is ModeOrder (SCHED-1).
func HandleNotification[P any](mux *Mux, method string, mode core.Mode, fn func(ctx context.Context, params P) error) {
}

// HandleRaw is Handle with JSON text: params is nil where the peer sent none, a nil result is null.
func (m *Mux) HandleRaw(method string, mode core.Mode, fn func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)) {
}

// HandleNotificationRaw is HandleNotification with JSON text.
func (m *Mux) HandleNotificationRaw(method string, mode core.Mode, fn func(ctx context.Context, params json.RawMessage) error) {
}

// Methods lists the registered methods, sorted.
func (m *Mux) Methods() []core.Method { return nil }

// PeerFrom returns the session that a handler runs for; nil outside handlers.
func PeerFrom(ctx context.Context) *Peer { return nil }
