package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/internal/diagnose"
)

type probeCmd struct {
	trialFlags `embed:""`
	JSON       bool `name:"json" help:"Print one document."`
}

// Help is the part of the help below the flags' summary.
func (probeCmd) Help() string {
	return `Starts the command, shakes hands (LSP: initialize; MCP: the era is found out), asks what no server knows, and says
goodbye. Prints who the server says it is, what it can do, how long each took, and what was odd about it. A server that does
not connect is a case for parley doctor.

Examples:

  parley probe -- gopls
  parley probe --profile mcp -- my-mcp-server
  parley probe --json -- gopls | jq .capabilities.hoverProvider`
}

// trialDocument is one start of a server, as probe --json and doctor --json print it. Names are stable.
type trialDocument struct {
	Command []string `json:"command"`
	Profile string   `json:"profile"`
	// MCPVersion is what was agreed on with an MCP server.
	MCPVersion   string             `json:"mcpVersion,omitempty"`
	Server       json.RawMessage    `json:"server,omitempty"`
	Capabilities json.RawMessage    `json:"capabilities,omitempty"`
	ExitCode     int                `json:"exitCode"` // of parley: why there was no handshake
	Error        string             `json:"error,omitempty"`
	Odd          []diagnose.Finding `json:"odd,omitempty"`
	Left         string             `json:"left,omitempty"` // how the process ended
	StderrBytes  int                `json:"stderrBytes"`    // of the end that is kept, 64 KiB
	StdoutBytes  int64              `json:"stdoutBytes"`
	Timings      diagnose.Timings   `json:"timings"`
	Counters     host.Counters      `json:"counters"`
}

func newTrialDocument(ctx context.Context, t *diagnose.Trial) trialDocument {
	d := trialDocument{
		Command: t.Command, Profile: string(t.Protocol), MCPVersion: t.Version, Left: t.Left,
		StderrBytes: len(t.Stderr), StdoutBytes: t.BytesTotal, Timings: t.Timings, Counters: host.Counters(t.Stats),
	}
	d.Server, d.Capabilities = introduction(t)
	if t.Err != nil {
		d.ExitCode, d.Error = exitCode(ctx, disagreement(t.Err)), errorLine(ctx, t.Err)
	}
	return d
}

// introduction is what the server said of itself.
func introduction(t *diagnose.Trial) (server, capabilities json.RawMessage) {
	var result struct {
		ServerInfo   json.RawMessage `json:"serverInfo"`
		Capabilities json.RawMessage `json:"capabilities"`
		Meta         struct {
			ServerInfo json.RawMessage `json:"io.modelcontextprotocol/serverInfo"`
		} `json:"_meta"`
	}
	// What is no such object has no name; Judge says that.
	_ = json.Unmarshal(t.Result, &result)
	if result.ServerInfo == nil {
		result.ServerInfo = result.Meta.ServerInfo
	}
	return result.ServerInfo, result.Capabilities
}

// nameOf is the server's name and version, or its program where it has none.
func nameOf(t *diagnose.Trial) string {
	server, _ := introduction(t)
	var named struct{ Name, Version string }
	if json.Unmarshal(server, &named) != nil || named.Name == "" {
		return oneLine(t.Command[0])
	}
	name := word(named.Name)
	if version := word(named.Version); version == named.Version { // some have a document there
		name += " " + version
	}
	return oneLine(name)
}

// word is the beginning of a name, up to its first space.
func word(name string) string {
	const runesMax = 40
	name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
	if runes := []rune(name); len(runes) > runesMax {
		return string(runes[:runesMax]) + "…"
	}
	return name
}

// Run tries the command once.
func (c *probeCmd) Run(ctx context.Context, e *env, server serverCommand) error {
	client, err := c.client(e, server)
	if err != nil {
		return err
	}
	t := client.Try(ctx, server, diagnose.Protocol(c.Profile))
	document := newTrialDocument(ctx, t)
	if t.Err == nil {
		document.Odd = client.Judge(t)
	}
	if c.JSON {
		err = writeJSON(e.stdout, document)
	} else if t.Err == nil {
		err = c.print(e, t, &document)
	}
	return firstError(disagreement(t.Err), err)
}

func (c *probeCmd) print(e *env, t *diagnose.Trial, d *trialDocument) error {
	out := bufio.NewWriter(e.stdout) // it keeps its error for Flush
	line := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%-13s %s\n", name, oneLine(fmt.Sprintf(format, args...)))
	}
	protocol := strings.ToUpper(d.Profile)
	line("server", "%s", nameOf(t))
	line("protocol", "%s", strings.TrimSpace(protocol+" "+d.MCPVersion))
	var capabilities map[string]json.RawMessage
	// Judge says where they are no object.
	_ = json.Unmarshal(d.Capabilities, &capabilities)
	line("capabilities", "%d: %s", len(capabilities), strings.Join(slices.Sorted(maps.Keys(capabilities)), ", "))
	line("handshake", "%s, the process after %s, its first byte after %s",
		duration(d.Timings.HandshakeMs), duration(d.Timings.StartMs), duration(d.Timings.FirstByteMs))
	line("round trip", "%s", duration(d.Timings.RoundTripMs))
	line("said", "%d bytes on stdout in %d messages, %d bytes on stderr", d.StdoutBytes, d.Counters.FramesIn, d.StderrBytes)
	line("left", "in %s: %s", duration(d.Timings.LeaveMs), d.Left)
	for _, odd := range d.Odd {
		line("odd", "%s: %s", odd.ID, odd.Evidence)
	}
	return out.Flush()
}
