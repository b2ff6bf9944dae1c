package capture

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/transcript"
)

// session is a capture with one of everything.
func session() []transcript.Record {
	about := Header{Framing: FramingGuess, Session: "s", Part: 1, Started: time.Unix(1, 5).UTC(), Command: []string{"srv", "x y"}}
	client := func(at core.Time, text string) transcript.Record {
		return transcript.Record{Op: transcript.OpClient, Time: at, Text: []byte(text)}
	}
	server := func(at core.Time, text string) transcript.Record {
		return transcript.Record{Op: transcript.OpServer, Time: at, Text: []byte(text)}
	}
	ask := header(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"n":12345678901234567890}}`)
	return []transcript.Record{
		about.record(),
		{Op: transcript.OpStderr, Time: 1, Text: []byte("starting\n")},
		server(1000, "banner\n"),
		client(2000, ask[:30]),
		client(3000, ask[30:]),
		{Op: transcript.OpClientGap, Time: 4000, Count: 9},
		server(5_003_000, header(`{"jsonrpc":"2.0","id":1,"result":{"ok":true}}`)+header(`{"jsonrpc":"2.0","id":9,"error":{"code":-1,"message":"no"}}`)),
		{Op: transcript.OpSignal, Time: 6_000_000, Text: []byte("interrupt")},
		{Op: transcript.OpClientEOF, Time: 6_000_000},
		{Op: transcript.OpServerEOF, Time: 7_000_000},
		{Op: transcript.OpExit, Time: 8_000_000, Code: 3},
	}
}

// write spells records.
func write(t testing.TB, spelling Spelling, records []transcript.Record) []byte {
	t.Helper()
	var to bytes.Buffer
	w := NewWriter(&to, spelling)
	for i := range records {
		if err := w.Write(&records[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return to.Bytes()
}

// read is the inverse of write; the error is the one that ended it.
func read(t testing.TB, spelled []byte) ([]transcript.Record, error) {
	t.Helper()
	source, err := NewSource("test", io.NopCloser(bytes.NewReader(spelled)))
	if err != nil {
		return nil, err
	}
	var records []transcript.Record
	for r, err := range source.Records() {
		if err != nil {
			return records, err
		}
		var kept transcript.Record // what is read shares memory with the reader
		spelled, err := r.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := kept.DecodeBinary(spelled[4:]); err != nil {
			t.Fatal(err)
		}
		records = append(records, kept)
	}
	return records, nil
}

// Goal: binary and text hold the same, and JSON lines the same messages. Method: a session with one
// of everything, there and back.
func TestSpellingsAgree(t *testing.T) {
	records := session()
	binary := write(t, SpellBinary, records)
	lines := write(t, SpellJSON, records)
	for _, spelling := range []Spelling{SpellBinary, SpellText} {
		back, err := read(t, write(t, spelling, records))
		if err != nil {
			t.Fatal(err)
		}
		if got := write(t, SpellBinary, back); !bytes.Equal(got, binary) {
			t.Errorf("%s: %q, want %q", spellingNames[spelling], got, binary)
		}
	}
	back, err := read(t, lines)
	if err != nil {
		t.Fatal(err)
	}
	again := strings.Replace(string(write(t, SpellJSON, back)), `"framing":"header"`, `"framing":"guess"`, 1)
	if diff := transcript.Diff(lines, []byte(again)); diff != "" {
		t.Error(diff)
	}
	for _, want := range []string{
		`"kind":"request","method":"initialize","bytes":82,"id":1,"message":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"n":12345678901234567890}}`,
		`"kind":"result","method":"initialize","bytes":45,"elapsedMs":5,"id":1`,
		`{"from":"server","ms":0.001,"kind":"noise","bytes":7,"text":"banner\n"}`,
		`{"from":"client","ms":0.004,"kind":"gap","bytes":9}`,
		`{"from":"tap","ms":8,"kind":"exit","code":3}`,
	} {
		if !strings.Contains(string(lines), want) {
			t.Errorf("no %s in\n%s", want, lines)
		}
	}
}

func TestSourceRefuses(t *testing.T) {
	for spelled, want := range map[string]string{
		"":                                       "is empty",
		"Dear Sir":                               "is no capture",
		"\x89parley\x02":                         "version 2",
		"capture framing=morse":                  "",
		"capture x\n> jump":                      "line 2",
		`{"from":"moon"}`:                        "line 1",
		`{"from":"client","ms":-1,"message":{}}`: "line 1: -1 ms",
		`{"from":"client","ms":1e300,"message":{}}`:     "line 1",
		`{"from":"client"`:                              "line 1",
		preamble + "\x00\x00\x00\x00":                   "byte 8: no record",
		preamble + "\x7f\xff\xff\xff":                   "byte 8: no record",
		preamble + "\x00\x00\x00\x02\xc1\xc1":           "byte 8: no record",
		`{"isLSPMessage":true,"type":"send","message":`: "line 1",
	} {
		_, err := read(t, []byte(spelled))
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", spelled, err)
			}
			continue
		}
		if !errors.As(err, new(*FormatError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", spelled, err, want)
		}
	}
	_, err := read(t, []byte(preamble+"\x00\x00\x00\x09x"))
	if !errors.As(err, new(*transcript.TornError)) {
		t.Errorf("torn: %v", err)
	}
}

const traceInText = `[Trace - 11:59:59 PM] Sending request 'initialize - (0)'.
Params: {
    "processId": 1
}


[Trace - 12:00:01 AM] Received response 'initialize - (0)' in 2000ms.
Result: {
    "capabilities": {}
}


[Trace - 12:00:02 AM] Received notification 'window/logMessage'.
Params: {"type":3}

[Trace - 12:00:03 AM] Sending request 'x/y - (1)'.
No parameters provided.

[Trace - 12:00:04 AM] Received response 'x/y - (1)' in 3ms. Request failed: no such thing (-32601).
Error data: [1]
[Trace - 12:00:05 AM] Received response 'shutdown - (2)' in 3ms.
No result returned.
`

const traceInJSON = `[LSP   - 10:13:58 AM] {"isLSPMessage":true,"type":"send-request","message":{"jsonrpc":"2.0","id":0,"method":"initialize"},"timestamp":1600000000000}
[LSP   - 10:13:59 AM] {"isLSPMessage":true,"type":"receive-response","message":{"jsonrpc":"2.0","id":0,"result":null},"timestamp":1600000000250}
`

func TestTracesAreRead(t *testing.T) {
	for trace, want := range map[string][]string{
		traceInText: {
			`0s {"id":0,"jsonrpc":"2.0","method":"initialize","params":{"processId":1}}`,
			`2s {"id":0,"jsonrpc":"2.0","result":{"capabilities":{}}}`,
			`3s {"jsonrpc":"2.0","method":"window/logMessage","params":{"type":3}}`,
			`4s {"id":1,"jsonrpc":"2.0","method":"x/y"}`,
			`5s {"error":{"code":-32601,"data":[1],"message":"no such thing"},"id":1,"jsonrpc":"2.0"}`,
			`6s {"id":2,"jsonrpc":"2.0","result":null}`,
		},
		traceInJSON: {
			`0s {"jsonrpc":"2.0","id":0,"method":"initialize"}`,
			`250ms {"jsonrpc":"2.0","id":0,"result":null}`,
		},
	} {
		records, err := read(t, []byte(trace))
		if err != nil {
			t.Error(err)
			continue
		}
		var got []string
		for _, r := range records[1:] {
			_, body, _ := strings.Cut(string(r.Text), "\r\n\r\n")
			got = append(got, time.Duration(r.Time).String()+" "+body)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// Whatever file is given: no panic, no message that does not stand in it, and what was read can be
// written and read again.
func FuzzSource(f *testing.F) {
	for spelling := range Spelling(3) {
		f.Add(write(f, spelling, session()))
	}
	f.Add([]byte(traceInText))
	f.Add([]byte(traceInJSON))
	f.Add([]byte("capture part=2 session=x\nclient 1s part a\nserver-gap 1s 5\nexit 1s 0"))
	f.Fuzz(func(t *testing.T, spelled []byte) {
		records, _ := read(t, spelled) // what was read before an error holds
		follower := NewFollower()
		for i := range records {
			if err := follower.Take(&records[i], func(seen *Seen) { NewLine(seen, &follower.Header) }); err != nil {
				return
			}
		}
		follower.End(func(*Seen) {})
		if len(records) == 0 {
			return
		}
		back, err := read(t, write(t, SpellBinary, records))
		if err != nil || len(back) != len(records) {
			t.Fatalf("%d records, %v, of %d", len(back), err, len(records))
		}
	})
}

var update = flag.Bool("update", false, "write the captures that the page's decoder is tested with")

// Goal: the page's decoder reads what is written here. Method: the session with one of everything, in
// both spellings that the page opens, lies beside this test.
func TestPageReadsTheseCaptures(t *testing.T) {
	for name, spelling := range map[string]Spelling{"session.cap": SpellBinary, "session.jsonl": SpellJSON} {
		path := filepath.Join("testdata", name)
		want := write(t, spelling, session())
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the writer writes (-update): %v", path, err)
		}
	}
}
