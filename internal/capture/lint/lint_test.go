package lint

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/internal/capture"
)

// judge lints a capture in text; each line is a record, and "> {…}" and "< {…}" stand for one message
// of the client and the server.
func judge(t testing.TB, lines string) []Finding {
	t.Helper()
	var text strings.Builder
	text.WriteString("capture framing=header\n")
	for line := range strings.Lines(lines) {
		line = strings.TrimSuffix(line, "\n")
		if body, found := strings.CutPrefix(line, "> "); found {
			line = fmt.Sprintf("client 1ms Content-Length: %d\\r\\n\\r\\n%s", len(body), strings.ReplaceAll(body, `\`, `\\`))
		} else if body, found := strings.CutPrefix(line, "< "); found {
			line = fmt.Sprintf("server 1ms Content-Length: %d\\r\\n\\r\\n%s", len(body), strings.ReplaceAll(body, `\`, `\\`))
		}
		text.WriteString(line + "\n")
	}
	return judgeText(t, text.String())
}

func judgeText(t testing.TB, text string) []Finding {
	t.Helper()
	source, err := capture.NewSource("test", io.NopCloser(strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	var findings []Finding
	linter := New(func(f Finding) { findings = append(findings, f) })
	follower := capture.NewFollower()
	for r, err := range source.Records() {
		if err != nil {
			t.Fatal(err)
		}
		if err := follower.Take(r, linter.See); err != nil {
			t.Fatal(err)
		}
	}
	follower.End(linter.See)
	linter.End()
	return findings
}

// hello is a handshake without a fault.
const hello = `> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
< {"jsonrpc":"2.0","id":0,"result":{"capabilities":{}}}
> {"jsonrpc":"2.0","method":"initialized","params":{}}
`

const helloMCP = `> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
< {"jsonrpc":"2.0","id":0,"result":{}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
`

const opened = `> {"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"f:a","version":1,"text":"ab\n😀"}}}
`

// Goal: every rule finds its breach, says where, and nothing else is found. Method: one capture each.
func TestRulesFindTheirBreach(t *testing.T) {
	cases := []struct {
		rule, lines, detail string
	}{
		{"noise-on-stdout", hello + "server 1ms INFO ready\\n", "INFO ready"},
		{"noise-on-stdout", hello + "server 1ms panic\\n\nserver 1ms goroutine 1\\n", "panic"},
		{"noise-on-stdin", hello + "client 1ms hello?\\n", "hello?"},
		{"bad-framing", hello + "server 1ms Content-Length: many\\r\\n\\r\\n", "length"},
		{"bad-framing", hello + "server 1ms Content-Length: 2\\n\\n{}", "text mode"},
		{"truncated", hello + "server 1ms Content-Length: 20\\r\\n\\r\\n{}", "2 of 20"},
		{"invalid-json", hello + "< {1}", "json"},
		{"wrong-jsonrpc", hello + `< {"jsonrpc":"1.0","method":"a"}`, "1.0"},
		{"invalid-message", hello + `< {"jsonrpc":"2.0"}`, "shape"},
		{"duplicate-id", hello + "> {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"a\"}\n> {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"b\"}\n< {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":1}", "a is open"},
		{"reused-id", hello + "> {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"a\"}\n< {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":1}\n> {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"b\"}\n< {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":1}", "a had it"},
		{"unknown-answer", hello + `< {"jsonrpc":"2.0","id":"0","result":1}`, `id "0"`},
		{"double-answer", hello + `< {"jsonrpc":"2.0","id":0,"result":1}`, "initialize"},
		{"answer-after-cancel", helloMCP + "> {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"a\"}\n> {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}\n< {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":1}", "a of"},
		{"missing-answer", hello + `< {"jsonrpc":"2.0","id":"s","method":"workspace/configuration"}`, "at the end"},
		{"missing-answer", hello + "< {\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"roots/list\"}\nclient-eof 1ms", "at the end"},
		{"cancel-unknown", hello + `> {"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":77}}`, "id 77"},
		{"cancel-initialize", "> {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"}\n> {\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":0}}\n< {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}", "id 0"},
		{"before-initialize", `> {"jsonrpc":"2.0","method":"a"}` + "\n" + hello, "a comes first"},
		{"before-initialize", "> {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"}\n> {\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n< {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}", "before the answer"},
		{"server-before-initialized", "> {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"}\n< {\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n< {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}", "a"},
		{"initialize-twice", hello + "> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}\n< {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"\"}}", "initialize"},
		{"no-initialized", strings.Join(strings.SplitAfter(hello, "\n")[:2], "") + `> {"jsonrpc":"2.0","method":"a"}`, "a comes first"},
		{"after-shutdown", hello + "> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"shutdown\"}\n< {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}\n> {\"jsonrpc\":\"2.0\",\"method\":\"a\"}", "a"},
		{"exit-without-shutdown", hello + `> {"jsonrpc":"2.0","method":"exit"}`, "exit"},
		{"document-not-open", hello + `> {"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"f:b","version":2},"contentChanges":[]}}`, "f:b"},
		{"document-open-twice", hello + opened + opened, "f:a"},
		{"document-version", hello + opened + `> {"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"f:a","version":1},"contentChanges":[{"text":""}]}}`, "1 after 1"},
		{"position-out-of-range", hello + opened + `> {"jsonrpc":"2.0","method":"a","params":{"textDocument":{"uri":"f:a"},"position":{"line":1,"character":4}}}`, "nearest is line 1 character 2"},
		{"position-out-of-range", hello + opened + `> {"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"f:a","version":2},"contentChanges":[{"range":{"start":{"line":0,"character":2},"end":{"line":1,"character":2}},"text":""},{"range":{"start":{"line":0,"character":2},"end":{"line":1,"character":0}},"text":""}]}}`, "line 1 character 0"},
		{"unknown-progress", hello + `< {"jsonrpc":"2.0","method":"$/progress","params":{"token":"t","value":{}}}`, `"t"`},
		{"server-failed", hello + "> {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"a\"}\nexit 2ms 137 killed\n< {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":1}", "137 killed, 1 requests open"},
		{"incomplete-capture", hello + "client-gap 1ms 9\n< {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":1}", "9 bytes"},
	}
	tried := map[string]bool{}
	for _, c := range cases {
		tried[c.rule] = true
		got := judge(t, c.lines)
		if len(got) != 1 || got[0].Rule != c.rule || !strings.Contains(got[0].Detail, c.detail) || strings.Contains(got[0].Detail, "()") {
			t.Errorf("%s: found %+v, want %q", c.rule, got, c.detail)
		}
	}
	for _, r := range Rules() {
		if !tried[r.ID] {
			t.Errorf("no capture breaks %s", r.ID)
		}
	}
}

// Goal: what is right is left alone. Method: what looks like a breach and is none.
func TestRulesLeaveAlone(t *testing.T) {
	for name, lines := range map[string]string{
		"a session":             hello + opened + "> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{\"textDocument\":{\"uri\":\"f:a\"},\"position\":{\"line\":1,\"character\":2}}}\n> {\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":1}}\n< {\"jsonrpc\":\"2.0\",\"id\":1.0,\"error\":{\"code\":-32800,\"message\":\"\"}}",
		"logs before the start": "> {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"}\n< {\"jsonrpc\":\"2.0\",\"method\":\"window/logMessage\"}\n< {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}",
		"progress":              hello + "< {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"window/workDoneProgress/create\",\"params\":{\"token\":1}}\n> {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":null}\n< {\"jsonrpc\":\"2.0\",\"method\":\"$/progress\",\"params\":{\"token\":1,\"value\":{}}}",
		"cancelled in MCP":      helloMCP + "> {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"a\"}\n> {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}",
		"modern MCP":            `> {"jsonrpc":"2.0","method":"a","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"x"}}}`,
		"utf-8":                 strings.Replace(hello, `"capabilities":{}`, `"capabilities":{"positionEncoding":"utf-8"}`, 1) + opened + `> {"jsonrpc":"2.0","method":"a","params":{"textDocument":{"uri":"f:a"},"position":{"line":1,"character":4}}}`,
		"asked who had left":    hello + "client-eof 1ms\n< {\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"roots/list\"}",
		"an error for nobody":   hello + `< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}`,
	} {
		if got := judge(t, lines); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Goal: what a member of a batch does is judged as if it had come alone, and found where it stands.
func TestMembersOfBatchesAreJudged(t *testing.T) {
	const ask = `> [{"jsonrpc":"2.0","id":5,"method":"a"}, {"jsonrpc":"2.0","id":6,"method":"b"}]`
	const answer = `{"jsonrpc":"2.0","id":5,"result":1}`
	for _, c := range []struct{ lines, want string }{
		{ask + "\n< [" + answer + `,{"jsonrpc":"2.0","id":6,"error":{"code":1,"message":""}}]`, ""},
		{ask + "\n< " + answer, "missing-answer b 6 at 0"},
		{ask + "\n< [" + answer + "," + answer + "]", "double-answer  5 at 134; missing-answer b 6 at 0"},
		{ask[:len(ask)-1] + "," + `{"jsonrpc":"2.0","id":6,"method":"c"}]` + "\n< [" + answer + `,{"jsonrpc":"2.0","id":6,"result":1}]`, "duplicate-id c 6 at 255"},
		{"< [1,[],{}]", "invalid-message   at 97; invalid-message   at 99; wrong-jsonrpc   at 102"},
		{"> []", ""},
	} {
		var found []string
		for _, f := range judge(t, hello+c.lines) {
			found = append(found, fmt.Sprintf("%s %s %s at %d", f.Rule, f.Method, f.ID, f.Offset))
		}
		if got := strings.Join(found, "; "); got != c.want {
			t.Errorf("%s\nfound %s\nwant  %s", c.lines, got, c.want)
		}
	}
}

// Goal: the documentation lists the rules as they are.
func TestRulesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/capture.md")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for _, r := range Rules() {
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", r.ID, r.Severity, r.Text)
	}
	if !strings.Contains(string(page), table.String()) {
		t.Errorf("docs/capture.md does not hold\n%s", table.String())
	}
}

// Whatever passes: no panic, and a finding names a rule that exists.
func FuzzLint(f *testing.F) {
	f.Add(hello + opened + "> {\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didChange\",\"params\":{\"textDocument\":{\"uri\":\"f:a\",\"version\":2},\"contentChanges\":[{\"range\":{\"start\":{\"line\":1,\"character\":9},\"end\":{\"line\":0,\"character\":2}},\"text\":\"x\"}]}}")
	f.Add(helloMCP + "server-gap 1s 2\nexit 1s 1\ncapture part=2\n")
	f.Fuzz(func(t *testing.T, lines string) {
		source, err := capture.NewSource("test", io.NopCloser(strings.NewReader("capture framing=line\n"+strings.NewReplacer("> ", "client 1s ", "< ", "server 1s ", "}\n", "}\\n\n").Replace(lines))))
		if err != nil {
			return
		}
		linter := New(func(f Finding) {
			if f.Rule == "" || f.From == "" {
				t.Errorf("%+v", f)
			}
		})
		follower := capture.NewFollower()
		for r, err := range source.Records() {
			if err != nil || follower.Take(r, linter.See) != nil {
				break
			}
		}
		follower.End(linter.See)
		linter.End()
	})
}
