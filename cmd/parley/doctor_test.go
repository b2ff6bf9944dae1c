//go:build unix

package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/parley-rpc/parley/internal/diagnose"
)

// register tells whether a process is left of the commands that signed it: a named pipe that they open
// as descriptor 9 and their descendants inherit.
type register struct {
	path   string
	reader int
}

func newRegister(t *testing.T) *register {
	t.Helper()
	r := &register{path: filepath.Join(t.TempDir(), "register")}
	if err := syscall.Mkfifo(r.path, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := syscall.Open(r.path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	r.reader = reader
	t.Cleanup(func() { syscall.Close(reader) })
	return r
}

// sign is the command line of a shell script that signs the register. What is added to it becomes the
// script's "$@".
func (r *register) sign(script string) []string {
	return []string{"--", "sh", "-c", `exec 9>"$0"; ` + script, r.path}
}

func (r *register) wantNobody(t *testing.T) {
	t.Helper()
	if n, err := syscall.Read(r.reader, make([]byte, 1)); n != 0 || err != nil { // EAGAIN: somebody could write
		t.Errorf("a process is left: read %d, %v", n, err)
	}
}

// doctor examines a peer of ours, and returns the findings.
func doctor(t *testing.T, flags, peer string) []diagnose.Finding {
	t.Helper()
	return doctorScript(t, flags, "exec "+binary+" peer "+peer+` "$@"`)
}

func doctorScript(t *testing.T, flags, script string) []diagnose.Finding {
	t.Helper()
	r := newRegister(t)
	// A busy machine is neither slow nor stubborn.
	args := append([]string{"doctor", "--json", "--slow", "1m", "--leave", "10s"}, strings.Fields(flags)...)
	got := asProcess(t, append(args, r.sign(script)...)...)
	r.wantNobody(t)
	var document doctorDocument
	if err := json.Unmarshal([]byte(got.stdout), &document); err != nil {
		t.Fatalf("%v: stdout %q, stderr %q", err, got.stdout, got.stderr)
	}
	if code := min(len(document.Findings), 1); got.code != code || document.Healthy != (code == 0) {
		t.Errorf("exit code %d, healthy %v, %d findings", got.code, document.Healthy, len(document.Findings))
	}
	return document.Findings
}

func wantFinding(t *testing.T, found []diagnose.Finding, id, evidence string) {
	t.Helper()
	if len(found) != 1 || found[0].ID != id || !strings.Contains(found[0].Evidence, evidence) || found[0].Remedy == "" {
		t.Errorf("found %+v, want %s with %q", found, id, evidence)
	}
}

// Each way to be broken has its own finding, and no other.
func TestDoctorFindsWhatIsWrong(t *testing.T) {
	const short = "--timeout 1s "
	for _, test := range []struct{ flags, peer, id, evidence string }{
		{"", `lsp --preface 'listening on stdio\n'`, "banner", `at byte 0 of stdout stands "listening on stdio\n`},
		{"", `lsp --preface 'INFO: started\n'`, "banner", "INFO: started"},
		{"", `lsp --preface '\x1b[32mready\x1b[0m\n'`, "terminal-codes", `"\x1b[32mready`},
		{short, `lsp --preface '>>> ' --never-answer`, "prompt", `">>> ", and nothing follows`},
		{"", `lsp --preface '\ufeff'`, "byte-order-mark", `"\ufeffContent-Length`},
		{"", "lsp --utf16", "utf-16", `"\xff\xfeC\x00o\x00`},
		{"", "lsp --text-mode", "line-ends", `\r\r\n`},
		{"", "lsp --bare-lf", "line-ends", `Content-Length: 304\n\n`},
		{"", "lsp --frame-as line", "wrong-framing", `"{\"jsonrpc\"`},
		{"", "lsp --frame-as length4", "wrong-framing", `"\x00\x00`},
		{"", "lsp --wrong-length 1 --seed 1", "wrong-length", "at byte 23"},       // too small
		{short, "lsp --wrong-length 1 --seed 2", "wrong-length", "at byte 0"},     // too large
		{short, "lsp --buffer 65536", "buffered", "327 bytes once its stdin was"}, // flushed by its end
		{short + "--leave 100ms", "lsp --never-read", "silent", "nothing came on its stdout in 1s"},
		{"", "lsp --die-at-byte 0", "dies", "signal: killed"},
		{"", "lsp --die-at-byte 50", "dies", "50 bytes on stdout"},
		{"", "lsp --fail 'API_KEY is not set'", "exits", `exit status 1; stderr: "API_KEY is not set"`},
		{"", "lsp --need-stdio", "wants-arguments", "with it the handshake is answered"},
		{"", "lsp --fail 'usage: server PORT'", "wants-arguments", "usage: server PORT"},
		{"--slow 50ms", "lsp --delay 100ms", "slow-start", "the handshake took"},
		{"", "lsp --answer-twice 1", "answers-twice", "answered already"},
		{"", "mcp", "wrong-protocol", "answers the handshake of MCP"},
		{"--profile mcp", "lsp", "wrong-protocol", "answers the handshake of LSP"},
		{"--profile mcp", `mcp --junk 1`, "banner", "junk on stdout, line 1"},
		{"--profile mcp " + short, "mcp --pretty", "pretty-printed", `"{\n  \"jsonrpc\"`},
		{"--profile mcp " + short, "mcp --frame-as header", "wrong-framing", `"Content-Length: `},
		{"--profile mcp " + short, "mcp --buffer 65536", "buffered", "once its stdin was closed"},
		{"--profile mcp", "mcp --utf16", "utf-16", `"\xff\xfe{\x00`},
		{"--profile mcp", "echo", "accepts-unknown", "parley/unknown has a result"},
	} {
		t.Run(test.flags+" "+test.peer, func(t *testing.T) {
			t.Parallel()
			wantFinding(t, doctor(t, test.flags, test.peer), test.id, test.evidence)
		})
	}
}

// What no peer of ours does, a script does.
func TestDoctorFindsWhatScriptsDo(t *testing.T) {
	const short = "--timeout 1s "
	const listens = "while read -r line; do :; done"
	for _, test := range []struct{ flags, script, id, evidence string }{
		{"", "exec cat", "echoes", `"method\":\"initialize`},
		{"", "exec true", "exits", "exit status 0; nothing on stderr"},
		{"--leave 100ms", "exec >&-; exec sleep 300", "closes-stdout", "goes on running"},
		{"", "echo 'Usage: server [options]'; exit 64", "wants-arguments", `Usage: server [options]`},
		{"--profile mcp --leave 100ms", `trap "" TERM; ` + binary + " peer mcp; exec sleep 300", "stays", "signal: killed"},
		{"", "yes", "banner", `"y\ny\n`},
		{"", `printf 'Content-Length: many\r\n\r\n'; ` + listens, "bad-header", "Content-Length: many"},
		{"", `printf 'Content-Length: 5\r\n\r\n{"a":'; ` + listens, "wrong-length", `{\"a\":`},
		{"", `printf 'Content-Length: 9\r\n\r\n{"a":NaN}'; ` + listens, "bad-json", `{\"a\":NaN}`},
		{"", `printf 'Content-Length: 26\r\n\r\n{"seq":1,"type":"request"}'; ` + listens, "debug-adapter", `{\"seq\":1`},
		{short + "--profile mcp", `printf '{"jsonrpc":'; ` + listens, "half-message", "and nothing follows"},
	} {
		t.Run(test.script, func(t *testing.T) {
			t.Parallel()
			wantFinding(t, doctorScript(t, test.flags, test.script), test.id, test.evidence)
		})
	}
}

func TestDoctorFindsCommandsThatCannotStart(t *testing.T) {
	for command, want := range map[string]string{
		"no-such-program":  "not-found: no program \"no-such-program\" in any folder of PATH -> ",
		"/nowhere/program": "not-found: \"/nowhere/program\": no such file",
		t.TempDir():        "is a directory -> ",
	} {
		got := asProcess(t, "doctor", "--", command)
		got.wantLine(t, exitAnswer, "1 finding")
		if strings.Count(got.stdout, "\n") != 1 || !strings.Contains(got.stdout, want) {
			t.Errorf("%s: stdout %q, want one line with %q", command, got.stdout, want)
		}
	}
}

func TestDoctorLetsTheHealthyGo(t *testing.T) {
	for _, test := range []struct{ flags, peer string }{
		{"", "lsp"},
		{"", "lsp --split 1 --delay 1ms"},
		{"", "lsp --stderr-flood 1000000"},
		{"--profile mcp", "mcp"},
		{"--profile mcp", "mcp --flood 5000"},
		{"--profile mcp", "mcp --text-mode"},                // LINE-1
		{"--profile mcp --leave 100ms", "mcp --ignore-eof"}, // SIGTERM ends it
	} {
		t.Run(test.peer, func(t *testing.T) {
			t.Parallel()
			if found := doctor(t, test.flags, test.peer); len(found) > 0 {
				t.Errorf("found %+v", found)
			}
		})
	}
	got := asProcess(t, "doctor", "--slow", "1m", "--leave", "10s", "--", binary, "peer", "lsp")
	if got.code != exitOK || got.stderr != "" || !strings.HasPrefix(got.stdout, "healthy: parley-json answered the handshake in ") {
		t.Errorf("%+v", got)
	}
}

// Whatever a legacy server is like, it is healthy when it works.
func TestDoctorAsksLegacyServersOnce(t *testing.T) {
	got := asProcess(t, append([]string{"doctor", "--profile", "mcp", "--slow", "1m"}, peerCommand("2025-11-25")...)...)
	if got.code != exitOK {
		t.Errorf("%+v", got)
	}
}

func TestDoctorListsKinds(t *testing.T) {
	got := inProcess(t, "", "doctor", "--kinds")
	var listed []string
	for line := range strings.Lines(got.stdout) {
		id, _, _ := strings.Cut(line, " ")
		listed = append(listed, id)
	}
	if want := slices.Clone(listed); len(want) != len(diagnose.Kinds()) || len(slices.Compact(slices.Sorted(slices.Values(want)))) != len(want) {
		t.Errorf("listed %v", listed)
	}
}

func TestTrialsRefuseWrongFlags(t *testing.T) {
	for args, want := range map[string]string{
		"doctor":                       "behind --",
		"probe":                        "behind --",
		"doctor --timeout 0s -- true":  "--timeout is 0s",
		"probe --leave=-1s -- true":    "--leave is -1s",
		"doctor --profile dap -- true": "--profile",
	} {
		inProcess(t, "", strings.Fields(args)...).wantLine(t, exitUsage, want)
	}
}
