package pipehost_test

import (
	"errors"
	"io"
	"testing"

	"github.com/parley-rpc/parley/docs/example/lsp"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/pipehost"
	"github.com/parley-rpc/parley/internal/transcript"
)

// A session runs on an engine behind pipes as on any other, and a command that dies ends it: what
// waits is told, and closing returns.
func TestPeerBehindPipes(t *testing.T) {
	started, err := pipehost.Start(process(t))
	if err != nil {
		t.Fatal(err)
	}
	defer started.Close()
	for name, e := range map[string]*pipehost.Engine{"goroutine": inProcess(t, transcript.Serve), "process": started} {
		t.Run(name, func(t *testing.T) {
			fromClient, toServer := io.Pipe()
			fromServer, toClient := io.Pipe()
			served := make(chan error, 1)
			go func() { served <- lsp.Serve(t.Context(), host.Pipes(fromClient, toClient)) }()
			options := host.LSP
			options.Engine = e.Machine
			p, err := host.New(host.Pipes(fromServer, toServer), options)
			if err != nil {
				t.Fatal(err)
			}
			for range 20 {
				_, err := host.Call[any](t.Context(), p, "textDocument/hover", map[string]any{})
				rpc := new(host.RPCError)
				if !errors.As(err, &rpc) {
					t.Fatal(err)
				}
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			if _, err := host.Call[any](t.Context(), p, "late", nil); !errors.Is(err, host.ErrClosed) {
				t.Error(err)
			}
			<-p.Done()
			if err := p.Close(); !errors.Is(err, pipehost.ErrEngineClosed) {
				t.Errorf("the session ended with %v", err)
			}
			<-served // its client is gone; whether that was in order is the server's to say
		})
	}
}
