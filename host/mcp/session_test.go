package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/mcp"
)

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// modern connects to a modern server, which then goes on with a script.
func modern(t *testing.T, change func(*mcp.Options), play func(w *wire)) (*mcp.Session, *scripted) {
	t.Helper()
	options, _ := clientOptions()
	change(&options)
	connected := make(chan struct{})
	server := script(t, func(w *wire) {
		w.answer("server/discover", modernResult)
		<-connected
		play(w)
	})
	s := connect(t, server.Endpoint, options)
	close(connected)
	return s, server
}

func TestERA7RequestsOfAModernServerAreDroppedWithoutAByte(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told, reported []string
		s, server := modern(t, func(o *mcp.Options) {
			o.Host.Observe = func(seen host.Observation) {
				if seen.Kind == core.EventDropped {
					reported = append(reported, seen.Method)
				}
			}
			o.Serve = func(context.Context, *host.Message) { t.Error("a modern server was served") }
			o.Notified = func(m *host.Message) { told = append(told, m.Method) }
		}, func(w *wire) {
			w.say(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			w.say(`{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{}}`)
			w.say(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
		})
		synctest.Wait()
		if s.DroppedMessages() != 2 || len(told) != 1 || !slices.Equal(reported, []string{"ping", "sampling/createMessage"}) {
			t.Errorf("%d dropped, told %q, reported %q", s.DroppedMessages(), told, reported)
		}
		s.Close()
		synctest.Wait()
		if heard := server.wires[0].all(); len(heard) != 1 {
			t.Errorf("the client wrote %q", heard[1:])
		}
	})
}

// More of them than the machine lets run at once by default: what is behind them still arrives.
func TestERA7ManyDroppedRequestsDoNotStopTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		said := make(chan struct{})
		s, _ := modern(t, func(o *mcp.Options) {
			o.Notified = func(*host.Message) { told++ }
		}, func(w *wire) {
			for id := range 300 {
				w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
				synctest.Wait() // a server that asks now and then, not a flood (BACK-1)
			}
			w.say(`{"jsonrpc":"2.0","method":"notifications/message"}`)
			close(said)
		})
		<-said
		synctest.Wait()
		if s.DroppedMessages() != 300 || told != 1 {
			t.Errorf("%d dropped, %d told, %v", s.DroppedMessages(), told, s.Err())
		}
	})
}

func TestERA7LegacySessionWritesNothingModern(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options, _ := clientOptions()
		options.Serve = func(ctx context.Context, m *host.Message) {
			if err := m.Reply(ctx, struct{}{}); err != nil {
				t.Error(err)
			}
		}
		asked := make(chan struct{})
		server := script(t, func(w *wire) {
			defer close(asked)
			w.refuse("server/discover", -32601, "")
			w.shakeHands()
			w.answer("tools/list", `{"tools":[]}`)
			w.say(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			w.expect(`{"jsonrpc":"2.0","id":1,"result":{}}`)
			w.say(`{"jsonrpc":"2.0","id":2,"method":"roots/list"}`)
			w.expect(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		})
		s := connect(t, server.Endpoint, options)
		if _, err := s.CallRaw(t.Context(), "tools/list", json.RawMessage(`{"cursor":"a"}`)); err != nil {
			t.Error(err)
		}
		<-asked
		if err := s.Notify(t.Context(), "notifications/roots/list_changed", nil); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		heard := server.wires[0].all()
		if len(heard) != 7 {
			t.Fatalf("heard %q", heard)
		}
		for _, line := range heard[1:] {
			if strings.Contains(line, "io.modelcontextprotocol/") || strings.Contains(line, "resultType") {
				t.Errorf("modern: %s", line)
			}
		}
	})
}

