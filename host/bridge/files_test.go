//go:build unix

package bridge

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/parley-rpc/parley/core"
)

// ask sends one HTTP request with the token.
func (f *fixture) ask(method, path, body string, header ...string) (status int, text string, got http.Header) {
	f.t.Helper()
	request, err := http.NewRequestWithContext(f.t.Context(), method, f.web.URL+path, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+testToken)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := f.web.Client().Do(request)
	if err != nil {
		f.t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return response.StatusCode, string(content), response.Header
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func TestFilesAreReadAndSaved(t *testing.T) {
	root := t.TempDir()
	writeFile(t, filepath.Join(root, "sub", "a b.go"), "package a\n")
	f := begin(t, Options{Root: root, FileBytesMax: 1 * core.KiB})
	const path = "/files/sub/a%20b.go"
	status, text, header := f.ask("GET", path, "")
	etag := header.Get("ETag")
	if status != 200 || text != "package a\n" || etag == "" {
		t.Fatalf("read: %d %q %v", status, text, header)
	}
	if status, _, _ := f.ask("GET", path, "", "If-None-Match", etag); status != 304 {
		t.Errorf("read again: %d", status)
	}
	status, _, header = f.ask("PUT", path, "package b\n", "If-Match", etag)
	saved := header.Get("ETag")
	if status != 204 || saved == etag {
		t.Errorf("save: %d %v", status, header)
	}
	if _, text, header := f.ask("GET", path, ""); text != "package b\n" || header.Get("ETag") != saved {
		t.Errorf("read what was saved: %q %v", text, header)
	}
	info, err := os.Stat(filepath.Join(root, "sub", "a b.go"))
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v %v, want what it was", info.Mode(), err)
	}
	for name, test := range map[string]struct {
		path, ifMatch, body string
		status              int
	}{
		"stale":              {path, etag, "x", 412},
		"no state named":     {path, "", "x", 412},
		"new, state named":   {"/files/new", etag, "x", 412},
		"new":                {"/files/new", "", "x", 201},
		"exactly the limit":  {"/files/limit", "", strings.Repeat("x", 1*core.KiB), 201},
		"over the limit":     {"/files/large", "", strings.Repeat("x", 1*core.KiB+1), 413},
		"no such folder":     {"/files/no/such", "", "x", 404},
		"a folder":           {"/files/sub", "", "x", 409},
		"the folder itself":  {"/files/", "", "x", 400},
		"insides of git":     {"/files/.git/hooks/pre-commit", "", "x", 400},
		"a backslash":        {"/files/..%5Cx", "", "x", 400},
		"a NUL":              {"/files/a%00b", "", "x", 400},
		"an absolute path":   {"/files/%2Fetc/x", "", "x", 400},
		"encoded parent":     {"/files/%2e%2e/x", "", "x", 400},
		"half encoded":       {"/files/sub%2F..%2F..%2Fx", "", "x", 400},
		"parent in the path": {"/files/sub%2F%2e%2e%2F%2e%2e/x", "", "x", 400},
	} {
		if status, text, _ := f.ask("PUT", test.path, test.body, "If-Match", test.ifMatch); status != test.status {
			t.Errorf("%s: %d %s, want %d", name, status, text, test.status)
		}
	}
	var names []string
	entries, err := os.ReadDir(root)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if want := []string{"limit", "new", "sub"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("the folder holds %v %v, want %v: no draft is left", names, err, want)
	}
}

func TestTreeListsWhatIsToBeEdited(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a/b.txt", "c", ".git/config", "a/node_modules/x/y"} {
		writeFile(t, filepath.Join(root, name), "12345")
	}
	if err := os.Symlink(filepath.Join(root, "c"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	f := begin(t, Options{Root: root})
	_, text, _ := f.ask("GET", "/files/", "")
	var got treeDocument
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	want := treeDocument{Entries: []treeEntry{{"a", 0, true}, {"a/b.txt", 5, false}, {"c", 5, false}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("tree %+v, want %+v", got, want)
	}
}

func TestNoPathLeadsOutOfTheFolder(t *testing.T) {
	outside := t.TempDir()
	writeFile(t, filepath.Join(outside, "secret"), "secret")
	root := t.TempDir()
	for link, target := range map[string]string{
		"file": filepath.Join(outside, "secret"), "dir": outside, "up": "..", "dangling": filepath.Join(outside, "new"),
	} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := begin(t, Options{Root: root})
	for _, path := range []string{"/files/file", "/files/dir/secret", "/files/up/x", "/files/fifo", "/files/dangling", "/files/dir/new"} {
		if status, text, _ := f.ask("GET", path, ""); status < 400 || strings.Contains(text, "secret") || strings.Contains(text, outside) {
			t.Errorf("GET %s: %d %q", path, status, text)
		}
		if status, text, _ := f.ask("PUT", path, "x"); status < 400 || strings.Contains(text, outside) {
			t.Errorf("PUT %s: %d %q", path, status, text)
		}
	}
	entries, err := os.ReadDir(outside)
	if content, readErr := os.ReadFile(filepath.Join(outside, "secret")); err != nil || readErr != nil || len(entries) != 1 || string(content) != "secret" {
		t.Errorf("outside there is now %v: %q", entries, content)
	}
}

func TestWithoutAFolderThereAreNoFiles(t *testing.T) {
	b, err := New(Options{Servers: []Server{scriptedServer("plain")}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	f := &fixture{Bridge: b, t: t}
	f.serve()
	if status, _, _ := f.ask("GET", "/files/", ""); status != 404 {
		t.Errorf("tree: %d", status)
	}
	if _, text, _ := f.ask("GET", "/config.json", ""); !strings.Contains(text, `"root":null`) {
		t.Errorf("config %s", text)
	}
}
