package capture

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/transcript"
)

// Goal: requests are counted, and their times taken, also where they or their answers are members of
// batches. Method: a batch of two requests and a notification, answered once alone and once in a batch.
func TestCounterTakesBatchesApart(t *testing.T) {
	follower, counter := NewFollower(), NewCounter()
	about := Header{Framing: FramingLine, Part: 1}
	records := []transcript.Record{
		about.record(),
		line(transcript.OpClient, 1, `[ {"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"} , {"jsonrpc":"2.0","method":"n"}]`),
		line(transcript.OpServer, 3, `{"jsonrpc":"2.0","id":2,"result":null}`),
		line(transcript.OpServer, 9, `[{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}},{"jsonrpc":"2.0","id":7,"result":1},[],true]`),
	}
	for i := range records {
		if err := follower.Take(&records[i], counter.See); err != nil {
			t.Fatal(err)
		}
	}
	follower.End(counter.See)
	s := counter.Stats(follower)
	if s.Messages != 3 || s.Unknown != 1 || s.Invalid != 2 {
		t.Errorf("%d messages, %d unknown, %d invalid; want 3, 1, 2", s.Messages, s.Unknown, s.Invalid)
	}
	var got string
	for _, m := range s.Methods {
		got += fmt.Sprintf("%s %s %d, %d errors, %d open, max %v ms\n", m.Kind, m.Method, m.Count, m.Errors, m.Unanswered, m.MaxMs)
	}
	const want = "request a 1, 1 errors, 0 open, max 8 ms\n" +
		"request b 1, 0 errors, 0 open, max 2 ms\n" +
		"notification n 1, 0 errors, 0 open, max 0 ms\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Goal: in JSON lines a batch is one line, each member one more, and reading them back gives the batch alone.
func TestMembersOfBatchesHaveLines(t *testing.T) {
	about := Header{Framing: FramingLine, Part: 1}
	const batch = `[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"n"},7]`
	records := []transcript.Record{
		about.record(),
		line(transcript.OpClient, 1, batch),
		line(transcript.OpServer, 3, `{"jsonrpc":"2.0","id":1,"result":null}`),
	}
	lines := string(write(t, SpellJSON, records))
	const want = `{"from":"client","ms":1,"kind":"batch","bytes":72,"message":` + batch + `}
{"from":"client","ms":1,"kind":"request","method":"a","bytes":37,"inBatch":true,"id":1,"message":{"jsonrpc":"2.0","id":1,"method":"a"}}
{"from":"client","ms":1,"kind":"notification","method":"n","bytes":30,"inBatch":true,"message":{"jsonrpc":"2.0","method":"n"}}
{"from":"client","ms":1,"kind":"invalid","bytes":1,"inBatch":true,"message":7}
{"from":"server","ms":3,"kind":"result","method":"a","bytes":38,"elapsedMs":2,"id":1,"message":{"jsonrpc":"2.0","id":1,"result":null}}
`
	if _, got, _ := strings.Cut(lines, "\n"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	back, err := read(t, []byte(lines))
	if err != nil || len(back) != 3 || string(back[1].Text) != batch+"\n" {
		t.Errorf("%d records, the second %q: %v", len(back), back[min(1, len(back)-1)].Text, err)
	}
}

// line is one read that is one message in line framing.
func line(op transcript.Op, ms core.Time, body string) transcript.Record {
	return transcript.Record{Op: op, Time: ms * 1_000_000, Text: []byte(body + "\n")}
}
