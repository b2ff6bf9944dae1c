package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/internal/jsonls"
)

type peerCmd struct {
	faults       `embed:"" group:"Faults, to try a client on. The same seed makes the same choices."`
	controlFlags `embed:"" group:"Control connection, for parley sessions, requests, top and others."`

	Echo peerEchoCmd `cmd:"" help:"Answers each request with its params, and sends notifications back."`
	LSP  peerLSPCmd  `cmd:"" name:"lsp" help:"A language server for JSON: diagnostics, hover, completion, symbols, formatting."`
	MCP  peerMCPCmd  `cmd:"" name:"mcp" help:"An MCP server of both eras: tools echo and add."`
	Hold peerHoldCmd `cmd:"" hidden:"" help:"Hold what is inherited, and say nothing."`
}

// Help is the part of the help below the flags' summary.
func (peerCmd) Help() string {
	return `Give it to your client in the place of its server. Faults may be combined. Without any the peer behaves.

Examples:

  parley peer echo --out-of-order
  parley peer lsp --delay 50ms --split 10
  parley peer mcp --drop 0.1 --seed 7
  parley peer lsp --die-at-byte 400 --hold-stdout 1m`
}

// peerLSPCmd is "parley peer lsp".
type peerLSPCmd struct{}

// Help is the part of the help below the flags' summary.
func (peerLSPCmd) Help() string {
	return `It serves documents in JSON and knows their structure, not their meaning. Its faults are the flags of parley peer.

Examples:

  parley peer lsp
  parley peer lsp --wrong-length 0.05
  parley call textDocument/hover @hover.json -- parley peer lsp --junk 0.1

Exit codes:

  0    the client said shutdown before it left
  1    it did not, or the stream broke; 2 and above as parley --help lists them`
}

// Run serves until the client is gone. The exit code is LSP's: 0 after shutdown, else 1, whatever
// went wrong (STOP-9).
func (peerLSPCmd) Run(ctx context.Context, e *env, peer *peerCmd) error {
	options, closeControl, err := peer.options(e, host.LSPServer, "parley peer lsp")
	if err != nil {
		return err
	}
	defer closeControl()
	transport, err := peer.transport(e, options.Config)
	if err != nil {
		return err
	}
	code, err := jsonls.Serve(ctx, transport, options)
	if err != nil {
		fmt.Fprintln(e.stderr, "parley: "+errorLine(ctx, err))
	}
	if code != 0 {
		return codeError(code)
	}
	return nil
}

// options are those of a server, with a logger and a control connection, which is to be closed.
func (p *peerCmd) options(e *env, options host.Options, name string) (host.Options, func(), error) {
	options.Logger = peerLogger(e)
	server, err := p.controlFlags.open(e, name)
	if err != nil {
		return options, nil, err
	}
	return server.join(options, "stdio"), server.close, nil
}

func peerLogger(e *env) *slog.Logger {
	return slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// peerHoldCmd is the grandchild of --hold-stdout.
type peerHoldCmd struct {
	For time.Duration `arg:""`
}

// Run ends by itself, so that nothing stays for ever where the client ends no grandchildren.
func (c peerHoldCmd) Run(ctx context.Context) error {
	select {
	case <-time.After(c.For):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
