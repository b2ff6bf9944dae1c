package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
	"github.com/parley-rpc/parley/host/mcp"
)

// callCmd is "parley call".
type callCmd struct {
	Method    string        `arg:"" help:"Method to call."`
	Params    string        `arg:"" optional:"" help:"JSON object or array, @FILE, or - for stdin. Left out: no params."`
	Profile   string        `enum:"lsp,mcp,plain" default:"lsp" help:"Protocol of the command: ${enum}."`
	Framing   string        `enum:",header,line,length4" default:"" help:"Framing: header, line or length4. Only with --profile plain, where line is the default."`
	Engine    string        `enum:"native,wazero" default:"native" help:"Where the protocol runs: ${enum} (in a sandbox)."`
	MCPEra    string        `name:"mcp-era" default:"auto" help:"Era of an MCP server: auto (found out by asking), legacy (no question), or one version to insist on."`
	Timeout   time.Duration `default:"30s" help:"Bound of start, handshake and call together."`
	Handshake bool          `default:"true" negatable:"" help:"Do the profile's handshake first. Without it, call initialize yourself."`
	JSON      bool          `name:"json" help:"Print one document: result or error, timings, counters."`

	wasiFlags `embed:"" group:"Sandbox, for a server that nobody trusts."`
}

// Help is the part of the help below the flags' summary.
func (callCmd) Help() string {
	return `The command stands behind --, untouched. The result is printed as one line of JSON. The command and everything it started
are ended when parley ends.

With --profile mcp an answer that asks for input is a result too: call again with inputResponses and its requestState in
the params. A server that does not answer what it does not know is waited for 15 s, unless --mcp-era says legacy.

Examples:

  parley call textDocument/hover @hover.json -- gopls
  parley call tools/list --profile mcp -- my-mcp-server --stdio
  parley call tools/list --profile mcp --mcp-era 2026-07-28 -- my-mcp-server
  parley call sum '[1,2]' --profile plain --framing line -- ./calculator
  parley call tools/list --profile mcp --wasi server.wasm --dir ./data:/data:ro -- --stdio`
}

// leaveBounds are how long a command may take to go: one Grace for its goodbye, one to leave once
// its stdin is closed, then signals.
var leaveBounds = child.Bounds{Grace: time.Second, Terminate: time.Second}

// framings are the values of --framing, each with its own bound of a frame.
var framings = map[string]struct {
	framing       core.Framing
	frameBytesMax int
}{
	"header":  {core.FramingHeader, 16 * core.MiB},
	"line":    {core.FramingLine, 64 * core.MiB},
	"length4": {core.FramingLength4, 4 * core.MiB},
}

// Run starts the command, calls it and ends it.
func (c *callCmd) Run(ctx context.Context, e *env, server serverCommand) error {
	server, err := c.wasiFlags.command(e, server)
	if err != nil {
		return err
	}
	if err := c.validate(server); err != nil {
		return err
	}
	var params json.RawMessage
	err = interruptible(ctx, func() (err error) {
		params, err = readParams(c.Params, e)
		return err
	})
	if err != nil {
		return err
	}
	document := newCallDocument(c, server)
	result, err := c.converse(ctx, e, server, params, document)
	if c.JSON {
		document.finish(ctx, result, err)
		return errors.Join(err, writeJSON(e.stdout, document))
	}
	if err != nil {
		return err
	}
	return writeLine(e.stdout, result)
}

func (c *callCmd) validate(server serverCommand) error {
	switch {
	case len(server) == 0:
		return usageError{"nothing to start: put the command and its arguments behind --"}
	case c.Method == "":
		return usageError{"METHOD is empty"}
	case c.Timeout <= 0:
		return usageError{fmt.Sprintf("--timeout is %v, want more than 0", c.Timeout)}
	case c.Framing != "" && c.Profile != "plain":
		return usageError{"--framing goes with --profile plain only: " + c.Profile + " has its own"}
	case c.MCPEra != eraAuto && (c.Profile != "mcp" || !c.Handshake):
		return usageError{"--mcp-era goes with --profile mcp and its handshake only"}
	}
	return checkEra(c.MCPEra)
}

func (c *callCmd) options(e *env) host.Options {
	dialect := dialects[c.Profile]
	options := dialect.options
	if c.Framing != "" {
		chosen := framings[c.Framing]
		options.Config.Framing = chosen.framing
		options.Config.Limits.FrameBytesMax = chosen.frameBytesMax
	}
	options.Clock = e.clock
	return options
}

// ours are the requests of a session that only its client makes.
func (c *callCmd) ours() []string {
	if c.Method == "initialize" {
		return []string{c.Method}
	}
	return []string{c.Method, "initialize"}
}

// session is what a call is made on: a *child.Peer, or an *mcp.Session over one.
type session interface {
	host.Caller
	Stats() core.Stats
	Close() error
}

// converse is the life of the command: start, handshake, call, goodbye. Whatever happens, nothing
// of the command is left when it returns.
func (c *callCmd) converse(ctx context.Context, e *env, server serverCommand, params json.RawMessage, d *callDocument) (result json.RawMessage, err error) {
	watch := startWatch(e.clock)
	defer func() { d.Timings.TotalMs = watch.totalMs() }()
	bounded, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()

	options := c.options(e)
	engine, closeEngine, err := openEngine(ctx, c.Engine)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeEngine()) }()
	options.Engine = engine
	command := exec.Command(server[0], server[1:]...)
	open := c.open
	if c.Profile == "mcp" && c.Handshake {
		open = c.openMCP
	}
	var own mirror
	s, err := open(bounded, e, command, options, &own, d, watch)
	if err != nil {
		return nil, own.explain(err)
	}
	defer func() {
		closeErr := s.Close()
		d.Counters = host.Counters(s.Stats())
		if err == nil && closeErr != nil {
			fmt.Fprintln(e.stderr, "parley: the command did not leave in order: "+oneLine(strings.TrimPrefix(closeErr.Error(), "parley: ")))
		}
	}()
	result, err = s.CallRaw(bounded, c.Method, params)
	d.Timings.CallMs = watch.lapMs()
	var asks *mcp.InputRequired
	if errors.As(err, &asks) {
		return asks.Result, nil
	}
	return result, own.explain(err)
}

// open starts the command and shakes hands as its profile does. What fails leaves nothing behind.
func (c *callCmd) open(ctx context.Context, e *env, command *exec.Cmd, options host.Options, own *mirror, d *callDocument, watch *stopwatch) (session, error) {
	dialect := dialects[c.Profile]
	options.Mux = dialect.mux()
	own.listen(options.Mux, &dialect, c.ours()...)
	p, err := child.Start(ctx, command, options, child.WithBounds(leaveBounds))
	if err != nil {
		return nil, err
	}
	d.Timings.StartMs = watch.lapMs()
	if !c.Handshake || dialect.greet == nil {
		return p, nil
	}
	if err := dialect.greet(ctx, p, e); err != nil {
		// Why there was no handshake is err; how the command left changes nothing about it.
		_ = p.Close()
		d.Counters = host.Counters(p.Stats())
		return nil, err
	}
	d.Timings.HandshakeMs = watch.lapMs()
	return p, nil
}

// writeLine prints JSON text as one line; tokens stay byte for byte.
func writeLine(w io.Writer, text json.RawMessage) error {
	var line bytes.Buffer
	if err := json.Compact(&line, text); err != nil {
		return err
	}
	line.WriteByte('\n')
	_, err := w.Write(line.Bytes())
	return err
}
