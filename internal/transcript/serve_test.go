package transcript

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// records parses lines, each a record.
func records(t testing.TB, lines string) []Record {
	t.Helper()
	var list []Record
	for line := range strings.Lines(lines) {
		r, err := ParseRecord([]byte(strings.TrimSuffix(line, "\n")))
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		list = append(list, r)
	}
	return list
}

// served gives inputs to Serve and returns them with the answers between them, as text.
func served(t testing.TB, inputs []Record) (string, error) {
	t.Helper()
	var answers bytes.Buffer
	err := Serve(bytes.NewReader(spell(t, inputs...)), &answers)
	reader := NewReader(&answers, 0)
	var text []byte
	for i := range inputs {
		text = inputs[i].Append(text)
		for {
			var r Record
			if failure := reader.Next(&r); failure != nil {
				if !errors.Is(failure, io.EOF) {
					t.Fatal(failure)
				}
				return string(text), err
			}
			text = r.Append(text)
			if r.Op == OpReady {
				break
			}
		}
	}
	return string(text), err
}

// Goal: each input is answered, and what docs/abi.md says of the answers holds. Method: a conversation
// of all kinds of inputs, with four connections one after the other.
func TestServeAnswersEachInput(t *testing.T) {
	var inputs []Record
	for _, r := range records(t, conversation) {
		if !r.Op.IsObservation() {
			inputs = append(inputs, r)
		}
	}
	got, err := served(t, inputs)
	if err != nil {
		t.Error(err)
	}
	if diff := Diff([]byte(conversation), []byte(got)); diff != "" {
		t.Error(diff)
	}
}

const conversation = `open profile=lsp role=client limits-of=nobody
< ready never none 0
> hold
< config-error transcript: "a connection": open: unknown setting "limits-of"
< refused closed
< ready never none 0
> notify a
< refused closed
< ready never none 0
open profile=plain role=client frame-bytes-max=0
< ready never none 0
> notify a
< config-error Limits.FrameBytesMax
< refused closed
< ready never none 0
open profile=plain role=peer framing=line
< ready never none 0
method a read
< ready never none 0
> call b {}
< accepted c1048576
< ready never none 50
> add-call c
< ready never none 50
> add-notify d
< ready never none 50
> batch
< accepted c1048577
< ready never none 121
> cancel c9
< refused unknown-call
< ready never none 121
> at 1ms
< out {"jsonrpc":"2.0","id":1,"method":"b","params":{}}\n[{"jsonrpc":"2.0","id":2,"method":"c"},{"jsonrpc":"2.0","method":"d"}]\n
< ready never none 0
> in {"jsonrpc":"2.0","id":1,"result":[]}\n{"jsonrpc":"2.0","id":5,"method":"a"}\n
< ready never none 0
> drain
< result c1048576 []
< request r1048576 #1 id=5 a
< ready never none 0
> reply r1048576 {}
< ready never none 37
> drain
< out {"jsonrpc":"2.0","id":5,"result":{}}\n
< ready never none 0
> done r1048576
< ready never none 0
> hold
< ready never none 0
> notify e
< ready never none 31
> at 2ms
< ready never none 31
> take
< taken {"jsonrpc":"2.0","method":"e"}\n
< ready never none 0
> wrote 4
< ready never none 0
> wrote 100
< refused bad-count
< ready never none 0
> release
< ready never none 0
> read-failed
< output-done
< ready never none 0
> drain
< ending read-failed
< lost c1048577 read-failed id=2
< closed
< output-done
< ready never none 0
> state
< state input=broken output=done reason=read-failed closed=true credit=2147483646 accepted-bytes=189 written-bytes=189
< output-done
< ready never none 0
> stats bytes-in
< stats bytes-in=75
< output-done
< ready never none 0
open profile=mcp role=server
< ready never none 0
> want 1
< ready never none 0
> trace-start
< ready never none 0
> in {"jsonrpc":"2.0","id":"x","method":"initialize","params":{}}\n
< ready never none 0
> advance 3ms
< ready never none 0
> drain
< request r1048576 #1 id="x" initialize {}
< ready never none 0
> snapshot
< snapshot tracing=true
< item ordinal=1 method=initialize mode=read running=true accepted-at=3000000 started-at=3000000
< traced ordinal=1 method=initialize
< traced ordinal=1 phase=running method=initialize
< ready never none 0
> in {\n{\n
< ready never none 152
> eof
< ready never none 152
> shutdown
< ready never none 152
> at 20s
< invalid json offset=62 count=1 {
< invalid json offset=64 count=2 {
< ending eof
< out {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}\n{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}\n
< ready 25s grace 0
> drain
< ready 25s grace 0
> abort
< ready never none 0
> drain
< cancel-request r1048576 #1
< closed
< ready never none 0
open profile=lsp role=server
< ready never none 0
> in Content-Length: x\r\n\r\n
< violation length offset=18 Content-Length: x\r\n
< output-done
< ready never none 0
> in y
< violation length offset=18 Content-Length: x\r\n
< output-done
< ready never none 0
> drain
< ending violation
< violation length offset=18 Content-Length: x\r\n
< closed
< output-done
< ready never none 0
> state
< state input=broken output=done reason=violation closed=true credit=2147483647
< violation length offset=18 Content-Length: x\r\n
< output-done
< ready never none 0
`

