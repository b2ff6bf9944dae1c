package mcp

import (
	"context"
	"encoding/json"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host"
)

// Implementation names a client or a server.
type Implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

// Options is everything Connect is told. Start from NewOptions and change fields.
type Options struct {
	// Client is who we say we are.
	Client Implementation
	// Capabilities is a JSON object, what the server may rely on; nil is {}.
	Capabilities json.RawMessage

	// Mode chooses the era; with era.ModePinned, Version is the one version spoken (ERA-10).
	Mode    era.Mode
	Version string

	// Eras is what is known of servers, shared between connects; nil is one for the whole process.
	// Only era.ModeAuto asks it, and only for a server with a key.
	Eras *Eras

	// Serve answers a request of a legacy server, in a goroutine of its own; ctx ends with the
	// session. With nil every request but ping is answered -32601. On a modern session there are no
	// requests (ERA-7).
	Serve func(ctx context.Context, m *host.Message)
	// Notified gets the server's notifications in order, from one goroutine; nil drops them. While
	// it is slow they wait, bounded by Host.Config.Limits.MessagesMax (BACK-1).
	Notified func(m *host.Message)

	// Host is the session's: engine, limits, codec, logger, clock. Its Mux stays nil.
	Host host.Options

	ProbeTimeout     time.Duration // budget of each probe; then the server is taken to be silent
	StartupAllowance time.Duration // more for the first probe of a server started for it
	ConnectTimeout   time.Duration // budget of Connect; then it fails with host.ErrTimeout
}

// NewOptions returns the defaults: mode auto, the budgets of ERA-1, the host's preset for MCP.
func NewOptions(name, version string) Options {
	negotiation := era.Defaults(era.Client{})
	return Options{
		Client:           Implementation{Name: name, Version: version},
		Host:             host.MCP,
		ProbeTimeout:     time.Duration(negotiation.ProbeNs),
		StartupAllowance: time.Duration(negotiation.StartupNs),
		ConnectTimeout:   time.Duration(negotiation.ConnectNs),
	}
}

// negotiation is the options as package era takes them; what is refused names its field.
func (o *Options) negotiation(known era.Era, spawned bool) (era.Config, error) {
	info, err := json.Marshal(o.Client)
	if err != nil {
		return era.Config{}, err
	}
	cfg := era.Config{
		Mode: o.Mode, Version: o.Version, Known: known, Spawned: spawned,
		Client:    era.Client{Info: info, Capabilities: o.Capabilities},
		ProbeNs:   core.Time(o.ProbeTimeout),
		StartupNs: core.Time(o.StartupAllowance),
		ConnectNs: core.Time(o.ConnectTimeout),
	}
	return cfg, cfg.Validate()
}
