// Command sdkclient is a client on the Go MCP SDK: it starts the server named by its arguments,
// calls the tool echo and prints what it saw as one line of JSON.
//
//	sdkclient VERSION COMMAND [ARGUMENT...]
//
// VERSION is the protocol version to prefer.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// seen is what the client learned of the server.
type seen struct {
	Version string   `json:"version"`
	Server  string   `json:"server"`
	Tools   []string `json:"tools"`
	Echo    string   `json:"echo"`
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: sdkclient VERSION COMMAND [ARGUMENT...]")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "sdkclient:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, version string, server []string) (err error) {
	command := exec.Command(server[0], server[1:]...)
	command.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "sdkclient", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return err
	}
	result, err := look(ctx, session)
	if closeErr := session.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

func look(ctx context.Context, session *mcp.ClientSession) (*seen, error) {
	initialized := session.InitializeResult()
	s := &seen{Version: initialized.ProtocolVersion, Server: initialized.ServerInfo.Name}
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, tool := range list.Tools {
		s.Tools = append(s.Tools, tool.Name)
	}
	answer, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]string{"text": "grüße"}})
	if err != nil {
		return nil, err
	}
	text, ok := answer.Content[0].(*mcp.TextContent)
	if !ok || answer.IsError {
		return nil, fmt.Errorf("echo answered %+v", answer)
	}
	s.Echo = text.Text
	return s, nil
}