// Goal: what is no input ends the program and names itself, and what was answered before is there.
func TestServeRefusesWhatIsNoInput(t *testing.T) {
	for _, lines := range []string{
		"< closed\n", "client 1s {}\n", "method a read\n",
		"open profile=lsp role=client\n> hold\nmethod a read\n",
		"open profile=lsp role=client\n> stats nothing\n",
	} {
		inputs := records(t, lines)
		got, err := served(t, inputs)
		if err == nil || strings.Count(got, "< ready") != len(inputs)-1 {
			t.Errorf("%q: %v after %q", lines, err, got)
		}
	}
	torn := new(TornError)
	if err := Serve(strings.NewReader("\x00\x00\x00\x09\x81"), io.Discard); !errors.As(err, &torn) {
		t.Errorf("a record cut short: %v", err)
	}
	corrupt := new(CorruptError)
	if err := Serve(strings.NewReader("\xff\xff\xff\xff"), io.Discard); !errors.As(err, &corrupt) {
		t.Errorf("a length over the limit: %v", err)
	}
}

// Goal: a turn that has more to show than one answer may hold says so and goes on. Method: a thousand
// notifications, and output of three mebibytes.
func TestTurnsAreBounded(t *testing.T) {
	const note = `> in*1000 {"jsonrpc":"2.0","method":"a"}\n` + "\n"
	drain := strings.Repeat("> drain\n", 6)
	got, err := served(t, records(t, "open profile=plain role=peer framing=line inbound=messages\n"+note+drain))
	if err != nil {
		t.Fatal(err)
	}
	if events, more := strings.Count(got, "< notification"), strings.Count(got, "< more"); events != 1000 || more != 3 {
		t.Errorf("%d notifications in answers of which %d have more, want 1000 and 3", events, more)
	}
	large := `> notify a ["` + strings.Repeat("x", 1<<20) + "\"]\n"
	got, err = served(t, records(t, "open profile=plain role=peer framing=line out-bytes-max=4194304\n"+large+large+large+drain))
	if err != nil {
		t.Fatal(err)
	}
	if blocks, more := strings.Count(got, "< out"), strings.Count(got, "< more"); blocks != 3 || more != 3 {
		t.Errorf("%d blocks in answers of which %d have more, want 3 and 3", blocks, more)
	}
}

// Nothing that is given to the program makes it panic.
func FuzzServe(f *testing.F) {
	f.Add([]byte(conversation))
	f.Add([]byte(story))
	f.Fuzz(func(t *testing.T, lines []byte) {
		var inputs []Record
		for line := range bytes.Lines(lines) {
			r, err := ParseRecord(bytes.TrimSuffix(line, []byte("\n")))
			if err == nil && r.Repeat < 100 && !r.Op.IsObservation() {
				inputs = append(inputs, r)
			}
		}
		// What it answers is looked at by served; an error is the fault of inputs like these.
		_, _ = served(t, inputs)
	})
}
