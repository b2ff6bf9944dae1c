package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/mcp"
)

// calculator is a server with one tool.
func calculator() *mcp.Server {
	server := mcp.NewServer("calculator", "1.0")
	mcp.Handle(server, "tools/list", core.ModeRead, func(context.Context, struct{}) (json.RawMessage, error) {
		return json.RawMessage(`{"tools":[{"name":"add","inputSchema":{"type":"object"}}]}`), nil
	})
	mcp.Handle(server, "tools/call", core.ModeRead, func(_ context.Context, params addition) (answer, error) {
		if params.Name != "add" {
			return answer{}, &host.RPCError{Code: host.InvalidParams, Message: "no such tool"}
		}
		sum := params.Arguments.A + params.Arguments.B
		return answer{[]text{{"text", fmt.Sprint(sum)}}}, nil
	})
	return server
}

type addition struct {
	Name      string
	Arguments struct{ A, B int }
}

type answer struct {
	Content []text `json:"content"`
}

type text struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// A server of both eras. It would serve host.Stdio(); here its client says one line, in the modern
// era.
func ExampleServe() {
	client := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` +
		`"name":"add","arguments":{"a":2,"b":3},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n")
	transport := host.Pipes(io.NopCloser(client), printer{os.Stdout})
	if err := mcp.Serve(context.Background(), transport, calculator(), host.MCPServer); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"5"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"calculator","version":"1.0"}}}}
}

// printer is the end of a pipe that cannot be closed.
type printer struct{ io.Writer }

func (printer) Close() error { return nil }
