package lsp_test

import (
	"context"
	"fmt"
	"io"

	"github.com/parley-rpc/parley/docs/example/lsp"
	"github.com/parley-rpc/parley/host"
)

// The server and the client at the two ends of a pair of pipes.
func Example() {
	ctx := context.Background()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- lsp.Serve(ctx, host.Pipes(fromClient, toClient)) }()

	if err := lsp.Ask(ctx, host.Pipes(fromServer, toServer), "to be or not to be"); err != nil {
		fmt.Println("client:", err)
	}
	if err := <-served; err != nil {
		fmt.Println("server:", err)
	}
	// Unordered output:
	// log: opened file:///a.txt
	// hover: 6 words
}
