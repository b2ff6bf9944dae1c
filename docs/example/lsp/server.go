// Package lsp is a language server and a client of it, about forty lines each.
package lsp

import (
	"context"
	"fmt"
	"strings"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// Serve counts words until its client is gone. In a program of its own, transport is host.Stdio's.
func Serve(ctx context.Context, transport *host.Transport) error {
	mux, texts := host.NewMux(), map[string]string{}
	host.Handle(mux, "initialize", core.ModeRead, func(context.Context, any) (any, error) {
		return map[string]any{"capabilities": mux.Capabilities()}, nil // what is declared below
	})
	host.Handle(mux, "shutdown", core.ModeBypass, func(context.Context, any) (any, error) { return nil, nil })
	host.HandleDebugInfo(mux, nil)
	// Mode write waits for the reads before it and runs alone: texts needs no lock.
	host.HandleNotification(mux, "textDocument/didOpen", core.ModeWrite, func(ctx context.Context, p openParams) error {
		texts[p.TextDocument.URI] = p.TextDocument.Text
		return host.PeerFrom(ctx).Notify(ctx, "window/logMessage", messageParams{Type: 3, Message: "opened " + p.TextDocument.URI})
	}, host.Capability(`{"textDocumentSync":{"openClose":true}}`))
	host.Handle(mux, "textDocument/hover", core.ModeRead, func(_ context.Context, p hoverParams) (hover, error) {
		text, open := texts[p.TextDocument.URI]
		if !open {
			return hover{}, &host.RPCError{Code: host.InvalidParams, Message: "open the document first"}
		}
		return hover{Contents: fmt.Sprint(len(strings.Fields(text)), " words")}, nil
	}, host.Capability(`{"hoverProvider":true}`))
	return host.Serve(ctx, transport, mux, host.LSPServer)
}
