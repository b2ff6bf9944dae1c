// The example of README.md: asks a language server for its name.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
)

type initialized struct {
	ServerInfo struct{ Name, Version string }
}

func serverName(ctx context.Context, cmd *exec.Cmd) (string, error) {
	server, err := child.Start(ctx, cmd, host.LSP)
	if err != nil {
		return "", err
	}
	defer server.Close() // ends the session and the whole process tree
	params := map[string]any{"processId": os.Getpid(), "rootUri": nil, "capabilities": struct{}{}}
	result, err := host.Call[initialized](ctx, server, "initialize", params)
	return result.ServerInfo.Name, err
}

func main() {
	name, err := serverName(context.Background(), exec.Command("gopls"))
	fmt.Println(name, err)
}
