package mcp_test

import (
	"context"
	"fmt"
	"net"

	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/mcp"
)

// A client finds out what the server speaks. A program starts its server with mcp.Command; here it
// is at the other end of a pipe.
func ExampleConnect() {
	ours, theirs := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- mcp.Serve(context.Background(), host.Duplex(theirs), calculator(), host.MCPServer) }()

	session, err := mcp.Connect(context.Background(), mcp.Over(host.Duplex(ours), ""), mcp.NewOptions("example", "1.0"))
	if err != nil {
		fmt.Println(err)
		return
	}
	params := map[string]any{"name": "add", "arguments": map[string]int{"a": 2, "b": 3}}
	result, err := host.Call[answer](context.Background(), session, "tools/call", params)
	fmt.Println(session.Era(), session.Version(), result.Content, err)
	fmt.Println(session.Close(), <-ended)
	// Output:
	// modern 2026-07-28 [{text 5}] <nil>
	// <nil> <nil>
}
