//go:build !wasip1

package main

// commands is the command line; kong reads the tags.
type commands struct {
	Bench      benchCmd      `cmd:"" help:"Measure how fast this machine frames and judges messages."`
	Call       callCmd       `cmd:"" help:"Start a command, send it one request and print the result."`
	Complete   completeCmd   `cmd:"" hidden:"" help:"Say how a command line may go on."`
	Completion completionCmd `cmd:"" help:"Print a script that completes command lines in your shell."`
	Demo       demoCmd       `cmd:"" help:"Hold a conversation with the built-in language server, on both engines."`
	Doctor     doctorCmd     `cmd:"" help:"Say why a command does not connect, and what to do about it."`
	Frame      frameCmd      `cmd:"" help:"A filter: put messages, one a line, into another framing."`
	Peer       peerCmd       `cmd:"" help:"Be a server on stdin and stdout."`
	Probe      probeCmd      `cmd:"" help:"Start a command, and say what it is, what it can do and what is odd about it."`
	Sandbox    sandboxCmd    `cmd:"" help:"Run a program compiled to WASI, with what it is granted and nothing else."`
	Serve      serveCmd      `cmd:"" help:"Serve a page, and a WebSocket to a language server or MCP server."`
	Unframe    unframeCmd    `cmd:"" help:"A filter: put framed messages on lines of their own."`
	Version    versionCmd    `cmd:"" help:"Print version, commit, Go and the hash of the embedded module."`

	captureCommands `embed:""`
	controlCommands `embed:""`
}
