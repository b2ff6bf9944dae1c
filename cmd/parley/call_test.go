package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
)

func call(t *testing.T, peer string, args ...string) outcome {
	t.Helper()
	return inProcess(t, `{"from":"stdin"}`, append(append([]string{"call"}, args...), peerCommand(peer)...)...)
}

func (o outcome) wantResult(t *testing.T, want string) {
	t.Helper()
	if o.code != exitOK || o.stdout != want+"\n" || o.stderr != "" {
		t.Errorf("exit code %d, stdout %q, stderr %q, want %q", o.code, o.stdout, o.stderr, want)
	}
}

func TestCallPrintsTheResultByteForByte(t *testing.T) {
	file := filepath.Join(t.TempDir(), "params.json")
	if err := os.WriteFile(file, []byte("[9007199254740993,\n 1.0e+2, \"<\\u00e9>\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	call(t, "lsp", "echo", "@"+file).wantResult(t, `[9007199254740993,1.0e+2,"<\u00e9>"]`)
	call(t, "lsp", "echo", "-").wantResult(t, `{"from":"stdin"}`)
	call(t, "lsp", "echo").wantResult(t, `null`)
}

func TestCallOnEveryFramingAndEngine(t *testing.T) {
	for _, test := range []struct {
		peer string
		args []string
	}{
		{"plain", []string{"--profile", "plain"}},
		{"plain", []string{"--profile", "plain", "--framing", "line"}},
		{"plain-header", []string{"--profile", "plain", "--framing", "header"}},
		{"plain-length4", []string{"--profile", "plain", "--framing", "length4"}},
		{"lsp", []string{"--engine", "wazero"}},
		{"2025-11-25", []string{"--profile", "mcp", "--engine", "wazero"}},
	} {
		t.Run(test.peer+strings.Join(test.args, " "), func(t *testing.T) {
			call(t, test.peer, append([]string{"echo", `{"a":[1]}`}, test.args...)...).wantResult(t, `{"a":[1]}`)
		})
	}
}

// Every request that a server may send is answered, and nothing is claimed beyond these.
func TestCallAnswersTheServer(t *testing.T) {
	// This peer asks also for what was not offered: its profile knows no capabilities.
	call(
		t, "plain-header", "ask", `[
		{"method":"workspace/configuration","params":{"items":[{"section":"a"},{"section":"b"}]}},
		{"method":"workspace/configuration","params":{"items":3}},
		{"method":"client/registerCapability","params":{"registrations":[]}},
		{"method":"client/unregisterCapability","params":{"unregisterations":[]}},
		{"method":"window/workDoneProgress/create","params":{"token":1}},
		{"method":"workspace/applyEdit","params":{}}]`,
	).wantResult(t, `[[null,null],-32602,null,null,null,-32601]`)
	call(t, "2025-11-25", "ask", `[{"method":"roots/list"},{"method":"ping"},{"method":"other"}]`, "--profile", "mcp").
		wantResult(t, `[{"roots":[]},{},-32601]`)
	call(t, "plain", "ask", `[{"method":"ping"},{"method":"other"}]`, "--profile", "plain").
		wantResult(t, `[{},-32601]`)
}

func TestHandshakes(t *testing.T) {
	got := call(t, "lsp", "client")
	var client struct {
		ProcessID    int                       `json:"processId"`
		RootURI      string                    `json:"rootUri"`
		Capabilities map[string]map[string]any `json:"capabilities"`
	}
	if err := json.Unmarshal([]byte(got.stdout), &client); err != nil {
		t.Fatal(err, got)
	}
	if client.ProcessID != os.Getpid() || client.RootURI != "file:///work%20space" {
		t.Errorf("initialize said %+v", client)
	}
	for _, claim := range []string{"workspace.configuration", "window.workDoneProgress"} {
		group, name, _ := strings.Cut(claim, ".")
		if client.Capabilities[group][name] != true {
			t.Errorf("%s is served and not claimed", claim)
		}
	}
	call(t, "lsp", "client", "--no-handshake").wantLine(t, exitAnswer, "-32002")

	got = call(t, "2025-11-25", "client", "--profile", "mcp")
	if !strings.Contains(got.stdout, `"protocolVersion":"2025-11-25"`) {
		t.Errorf("MCP initialize said %s", got.stdout)
	}
	call(t, "2025-03-26", "echo", "[]", "--profile", "mcp").wantResult(t, "[]")
	call(t, "1999-01-01", "echo", "[]", "--profile", "mcp").wantLine(t, exitProtocol, `"1999-01-01"`)
}

func TestErrorAnswers(t *testing.T) {
	got := call(t, "lsp", "fail")
	got.wantLine(t, exitAnswer, "-32042")
	if got.stdout != "" || strings.Contains(got.stderr, "\x1b") {
		t.Errorf("stdout %q, stderr %q", got.stdout, got.stderr)
	}
	call(t, "lsp", "nothing").wantLine(t, exitAnswer, "-32601")
}

func TestCallDocument(t *testing.T) {
	var d callDocument
	got := call(t, "lsp", "echo", `["<>",9007199254740993]`, "--json")
	if err := json.Unmarshal([]byte(got.stdout), &d); err != nil || got.code != exitOK {
		t.Fatal(err, got)
	}
	if string(d.Result) != `["<>",9007199254740993]` || d.Error != nil || d.ExitCode != 0 || d.Method != "echo" || d.Engine != "native" {
		t.Errorf("document %s", got.stdout)
	}
	// initialize, initialized, echo, shutdown, exit; three answers
	if d.Counters.FramesOut != 5 || d.Counters.FramesIn != 3 || d.Counters.Calls != 3 || d.Timings.TotalMs <= 0 {
		t.Errorf("counters %+v, timings %+v", d.Counters, d.Timings)
	}
	// BACK-5: every counter of the core, under a name of its own.
	var raw struct{ Counters map[string]uint64 }
	if err := json.Unmarshal([]byte(got.stdout), &raw); err != nil || len(raw.Counters) != reflect.TypeFor[core.Stats]().NumField() {
		t.Errorf("counters %v, %v", raw.Counters, err)
	}

	d = callDocument{}
	got = call(t, "lsp", "fail", "--json")
	got.wantLine(t, exitAnswer, "-32042")
	if err := json.Unmarshal([]byte(got.stdout), &d); err != nil {
		t.Fatal(err, got)
	}
	if d.ExitCode != exitAnswer || d.Result != nil || d.Error == nil || *d.Error.Code != -32042 || string(d.Error.Data) != `{"why":[1,2]}` {
		t.Errorf("document %s", got.stdout)
	}
}
