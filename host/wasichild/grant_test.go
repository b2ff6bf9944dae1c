//go:build linux || darwin

package wasichild

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/parley-rpc/parley/host"
)

func writeFile(t *testing.T, directory, name, text string) string {
	t.Helper()
	file := filepath.Join(directory, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// attempts has the guest try each and returns what it saw.
func attempts(t *testing.T, grants []Grant, verbs ...string) map[string]string {
	t.Helper()
	s := behaving(append([]string{"files"}, verbs...)...)
	s.Grants = grants
	outcomes := make(map[string]string)
	if err := json.Unmarshal(awaitMessage(t, start(t, s, host.Plain), "files"), &outcomes); err != nil {
		t.Fatal(err)
	}
	return outcomes
}

func TestGuestWorksInItsGrant(t *testing.T) {
	directory := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "sub/inner"} {
		writeFile(t, directory, name, "0123456789")
	}
	if err := os.Symlink("a", filepath.Join(directory, "inside")); err != nil {
		t.Fatal(err)
	}
	const verb, want = 0, 1
	steps := [][2]string{
		{"list:/w", "ok a b c d e f inside sub "},
		{"list:/w/sub", "ok inner "},
		{"read:/w/a", "ok 0123456789"},
		{"read:/w/inside", "ok 0123456789"},
		{"read:/w/sub/../a", "ok 0123456789"},
		{"write:/w/new", "ok"},
		{"append:/w/b", "ok"},
		{"seek:/w/c", "ok"},
		{"mkdir:/w/directory", "ok"},
		{"remove:/w/d", "ok"},
		{"rename:/w/e", "ok"},
		{"link:/w/f", "ok"},
		{"touch:/w/a", "ok"},
		{"empty:/w/f", "ok"},
		{"remove:/w/directory", "ok"},
		{"remove:/w/sub", "error: remove /w/sub: Directory not empty"},
		{"read:/w/none", "error: open /w/none: No such file"},
		{"list:/w/a", "error: "},
		{"symlink:/w/out", "error: symlink /etc /w/out: Operation not permitted"},
	}
	var verbs []string
	for _, step := range steps {
		verbs = append(verbs, step[verb])
	}
	got := attempts(t, []Grant{{Host: directory, Guest: "/w"}}, verbs...)
	for _, step := range steps {
		if outcome := got[step[verb]]; !strings.HasPrefix(outcome, step[want]) {
			t.Errorf("%s: %q, want %q", step[verb], outcome, step[want])
		}
	}
	for name, text := range map[string]string{
		"new": "written", "b": "0123456789 more", "c": "01XX4", "e.new": "0123456789", "f.link": "", "sub/inner": "0123456789",
	} {
		if got := readFile(t, filepath.Join(directory, name)); got != text {
			t.Errorf("%s holds %q, want %q", name, got, text)
		}
	}
}

func TestGuestCannotLeaveItsGrant(t *testing.T) {
	above := t.TempDir()
	secret := writeFile(t, above, "secret", "a secret")
	granted := filepath.Join(above, "granted")
	writeFile(t, granted, "file", "text")
	writeFile(t, above, "granted-too", "a secret") // a name that begins like the grant's
	for name, target := range map[string]string{
		"absolute": secret, "relative": "../secret", "directory": above, "root": "/",
		"twice": "absolute", "dangling": "../made",
	} {
		if err := os.Symlink(target, filepath.Join(granted, name)); err != nil {
			t.Fatal(err)
		}
	}
	var verbs []string
	for _, path := range []string{
		"/w/absolute", "/w/relative", "/w/directory/secret", "/w/root" + secret, "/w/twice", "/w/dangling",
		"/w/../secret", "/w/../granted-too", secret, "/etc/passwd", "/w/directory", "../secret",
	} {
		for _, verb := range []string{"read", "write", "append", "empty", "make", "touch", "list"} {
			verbs = append(verbs, verb+":"+path)
		}
	}
	verbs = append(verbs, "mkdir:/w/directory/made", "remove:/w/directory/secret", "rename:/w/directory/secret", "link:/w/directory/secret", "mkdir:/made")
	for verb, outcome := range attempts(t, []Grant{{Host: granted, Guest: "/w"}}, verbs...) {
		if !strings.HasPrefix(outcome, "error: ") {
			t.Errorf("%s: %q, want an error", verb, outcome)
		}
	}
	if got := readFile(t, secret); got != "a secret" {
		t.Errorf("the file outside holds %q", got)
	}
	entries, err := os.ReadDir(above)
	if err != nil || len(entries) != 3 {
		t.Errorf("%d entries outside, want 3: %v, %v", len(entries), entries, err)
	}
}

func TestReadOnlyGrant(t *testing.T) {
	directory := t.TempDir()
	file := writeFile(t, directory, "file", "text")
	got := attempts(
		t, []Grant{{Host: directory, Guest: "/r", ReadOnly: true}},
		"read:/r/file", "list:/r", "write:/r/file", "write:/r/new", "append:/r/file", "empty:/r/file", "make:/r/new", "seek:/r/file",
		"mkdir:/r/new", "remove:/r/file", "rename:/r/file", "link:/r/file", "symlink:/r/new", "touch:/r/file",
	)
	for verb, outcome := range got {
		want := "error: "
		if verb == "read:/r/file" || verb == "list:/r" {
			want = "ok "
		}
		if !strings.HasPrefix(outcome, want) {
			t.Errorf("%s: %q, want %q", verb, outcome, want)
		}
	}
	if entries, err := os.ReadDir(directory); err != nil || len(entries) != 1 || readFile(t, file) != "text" {
		t.Errorf("the directory holds %v (%v), the file %q", entries, err, readFile(t, file))
	}
}

// A guest that opens a named pipe would wait for its other end, and nothing could interrupt it.
func TestOnlyFilesAndDirectoriesAreOpened(t *testing.T) {
	directory := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(directory, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for verb, outcome := range attempts(t, []Grant{{Host: directory, Guest: "/w"}}, "read:/w/fifo", "append:/w/fifo", "write:/w/fifo") {
		if !strings.Contains(outcome, "Permission denied") {
			t.Errorf("%s: %q", verb, outcome)
		}
	}
}

func TestOpenFilesAreBounded(t *testing.T) {
	directory := t.TempDir()
	writeFile(t, directory, "file", "")
	const verb = "hoard:/w/file"
	if got := attempts(t, []Grant{{Host: directory, Guest: "/w"}}, verb)[verb]; !strings.HasPrefix(got, "error: ") {
		t.Errorf("ten thousand open files: %q, want an error", got)
	}
}

// STOP-6: of the environment around it a guest sees nothing.
func TestGuestSeesItsEnvironmentAlone(t *testing.T) {
	t.Setenv("PARLEY_WASICHILD_TEST", "outside")
	s := behaving("environment", "one", "two words")
	s.Env = []string{"A=1", "A=2", "TERM=vt100", "EMPTY="}
	var got []string
	if err := json.Unmarshal(awaitMessage(t, start(t, s, host.Plain), "environment"), &got); err != nil {
		t.Fatal(err)
	}
	if want := []string{"environment", "one", "two words", "NO_COLOR=1", "TERM=vt100", "A=2", "EMPTY="}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A message far larger than a pipe passes, in both directions.
func TestLargeMessages(t *testing.T) {
	const sizeBytes = 1 << 20
	p := start(t, behaving("echo"), host.Plain)
	text := strings.Repeat("x", sizeBytes)
	if answer, err := host.Call[[]string](t.Context(), p, "m", []string{text}); err != nil || len(answer) != 1 || answer[0] != text {
		t.Errorf("an answer of %d strings, %v", len(answer), err)
	}
}
