package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/host"
)

// binary is the program as it is shipped, built once for all tests that need a process.
var binary string

// TestMain is also the peer of the tests: started again under peerVariable it is a server.
func TestMain(m *testing.M) {
	if name := os.Getenv(peerVariable); name != "" {
		os.Exit(servePeer(name))
	}
	// What the tests start leaves nothing in the account's home.
	if err := os.Setenv("PARLEY_NO_CONTROL", "1"); err != nil {
		panic(err)
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	directory, err := os.MkdirTemp("", "parley")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(directory)
	binary = filepath.Join(directory, "parley")
	if output, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, output)
		return 1
	}
	return m.Run()
}

// outcome is what a run of the program leaves.
type outcome struct {
	code           int
	stdout, stderr string
}

// inProcess runs the program's commands without a process of their own.
func inProcess(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), args, testEnv(strings.NewReader(stdin), &stdout, &stderr))
	return outcome{code, stdout.String(), stderr.String()}
}

func testEnv(stdin io.Reader, stdout, stderr io.Writer) *env {
	return &env{
		stdin: stdin, stdout: stdout, stderr: stderr,
		clock:      host.SystemClock(),
		directory:  func() (string, error) { return "/work space", nil },
		executable: func() (string, error) { return binary, nil },
	}
}

// asProcess runs the program itself.
func asProcess(t *testing.T, args ...string) outcome {
	t.Helper()
	command := exec.Command(binary, args...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// wantLine demands that stderr is one line that says what want says.
func (o outcome) wantLine(t *testing.T, code int, want string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d", o.code, code)
	}
	if !strings.HasPrefix(o.stderr, "parley: ") || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, want) {
		t.Errorf("stderr %q, want one line with %q", o.stderr, want)
	}
}

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "expected one of"},
		{[]string{"nonsense"}, "unexpected argument nonsense"},
		{[]string{"call"}, "<method>"},
		{[]string{"call", "--bogus"}, "(see parley call --help)"},
		{[]string{"trace", "start", "--bogus"}, "(see parley trace start --help)"},
		{[]string{"filter", "--kind", "answer", "x"}, "--kind"},
		{[]string{"call", "x"}, "behind --"},
		{[]string{"call", "x", "--"}, "behind --"},
		{[]string{"call", "x", "1", "--", "true"}, "an object or an array"},
		{[]string{"call", "x", "{", "--", "true"}, "PARAMS, 1 bytes read: unexpected end of JSON input"},
		{[]string{"call", "x", "@/nowhere", "--", "true"}, "no such file"},
		{[]string{"call", "x", "-", "--", "true"}, "PARAMS from stdin"},
		{[]string{"call", "x", "--timeout", "0s", "--", "true"}, "--timeout"},
		{[]string{"call", "x", "--timeout", "--", "true"}, "--timeout: a value is missing (see parley call --help)"},
		{[]string{"call", "x", "--timeout", "soon", "--", "true"}, "timeout"},
		{[]string{"call", "x", "--profile", "dap", "--", "true"}, "profile"},
		{[]string{"call", "x", "--framing", "line", "--", "true"}, "--profile plain"},
		{[]string{"call", "x", "--mcp-era", "legacy", "--", "true"}, "--profile mcp"},
		{[]string{"call", "x", "--profile", "mcp", "--mcp-era", "legacy", "--no-handshake", "--", "true"}, "--mcp-era"},
		{[]string{"call", "x", "--profile", "mcp", "--mcp-era", "1999-01-01", "--", "true"}, "2026-07-28, 2025-11-25"},
		{[]string{"call", "x", "--engine", "none", "--", "true"}, "engine"},
		{[]string{"version", "--", "true"}, "takes no command"},
		{[]string{"serve", "--"}, "no command behind --"},
		{[]string{"serve", "--profile", "mcp"}, "a command is expected"},
		{[]string{"serve", "--server", "go"}, "NAME=CMD"},
		{[]string{"serve", "--server", "go:dap=dlv"}, "NAME:PROFILE=CMD"},
		{[]string{"serve", "--server", "a/b=true", "--listen", "127.0.0.1:0"}, "server name"},
		{[]string{"serve", "--server", "a=true", "--server", "a=true", "--listen", "127.0.0.1:0"}, "two servers"},
		{[]string{"serve", "--root", "/nowhere"}, "--root"},
		{[]string{"serve", "--listen", "nonsense"}, "--listen"},
		{[]string{"serve", "--listen", "0.0.0.0:0", "--no-token"}, "only on a loopback address"},
		{[]string{"serve", "--no-token", "--token", "x"}, "exclude each other"},
		{[]string{"serve", "--max-sessions", "0"}, "--max-sessions"},
		{[]string{"serve", "--max-message-bytes", "0"}, "--max-message-bytes"},
		{[]string{"serve", "--max-message-bytes", "1GiB", "--listen", "127.0.0.1:0"}, "want 1024 to 268435456"},
		{[]string{"serve", "--allow-origin", "*", "--listen", "127.0.0.1:0"}, "allowed origin"},
		{[]string{"serve", "--allow-host", "a/b", "--listen", "127.0.0.1:0"}, "allowed host"},
	} {
		got := inProcess(t, "not JSON", test.args...)
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			got.wantLine(t, exitUsage, test.want)
			if got.stdout != "" {
				t.Errorf("stdout %q, want nothing", got.stdout)
			}
		})
	}
}

func TestHelpListsCommandsAndExitCodes(t *testing.T) {
	got := inProcess(t, "", "--help")
	if got.code != exitOK || got.stderr != "" {
		t.Errorf("exit code %d, stderr %q", got.code, got.stderr)
	}
	for _, want := range []string{"call", "demo", "peer lsp", "peer mcp", "serve", "version", "5    the peer broke the protocol", "130  interrupted"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("help does not say %q", want)
		}
	}
	if call := inProcess(t, "", "call", "--help"); !strings.HasPrefix(call.stdout, "Usage: parley call <method> [<params>] [flags] -- COMMAND ...\n\n") ||
		!strings.Contains(call.stdout, "-- gopls") {
		t.Errorf("help of call has no command behind --, or no example of one:\n%s", call.stdout)
	}
}

func TestOneLineDisarmsForeignText(t *testing.T) {
	got := oneLine(" a\nb\x1b[31m\u202ec" + strings.Repeat("x", 2*lineRunesMax))
	if !strings.HasPrefix(got, "a b\uFFFD[31m\uFFFDc") || !strings.HasSuffix(got, "…") || len([]rune(got)) != lineRunesMax+1 {
		t.Errorf("got %q", got)
	}
}

func TestSignalsWinOverWhatTheyLedTo(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(signalError(2))
	if code := exitCode(ctx, host.ErrClosed); code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
}
