package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// callDocument is what call --json prints. Names are stable.
type callDocument struct {
	Method  string   `json:"method"`
	Command []string `json:"command"`
	Profile string   `json:"profile"`
	Engine  string   `json:"engine"`
	// MCPVersion is what was agreed on with an MCP server.
	MCPVersion string `json:"mcpVersion,omitempty"`

	ExitCode int             `json:"exitCode"`
	Result   json.RawMessage `json:"result,omitempty"`
	Error    *errorDocument  `json:"error,omitempty"`
	Timings  timings         `json:"timings"`
	Counters host.Counters   `json:"counters"`
}

// errorDocument is an error; code and data are the peer's own.
type errorDocument struct {
	Message string          `json:"message"`
	Code    *core.Code      `json:"code,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// timings are in milliseconds. What was not reached is 0.
type timings struct {
	StartMs     float64 `json:"startMs"`
	HandshakeMs float64 `json:"handshakeMs"`
	CallMs      float64 `json:"callMs"`
	TotalMs     float64 `json:"totalMs"`
}

func newCallDocument(c *callCmd, server serverCommand) *callDocument {
	return &callDocument{Method: c.Method, Command: server, Profile: c.Profile, Engine: c.Engine}
}

func (d *callDocument) finish(ctx context.Context, result json.RawMessage, err error) {
	if err == nil {
		d.Result = result
		return
	}
	d.ExitCode = exitCode(ctx, err)
	d.Error = &errorDocument{Message: errorLine(ctx, err)}
	var answer *host.RPCError
	if errors.As(err, &answer) {
		d.Error.Code, d.Error.Data = &answer.Code, answer.Data
	}
}

// writeJSON prints one document in one line, with < > & as they are.
func writeJSON(w io.Writer, document any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(document)
}

// stopwatch measures on the command's clock.
type stopwatch struct {
	clock      host.Clock
	begun, lap core.Time
}

func startWatch(clock host.Clock) *stopwatch {
	now := clock.Now()
	return &stopwatch{clock: clock, begun: now, lap: now}
}

// lapMs returns the milliseconds since the lap before.
func (s *stopwatch) lapMs() float64 {
	now := s.clock.Now()
	ms := float64(now-s.lap) / float64(core.Millisecond)
	s.lap = now
	return ms
}

func (s *stopwatch) totalMs() float64 {
	return float64(s.clock.Now()-s.begun) / float64(core.Millisecond)
}
