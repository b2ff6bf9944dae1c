package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
)

// callCmd is "parley call".
type callCmd struct {
	Method    string        `arg:"" help:"Method to call."`
	Params    string        `arg:"" optional:"" help:"JSON object or array, @FILE, or - for stdin. Left out: no params."`
	Profile   string        `enum:"lsp,mcp,plain" default:"lsp" help:"Protocol of the command: ${enum}."`
	Framing   string        `enum:",header,line,length4" default:"" help:"Framing: header, line or length4. Only with --profile plain, where line is the default."`
	Engine    string        `enum:"native,wazero" default:"native" help:"Where the protocol runs: ${enum} (in a sandbox)."`
	Timeout   time.Duration `default:"30s" help:"Bound of start, handshake and call together."`
	Handshake bool          `default:"true" negatable:"" help:"Do the profile's handshake first."`
	JSON      bool          `name:"json" help:"Print one document: result or error, timings, counters."`
}

// Help is the part of the help below the flags' summary.
func (callCmd) Help() string {
	return `The command stands behind --, untouched:

  parley call textDocument/hover @hover.json -- gopls
  parley call tools/list --profile mcp -- my-mcp-server --stdio
  parley call sum '[1,2]' --profile plain --framing line -- ./calculator

The result is printed as one line of JSON. The command and everything it started are ended when parley ends.`
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
	if err := c.validate(server); err != nil {
		return err
	}
	params, err := readParams(c.Params, e)
	if err != nil {
		return err
	}
	document := newCallDocument(c, server)
	result, err := c.session(ctx, e, server, params, document)
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
	}
	return nil
}

func (c *callCmd) options(e *env) host.Options {
	dialect := dialects[c.Profile]
	options := dialect.options
	if c.Framing != "" {
		chosen := framings[c.Framing]
		options.Config.Framing = chosen.framing
		options.Config.Limits.FrameBytesMax = chosen.frameBytesMax
	}
	options.Mux = dialect.mux()
	options.Clock = e.clock
	return options
}

// session is the life of the command: start, handshake, call, goodbye. Whatever happens, nothing
// of the command is left when it returns.
func (c *callCmd) session(ctx context.Context, e *env, server serverCommand, params json.RawMessage, d *callDocument) (result json.RawMessage, err error) {
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
	p, err := child.Start(bounded, command, options, child.WithBounds(leaveBounds))
	if err != nil {
		return nil, err
	}
	defer func() {
		closeErr := p.Close()
		d.Counters = newCounters(p.Stats())
		if err == nil && closeErr != nil {
			fmt.Fprintln(e.stderr, "parley: the command did not leave in order: "+oneLine(closeErr.Error()))
		}
	}()
	d.Timings.StartMs = watch.lapMs()

	if greet := dialects[c.Profile].greet; c.Handshake && greet != nil {
		if err := greet(bounded, p, e); err != nil {
			return nil, err
		}
		d.Timings.HandshakeMs = watch.lapMs()
	}
	result, err = p.CallRaw(bounded, c.Method, params)
	d.Timings.CallMs = watch.lapMs()
	return result, err
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
