package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// API-4: requests and notifications in arrival order, never answers, and a clean end.
func TestMessagesInOrder(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.Plain, roomy)
		go func() {
			w.hear()
			w.say(`{"jsonrpc":"2.0","method":"first","params":{"n":1}}`)
			w.say(`{"jsonrpc":"2.0","id":1,"result":true}`)
			w.say(`{"jsonrpc":"2.0","id":"a","method":"second"}`)
			w.CloseWrite()
		}()
		if _, err := p.CallRaw(t.Context(), "m", nil); err != nil {
			t.Error(err)
		}
		synctest.Wait() // all of it has arrived, the end included, before anybody asks
		var got []string
		for m, err := range p.Messages(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s %s %v", m.Method, m.Params, m.IsRequest()))
		}
		if want := `[first {"n":1} false second  true]`; fmt.Sprint(got) != want {
			t.Errorf("got %v, want %s", got, want)
		}
		if err := p.Err(); err != nil {
			t.Errorf("a clean end: %v", err)
		}
	})
}

func TestMessagesHasOneConsumer(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.Plain, roomy)
		w.say(`{"jsonrpc":"2.0","method":"m"}`)
		for range p.Messages(t.Context()) {
			break
		}
		items := 0
		for m, err := range p.Messages(t.Context()) {
			if items++; m != nil || !errors.Is(err, host.ErrUnsupported) {
				t.Errorf("got %v, %v", m, err)
			}
		}
		if items != 1 {
			t.Errorf("%d items, want the one error", items)
		}
	})
}

// API-4: the terminal error comes after what was retained.
func TestMessagesEndsWithTheTerminalError(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, withLimits(host.MCP, func(l *core.Limits) { l.MalformedMax = 1 }), roomy)
		w.say(`{"jsonrpc":"2.0","method":"kept"}`)
		w.say(`garbage`)
		w.say(`garbage`)
		synctest.Wait()
		var methods []string
		var last error
		for m, err := range p.Messages(t.Context()) {
			if last = err; err == nil {
				methods = append(methods, m.Method)
			}
		}
		var violation *core.ProtocolError
		var session *host.SessionError
		if !errors.As(last, &violation) || violation.Kind != core.ViolationNoise || !errors.As(last, &session) || !errors.Is(last, host.ErrClosed) {
			t.Errorf("ended with %v", last)
		}
		if fmt.Sprint(methods) != "[kept]" {
			t.Errorf("before it: %v", methods)
		}
	})
}

func TestMessagesEndsWithItsContext(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, _ := dial(t, engine, host.Plain, roomy)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var last error
		for _, err := range p.Messages(ctx) {
			last = err
		}
		if !errors.Is(last, host.ErrTimeout) {
			t.Errorf("got %v", last)
		}
	})
}

// A consumer may close the session it reads from, whatever still waits.
func TestMessagesMayClose(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.Plain, roomy)
		for range 3 {
			w.say(`{"jsonrpc":"2.0","method":"m"}`)
		}
		synctest.Wait()
		items := 0
		for _, err := range p.Messages(t.Context()) {
			if items++; err != nil {
				t.Error(err)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
		if items != 1 {
			t.Errorf("%d items, want the one before Close", items)
		}
	})
}

