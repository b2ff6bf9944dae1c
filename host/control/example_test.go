package control_test

import (
	"context"
	"log"

	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/control"
)

// A language server that can be looked into while it serves.
func Example() {
	ctx := context.Background()
	server, err := control.Listen(control.Options{Program: "myserver"})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()

	options := host.LSPServer
	options.Config.SessionID = server.NewSessionID()
	options.Started = func(p *host.Peer) {
		if err := server.Register(p, "editor"); err != nil {
			log.Print(err)
		}
	}
	transport, err := host.Stdio()
	if err != nil {
		log.Print(err)
		return
	}
	if err := host.Serve(ctx, transport, host.NewMux(), options); err != nil {
		log.Print(err)
	}
}
