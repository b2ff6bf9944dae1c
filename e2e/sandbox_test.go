//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A page's life with a language server that runs in a sandbox and was given nothing.
func TestServeSandboxedServer(t *testing.T) {
	t.Parallel()
	directory, err := filepath.Abs("../build/wasm") // where the code is kept for the next time
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(directory, "parley-e2e.wasm")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", module, "../cmd/parley")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	s := serveWith(t, append(os.Environ(), "XDG_CACHE_HOME="+directory), "--wasi", module, "--", "peer", "lsp")
	defer s.interrupt(t)
	p := s.dial(t)
	p.call(t, "initialize", map[string]any{"rootUri": nil, "capabilities": map[string]any{}})
	p.send(t, map[string]any{"method": "initialized", "params": map[string]any{}})
	document := map[string]any{"uri": "file:///a.json", "languageId": "json", "version": 1, "text": `{"answer":42}`}
	p.send(t, map[string]any{"method": "textDocument/didOpen", "params": map[string]any{"textDocument": document}})
	symbols := p.call(t, "textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": "file:///a.json"}})
	if !strings.Contains(string(symbols), `"answer"`) {
		t.Errorf("symbols %s, want answer among them", symbols)
	}
	p.call(t, "shutdown", nil)
}
