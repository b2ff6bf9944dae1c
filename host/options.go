package host

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/parley-rpc/parley/core"
)

// Engine makes the machine of one session: Native, or one that runs in a sandbox. It refuses what
// it cannot hold: a *core.ConfigError, or an error that matches ErrUnsupported.
type Engine func(cfg core.Config) (Machine, error)

// Options is everything a session is told when it is made. Start from a preset (LSP, MCP, Plain
// or their servers) and change fields of the copy.
type Options struct {
	// Config is the protocol: profile, role, framing, limits, times. New sets Inbound and Methods
	// from Mux, and a random Seed where none is given.
	Config core.Config
	// Engine runs the machine; nil is Native.
	Engine Engine
	// Mux serves the peer's requests and notifications. With nil they wait, bounded by
	// Config.Limits.MessagesMax, for Messages (BACK-1).
	Mux *Mux
	// Codec turns values into JSON and back (API-5); zero is encoding/json.
	Codec Codec
	// Logger receives what the session observes and what handlers must not tell the peer
	// (REQ-5); nil discards it.
	Logger *slog.Logger
	// Observe receives the session's observations in order, from one goroutine, never under a
	// lock. When it falls more than 256 behind, observations are lost and counted (API-9).
	Observe func(Observation)
	// Explain says, once the session has ended, what became of the peer: program, exit status,
	// tail of its stderr. It becomes the Detail of the SessionError, escaped and cut. Its context
	// ends after 500 ms, and so does the waiting for it (STOP-4).
	Explain func(ctx context.Context) string
	// Started is told of the session before New returns it: the way to a session whose maker is
	// a function that serves until its end. The session runs already; nil tells nobody.
	Started func(p *Peer)
	// Clock is the session's time; nil is SystemClock.
	Clock Clock
}

// Presets: the defaults of each profile in the role of client and server. They are values to copy.
var (
	LSP         = Options{Config: core.Defaults(core.ProfileLSP, core.RoleClient)}
	LSPServer   = Options{Config: core.Defaults(core.ProfileLSP, core.RoleServer)}
	MCP         = Options{Config: core.Defaults(core.ProfileMCP, core.RoleClient)}
	MCPServer   = Options{Config: core.Defaults(core.ProfileMCP, core.RoleServer)}
	Plain       = Options{Config: core.Defaults(core.ProfilePlain, core.RoleClient)}
	PlainServer = Options{Config: core.Defaults(core.ProfilePlain, core.RoleServer)}
)

// Codec turns values into JSON text and back. Both functions are called without a lock, from many
// goroutines at once.
type Codec struct {
	Marshal   func(v any) ([]byte, error)
	Unmarshal func(data []byte, v any) error
}

func (c Codec) orDefault() Codec {
	if c.Marshal == nil {
		c.Marshal = json.Marshal
	}
	if c.Unmarshal == nil {
		c.Unmarshal = json.Unmarshal
	}
	return c
}

// Observation is one fact that is nobody's outcome: a line that is no message, an error response
// for nobody, a message that the MCP era does not allow, a stalled peer, the end. The kinds are
// core.EventInvalid, EventNoise, EventPeerError, EventResync, EventDropped, EventStalled,
// EventEnding and EventClosed; which fields are set stands beside each kind. It owns its memory.
type Observation struct {
	Kind    core.EventKind
	Reason  core.Reason
	Invalid core.Invalid
	Hint    core.Hint
	Code    core.Code
	Method  string
	Offset  uint64 // bytes from the start of the stream
	Count   uint64
	Text    string // a message, or a sample of the peer's bytes; escape it before showing it
}
