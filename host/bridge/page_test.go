//go:build unix

package bridge

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm"
)

func TestPageHasAStrictPolicy(t *testing.T) {
	f := begin(t, Options{})
	status, text, header := f.ask("GET", "/?token=x", "")
	policy := header.Get("Content-Security-Policy")
	if status != 200 || !strings.Contains(text, "<html") || !strings.HasPrefix(header.Get("Content-Type"), "text/html") {
		t.Errorf("page: %d %v", status, header)
	}
	if !strings.Contains(policy, "script-src 'self' 'wasm-unsafe-eval';") || !strings.Contains(policy, "default-src 'self';") || strings.Contains(policy, "'unsafe-eval'") {
		t.Errorf("policy %s", policy)
	}
	if header.Get("Referrer-Policy") != "no-referrer" || header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers %v", header)
	}
	for _, path := range []string{"/assets/", "/assets/none.js", "/assets/..%2findex.html", "/index.html", "/page.go"} {
		if status, _, _ := f.ask("GET", path, ""); status != 404 {
			t.Errorf("%s: %d, want 404", path, status)
		}
	}
}

// A browser runs a script and applies a style of no other type, nosniff being set.
func TestPageFindsWhatItRefersTo(t *testing.T) {
	f := begin(t, Options{})
	_, page, _ := f.ask("GET", "/", "")
	types := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
	seen := map[string]bool{}
	for _, reference := range regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		address := reference[1]
		status, content, header := f.ask("GET", address, "")
		if want := types[path.Ext(address)]; status != 200 || content == "" || header.Get("Content-Type") != want {
			t.Errorf("%s: %d, %d bytes, %q, want type %q", address, status, len(content), header.Get("Content-Type"), want)
		}
		seen[path.Ext(address)] = true
	}
	if !seen[".js"] || !seen[".css"] {
		t.Errorf("the page refers to no script or no style:\n%s", page)
	}
}

func TestModuleComesCompressedAsAsked(t *testing.T) {
	f := begin(t, Options{})
	checked := map[string]bool{}
	for accepted, encoding := range map[string]string{
		"gzip, deflate, br, zstd": "br", "gzip": "gzip", "br;q=0, gzip;q=0.5": "gzip", "identity": "", "brr": "", "BR": "br",
	} {
		status, text, header := f.ask("GET", "/parley.wasm", "", "Accept-Encoding", accepted)
		if status != 200 || header.Get("Content-Encoding") != encoding || header.Get("Content-Type") != "application/wasm" {
			t.Errorf("%s: %d %v", accepted, status, header)
		}
		if !checked[encoding] && !bytes.Equal(decoded(t, encoding, text), wasm.Reactor) {
			t.Errorf("%s: not the module", accepted)
		}
		checked[encoding] = true
		if status, _, _ := f.ask("GET", "/parley.wasm", "", "Accept-Encoding", accepted, "If-None-Match", header.Get("ETag")); status != http.StatusNotModified {
			t.Errorf("%s: again: %d", accepted, status)
		}
	}
}

func decoded(t *testing.T, encoding, text string) []byte {
	t.Helper()
	var content io.Reader = strings.NewReader(text)
	var err error
	switch encoding {
	case "br":
		content = brotli.NewReader(content)
	case "gzip":
		if content, err = gzip.NewReader(content); err != nil {
			t.Fatal(err)
		}
	}
	got, err := io.ReadAll(content)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (f *fixture) health() (status int, document healthDocument) {
	f.t.Helper()
	status, text, _ := f.ask("GET", "/healthz", "")
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		f.t.Fatal(err)
	}
	return status, document
}

func TestHealthTellsTheTruth(t *testing.T) {
	f := begin(t, Options{Servers: []Server{
		scriptedServer("plain"), scriptedServer("mute"),
		{Name: "gone", Profile: core.ProfileMCP, Command: []string{"no-such-program-anywhere"}},
	}})
	p := f.dial("/ws/plain?token=the+token")
	p.call("echo", "[]")
	f.dial("/ws/mute?token=the+token").wantClosed(CloseServerExited, "exit status 4: \"no licence found\"")
	f.dial("/ws/gone?token=the+token").wantClosed(CloseServerNotStarted, "no-such-program-anywhere")
	p.conn.CloseNow()
	f.emptied()
	status, document := f.health()
	if status != http.StatusServiceUnavailable || document.OK || document.Sessions != 0 {
		t.Errorf("%d %+v", status, document)
	}
	for i, want := range []struct {
		ok      bool
		why     string
		started int
	}{{true, "", 1}, {false, "it ended before it said a word: exit status 4", 1}, {false, "not found", 0}} {
		if got := document.Servers[i]; got.OK != want.ok || !strings.Contains(got.Error, want.why) || got.Started != want.started {
			t.Errorf("%+v, want %+v", got, want)
		}
	}

	f = begin(t, Options{})
	if status, document := f.health(); status != 200 || !document.OK {
		t.Errorf("%d %+v", status, document)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if status, document := f.health(); status != http.StatusServiceUnavailable || document.OK {
		t.Errorf("after Close: %d %+v", status, document)
	}
}

func TestStderrOutlivesItsSession(t *testing.T) {
	f := begin(t, Options{})
	p := f.dial(wsPath, resumeProtocol)
	id := greetingOf(t, p.receive()).Session
	p.send(`{"jsonrpc":"2.0","id":2,"method":"die"}`)
	p.wantClosed(CloseServerExited, "because")
	f.emptied()
	status, text, header := f.ask("GET", "/sessions/"+id+"/stderr", "")
	if status != 200 || text != "because \x1b[31mof\x1b[0m reasons\n" || !strings.HasPrefix(header.Get("Content-Type"), "text/plain") {
		t.Errorf("%d %q %v", status, text, header)
	}
}

func TestConfigSaysWhatIsServed(t *testing.T) {
	root := t.TempDir()
	f := begin(t, Options{Root: root, Version: "v1"})
	_, text, _ := f.ask("GET", "/config.json", "")
	var got configDocument
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Servers) != 1 || got.Servers[0].Name != "plain" || got.Servers[0].Profile != "lsp" || got.Servers[0].Command[0] != os.Args[0] {
		t.Errorf("servers %+v", got.Servers)
	}
	if got.Root == nil || got.Root.URI != "file://"+root || got.Version != "v1" || got.Limits.MessageBytesMax != 16*core.MiB {
		t.Errorf("config %s", text)
	}
}
