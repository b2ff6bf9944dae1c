//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/parley-rpc/parley/internal/capture"
)

// talk is a capture in text: an LSP session with an error, an answer that is missing, noise, a
// request of the server's, and a server that is killed.
const talk = `capture framing=header session=a part=1 started=2026-01-02T03:04:05Z command=srv
client 1ms Content-Length: 77\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{ }}}\x20
server 3ms Content-Length: 53\r\n\r\n{"jsonrpc":"2.0","id":1,"result":{"capabilities":{}}}
stderr 4ms loading \x1B[31m\n
server 5ms loading...\nContent-Length: 73\r\n\r\n{"jsonrpc":"2.0","id":"c","method":"workspace/configuration","par
server 5ms ams":[]}
client 6ms Content-Length: 38\r\n\r\n{"jsonrpc":"2.0","id":"c","result":[]}
client 7ms Content-Length: 62\r\n\r\n{"jsonrpc":"2.0","id":2,"method":"a/slow","params":{"x":1234}}
client 8ms Content-Length: 43\r\n\r\n{"jsonrpc":"2.0","id":3,"method":"a/never"}
server 907ms Content-Length: 65\r\n\r\n{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"oops"}}
exit 1s 137 killed
`

// inFile writes a capture.
func inFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantOut demands an exit code and lines of stdout, in order.
func (o outcome) wantOut(t *testing.T, code int, lines ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d; stderr %q", o.code, code, o.stderr)
	}
	rest := o.stdout
	for _, line := range lines {
		_, after, found := strings.Cut(rest, line)
		if !found {
			t.Errorf("no %q, or not behind the lines before it, in\n%s", line, o.stdout)
			return
		}
		rest = after
	}
}

// wantSilence demands that nothing was found, and that stderr says so.
func (o outcome) wantSilence(t *testing.T, want string) {
	t.Helper()
	o.wantLine(t, exitOK, want)
	if o.stdout != "" {
		t.Errorf("stdout %q, want nothing", o.stdout)
	}
}

func TestCat(t *testing.T) {
	file := inFile(t, "talk.txt", talk)
	inProcess(t, "", "cat", file).wantOut(t, exitOK,
		"capture        2026-01-02T03:04:05Z  srv\n",
		"1.000 ms  >  request        1  initialize  77 B\n",
		"3.000 ms  <  result         1  initialize  53 B  +2.000 ms\n",
		"stderr         loading \uFFFD[31m\n",
		"5.000 ms  <! noise          11 B  loading...\n",
		`5.000 ms  <  request        "c"  workspace/configuration  73 B`+"\n",
		`6.000 ms  >  result         "c"  workspace/configuration  38 B  +1.000 ms`+"\n",
		"907.000 ms  <  error          2  a/slow  65 B  +900.000 ms\n",
		"exit           code 137  killed\n")
	inProcess(t, talk, "cat", "--body", "-").wantOut(t, exitOK, `    {"jsonrpc":"2.0","id":2,"method":"a/slow","params":{"x":1234}}`)
	inProcess(t, "", "cat", "--json", file).wantOut(t, exitOK, `"elapsedMs":900`)
	if got := inProcess(t, "", "cat", "--records", file); got.stdout != talk {
		t.Errorf("records\n%s", got.stdout)
	}
	inProcess(t, "", "cat", filepath.Join(t.TempDir(), "none")).wantLine(t, exitUsage, "no such file")
	inProcess(t, "nonsense", "cat", "-").wantLine(t, exitUsage, "is no capture")
	inProcess(t, "", "cat", "-").wantLine(t, exitUsage, "is empty")
}