// MSG-8: one version has batches, from the notification on that opens the session.
func TestMSG8ServerOfTheVersionWithBatches(t *testing.T) {
	for version, want := range map[string]int{"2025-03-26": 2, "2025-06-18": 0} {
		synctest.Test(t, func(t *testing.T) {
			options, _ := clientOptions()
			options.Mode = era.ModeLegacy
			told := 0
			options.Notified = func(*host.Message) { told++ }
			s := connect(t, script(t, func(w *wire) {
				w.answer("initialize", `{"protocolVersion":"`+version+`","capabilities":{}}`)
				w.expect(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				w.say(`[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]`)
			}).Endpoint, options)
			synctest.Wait()
			if told != want || s.Err() != nil {
				t.Errorf("%s: %d told, want %d, %v", version, told, want, s.Err())
			}
		})
	}
}

// REQ-1: of the requests of a legacy server at most 256 are served at once.
func TestLegacyRequestsWaitForTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options, _ := clientOptions()
		options.Mode = era.ModeLegacy
		var serving, most atomic.Int64
		goOn := make(chan struct{})
		options.Serve = func(ctx context.Context, m *host.Message) {
			most.Store(max(most.Load(), serving.Add(1)))
			<-goOn
			serving.Add(-1)
			if err := m.Reply(ctx, nil); err != nil {
				t.Error(err)
			}
		}
		answered := make(chan struct{})
		connect(t, script(t, func(w *wire) {
			w.shakeHands()
			for id := range 300 {
				w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"sampling/createMessage"}`, id))
			}
			synctest.Wait()
			close(goOn)
			for range 300 {
				w.hear()
			}
			close(answered)
		}).Endpoint, options)
		<-answered
		if most.Load() != 256 {
			t.Errorf("%d were served at once", most.Load())
		}
	})
}

func TestLegacyRequestsWithoutAHandler(t *testing.T) {
	for name, test := range map[string]struct {
		serve func(context.Context, *host.Message)
		want  string
	}{
		"none":             {nil, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found"}}`},
		"one that panics ": {func(context.Context, *host.Message) { panic("secret") }, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				options, _ := clientOptions()
				options.Mode, options.Serve = era.ModeLegacy, test.serve
				heard := make(chan string, 1)
				connect(t, script(t, func(w *wire) {
					w.shakeHands()
					w.say(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}`)
					heard <- w.hear()
				}).Endpoint, options)
				if got := <-heard; got != test.want {
					t.Errorf("got %s", got)
				}
			})
		})
	}
}

func TestERA9EveryModernRequestCarriesItsMeta(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := modern(t, func(*mcp.Options) {}, func(w *wire) {
			w.expect(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernMeta + `}}`)
			w.say(`{"jsonrpc":"2.0","id":1,"result":{"tools":[1]}}`)
			w.expect(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{` + modernMeta + `,"name":"a"}}`)
			w.say(`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete"}}`)
			w.expect(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`)
		})
		list, err := host.Call[struct{ Tools []int }](t.Context(), s, "tools/list", nil)
		if err != nil || len(list.Tools) != 1 {
			t.Errorf("got %v, %v", list, err)
		}
		if _, err := s.CallRaw(t.Context(), "tools/call", json.RawMessage(`{"name":"a"}`)); err != nil {
			t.Error(err)
		}
		if err := s.Notify(t.Context(), "notifications/progress", map[string]int{"progress": 1}); err != nil {
			t.Error(err)
		}
		var e *host.CallError
		if _, err := s.CallRaw(t.Context(), "tools/call", json.RawMessage(`[1]`)); !errors.As(err, &e) || !errors.Is(err, core.ErrBadParams) {
			t.Errorf("positional params: %v", err)
		}
	})
}

func TestERA9InputRequiredGoesToTheCallerAndARetryHasANewID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const asks = `{"resultType":"input_required","inputRequests":{"a":{}},"requestState":"s"}`
		s, _ := modern(t, func(*mcp.Options) {}, func(w *wire) {
			w.expect(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + modernMeta + `}}`)
			w.say(`{"jsonrpc":"2.0","id":1,"result":` + asks + `}`)
			w.expect(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{` + modernMeta + `,"inputResponses":{"a":1},"requestState":"s"}}`)
			w.say(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		})
		_, err := s.CallRaw(t.Context(), "tools/call", nil)
		var asked *mcp.InputRequired
		if !errors.As(err, &asked) || string(asked.Result) != asks || asked.Method != "tools/call" {
			t.Fatalf("got %v", err)
		}
		if _, err := s.CallRaw(t.Context(), "tools/call", json.RawMessage(`{"inputResponses":{"a":1},"requestState":"s"}`)); err != nil {
			t.Error(err)
		}
	})
}

func TestSessionTellsItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := modern(t, func(*mcp.Options) {}, func(w *wire) {
			w.hearCall("tools/call")
			if _, err := io.WriteString(w.Conn, `{"jsonrpc":"2.0","id":1,"res`); err != nil {
				t.Error(err)
			}
			hangUp(w)
		})
		_, err := s.CallRaw(t.Context(), "tools/call", nil)
		var violation *core.ProtocolError
		<-s.Done()
		if !errors.Is(err, host.ErrClosed) || !errors.As(s.Err(), &violation) {
			t.Errorf("got %v, %v", err, s.Err())
		}
	})
}

func TestERA9UnknownResultTypesAreInvalidAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := modern(t, func(*mcp.Options) {}, func(w *wire) {
			w.answer("tools/call", `{"resultType":"maybe"}`)
			w.answer("tools/call", `null`)
			w.answer("tools/call", `{}`)
		})
		for range 2 {
			var e *host.ParseError
			if _, err := s.CallRaw(t.Context(), "tools/call", nil); !errors.As(err, &e) || e.Method != "tools/call" {
				t.Errorf("got %v", err)
			}
		}
		if _, err := s.CallRaw(t.Context(), "tools/call", nil); err != nil {
			t.Errorf("the session did not live: %v", err)
		}
	})
}
