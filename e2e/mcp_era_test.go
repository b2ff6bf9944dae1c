package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
	"github.com/parley-rpc/parley/host/mcp"
)

const modernVersion = "2026-07-28"

// mcpServer is a server and what every client of it is to find.
type mcpServer struct {
	name    string
	command func(t *testing.T) *exec.Cmd
	auto    string  // the version agreed on where the server is asked first
	legacy  string  // and where it is not
	learnt  era.Era // by asking
	refusal core.Code
	tool    string // one that it has
}

var mcpServers = []mcpServer{
	{
		name: "TypeScript SDK 1", command: serverEverything,
		auto: "2025-11-25", legacy: "2025-11-25", learnt: era.EraLegacy, refusal: core.CodeMethodNotFound, tool: "echo",
	},
	{
		name: "gopls on Go SDK 1.6", command: goplsMCP,
		auto: "2025-11-25", legacy: "2025-11-25", learnt: era.EraUnknown, refusal: 0, tool: "go_workspace",
	},
	{
		name:    "Go SDK 1.8",
		command: func(t *testing.T) *exec.Cmd { return exec.Command(installed(t, "../build/bin/mcp-everything")) },
		auto:    modernVersion, legacy: "2025-11-25", learnt: era.EraModern, tool: "greet",
	},
	{
		name:    "parley",
		command: func(t *testing.T) *exec.Cmd { return exec.Command(parley(t), "peer", "mcp") },
		auto:    modernVersion, legacy: "2025-11-25", learnt: era.EraModern, tool: "add",
	},
}

func TestMCPClientAgreesOnAnEra(t *testing.T) {
	for _, server := range mcpServers {
		t.Run(server.name, func(t *testing.T) {
			cmd := server.command(t)
			eachEngine(t, func(t *testing.T, engine host.Engine) answers {
				got := answers{}
				got["auto"] = server.agreeByAsking(t, cmd, engine)
				got["legacy"] = server.agree(t, cmd, engine, era.ModeLegacy, "", server.legacy)
				got["pinned legacy"] = server.agree(t, cmd, engine, era.ModePinned, server.legacy, server.legacy)
				if server.learnt == era.EraModern {
					got["pinned modern"] = server.agree(t, cmd, engine, era.ModePinned, modernVersion, modernVersion)
				} else {
					server.disagree(t, cmd, engine)
				}
				return got
			})
		})
	}
}

// goplsMCP is the language server of Go as an MCP server, in a workspace of its own.
func goplsMCP(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(installed(t, "../build/bin/gopls"), "mcp")
	cmd.Env, cmd.Dir = goplsEnv(t), t.TempDir()
	return cmd
}

// agreeByAsking connects twice: the second time by what the first taught.
func (s mcpServer) agreeByAsking(t *testing.T, cmd *exec.Cmd, engine host.Engine) json.RawMessage {
	t.Helper()
	cache := mcp.NewCache(nil, 0)
	options := eraOptions(engine)
	options.Eras = mcp.NewEras(cache)
	tools := s.listTools(t, cmd, options, s.auto)
	if learnt := cache.Lookup(mcp.Command(cmd).Key); learnt != s.learnt {
		t.Errorf("learnt %v, want %v", learnt, s.learnt)
	}
	s.listTools(t, cmd, options, s.auto)
	return tools
}

func (s mcpServer) agree(t *testing.T, cmd *exec.Cmd, engine host.Engine, mode era.Mode, version, want string) json.RawMessage {
	t.Helper()
	options := eraOptions(engine)
	options.Mode, options.Version = mode, version
	return s.listTools(t, cmd, options, want)
}

// disagree insists on the modern era, which the server refuses in its own way.
func (s mcpServer) disagree(t *testing.T, cmd *exec.Cmd, engine host.Engine) {
	t.Helper()
	options := eraOptions(engine)
	options.Mode, options.Version = era.ModePinned, modernVersion
	endpoint, left := watched(cmd)
	session, err := mcp.Connect(t.Context(), endpoint, options)
	if err == nil {
		t.Errorf("agreed on %s", session.Version())
		session.Close()
	}
	var refusal *host.RPCError
	if !errors.As(err, &refusal) || refusal.Code != s.refusal {
		t.Errorf("got %v, want code %d", err, s.refusal)
	}
	left(t)
}

// listTools holds one session: what is agreed on, and one call in that era.
func (s mcpServer) listTools(t *testing.T, cmd *exec.Cmd, options mcp.Options, version string) json.RawMessage {
	t.Helper()
	endpoint, left := watched(cmd)
	session, err := mcp.Connect(t.Context(), endpoint, options)
	if err != nil {
		t.Fatal(err)
	}
	defer left(t)
	defer func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}()
	if session.Version() != version || session.Era() != era.Of(version) {
		t.Errorf("agreed on %v %s, want %s", session.Era(), session.Version(), version)
	}
	raw, err := session.CallRaw(t.Context(), "tools/list", nil, host.WithTimeout(callMax))
	if err != nil {
		t.Fatal(err)
	}
	wantTool(t, raw, s.tool)
	return raw
}

func wantTool(t *testing.T, list json.RawMessage, name string) {
	t.Helper()
	for _, tool := range decode[struct{ Tools []struct{ Name string } }](t, list).Tools {
		if tool.Name == name {
			return
		}
	}
	t.Errorf("no tool %s among %s", name, list)
}

// eraOptions are a client's that can do nothing: no server asks it anything.
func eraOptions(engine host.Engine) mcp.Options {
	options := mcp.NewOptions("parley-e2e", "0")
	options.Host.Engine = engine
	options.ProbeTimeout, options.ConnectTimeout = callMax, callMax
	return options
}

// watched is the endpoint of a command, and a check that its process left by itself, with status 0,
// and was started once.
func watched(cmd *exec.Cmd) (mcp.Endpoint, func(t *testing.T)) {
	endpoint := mcp.Command(cmd, child.WithBounds(child.Bounds{Grace: callMax}))
	open := endpoint.Open
	var processes []*child.Process
	endpoint.Open = func(ctx context.Context, options host.Options) (mcp.Conn, error) {
		conn, err := open(ctx, options)
		if peer, ok := conn.(*child.Peer); ok {
			processes = append(processes, peer.Process)
		}
		return conn, err
	}
	return endpoint, func(t *testing.T) {
		t.Helper()
		if len(processes) != 1 {
			t.Errorf("started %d times", len(processes))
		}
		for _, process := range processes {
			state, err := process.Wait(context.Background())
			if err != nil || state.String() != "exit status 0" {
				t.Errorf("the server ended with %v, %v; stderr: %q", state, err, process.Stderr.Bytes())
			}
		}
	}
}