// BACK-1: the oldest notification goes, and is counted.
func TestDroppedMessages(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, withLimits(host.Plain, func(l *core.Limits) { l.MessagesMax = 2 }), roomy)
		for i := range 5 {
			w.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"n%d"}`, i))
		}
		synctest.Wait()
		if dropped := p.DroppedMessages(); dropped != 3 || p.MessagesMax() != 2 {
			t.Errorf("dropped %d with room for %d", dropped, p.MessagesMax())
		}
		for m, err := range p.Messages(t.Context()) {
			if err != nil || m.Method != "n3" {
				t.Errorf("the oldest kept is %v, %v", m, err)
			}
			break
		}
	})
}

// REQ-2: one answer each; the refusals are typed and have texts of their own.
func TestAnswers(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.Plain, roomy)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"typed"}`)
		w.say(`{"jsonrpc":"2.0","id":"2","method":"raw"}`)
		w.say(`{"jsonrpc":"2.0","id":3.0,"method":"fail"}`)
		w.say(`{"jsonrpc":"2.0","method":"note"}`)
		var texts []string
		refused := func(err error) {
			t.Helper()
			if !errors.Is(err, host.ErrUnsupported) {
				t.Errorf("got %v", err)
				return
			}
			texts = append(texts, err.Error())
		}
		ctx := t.Context()
		for m, err := range p.Messages(ctx) {
			switch {
			case err != nil:
				t.Fatal(err)
			case m.Method == "typed":
				if err := m.ReplyRaw(ctx, json.RawMessage(`{`)); !errors.Is(err, core.ErrBadJSON) {
					t.Errorf("bad JSON: %v", err)
				}
				accepted(t, m.Reply(ctx, map[string]int{"x": 1})) // the refused attempt did not count
				refused(m.Reply(ctx, 2))
			case m.Method == "raw":
				accepted(t, m.ReplyRaw(ctx, nil))
			case m.Method == "fail":
				accepted(t, m.Fail(ctx, host.MethodNotFound, "", []int{1}))
			default:
				refused(m.Reply(ctx, 1))
			}
			if !m.IsRequest() {
				break
			}
		}
		w.expect(`{"jsonrpc":"2.0","id":1,"result":{"x":1}}`)
		w.expect(`{"jsonrpc":"2.0","id":"2","result":null}`)
		w.expect(`{"jsonrpc":"2.0","id":3.0,"error":{"code":-32601,"message":"method not found","data":[1]}}`)
		if len(texts) == 2 && texts[0] == texts[1] {
			t.Errorf("both refusals read %q", texts[0])
		}
	})
}

func accepted(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// REQ-7: what the application took and left, and what it never took, is answered by Close.
func TestCloseAnswersWhatIsLeft(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		for _, test := range []struct {
			options host.Options
			code    string
		}{{host.PlainServer, "-32603"}, {host.LSPServer, "-32803"}} {
			options := test.options
			p, w := dial(t, engine, options, roomy)
			taken, waiting := `{"jsonrpc":"2.0","id":1,"method":"taken"}`, `{"jsonrpc":"2.0","id":2,"method":"waiting"}`
			if options.Config.Framing == core.FramingHeader {
				fmt.Fprintf(w, "Content-Length: %d\r\n\r\n%sContent-Length: %d\r\n\r\n%s", len(taken), taken, len(waiting), waiting)
			} else {
				w.say(taken)
				w.say(waiting)
			}
			for range p.Messages(t.Context()) {
				break
			}
			synctest.Wait()
			p.Close()
			rest, err := io.ReadAll(w.lines)
			if err != nil {
				t.Error(err)
			}
			for id := 1; id <= 2; id++ {
				want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":%s,"message":"the session is shutting down"}}`, id, test.code)
				if strings.Count(string(rest), want) != 1 {
					t.Errorf("the peer read %s, want %s once", rest, want)
				}
			}
		}
	})
}

// REQ-4: who works on a message learns of the peer's cancel, of its end and of the session's.
func TestMessageContext(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.LSPServer, roomy)
		frame := func(body string) { fmt.Fprintf(w.stream, "Content-Length: %d\r\n\r\n%s", len(body), body) }
		var got []*host.Message
		for _, body := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"cancelled"}`, `{"jsonrpc":"2.0","id":2,"method":"answered"}`,
			`{"jsonrpc":"2.0","id":3,"method":"left"}`, `{"jsonrpc":"2.0","method":"told"}`,
		} {
			frame(body)
		}
		for m, err := range p.Messages(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, m); m.Method == "told" {
				break
			}
		}
		expect := func(when string, ended ...bool) {
			t.Helper()
			for i, m := range got {
				if (m.Context().Err() != nil) != ended[i] {
					t.Errorf("%s: the context of %q: %v", when, m.Method, context.Cause(m.Context()))
				}
			}
		}
		expect("at first", false, false, false, false)
		frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
		<-got[0].Context().Done()
		if err := got[1].ReplyRaw(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		expect("after a cancel and an answer", true, true, false, false)
		p.Close()
		expect("after the end", true, true, true, true)
	})
}
