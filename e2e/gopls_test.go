package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// The conversation is about a file of this repository, and a type of another package in it. The
// file's package has few dependencies: gopls analyses all of them before it answers shutdown.
const (
	openedFile  = "../wasm/abi/records.go"
	definedFile = "../core/limits.go"
	symbolUse   = "core.Limits)"
	symbolHome  = "type Limits struct"
)

func TestGopls(t *testing.T) {
	gopls := installed(t, "../build/bin/gopls")
	env := goplsEnv(t)
	eachEngine(t, func(t *testing.T, engine host.Engine) answers {
		cmd := exec.Command(gopls)
		cmd.Env = env
		return askGopls(t, cmd, engine)
	})
}

func askGopls(t *testing.T, cmd *exec.Cmd, engine host.Engine) answers {
	path, text := sourceFile(t, openedFile)
	options := host.LSP
	options.Engine, options.Mux = engine, editor()
	p := start(t, cmd, options)

	folder := map[string]any{"uri": fileURI(filepath.Dir(path)), "name": "abi"}
	initialized := decode[struct {
		ServerInfo struct{ Name string }
	}](t, call(t, p, "initialize", map[string]any{
		"processId":        os.Getpid(),
		"rootUri":          folder["uri"],
		"workspaceFolders": []any{folder},
		"capabilities": map[string]any{
			"workspace": map[string]any{"configuration": true, "workspaceFolders": true},
			"window":    map[string]any{"workDoneProgress": true},
			"textDocument": map[string]any{
				"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": true},
			},
		},
	}))
	if initialized.ServerInfo.Name != "gopls" {
		t.Errorf("the server is %q", initialized.ServerInfo.Name)
	}
	notify(t, p, "initialized", struct{}{})
	document := map[string]any{"uri": fileURI(path)}
	notify(t, p, "textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": document["uri"], "languageId": "go", "version": 1, "text": string(text),
	}})
	symbol := positionOf(t, text, symbolUse)
	symbol.Character += len("core.")
	use := map[string]any{"textDocument": document, "position": symbol}
	got := answers{}
	for method, params := range map[string]any{
		"textDocument/hover":          use,
		"textDocument/definition":     use,
		"textDocument/documentSymbol": map[string]any{"textDocument": document},
	} {
		got[method] = call(t, p, method, params)
	}
	checkGopls(t, got)
	return got
}

func checkGopls(t *testing.T, got answers) {
	t.Helper()
	hover := decode[struct{ Contents struct{ Value string } }](t, got["textDocument/hover"])
	if !strings.Contains(hover.Contents.Value, symbolHome) {
		t.Errorf("hover %q", hover.Contents.Value)
	}

	definedPath, definedText := sourceFile(t, definedFile)
	want := positionOf(t, definedText, symbolHome)
	want.Character += len("type ")
	type location struct {
		URI   string
		Range struct{ Start position }
	}
	definition := decode[[]location](t, got["textDocument/definition"])
	if len(definition) != 1 || definition[0].URI != fileURI(definedPath) || definition[0].Range.Start != want {
		t.Errorf("definition %+v, want %s at %+v", definition, definedPath, want)
	}

	type named struct{ Name string }
	symbols := decode[[]named](t, got["textDocument/documentSymbol"])
	for _, name := range []string{"Span", "LimitFields"} {
		if !slices.Contains(symbols, named{name}) {
			t.Errorf("symbols %v, want %s among them", symbols, name)
		}
	}
}

// editor answers what gopls asks of its client. What it tells, nobody needs here.
func editor() *host.Mux {
	type configuration struct{ Items []json.RawMessage }
	mux := host.NewMux()
	host.Handle(mux, "workspace/configuration", core.ModeRead,
		func(_ context.Context, asked configuration) ([]any, error) {
			return make([]any, len(asked.Items)), nil // null: the default of each
		})
	for _, method := range []string{"window/workDoneProgress/create", "client/registerCapability"} {
		mux.HandleRaw(method, core.ModeRead, func(context.Context, json.RawMessage) (json.RawMessage, error) {
			return nil, nil
		})
	}
	return mux
}

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"` // in ASCII lines, bytes
}

func positionOf(t *testing.T, text []byte, what string) position {
	t.Helper()
	offset := bytes.Index(text, []byte(what))
	if offset < 0 {
		t.Fatalf("%q is not in the file", what)
	}
	before := text[:offset]
	return position{
		Line:      bytes.Count(before, []byte("\n")),
		Character: offset - bytes.LastIndexByte(before, '\n') - 1,
	}
}

func fileURI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// goplsEnv keeps gopls away from the home directory, and its telemetry off: that would start a
// process in a group of its own, which outlives everybody. What one gopls has found out about packages
// is there for the next.
func goplsEnv(t *testing.T) []string {
	t.Helper()
	home := t.TempDir()
	config := filepath.Join(home, "config")
	for _, dir := range []string{config, filepath.Join(home, "Library", "Application Support")} { // the second is Darwin's
		telemetry := filepath.Join(dir, "go", "telemetry")
		if err := os.MkdirAll(telemetry, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(telemetry, "mode"), []byte("off"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := filepath.Abs("../build/gopls")
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(),
		"HOME="+home, "XDG_CONFIG_HOME="+config, "XDG_CACHE_HOME="+filepath.Join(home, "cache"), "GOPLSCACHE="+found,
		"GOTOOLCHAIN=local", "GOPROXY=off", "GOFLAGS=-mod=readonly")
	// What the go command has stored stays where it is.
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(value)))
	}
	return env
}
