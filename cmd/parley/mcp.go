package main

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"time"

	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
	"github.com/parley-rpc/parley/host/mcp"
)

// Values of --mcp-era; every other is a version.
const (
	eraAuto   = "auto"
	eraLegacy = "legacy"
)

func checkEra(chosen string) error {
	if chosen == eraAuto || chosen == eraLegacy || era.Of(chosen) != era.EraUnknown {
		return nil
	}
	known := append(era.ModernVersions(), era.LegacyVersions()...)
	return usageError{"--mcp-era is " + chosen + ", want auto, legacy or one of " + strings.Join(known, ", ")}
}

// connectMax bounds the handshake where --timeout allows more: a day, well below what the
// negotiation can count.
const connectMax = 24 * time.Hour

// openMCP starts the command and agrees on an era with it (ERA-1, ERA-10). The command is started
// a second time where it cannot bear to be asked (ERA-5). What fails leaves nothing behind.
func (c *callCmd) openMCP(ctx context.Context, _ *env, command *exec.Cmd, options host.Options, own *mirror, d *callDocument, watch *stopwatch) (session, error) {
	client := mcp.NewOptions("parley", buildInfo().Version)
	client.Host = options
	client.Capabilities = json.RawMessage(`{"roots":{}}`)
	client.Serve = func(ctx context.Context, m *host.Message) {
		if m.Method == "initialize" {
			own.heard.Store(true)
		}
		serveMCP(ctx, m)
	}
	client.ConnectTimeout = min(c.Timeout, connectMax)
	switch c.MCPEra {
	case eraAuto:
	case eraLegacy:
		client.Mode = era.ModeLegacy
	default:
		client.Mode, client.Version = era.ModePinned, c.MCPEra
	}

	var started mcp.Conn // the last one
	endpoint := mcp.Command(command, child.WithBounds(leaveBounds))
	start := endpoint.Open
	endpoint.Open = func(ctx context.Context, options host.Options) (mcp.Conn, error) {
		conn, err := start(ctx, options)
		if err != nil {
			return nil, err
		}
		started = conn
		d.Timings.StartMs = watch.lapMs()
		return conn, nil
	}
	s, err := mcp.Connect(ctx, endpoint, client)
	if err != nil {
		if started != nil {
			d.Counters = host.Counters(started.Stats())
		}
		return nil, disagreement(err)
	}
	d.Timings.HandshakeMs = watch.lapMs()
	d.MCPVersion = s.Version()
	return s, nil
}

// disagreement names what breaks the profile's rules, so that it has its exit code.
func disagreement(err error) error {
	var failure *era.Failure
	if errors.As(err, &failure) && (failure.Kind == era.FailureVersions || failure.Kind == era.FailureMalformed) {
		return protocolError{err.Error()}
	}
	return err
}

// serveMCP answers what the profile's row in dialects serves and nothing else (REQ-5, REQ-8).
func serveMCP(ctx context.Context, m *host.Message) {
	answer, served := dialects["mcp"].answers[m.Method]
	if !served {
		// Where an answer cannot be sent the session has ended, which the call learns by itself.
		_ = m.Fail(ctx, host.MethodNotFound, "")
		return
	}
	result, err := answer(m.Params)
	if err != nil {
		_ = m.Fail(ctx, host.InvalidParams, err.Error())
		return
	}
	_ = m.ReplyRaw(ctx, result)
}
