package transcript

import (
	"strings"
	"testing"
)

// story holds one line of every verb, in canonical spelling.
const story = `# CALL-3 MSG-1  Every verb once.
open profile=plain role=peer framing=header frame-bytes-max=64 resync session-id=a\x20b
method a/b read supersede=textDocument/uri
method $/n order notification
## The reader's own line, with 2 < 3.
> in Content-Length: 2\r\n\r\n{}
> in*3 \x20\x00\\\xFF x\x20
> frame*2 {"a": 1}
> eof
> at 0s
> hold
> release
> take
> wrote 7
> write-failed
> call sum deadline=100ms extend=3ns deadline-max=never token="t" id="x\x20y" quiet [1, 2]
> call \e
> call m \x69d=body
> notify a\x20b {}
> add-call m [1]
> add-notify m
> batch
> cancel c1
> reply r1 null
> fail r2 -32601 data={"a":\x201} No such method: x
> done r3
> cancel-request #4
> want 5
> forward {"x": 1}
> finish-input
> shutdown
> abort
> trace-start
> trace-stop
> set-version 2025-03-26
> stats late unknown
> state input
< refused id-taken
< config-error Limits.OutBytesMax
< stats late=1 unknown=0
< state input=open
< taken x
< taken-nothing
< request r1 #1 id=7 textDocument/hover {"a": 1}
< notification r2 #2 m [1]
< notification #3 m
< message request id=7 method=m body=[1] {"jsonrpc":"2.0"}
< message invalid invalid=json offset=3 hint=header Content
< result c1 3
< error c1 -32601 data=[1] no such
< invalid-answer c1 {"x": 1}
< timeout c1 count=3 abc
< canceled c1
< lost c1 eof
< progress c1 {}
< cancel-request r1 #1
< invalid json offset=12 count=1 hint=dap {"seq"
< noise none count=2 hint=stdout-noise \x6Fffset=1
< peer-error -32000 boom
< resync offset=3 count=4 garbage
< writable
< stalled
< dropped id=7 ping
< ending eof
< violation parse invalid=dap offset=3 have=4 need=5 hint=bare-json {"
< closed
< out Content-Length: 2\r\n\r\n{}
< paused
< reading
< output-done
< deadline 100ms call
< deadline never none
capture profile=lsp framing=header command=go\x20run
client 0s Content-Length: 2\r\n\r\n
client 1us part {
client 1us }
server 3ms \x70art of it
stderr 3ms warning\n
client-eof 1s
server-eof 1s
client-gap 1s 4096
server-gap 1s 1
stderr-gap 1s 9
signal 2s terminated
exit 2s 143 terminated
> read-failed
> advance 3ms
> drain
> snapshot
< accepted c4
< more
< snapshot generation=2 truncated=true
< item ordinal=3 method=a\x20b running=true
< method-stats name=a count=2
< method-dropped method=a count=1
< traced at=5 phase=failed
< ready 7ms stall 3

# FRAME-1  A second one.
open profile=lsp role=client
`

// Parse and Print are inverses on canonical text, and the text above leaves no verb out.
func TestStoryRoundTrip(t *testing.T) {
	vectors, err := Parse([]byte(story))
	if err != nil {
		t.Fatal(err)
	}
	if diff := Diff([]byte(story), Print(vectors)); diff != "" {
		t.Error(diff)
	}
	spoken := map[Op]bool{}
	for _, r := range vectors[0].Records {
		spoken[r.Op] = true
	}
	for op := OpNone + 1; op < opEnd; op++ {
		if !spoken[op] {
			t.Errorf("no line for %q", spellings[op].verb)
		}
	}
	if got, want := vectors[0].Name("call.rpc"), "call/every-verb-once"; got != want {
		t.Errorf("name %q, want %q", got, want)
	}
}

func TestParseRefuses(t *testing.T) {
	const head = "# CALL-1  T.\nopen profile=lsp role=client\n"
	for _, c := range []struct{ text, want string }{
		{"open profile=lsp", "line 1: want a title"},
		{"# CALL-1 one space", "want a title"},
		{"# CALL-01  T.", "no rule id"},
		{"# call-1  T.", "no rule id"},
		{"# CALL-1  T.\n> eof", "line 2: want one open line"},
		{head + "open profile=lsp", "line 3: want one open line"},
		{head + "> jump", `unknown verb "> jump"`},
		{head + "> ", "unknown verb"},
		{head + "> eof now", "nothing is known about"},
		{head + "> at soon", "want a count"},
		{head + "> at 9007199254741ms", "below 2^53"},
		{head + "> at 18446744073709551616s", "want a count"},
		{head + "> cancel 1", "want c"},
		{head + "> cancel", "want c"},
		{head + "> call m quietly", "want quiet"},
		{head + "> call m id=1 deadline=1ms", "out of order"},
		{head + "> call m id=1 id=2", "out of order"},
		{head + `> in \q`, "unknown escape"},
		{head + `> in \x4`, "unknown escape"},
		{head + `> in \`, "unknown escape"},
		{head + "> in*1 x", "want a repeat count from 2"},
		{head + "> in*9223372036854775807 xx", "want a repeat count from 2"},
		{head + "> eof*2", "only in and frame"},
		{head + "> fail r1 -2147483649 x", "out of range"},
		{head + "> stats a=", "want name"},
		{head + "> stats A=1", "want name"},
		{head + "< lost c1 boredom", "want one of"},
	} {
		if _, err := Parse([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// Whatever parses can be printed, and what is printed is canonical and means the same.
func FuzzTranscript(f *testing.F) {
	f.Add([]byte(story))
	f.Fuzz(func(t *testing.T, text []byte) {
		vectors, err := Parse(text)
		if err != nil {
			return
		}
		printed := Print(vectors)
		again, err := Parse(printed)
		if err != nil {
			t.Fatalf("%v in\n%s", err, printed)
		}
		if diff := Diff(printed, Print(again)); diff != "" {
			t.Error(diff)
		}
		for i := range vectors {
			if vectors[i].Digest() != again[i].Digest() {
				t.Errorf("vector %d: the digest depends on the spelling", i)
			}
		}
	})
}

func TestRulesAreListedOnce(t *testing.T) {
	rules, err := Rules([]byte("# B-2 A-1  One.\nopen\n\n# A-1 A-10  Two.\nopen\n"))
	if err != nil || strings.Join(rules, " ") != "B-2 A-1 A-10" {
		t.Error(rules, err)
	}
	if _, err := Rules([]byte("open")); err == nil {
		t.Error("a file without a title has rules")
	}
}
