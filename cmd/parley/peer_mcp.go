package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/mcp"
)

// peerMCPCmd is "parley peer mcp": a server to try a client on, in either era.
type peerMCPCmd struct{}

// Help is the part of the help below the flags' summary.
func (peerMCPCmd) Help() string {
	return `It answers initialize and server/discover, so that clients of either era find it. Its faults are the flags of parley peer.

Examples:

  parley peer mcp
  parley call tools/call '{"name":"add","arguments":{"a":1,"b":2}}' --profile mcp -- parley peer mcp
  parley call tools/list --profile mcp --timeout 2s -- parley peer mcp --never-answer`
}

// Run serves until the client is gone.
func (peerMCPCmd) Run(ctx context.Context, e *env, peer *peerCmd) error {
	options, closeControl, err := peer.options(e, host.MCPServer, "parley peer mcp")
	if err != nil {
		return err
	}
	defer closeControl()
	transport, err := peer.transport(e, options.Config)
	if err != nil {
		return err
	}
	return mcp.Serve(ctx, transport, newToolServer(), options)
}

// tool is one that a model may call.
type tool struct {
	name        string
	description string
	inputSchema string // JSON
	use         func(arguments json.RawMessage) (string, error)
}

var tools = []tool{
	{
		name: "echo", description: "Says the text back.", use: echo,
		inputSchema: `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`,
	},
	{
		name: "add", description: "Adds two integers.", use: add,
		inputSchema: `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}`,
	},
}

func echo(arguments json.RawMessage) (string, error) {
	var a struct {
		Text string `json:"text"`
	}
	err := json.Unmarshal(arguments, &a)
	return a.Text, err
}

func add(arguments json.RawMessage) (string, error) {
	var a struct {
		A int64 `json:"a"`
		B int64 `json:"b"`
	}
	if err := json.Unmarshal(arguments, &a); err != nil {
		return "", err
	}
	sum := a.A + a.B
	if sum < a.A != (a.B < 0) {
		return "", errors.New("the sum has more than 64 bits")
	}
	return strconv.FormatInt(sum, 10), nil
}

func newToolServer() *mcp.Server {
	s := mcp.NewServer("parley", buildInfo().Version)
	mcp.Handle(s, "tools/list", core.ModeRead, listTools)
	mcp.Handle(s, "tools/call", core.ModeRead, callTool)
	return s
}

type toolParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// toolResult says with IsError that the tool failed: that is for the model to read.
type toolResult struct {
	Content []textContent `json:"content"`
	IsError bool          `json:"isError,omitempty"`
}

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func listTools(context.Context, struct{}) (any, error) {
	listed := make([]object, 0, len(tools))
	for _, t := range tools {
		listed = append(listed, object{
			"name": t.name, "description": t.description, "inputSchema": json.RawMessage(t.inputSchema),
		})
	}
	return object{"tools": listed}, nil
}

func callTool(_ context.Context, p toolParams) (toolResult, error) {
	i := slices.IndexFunc(tools, func(t tool) bool { return t.name == p.Name })
	if i < 0 {
		return toolResult{}, &host.RPCError{Code: host.InvalidParams, Message: "unknown tool " + strconv.QuoteToASCII(p.Name)}
	}
	text, err := tools[i].use(p.Arguments)
	if err != nil {
		return toolResult{Content: []textContent{{"text", err.Error()}}, IsError: true}, nil
	}
	return toolResult{Content: []textContent{{"text", text}}}, nil
}
