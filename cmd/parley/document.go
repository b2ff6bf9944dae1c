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
	Counters counters        `json:"counters"`
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

// counters are the session's.
type counters struct {
	BytesIn       uint64 `json:"bytesIn"`
	BytesOut      uint64 `json:"bytesOut"`
	MessagesIn    uint64 `json:"messagesIn"`
	MessagesOut   uint64 `json:"messagesOut"`
	Calls         uint64 `json:"calls"`
	Requests      uint64 `json:"requests"`
	Notifications uint64 `json:"notifications"`
	Dropped       uint64 `json:"dropped"` // notifications that nobody here takes
	Invalid       uint64 `json:"invalid"`
	Noise         uint64 `json:"noise"`
}

func newCounters(s core.Stats) counters {
	return counters{
		BytesIn: s.BytesIn, BytesOut: s.BytesOut,
		MessagesIn: s.FramesIn, MessagesOut: s.FramesOut,
		Calls: s.Calls, Requests: s.Requests, Notifications: s.Notifications,
		Dropped: s.Dropped, Invalid: s.Invalid, Noise: s.Noise,
	}
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