func TestFilter(t *testing.T) {
	file := inFile(t, "talk.txt", talk)
	for _, test := range []struct {
		flags string
		want  []string
	}{
		{"--method a/*", []string{"request", "request", "error"}},
		{"--method a/* --kind request", []string{"request", "request"}},
		{"--from server --kind request --kind noise", []string{"noise", "request"}},
		{"--slower 500ms", []string{"error"}},
		{"--id 2", []string{"request", "error"}},
		{"--grep 1234", []string{"request"}},
		{"--since 7ms --until 8ms", []string{"request", "request"}},
		{"--kind exit", []string{"exit"}},
		{"--kind request --slower 1ms", nil},
	} {
		got := inProcess(t, "", append([]string{"filter", "--json", file}, strings.Fields(test.flags)...)...)
		var kinds []string
		for text := range strings.Lines(got.stdout) {
			var line capture.Line
			if err := json.Unmarshal([]byte(text), &line); err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, line.Kind)
		}
		if got.code != exitOK || strings.Join(kinds, " ") != strings.Join(test.want, " ") {
			t.Errorf("%s: %v, want %v", test.flags, kinds, test.want)
		}
	}
	left := filepath.Join(t.TempDir(), "left.cap")
	inProcess(t, "", "filter", file, "--method", "a/slow", "-o", left).wantOut(t, exitOK)
	inProcess(t, "", "cat", left).wantOut(t, exitOK, "capture", "request        2  a/slow  62 B", "error          2  a/slow  65 B  +900.000 ms")
	inProcess(t, "", "filter", file, "-o", left).wantLine(t, exitUsage, "is there already")
	nothing := filepath.Join(t.TempDir(), "nothing.cap")
	inProcess(t, "", "filter", file, "--method", "a/none").wantSilence(t, "nothing in 7 messages passes")
	inProcess(t, "", "filter", file, "--method", "a/none", "-o", nothing).wantSilence(t, "nothing in 7 messages passes")
	inProcess(t, "", "lint", nothing).wantSilence(t, "no findings in 0 messages")
	inProcess(t, "", "filter", file, "--method", "[").wantLine(t, exitUsage, "--method [")
}

// Goal: members of batches are printed, found and kept as messages are. Method: a batch, looked at by cat and
// by a filter that one member passes.
func TestMembersOfBatchesAreMessages(t *testing.T) {
	file := inFile(t, "batch.txt", `capture framing=line
client 1ms [{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"}]\n
server 3ms [{"jsonrpc":"2.0","id":1,"result":4}]\n
`)
	inProcess(t, "", "cat", file).wantOut(t, exitOK,
		"1.000 ms  >  batch          70 B\n",
		"1.000 ms  >  -request       1  a  37 B\n",
		"1.000 ms  >  -notification  b  30 B\n",
		"3.000 ms  <  batch          37 B\n",
		"3.000 ms  <  -result        1  a  35 B  +2.000 ms\n")
	if got := inProcess(t, "", "filter", "--method", "b", file); strings.Count(got.stdout, "\n") != 1 || !strings.Contains(got.stdout, "-notification  b") {
		t.Errorf("filter prints %q", got.stdout)
	}
	left := filepath.Join(t.TempDir(), "left.txt.cap")
	inProcess(t, "", "filter", "--method", "[ab]", "--from", "client", "-o", left, file).wantOut(t, exitOK)
	got := inProcess(t, "", "cat", "--records", left)
	if strings.Count(got.stdout, "client") != 1 || !strings.Contains(got.stdout, `[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"}]`) || strings.Contains(got.stdout, "server") {
		t.Errorf("left is %q", got.stdout)
	}
}

func TestConvert(t *testing.T) {
	file := inFile(t, "talk.txt", talk)
	directory := t.TempDir()
	binary, text := filepath.Join(directory, "a.cap"), filepath.Join(directory, "a.txt")
	inProcess(t, "", "convert", file, binary).wantOut(t, exitOK)
	inProcess(t, "", "convert", binary, text).wantOut(t, exitOK)
	if back, err := os.ReadFile(text); err != nil || string(back) != talk {
		t.Errorf("%v\n%s", err, back)
	}
	inProcess(t, "", "convert", binary, "-", "--to", "jsonl").wantOut(t, exitOK, `"kind":"noise"`, `"code":137`)
	inProcess(t, "", "convert", binary, "-").wantLine(t, exitUsage, "--to")
	inProcess(t, "", "convert", binary, "-", "--to", "xml").wantLine(t, exitUsage, "--to")
	inProcess(t, "", "convert", file, binary).wantLine(t, exitUsage, "is there already")

	whole, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	torn := inFile(t, "torn.cap", string(whole[:len(whole)-3]))
	got := inProcess(t, "", "cat", torn)
	got.wantOut(t, exitOK, "a/slow  65 B")
	got.wantLine(t, exitOK, "the last record is torn")
	broken := inFile(t, "broken.cap", string(whole)+"\x00\x00\x00\x01\xc1")
	got = inProcess(t, "", "cat", broken)
	got.wantOut(t, exitUsage, "code 137")
	got.wantLine(t, exitUsage, "no record")
}

