package diagnose

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
	"github.com/parley-rpc/parley/host/mcp"
)

var testClient = &Client{Handshake: time.Second, Slow: time.Second, Leave: time.Second}

// healthy is a trial with nothing wrong in it, changed by f.
func healthy(f func(t *Trial)) *Trial {
	t := &Trial{
		Command: []string{"server"}, Protocol: LSP, Starts: 1,
		Result:  json.RawMessage(`{"capabilities":{}}`),
		Unknown: &host.RPCError{Code: core.CodeMethodNotFound},
		Left:    "exit status 0",
	}
	f(t)
	return t
}

// lost is a trial without a handshake, and with this on stdout.
func lost(protocol Protocol, stdout string) *Trial {
	return &Trial{
		Protocol: protocol, Starts: 1, Err: host.ErrTimeout, Head: []byte(stdout), BytesTotal: int64(len(stdout)),
	}
}

func ended(status, stdout, stderr string) *Trial {
	t := lost(LSP, stdout)
	t.Err, t.Ended, t.Exit = host.ErrClosed, true, child.Obituary{Exited: status != "", Status: status}
	t.Stderr = []byte(stderr)
	return t
}

func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

const (
	message = `{"jsonrpc":"2.0","method":"m"}`
	line    = message + "\n"
)

var judged = []struct {
	id    string // "": healthy
	trial *Trial
}{
	{"", healthy(func(t *Trial) { t.Head = []byte(frame(message)) })},
	{"", healthy(func(t *Trial) { t.Protocol, t.Head = MCP, []byte("\n"+line+"\n") })},
	{"", healthy(func(t *Trial) { t.Head = []byte(frame(message) + "Content-Length: 9") })}, // cut off by its end, or at 64 KiB
	{"slow-start", healthy(func(t *Trial) { t.Timings.HandshakeMs = 1001 })},
	{"bad-answer", healthy(func(t *Trial) { t.Result = json.RawMessage(`null`) })},
	{"bad-answer", healthy(func(t *Trial) { t.Result = json.RawMessage(`{"capabilities":[]}`) })},
	{"never-refuses", healthy(func(t *Trial) { t.Unknown = host.ErrTimeout })},
	{"accepts-unknown", healthy(func(t *Trial) { t.Unknown = nil })},
	{"dies", healthy(func(t *Trial) { t.Unknown, t.LeftCode = &host.SessionError{Reason: core.ReasonEOF}, 2 })},
	{"answers-twice", healthy(func(t *Trial) { t.Stats.Late = 1 })},
	{"answers-nobody", healthy(func(t *Trial) { t.Stats.Unknown = 1 })},
	{"answers-nobody", healthy(func(t *Trial) { t.Stats.PeerErrors = 1 })},
	{"byte-order-mark", healthy(func(t *Trial) { t.Stats.ByteOrderMarks = 1 })},
	{"dies-on-discover", healthy(func(t *Trial) { t.Starts = 2 })},
	{"stays", healthy(func(t *Trial) { t.Stayed, t.LeftCode = true, -1 })},
	{"stays", healthy(func(t *Trial) { t.Protocol, t.Stayed, t.Left = MCP, true, "signal: killed" })},
	{"", healthy(func(t *Trial) { t.Protocol, t.Stayed, t.Left = MCP, true, "signal: terminated" })},
	{"leaves-badly", healthy(func(t *Trial) { t.LeftCode = 1 })},
	{"leaves-badly", healthy(func(t *Trial) { t.LeaveErr = &host.RPCError{Code: -32603} })},
	{"stdout-noise", healthy(func(t *Trial) { t.Protocol, t.Head = MCP, []byte(line+"debug\n"+line) })},

	{"not-found", &Trial{Err: &child.StartError{Err: exec.ErrNotFound}}},
	{"not-found", &Trial{Err: &child.StartError{Err: fs.ErrNotExist}}},
	{"one-word", &Trial{Err: &child.StartError{Program: "server --stdio", Err: exec.ErrNotFound}}},
	{"not-executable", &Trial{Err: &child.StartError{Err: fs.ErrPermission}}},
	{"exits", ended("exit status 1", "", "")},
	{"dies", ended("signal: killed", frame(message)[:30], "")},
	{"closes-stdout", ended("", "", "")},
	{"wants-arguments", ended("exit status 2", "", "error: unknown option '--x'")},
	{"wants-arguments", ended("exit status 2", "", "set command line parameters: '--node-ipc', '--stdio' or '--socket={number}'")},
	{"wants-arguments", ended("exit status 2", "\nUSAGE: server", "")},
	{"exits", ended("exit status 2", "", "the database is required")},

	{"silent", lost(LSP, "")},
	{"silent", lost(LSP, frame(message))},
	{"buffered", func() *Trial { t := lost(LSP, frame(message)); t.BytesLate = 1; return t }()},
	{"refused", func() *Trial { t := lost(LSP, ""); t.Err = &host.RPCError{Code: -32603}; return t }()},
	{"bad-answer", func() *Trial { t := lost(LSP, ""); t.Err = &host.ParseError{Err: errors.New("?")}; return t }()},
	{"no-version", func() *Trial {
		t := lost(MCP, "")
		t.Err = &mcp.ConnectError{Failure: &era.Failure{Kind: era.FailureVersions}}
		return t
	}()},

	{"banner", lost(LSP, "listening\n")},
	{"banner", lost(LSP, "\r\nINFO: listening\n")},
	{"banner", lost(LSP, "2026/11/30 12:00:00 listening\n")},
	{"wants-arguments", lost(LSP, "usage: server [options]\n")},
	{"stdout-noise", lost(LSP, frame(message)+"debug\n"+frame(message))},
	{"prompt", lost(LSP, "> ")},
	{"terminal-codes", lost(LSP, "\x1b[1mready\n")},
	{"utf-16", lost(LSP, "\xff\xfeC\x00")},
	{"utf-16", lost(LSP, "\x00C\x00o\x00n\x00t\x00e\x00n\x00t\x00-")},
	{"line-ends", lost(LSP, "Content-Length: 2\n\n{}")},
	{"line-ends", lost(LSP, "Content-Length: 2\r\r\n\r\r\n{}")},
	{"wrong-framing", lost(LSP, line)},
	{"wrong-framing", lost(LSP, "{")},
	{"wrong-framing", lost(LSP, "\x00\x00\x00\x1e"+message)},
	{"wrong-length", lost(LSP, frame(message[:len(message)-1])+"}"+frame(message))}, // too small
	{"wrong-length", lost(LSP, "Content-Length: 99\r\n\r\n"+message)},               // too large
	{"wrong-length", lost(LSP, "Content-Length: 40\r\n\r\n"+message+frame(message))},
	{"half-message", lost(LSP, "Content-Length: 30\r\n\r\n"+message[:20])},
	{"half-message", lost(LSP, "Content-Length: 30\r\n")},
	{"bad-header", lost(LSP, "Content-Length: -1\r\n\r\n")},
	{"bad-header", lost(LSP, "Content-Type: a\r\n\r\n{}")},
	{"bad-json", lost(LSP, frame(`{"a":NaN}`))},
	{"bad-json", lost(LSP, frame(""))},
	{"no-message", lost(LSP, frame(`{"a":1}`))},
	{"debug-adapter", lost(LSP, frame(`{"seq":1,"type":"event","event":"x"}`))},
	{"echoes", lost(LSP, frame(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`))},

	{"banner", lost(MCP, "listening\n"+line)},
	{"stdout-noise", lost(MCP, line+"debug\n")},
	{"prompt", lost(MCP, "$ ")},
	{"terminal-codes", lost(MCP, "\x1b[1mready\n")},
	{"wrong-framing", lost(MCP, frame(message))},
	{"wrong-framing", lost(MCP, frame(message)+"\n")},
	{"wrong-framing", lost(MCP, "\x00\x00\x00\x1e"+message)},
	{"half-message", lost(MCP, message)},
	{"pretty-printed", lost(MCP, "{\n  \"jsonrpc\": \"2.0\"\n}\n")},
	{"bad-json", lost(MCP, "{'a': 1}\n")},
	{"no-message", lost(MCP, "{\"a\": 1}\n")},
	{"debug-adapter", lost(MCP, `{"seq":1,"type":"event","event":"x"}`+"\n")},
}

func TestJudge(t *testing.T) {
	seen := []string{"wrong-protocol"} // which takes two trials
	for _, test := range judged {
		found := testClient.Judge(test.trial)
		var got string
		if len(found) > 0 {
			got = found[0].ID
		}
		if got != test.id || len(found) > 1 {
			t.Errorf("%s, %q: found %+v, want %q", test.trial.Protocol, test.trial.Head, found, test.id)
		}
		seen = append(seen, got)
	}
	for _, kind := range Kinds() {
		if !slices.Contains(seen, kind.ID) {
			t.Errorf("nothing is judged to be %s", kind.ID)
		}
	}
}

// Whatever a server writes, and wherever it stops, has a finding and is shown without a byte of its own.
func TestEvidenceIsPrintable(t *testing.T) {
	for _, test := range judged {
		for end := range len(test.trial.Head) + 1 {
			for _, protocol := range []Protocol{LSP, MCP} {
				for _, f := range testClient.Judge(lost(protocol, string(test.trial.Head[:end]))) {
					for _, r := range f.Evidence {
						if r != '…' && (r < ' ' || r > '~') {
							t.Fatalf("%q: evidence %q", test.trial.Head[:end], f.Evidence)
						}
					}
				}
			}
		}
	}
}

func FuzzJudge(f *testing.F) {
	for _, test := range judged {
		f.Add(test.trial.Head, true)
		f.Add(test.trial.Head, false)
	}
	f.Fuzz(func(t *testing.T, stdout []byte, lsp bool) {
		protocol := MCP
		if lsp {
			protocol = LSP
		}
		trial := lost(protocol, string(stdout[:min(len(stdout), headBytesMax)]))
		if len(testClient.Judge(trial)) == 0 {
			t.Error("no handshake, and no finding")
		}
	})
}
