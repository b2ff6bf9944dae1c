package e2e

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"reflect"
	"testing"
	"time"
)

// Our server of both eras, and clients on two SDKs that each settle on an era in their own way.
func TestMCPServerServesSDKClients(t *testing.T) {
	typescript := func(t *testing.T) []string {
		installed(t, "node_modules/@modelcontextprotocol/client/package.json")
		return []string{node(t), "peers/sdkclient.mjs"}
	}
	golang := func(t *testing.T) []string { return []string{installed(t, "../build/bin/mcp-sdkclient")} }
	program := parley(t)
	for _, client := range []struct {
		name    string
		command func(t *testing.T) []string
		era     string // as the client is told
		version string
	}{
		{"TypeScript SDK 2, asking first", typescript, "auto", modernVersion},
		{"TypeScript SDK 2, legacy", typescript, "legacy", "2025-11-25"},
		{"TypeScript SDK 2, modern alone", typescript, modernVersion, modernVersion},
		{"Go SDK 1.8, modern", golang, modernVersion, modernVersion},
		{"Go SDK 1.8, legacy", golang, "2025-11-25", "2025-11-25"},
		{"Go SDK 1.8, the version with batches", golang, "2025-03-26", "2025-03-26"},
	} {
		t.Run(client.name, func(t *testing.T) {
			command := append(client.command(t), client.era, program, "peer", "mcp")
			type seen struct {
				Version, Server string
				Tools           []string
				Echo            string
			}
			got := decode[seen](t, output(t, exec.Command(command[0], command[1:]...)))
			want := seen{client.version, "parley", []string{"echo", "add"}, "grüße"}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestParleyCallsMCPServers(t *testing.T) {
	t.Parallel()
	program := parley(t)
	for _, server := range mcpServers {
		t.Run(server.name, func(t *testing.T) {
			cmd := server.command(t)
			for era, version := range map[string]string{"auto": server.auto, "legacy": server.legacy, server.auto: server.auto} {
				args := []string{"call", "tools/list", "--json", "--profile", "mcp", "--mcp-era", era, "--timeout", callMax.String(), "--"}
				call := exec.Command(program, append(args, cmd.Args...)...)
				call.Env, call.Dir = cmd.Env, cmd.Dir
				document := decode[struct {
					MCPVersion string
					Result     json.RawMessage
				}](t, output(t, call))
				if document.MCPVersion != version {
					t.Errorf("%s: agreed on %s, want %s", era, document.MCPVersion, version)
				}
				wantTool(t, document.Result, server.tool)
			}
		})
	}
}

// output runs a command, which must succeed in the time of a call, and returns what it printed.
func output(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := time.AfterFunc(callMax, func() { cmd.Process.Kill() })
	defer stop.Stop()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, stderr.Bytes())
	}
	return stdout.Bytes()
}
