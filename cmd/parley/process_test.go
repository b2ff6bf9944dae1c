//go:build unix

package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// witness tells when every process that holds it has ended: a named pipe that the command opens
// as descriptor 9 and its descendants inherit. The command writes one byte into it.
type witness struct {
	path           string
	reader, writer *os.File
	ran            bool // the byte was seen
}

func newWitness(t *testing.T) *witness {
	t.Helper()
	w := &witness{path: filepath.Join(t.TempDir(), "witness")}
	if err := syscall.Mkfifo(w.path, 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.writer, err = os.OpenFile(w.path, os.O_RDWR, 0); err != nil { // does not wait for a reader
		t.Fatal(err)
	}
	if w.reader, err = os.Open(w.path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.reader.Close() })
	return w
}

// hold is the command line of a shell script that holds the witness.
func (w *witness) hold(script string) []string {
	return []string{"--", "sh", "-c", `exec 9>"$0"; echo >&9; ` + script, w.path}
}

// opened returns once the command runs.
func (w *witness) opened(t *testing.T) {
	t.Helper()
	if _, err := w.reader.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	w.ran = true
}

// gone returns once nobody holds the witness, and whether anybody did; a command left behind hangs it, and
// the test with it.
func (w *witness) gone(t *testing.T) (ran bool) {
	t.Helper()
	w.writer.Close()
	seen, err := io.ReadAll(w.reader)
	if err != nil {
		t.Error(err)
	}
	return w.ran || len(seen) > 0
}

// wait returns once nobody holds the witness, which somebody must have.
func (w *witness) wait(t *testing.T) {
	t.Helper()
	if !w.gone(t) {
		t.Error("the command never ran")
	}
}

// outOfTime runs the program on a script that does not let it end in the time given. A time that was over
// before anything was asked of the script shows nothing: it is doubled.
func outOfTime(t *testing.T, script string, args ...string) outcome {
	t.Helper()
	for budget := time.Second; ; budget *= 2 {
		w := newWitness(t)
		got := asProcess(t, slices.Concat(args, []string{"--timeout", budget.String()}, w.hold(script))...)
		ran := w.gone(t)
		if ran && !strings.Contains(got.stderr, "before anything was sent") {
			return got
		}
		if budget > time.Minute {
			t.Errorf("%v were not enough: ran %v, %+v", budget, ran, got)
			return got
		}
	}
}

// meet runs the program on a script and waits until nobody is left; code says how it is to end.
func meet(t *testing.T, code int, script string, args ...string) outcome {
	t.Helper()
	if code == exitTimeout {
		return outOfTime(t, script, args...)
	}
	w := newWitness(t)
	got := asProcess(t, append(args, w.hold(script)...)...)
	w.wait(t)
	return got
}

func TestBadPeers(t *testing.T) {
	for _, test := range []struct {
		name, script string
		args         []string
		code         int
		want         string
	}{
		{"text", `echo hello; sleep 5`, []string{"--no-handshake"}, exitProtocol, "hello"},
		{"zeros", `exec cat /dev/zero`, nil, exitProtocol, "byte"},
		{"gone", `exec true`, nil, exitPeerDied, "exit status 0"},
		{"dies loudly", `echo because >&2; exit 3`, nil, exitPeerDied, "because"},
		{"copies", `exec cat`, nil, exitProtocol, `"initialize": our own request came back`},
		{"copies the call", `exec cat`, []string{"--no-handshake"}, exitProtocol, `"x": our own request came back`},
		{"copies MCP", `exec cat`, []string{"--profile", "mcp"}, exitProtocol, `"initialize": our own request came back`},
		{"silent", `exec sleep 100`, nil, exitTimeout, "initialize"},
		{"huge", `printf 'Content-Length: 99999999999\r\n\r\n'; sleep 5`, nil, exitProtocol, "length"},
		{"deaf to SIGTERM", `trap '' TERM; while :; do sleep 1; done`, nil, exitTimeout, "initialize"},
	} {
		for _, engine := range []string{"native", "wazero"} {
			t.Run(test.name+" "+engine, func(t *testing.T) {
				t.Parallel()
				args := append([]string{"call", "x", "--engine", engine}, test.args...)
				got := meet(t, test.code, test.script, args...)
				got.wantLine(t, test.code, test.want)
				if got.stdout != "" {
					t.Errorf("stdout %q, want nothing", got.stdout)
				}
			})
		}
	}
}

func TestCommandsThatCannotStart(t *testing.T) {
	asProcess(t, "call", "x", "--", "no-such-program").wantLine(t, exitStart, "no-such-program")
	asProcess(t, "call", "x", "--", "/nowhere/program").wantLine(t, exitStart, "no such file")
	asProcess(t, "call", "x", "--", t.TempDir()).wantLine(t, exitStart, "is a directory")
}

func TestSignalsEndTheCommand(t *testing.T) {
	for signal, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		w := newWitness(t)
		args := append([]string{"call", "x"}, w.hold("exec sleep 100")...)
		signalled(t, w, signal, args...).wantLine(t, code, signal.String())
	}
}

// signalled runs the program, signals it once its command runs, and waits until nobody is left.
func signalled(t *testing.T, w *witness, signal syscall.Signal, args ...string) outcome {
	t.Helper()
	command := exec.Command(binary, args...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	w.opened(t)
	if err := command.Process.Signal(signal); err != nil {
		t.Error(err)
	}
	// The error only repeats the exit code.
	_ = command.Wait()
	w.wait(t)
	return outcome{code: command.ProcessState.ExitCode(), stderr: stderr.String()}
}

func TestPeerLSPExitCodes(t *testing.T) {
	for _, test := range []struct {
		input string
		code  int
	}{
		{"", 1}, // LSP: the end of input without shutdown is an error
		{"no message\r\n", 1},
		{frame(`{"jsonrpc":"2.0","method":"exit"}`), 1},
		{frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`) +
			frame(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`) + frame(`{"jsonrpc":"2.0","method":"exit"}`), 0},
	} {
		command := exec.Command(binary, "peer", "lsp")
		command.Stdin = strings.NewReader(test.input)
		output, err := command.Output()
		if code := command.ProcessState.ExitCode(); code != test.code {
			t.Errorf("%q: exit code %d (%v), want %d; stdout %q", test.input, code, err, test.code, output)
		}
	}
}

func TestVersionNamesTheBuild(t *testing.T) {
	got := asProcess(t, "version", "--json")
	var b build
	if err := json.Unmarshal([]byte(got.stdout), &b); err != nil || got.code != exitOK {
		t.Fatal(err, got)
	}
	if digest, err := hex.DecodeString(b.WasmSHA256); err != nil || len(digest) != 32 {
		t.Errorf("wasmSha256 %q", b.WasmSHA256)
	}
	if b.Go != runtime.Version() || b.Version == "" {
		t.Errorf("build %+v", b)
	}
	if text := asProcess(t, "version"); !strings.Contains(text.stdout, b.WasmSHA256) {
		t.Errorf("version prints %q", text.stdout)
	}
}
