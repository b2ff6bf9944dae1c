package main

import (
	"encoding/json"
	"time"

	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/mcp"
	"github.com/parley-rpc/parley/internal/diagnose"
)

// trialFlags say how servers are tried by probe and doctor.
type trialFlags struct {
	Profile string        `enum:"lsp,mcp" default:"lsp" help:"Protocol of the command: ${enum}."`
	Timeout time.Duration `default:"15s" help:"How long the command may take, each time it is started, to answer the handshake."`
	Slow    time.Duration `default:"5s" help:"What is slow for that."`
	Leave   time.Duration `default:"5s" help:"How long it may take to leave once it is asked to; then it gets signals."`
}

// client is who tries them.
func (f *trialFlags) client(e *env, server serverCommand) (*diagnose.Client, error) {
	if len(server) == 0 {
		return nil, usageError{"nothing to start: put the command and its arguments behind --"}
	}
	for name, value := range map[string]time.Duration{"timeout": f.Timeout, "slow": f.Slow, "leave": f.Leave} {
		if value <= 0 {
			return nil, usageError{"--" + name + " is " + value.String() + ", want more than 0"}
		}
	}
	initialize, err := initializeParams(e)
	if err != nil {
		return nil, err
	}
	lsp := dialects["lsp"]
	options := lsp.options
	options.Mux = lsp.mux()
	modern := mcp.NewOptions("parley", buildInfo().Version)
	modern.Host = host.MCP
	modern.Capabilities = json.RawMessage(`{"roots":{}}`)
	modern.Serve = serveMCP
	return &diagnose.Client{
		LSP: options, Initialize: initialize, MCP: modern,
		Handshake: min(f.Timeout, connectMax), Slow: f.Slow, Leave: f.Leave,
	}, nil
}
