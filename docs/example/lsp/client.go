package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// Ask opens a text in a server and prints what it says of it. child.Start does so with a program.
func Ask(ctx context.Context, transport *host.Transport, text string) error {
	options := host.LSP
	options.Mux = host.NewMux()
	host.HandleNotification(options.Mux, "window/logMessage", core.ModeOrder, func(_ context.Context, p messageParams) error {
		fmt.Println("log:", p.Message)
		return nil
	})
	server, err := host.New(transport, options)
	if err != nil {
		return err
	}
	defer server.Close()
	if _, err := server.CallRaw(ctx, "initialize", json.RawMessage(`{"processId":null,"rootUri":null,"capabilities":{}}`)); err != nil {
		return err
	}
	const uri = "file:///a.txt"
	if err := server.Notify(ctx, "textDocument/didOpen", openParams{textDocument{URI: uri, Text: text}}); err != nil {
		return err
	}
	answer, err := host.Call[hover](ctx, server, "textDocument/hover", hoverParams{TextDocument: textDocument{URI: uri}})
	if err != nil {
		return err
	}
	fmt.Println("hover:", answer.Contents)
	_, err = server.CallRaw(ctx, "shutdown", nil)
	return errors.Join(err, server.Notify(ctx, "exit", nil))
}