func TestStatsOfACapture(t *testing.T) {
	file := inFile(t, "talk.txt", talk)
	inProcess(t, "", "stats", file).wantOut(t, exitOK,
		"7 messages in 1.000 s", "! 11 bytes of the server are in no message",
		"1       1     0  900.000  900.000  900.000  900.000     62       65  > a/slow\n",
		"< workspace/configuration\n",
		"0.000     43        0  > a/never\n")
	inProcess(t, "", "stats", "--json", file, file).wantOut(t, exitOK, `"messages":14`,
		`"method":"a/slow","from":"client","kind":"request","count":2,"errors":2,"unanswered":0`)
}

func TestLintOfACapture(t *testing.T) {
	file := inFile(t, "talk.txt", talk)
	got := inProcess(t, "", "lint", file)
	got.wantOut(t, exitAnswer,
		"       5.000 ms  error    noise-on-stdout       server byte 75: loading...",
		"missing-answer        client a/never id 3")
	got.wantLine(t, exitAnswer, "4 findings")
	inProcess(t, "", "lint", "--json", "--errors", file).wantOut(t, exitAnswer, `{"rule":"noise-on-stdout","severity":"error","ms":5,`)
	silent := inProcess(t, "", "lint", "--json", "--errors", "--ignore", "noise-on-stdout", "--ignore", "missing-answer", "--ignore", "server-failed", file)
	silent.wantSilence(t, "no findings in 7 messages")
	inProcess(t, "", "lint", "--rules").wantOut(t, exitOK, "noise-on-stdout", "incomplete-capture")
	inProcess(t, "", "lint", "--ignore", "bad-manners", file).wantLine(t, exitUsage, "no such rule")
	inProcess(t, "", "lint").wantLine(t, exitUsage, "which capture")
}

// record records a conversation of parley call with a server behind a tap.
func record(t *testing.T, call []string, server ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "session.cap")
	args := append(append([]string{"call"}, call...), "--", binary, "tap", "--record", file, "--")
	if got := asProcess(t, append(args, server...)...); got.code > exitAnswer {
		t.Fatal(got)
	}
	return file
}

var (
	hoverCall = []string{"textDocument/hover", `{"textDocument":{"uri":"file:///x.json"},"position":{"line":0,"character":0}}`}
	addCall   = []string{"tools/call", `{"name":"add","arguments":{"a":1,"b":2}}`, "--profile", "mcp"}
)

// Goal: every command works on a capture of an LSP and of an MCP session, and finds nothing wrong
// with either. Method: sessions with our own servers, recorded by a tap.
func TestCommandsOnRecordedSessions(t *testing.T) {
	for _, session := range []struct {
		name         string
		call, server []string
		answered     string // a line of cat
	}{
		{"lsp", hoverCall, []string{binary, "peer", "lsp"}, "textDocument/hover"},
		{"mcp", addCall, []string{binary, "peer", "mcp"}, "tools/call"},
	} {
		t.Run(session.name, func(t *testing.T) {
			file := record(t, session.call, session.server...)
			inProcess(t, "", "cat", file).wantOut(t, exitOK, "request", session.answered, "ms\n", "exit           code 0")
			inProcess(t, "", "filter", "--method", session.answered, file).wantOut(t, exitOK, "request", "+")
			inProcess(t, "", "stats", file).wantOut(t, exitOK, "> "+session.answered)
			inProcess(t, "", "lint", file).wantSilence(t, "no findings in ")
			inProcess(t, "", "diff", file, file).wantSilence(t, "no differences in ")
			text := filepath.Join(t.TempDir(), "session.txt")
			inProcess(t, "", "convert", file, text).wantOut(t, exitOK)
			inProcess(t, "", "diff", file, text).wantOut(t, exitOK)
			asProcess(t, append([]string{"replay", file, "--match", "strict", "--"}, session.server...)...).wantSilence(t, "no differences in ")
			again := record(t, session.call, binary, "replay", file, "--as-server", "--match", "ids")
			inProcess(t, "", "diff", "--match", "shape", file, again).wantOut(t, exitOK)
		})
	}
}

