package replay

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-rpc/parley/internal/capture"
)

// patience is longer than any answer takes here.
const patience = time.Minute

// recorded is the conversation of a capture in lines, > from the client and < from the server.
func recorded(t *testing.T, lines ...string) *Conversation {
	t.Helper()
	text := `capture framing=line` + "\n"
	for i, line := range lines {
		who := map[byte]string{'>': "client", '<': "server"}[line[0]]
		text += fmt.Sprintf("%s %dms %s\\n\n", who, i, line[2:])
	}
	source, err := capture.NewSource("test", io.NopCloser(strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	c, f := NewConversation(), capture.NewFollower()
	see := func(seen *capture.Seen) { c.See(f, seen) }
	for r, err := range source.Records() {
		if err == nil {
			err = f.Take(r, see)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	f.End(see)
	return c
}

func wantDifferences(t *testing.T, got []Difference, want ...string) {
	t.Helper()
	var lines []string
	for _, d := range got {
		lines = append(lines, fmt.Sprintf("%s #%d: %s", d.Method, d.Nth, d.Detail))
	}
	if !slices.Equal(lines, want) {
		t.Errorf("differences\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// Goal: it does not matter whether something came alone or in a batch, but what it said does. Method: the
// same two requests alone, in a batch, and in a batch with another answer, a request less and one more.
func TestDiffTakesBatchesApart(t *testing.T) {
	alone := recorded(t,
		`> {"jsonrpc":"2.0","id":1,"method":"a","params":[1]}`,
		`< {"jsonrpc":"2.0","id":1,"result":1}`,
		`> {"jsonrpc":"2.0","id":2,"method":"b"}`,
		`< {"jsonrpc":"2.0","id":2,"result":2}`)
	batched := recorded(t,
		`> [{"jsonrpc":"2.0","id":7,"method":"b"},{"jsonrpc":"2.0","id":8,"method":"a","params":[1]}]`,
		`< [{"jsonrpc":"2.0","id":8,"result":1},{"jsonrpc":"2.0","id":7,"result":2}]`)
	other := recorded(t,
		`> [{"jsonrpc":"2.0","id":1,"method":"a","params":[1]},{"jsonrpc":"2.0","id":2,"method":"c"}]`,
		`< [{"jsonrpc":"2.0","id":1,"result":3}]`)
	wantDifferences(t, Diff(alone, batched, MatchStrict))
	wantDifferences(t, Diff(batched, other, MatchStrict), "b #1: only in the first", "a #1: result: want 1, got 3", "c #1: only in the second")
}

// Goal: a batch goes to a live server as it was, each answer in it is compared, and what the server asks
// in a batch is answered in one. Method: a server that answers the first request of the batch alone, asks
// for two things, and answers the second one otherwise than recorded.
func TestClientPlaysBatches(t *testing.T) {
	const asks = `[{"jsonrpc":"2.0","id":"x","method":"ask"},{"jsonrpc":"2.0","id":"y","method":"ask"}]`
	batch := `[ {"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":2,"method":"b"} ]`
	play := recorded(t,
		"> "+batch,
		"< "+asks,
		`> [{"jsonrpc":"2.0","id":"y","result":"Y"},{"jsonrpc":"2.0","id":"x","result":"X"},{"jsonrpc":"2.0","method":"m"}]`,
		`< [{"jsonrpc":"2.0","id":2,"result":{"b":true}},{"jsonrpc":"2.0","id":1,"result":1}]`)

	fromServer, server := io.Pipe()
	heard, toServer := io.Pipe()
	var found []Difference
	client := Client{Recorded: play, Matching: MatchShape, Patience: patience, Found: func(d Difference) { found = append(found, d) }}
	played := make(chan error, 1)
	go func() {
		played <- client.Play(t.Context(), fromServer, toServer)
		toServer.Close()
	}()
	lines := bufio.NewScanner(heard)
	next := func() string {
		lines.Scan()
		return lines.Text()
	}
	if got := next(); got != batch {
		t.Errorf("the server hears %s", got)
	}
	if got := next(); got != `[{"jsonrpc":"2.0","method":"m"}]` { // the answers beside it wait for their questions
		t.Errorf("the server hears %s", got)
	}
	fmt.Fprintln(server, `{"jsonrpc":"2.0","id":1,"result":1}`)
	fmt.Fprintln(server, asks)
	if got, want := next(), `[{"jsonrpc":"2.0","id":"x","result":"X"},{"jsonrpc":"2.0","id":"y","result":"Y"}]`; got != want {
		t.Errorf("its questions are answered with %s, want %s", got, want)
	}
	fmt.Fprintln(server, `[{"jsonrpc":"2.0","id":2,"result":{"b":1}}]`)
	if err := <-played; err != nil {
		t.Error(err)
	}
	server.Close()
	wantDifferences(t, found, "b #1: result.b: want true, got 1")
}

// Goal: a client that asks in a batch is answered in one, with what was recorded alone. Method: two
// requests, one of them unknown to the capture, and a notification.
func TestServerPlaysBatches(t *testing.T) {
	play := recorded(t,
		`> {"jsonrpc":"2.0","id":1,"method":"a"}`,
		`< {"jsonrpc":"2.0","id":1,"result":1}`,
		`> {"jsonrpc":"2.0","method":"n"}`,
		`< {"jsonrpc":"2.0","method":"told"}`)
	in := `[{"jsonrpc":"2.0","id":"k","method":"a"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":2,"method":"b"}]` + "\n"
	var out strings.Builder
	var found []Difference
	server := Server{Recorded: play, Matching: MatchShape, Found: func(d Difference) { found = append(found, d) }}
	if err := server.Play(context.Background(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	want := `{"jsonrpc":"2.0","method":"told"}
[{"jsonrpc":"2.0","id":"k","result":1},{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"not in the capture"}}]
`
	if out.String() != want {
		t.Errorf("the client hears\n%swant\n%s", out.String(), want)
	}
	wantDifferences(t, found, "b #1: not in the capture")
}
