// Command parley calls, serves and demonstrates JSON-RPC peers over pipes: language servers and
// MCP servers. See parley --help for its commands and exit codes.
package main

import (
	"context"
	"os"
	"syscall"
)

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	notifyOfSignals(signals)
	go func() {
		// Later signals change nothing: what is left then is ending the child, in bounded time.
		caught, _ := (<-signals).(syscall.Signal)
		cancel(signalError(caught))
	}()
	os.Exit(run(ctx, os.Args[1:], systemEnv()))
}
