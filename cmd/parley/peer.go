package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/internal/jsonls"
)

type peerCmd struct {
	LSP peerLSPCmd `cmd:"" name:"lsp" help:"A language server for JSON: diagnostics, hover, symbols, formatting."`
	MCP peerMCPCmd `cmd:"" name:"mcp" help:"An MCP server of both eras: tools echo and add."`
}

// peerLSPCmd is "parley peer lsp". It takes the process's own stdin and stdout, because it has to
// move them out of the way of stray prints (FRAME-8).
type peerLSPCmd struct{}

// Run serves until the client is gone. The exit code is LSP's: 0 after shutdown, else 1, whatever
// went wrong (STOP-9).
func (peerLSPCmd) Run(ctx context.Context, e *env) error {
	transport, err := host.Stdio()
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	code, err := jsonls.Serve(ctx, transport, logger)
	if err != nil {
		fmt.Fprintln(e.stderr, "parley: "+errorLine(ctx, err))
	}
	if code != 0 {
		return codeError(code)
	}
	return nil
}
