package e2e

import (
	"context"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/internal/testneeds"
)

const mcpVersion = "2025-11-25"

func TestMCPServerEverything(t *testing.T) {
	server := serverEverything(t)
	eachEngine(t, func(t *testing.T, engine host.Engine) answers {
		return askEverything(t, exec.Command(server.Path, server.Args[1:]...), engine)
	})
}

// serverEverything is the MCP project's own test server.
func serverEverything(t *testing.T) *exec.Cmd {
	t.Helper()
	server := installed(t, "node_modules/@modelcontextprotocol/server-everything/dist/index.js")
	return exec.Command(node(t), server, "stdio")
}

func node(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		testneeds.Missing(t, "node is missing; install Node.js 20 or newer")
	}
	return path
}

func askEverything(t *testing.T, cmd *exec.Cmd, engine host.Engine) answers {
	// The server asks for the roots once it is told that there are any, and does not leave at the
	// end of its stdin before it has the answer.
	rootsAsked := make(chan struct{})
	tellAsked := sync.OnceFunc(func() { close(rootsAsked) })
	mux := host.NewMux()
	host.Handle(mux, "roots/list", core.ModeRead, func(context.Context, any) (map[string]any, error) {
		tellAsked()
		return map[string]any{"roots": []any{map[string]string{"uri": "file:///workspace", "name": "workspace"}}}, nil
	})
	options := host.MCP
	options.Engine, options.Mux = engine, mux
	p := start(t, cmd, options)

	got := answers{}
	got["initialize"] = call(t, p, "initialize", map[string]any{
		"protocolVersion": mcpVersion,
		"capabilities":    map[string]any{"roots": struct{}{}},
		"clientInfo":      map[string]any{"name": "parley-e2e", "version": "0"},
	})
	initialized := decode[struct{ ProtocolVersion string }](t, got["initialize"])
	if initialized.ProtocolVersion != mcpVersion {
		t.Errorf("version %q, want %q", initialized.ProtocolVersion, mcpVersion)
	}
	notify(t, p, "notifications/initialized", nil)
	select {
	case <-rootsAsked:
	case <-p.Done():
		t.Fatalf("the server left: %v", p.Err())
	}

	got["tools/list"] = call(t, p, "tools/list", nil)
	type tool struct{ Name string }
	tools := decode[struct{ Tools []tool }](t, got["tools/list"]).Tools
	for _, name := range []string{"echo", "get-sum"} {
		if !slices.Contains(tools, tool{name}) {
			t.Errorf("tools %v, want %s among them", tools, name)
		}
	}
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"echo", map[string]any{"message": "grüße\n\u2028 🙂"}, "Echo: grüße\n\u2028 🙂"},
		{"get-sum", map[string]any{"a": 2, "b": 40}, "The sum of 2 and 40 is 42."},
	} {
		answer := call(t, p, "tools/call", map[string]any{"name": c.tool, "arguments": c.arguments})
		got["tools/call "+c.tool] = answer
		type text struct{ Text string }
		content := decode[struct{ Content []text }](t, answer).Content
		if !slices.Equal(content, []text{{c.want}}) {
			t.Errorf("%s said %q, want %q", c.tool, content, c.want)
		}
	}
	return got
}