func TestReplayTellsDifferences(t *testing.T) {
	file := record(t, hoverCall, binary, "peer", "lsp")
	got := asProcess(t, "replay", file, "--patience", "1s", "--", binary, "peer", "echo", "--framing", "header")
	got.wantOut(t, exitAnswer, "> initialize #1: result.capabilities.completionProvider: missing, want {")
	got = asProcess(t, "replay", file, "--json", "--", binary, "peer", "lsp", "--die-at-byte", "100")
	got.wantOut(t, exitAnswer, `{"from":"client","method":"initialize","nth":1,"id":"1","detail":"not answered`)
	asProcess(t, "replay", file, "--", "no-such-program").wantLine(t, exitStart, "no-such-program")
	asProcess(t, "replay", file).wantLine(t, exitUsage, "against which server")
	asProcess(t, "replay", file, "--as-server", "--", "true").wantLine(t, exitUsage, "--as-server")

	other := record(t, []string{"shutdown", "--no-handshake"}, binary, "peer", "lsp")
	inProcess(t, "", "diff", file, other).wantOut(t, exitAnswer, "> initialize #1: only in the first")
	asProcess(t, "call", "textDocument/definition", "--", binary, "replay", file, "--as-server").
		wantLine(t, exitAnswer, "not in the capture")
}

// Goal: --plot makes a picture beside the table, and a wrong use of it touches no file.
func TestStatsPlot(t *testing.T) {
	file := inFile(t, "talk.txt", talk)
	picture := filepath.Join(t.TempDir(), "latency.svg")
	inProcess(t, "", "stats", "--plot", picture, file).wantOut(t, exitOK, "a/slow")
	before, err := os.ReadFile(picture)
	if err != nil || !strings.HasPrefix(string(before), "<?xml") || !strings.Contains(string(before), "a/slow") {
		t.Errorf("%v, %.200s", err, before)
	}
	unanswered := inFile(t, "unanswered.txt", "capture framing=line\nclient 1ms {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\\n\n")
	for stderr, args := range map[string][]string{
		"ends in .svg":  {"stats", "--plot", filepath.Join(t.TempDir(), "latency.png"), file},
		"no such file":  {"stats", "--plot", filepath.Join(t.TempDir(), "none", "latency.svg"), file},
		"was answered":  {"stats", "--plot", picture, unanswered},
		"which capture": {"stats", "--plot", picture},
	} {
		got := inProcess(t, "", args...)
		if got.code == exitOK || !strings.Contains(got.stderr, stderr) {
			t.Errorf("%v: exit code %d, %q", args, got.code, got.stderr)
		}
	}
	if after, err := os.ReadFile(picture); err != nil || string(after) != string(before) {
		t.Errorf("the picture was touched: %v", err)
	}
}

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestEveryCommandSaysThatItsOutputIsLost(t *testing.T) {
	file := inFile(t, "talk.txt", talk)
	for _, line := range []string{
		"--help", "call --help", "version", "completion bash", "demo --engine native", "demo --engine native --json",
		"cat " + file, "cat --records " + file, "filter " + file, "lint --rules", "stats " + file, "stats --json " + file,
		"convert " + file + " - --to jsonl",
	} {
		var stderr bytes.Buffer
		code := run(t.Context(), strings.Fields(line), testEnv(strings.NewReader(""), fullDisk{}, &stderr))
		t.Run(line, func(t *testing.T) {
			outcome{code, "", stderr.String()}.wantLine(t, exitOurFailure, "parley: no space left on device\n")
		})
	}
}
