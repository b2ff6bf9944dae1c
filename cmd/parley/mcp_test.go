package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/mcp"
)

// toolServer is the command line of "parley peer mcp".
func toolServer() []string { return []string{"--", binary, "peer", "mcp"} }

// callMCP calls a server of MCP and returns what --json says of it.
func callMCP(t *testing.T, server []string, args ...string) (outcome, callDocument) {
	t.Helper()
	got := inProcess(t, "", append(append([]string{"call", "--profile", "mcp", "--json"}, args...), server...)...)
	var d callDocument
	if err := json.Unmarshal([]byte(got.stdout), &d); err != nil {
		t.Fatal(err, got)
	}
	return got, d
}

func TestCallAgreesOnAnEra(t *testing.T) {
	for _, test := range []struct {
		says    string
		server  []string
		args    []string
		version string
	}{
		{"modern where the server is", toolServer(), nil, "2026-07-28"},
		{"legacy where the server is", peerCommand("2025-06-18"), nil, "2025-06-18"},
		{"legacy without asking", toolServer(), []string{"--mcp-era", "legacy"}, "2025-11-25"},
		{"one modern version", toolServer(), []string{"--mcp-era", "2026-07-28"}, "2026-07-28"},
		{"one legacy version", toolServer(), []string{"--mcp-era", "2025-03-26"}, "2025-03-26"},
	} {
		for _, engine := range []string{engineNative, engineWazero} {
			t.Run(test.says+", "+engine, func(t *testing.T) {
				method := "tools/list"
				if test.server[1] == "env" {
					method = "echo"
				}
				got, d := callMCP(t, test.server, append([]string{method, "--engine", engine}, test.args...)...)
				if got.code != exitOK || got.stderr != "" || d.MCPVersion != test.version || d.Error != nil {
					t.Errorf("exit code %d, stderr %q, document %s", got.code, got.stderr, got.stdout)
				}
			})
		}
	}
}

func TestCallAgreesOnNoEra(t *testing.T) {
	got, d := callMCP(t, peerCommand("2025-11-25"), "echo", "--mcp-era", "2026-07-28")
	got.wantLine(t, exitAnswer, "server/discover")
	if d.Error == nil || d.Error.Code == nil || *d.Error.Code != core.CodeMethodNotFound || d.Counters.FramesOut == 0 {
		t.Errorf("document %s", got.stdout)
	}
	got, _ = callMCP(t, peerCommand("2025-11-25"), "echo", "--mcp-era", "2024-11-05")
	got.wantLine(t, exitProtocol, `the server speaks "2025-11-25", this client "2024-11-05"`)
}

// An answer that asks back is shown: it says what the next call has to bring.
func TestCallShowsWhatAnAnswerAsksFor(t *testing.T) {
	got := inProcess(t, "", append([]string{"call", "ask", "--profile", "mcp"}, peerCommand(peerAsks)...)...)
	got.wantResult(t, `{"inputRequests":{},"requestState":"s","resultType":"input_required","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"t","version":"1"}}}`)
}

// serveAsks is a modern server that answers with a question.
func serveAsks() int {
	s := mcp.NewServer("t", "1")
	mcp.Handle(s, "ask", core.ModeDefault, func(context.Context, struct{}) (json.RawMessage, error) {
		return json.RawMessage(`{"inputRequests":{},"requestState":"s","resultType":"input_required"}`), nil
	})
	transport, err := host.Stdio()
	if err == nil {
		err = mcp.Serve(context.Background(), transport, s, host.MCPServer)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestPeerMCPTools(t *testing.T) {
	for _, test := range []struct{ params, result string }{
		{`{"name":"echo","arguments":{"text":"grüße"}}`, `{"content":[{"type":"text","text":"grüße"}]}`},
		{`{"name":"add","arguments":{"a":9007199254740992,"b":1}}`, `{"content":[{"type":"text","text":"9007199254740993"}]}`},
		{`{"name":"add","arguments":{"a":-9223372036854775808,"b":-1}}`, `{"content":[{"type":"text","text":"the sum has more than 64 bits"}],"isError":true}`},
		{`{"name":"add","arguments":{"a":"x"}}`, `{"content":[{"type":"text","text":"json: cannot unmarshal string into Go struct field .a of type int64"}],"isError":true}`},
	} {
		args := append([]string{"call", "tools/call", test.params, "--profile", "mcp", "--mcp-era", "legacy"}, toolServer()...)
		inProcess(t, "", args...).wantResult(t, test.result)
	}
	args := append([]string{"call", "tools/call", `{"name":"\u001b"}`, "--profile", "mcp"}, toolServer()...)
	inProcess(t, "", args...).wantLine(t, exitAnswer, "-32602")
}
