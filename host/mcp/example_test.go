package mcp_test

import (
	"context"
	"fmt"
	"net"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/mcp"
)

type listResult struct {
	Tools []tool `json:"tools"`
}

type tool struct {
	Name        string         `json:"name"`
	InputSchema map[string]any `json:"inputSchema"`
}

type callParams struct {
	Name      string         `json:"name"`
	Arguments map[string]int `json:"arguments"`
}

type callResult struct {
	Content []text `json:"content"`
}

type text struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// A server with one tool, and a client of it. A program serves host.Stdio() instead of a pipe, and
// its client connects to mcp.Command.
func Example() {
	server := mcp.NewServer("calculator", "1.0")
	mcp.Handle(server, "tools/list", core.ModeDefault, func(context.Context, struct{}) (listResult, error) {
		return listResult{[]tool{{Name: "add", InputSchema: map[string]any{"type": "object"}}}}, nil
	})
	mcp.Handle(server, "tools/call", core.ModeDefault, func(_ context.Context, p callParams) (callResult, error) {
		if p.Name != "add" {
			return callResult{}, &host.RPCError{Code: host.InvalidParams, Message: "no such tool"}
		}
		sum := p.Arguments["a"] + p.Arguments["b"]
		return callResult{[]text{{"text", fmt.Sprint(sum)}}}, nil
	})

	ours, theirs := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- mcp.Serve(context.Background(), host.Duplex(theirs), server, host.MCPServer) }()

	session, err := mcp.Connect(context.Background(), mcp.Over(host.Duplex(ours), ""), mcp.NewOptions("example", "1.0"))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := host.Call[callResult](context.Background(), session, "tools/call", callParams{"add", map[string]int{"a": 2, "b": 3}})
	fmt.Println(session.Era(), session.Version(), result.Content, err)
	fmt.Println(session.Close(), <-ended)
	// Output:
	// modern 2026-07-28 [{text 5}] <nil>
	// <nil> <nil>
}
