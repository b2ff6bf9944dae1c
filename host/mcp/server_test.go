package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/mcp"
)

// echo is a server with one method of each kind that matters.
func echo() *mcp.Server {
	s := mcp.NewServer("s", "1")
	mcp.Handle(s, "tools/call", core.ModeDefault, func(ctx context.Context, p struct{ Name string }) (map[string]string, error) {
		r := mcp.RequestFrom(ctx)
		return map[string]string{"name": p.Name, "era": r.Era.String(), "version": r.Version}, nil
	})
	mcp.Handle(s, "tools/ask", core.ModeDefault, func(ctx context.Context, _ struct{}) (json.RawMessage, error) {
		return mcp.RequestFrom(ctx).CallRaw(ctx, "roots/list", nil)
	})
	mcp.Handle(s, "tools/modern", core.ModeDefault, func(context.Context, struct{}) (json.RawMessage, error) {
		return json.RawMessage(`{"resultType":"complete","ttlMs":1,"_meta":{"io.modelcontextprotocol/serverInfo":{},"own":1}}`), nil
	})
	mcp.Handle(s, "tools/input", core.ModeDefault, func(context.Context, struct{}) (json.RawMessage, error) {
		return json.RawMessage(`{"resultType":"input_required"}`), nil
	})
	mcp.Handle(s, "resources/subscribe", core.ModeDefault, func(context.Context, struct{}) (any, error) { return nil, nil })
	return s
}

// serve starts a server and returns its client as raw lines. Both end with the test.
func serve(t *testing.T, s *mcp.Server) *wire {
	t.Helper()
	near, far := net.Pipe()
	w := newWire(t, far)
	served := make(chan error, 1)
	go func() { served <- mcp.Serve(t.Context(), host.Duplex(near), s, host.MCPServer) }()
	t.Cleanup(func() {
		far.Close()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return w
}

const (
	claim      = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}}}`
	serverMeta = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}`
	served     = `["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`
	initialize = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	initResult = `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-06-18","capabilities":{"resources":{"subscribe":true},"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`
)

// exchange is one request and its answer.
type exchange struct{ says, request, answer string }

func play(t *testing.T, w *wire, exchanges []exchange) {
	t.Helper()
	for _, e := range exchanges {
		w.say(`{"jsonrpc":"2.0","id":1,` + e.request + `}`)
		if got, want := w.hear(), `{"jsonrpc":"2.0","id":1,`+e.answer+`}`; got != want {
			t.Errorf("%s:\n got %s\nwant %s", e.says, got, want)
		}
	}
}

func TestERA8BeforeInitialize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		play(t, serve(t, echo()), []exchange{
			{
				"a version we serve: stateless, by it", `"method":"tools/call","params":{"name":"a",` + claim + `}`,
				`"result":{"resultType":"complete","era":"modern","name":"a","version":"2026-07-28",` + serverMeta + `}`,
			},
			{
				"discover", `"method":"server/discover","params":{` + claim + `}`,
				`"result":{"resultType":"complete","supportedVersions":` + served + `,"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private",` + serverMeta + `}`,
			},
			{
				"another version", `"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}`,
				`"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":` + served + `,"requested":"1900-01-01"}}`,
			},
			{
				"a missing key", `"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`,
				`"error":{"code":-32602,"message":"params._meta: io.modelcontextprotocol/clientCapabilities is missing or misshapen"}`,
			},
			{
				"a misshapen key", `"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":1}}`,
				`"error":{"code":-32602,"message":"params._meta: io.modelcontextprotocol/protocolVersion is missing or misshapen"}`,
			},
			{"no claim: discover", `"method":"server/discover"`, `"error":{"code":-32601,"message":"method not found"}`},
			{"no claim: ping", `"method":"ping"`, `"result":{}`},
			{
				"no claim: another request", `"method":"tools/call","params":{"name":"a"}`,
				`"error":{"code":-32602,"message":"initialize first, or name a version in params._meta","data":{"supported":` + served + `}}`,
			},
			{"what the modern era does not have", `"method":"ping","params":{` + claim + `}`, `"error":{"code":-32601,"message":"method not found"}`},
			{"initialize with a claim", `"method":"initialize","params":{"protocolVersion":"2025-11-25",` + claim + `}`, `"error":{"code":-32601,"message":"method not found"}`},
			{"initialize without a version", `"method":"initialize","params":{}`, `"error":{"code":-32602,"message":"params.protocolVersion is missing or misshapen"}`},
			{
				"params that do not fit", `"method":"tools/call","params":{"name":1,` + claim + `}`,
				`"error":{"code":-32602,"message":"invalid params: json: cannot unmarshal number into Go struct field .Name of type string"}`,
			},
		})
	})
}

func TestERA8BothErasSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := serve(t, echo())
		w.say(initialize)
		w.expect(initResult)
		w.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		play(t, w, []exchange{
			{"legacy, by the version agreed on", `"method":"tools/call","params":{"name":"a"}`, `"result":{"era":"legacy","name":"a","version":"2025-06-18"}`},
			{
				"modern beside it", `"method":"tools/call","params":{"name":"a",` + claim + `}`,
				`"result":{"resultType":"complete","era":"modern","name":"a","version":"2026-07-28",` + serverMeta + `}`,
			},
			{"no answer to a legacy request holds a modern member", `"method":"tools/modern"`, `"result":{"_meta":{"own":1}}`},
			{"a modern one does", `"method":"tools/modern","params":{` + claim + `}`, `"result":{"resultType":"complete","ttlMs":1,` + serverMeta[:len(serverMeta)-1] + `,"own":1}}`},
			{"a legacy client is not asked by a result", `"method":"tools/input"`, `"error":{"code":-32603,"message":"Internal error: the handler gave no answer"}`},
			{"legacy alone has subscriptions", `"method":"resources/subscribe"`, `"result":{}`},
			{"modern has not", `"method":"resources/subscribe","params":{` + claim + `}`, `"error":{"code":-32601,"message":"method not found"}`},
			{"discover stays modern", `"method":"server/discover"`, `"error":{"code":-32601,"message":"method not found"}`},
			{"one handshake", `"method":"initialize","params":{"protocolVersion":"2025-11-25"}`, `"error":{"code":-32600,"message":"already initialized"}`},
		})
	})
}

// What a modern client may cache says so, or that it may not.
func TestERA8ModernResultsSayHowLongTheyHold(t *testing.T) {
	results := map[string]string{
		"tools/list":     `{"tools":[]}`,
		"prompts/list":   `{"prompts":[],"ttlMs":5,"cacheScope":"public"}`,
		"resources/list": `{"ttlMs":5}`,
		"resources/read": `{"resultType":"input_required"}`,
	}
	s := mcp.NewServer("s", "1")
	for method, result := range results {
		mcp.Handle(s, method, core.ModeDefault, func(context.Context, struct{}) (json.RawMessage, error) {
			return json.RawMessage(result), nil
		})
	}
	synctest.Test(t, func(t *testing.T) {
		w := serve(t, s)
		play(t, w, []exchange{
			{
				"by default not at all", `"method":"tools/list","params":{` + claim + `}`,
				`"result":{"resultType":"complete","tools":[],` + serverMeta + `,"ttlMs":0,"cacheScope":"private"}`,
			},
			{
				"as the handler says", `"method":"prompts/list","params":{` + claim + `}`,
				`"result":{"resultType":"complete","prompts":[],"ttlMs":5,"cacheScope":"public",` + serverMeta + `}`,
			},
			{
				"as far as it says", `"method":"resources/list","params":{` + claim + `}`,
				`"result":{"resultType":"complete","ttlMs":5,` + serverMeta + `,"cacheScope":"private"}`,
			},
			{
				"not a question", `"method":"resources/read","params":{` + claim + `}`,
				`"result":{"resultType":"input_required",` + serverMeta + `}`,
			},
		})
		w.say(initialize)
		w.hear()
		play(t, w, []exchange{{"nothing in the legacy era", `"method":"tools/list"`, `"result":{"tools":[]}`}})
	})
}

// MSG-8: the version agreed on decides about batches.
func TestMSG8ClientOfTheVersionWithBatches(t *testing.T) {
	for version, want := range map[string]string{
		"2025-03-26": `[{"jsonrpc":"2.0","id":1,"result":{}}]`,
		"2025-06-18": `"code":-32600`,
	} {
		synctest.Test(t, func(t *testing.T) {
			w := serve(t, echo())
			w.say(strings.Replace(initialize, "2025-06-18", version, 1))
			w.hear()
			w.say(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/moved"}]`)
			if got := w.hear(); !strings.Contains(got, want) {
				t.Errorf("%s: got %s", version, got)
			}
		})
	}
}

// The outcome of initialize is visible to whatever was sent behind it (SCHED-6).
func TestERA8PipelinedInitialize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := serve(t, echo())
		go w.say(initialize + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`)
		w.expect(initResult)
		w.expect(`{"jsonrpc":"2.0","id":1,"result":{"era":"legacy","name":"a","version":"2025-06-18"}}`)
	})
}

func TestERA8NoModernRequestLeadsToARequestOfOurs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const refused = `"error":{"code":-32603,"message":"Internal error: the handler gave no answer"}`
		w := serve(t, echo())
		play(t, w, []exchange{{"modern", `"method":"tools/ask","params":{` + claim + `}`, refused}})
		w.say(initialize)
		w.expect(initResult)
		play(t, w, []exchange{{"a legacy client that cannot (REQ-9)", `"method":"tools/ask"`, refused}})
	})
}

func TestLegacyClientIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := serve(t, echo())
		w.say(strings.Replace(initialize, `"capabilities":{}`, `"capabilities":{"roots":{}}`, 1))
		w.expect(initResult)
		w.say(`{"jsonrpc":"2.0","id":5,"method":"tools/ask"}`)
		w.answer("roots/list", `{"roots":[]}`)
		w.expect(`{"jsonrpc":"2.0","id":5,"result":{"roots":[]}}`)
	})
}

func TestERA10UnknownVersionsAreAnsweredWithTheNewestHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := serve(t, mcp.NewServer("s", "1"))
		w.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2030-01-01"}}`)
		w.expect(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)
	})
}

// Our client and our server, in each mode.
func TestClientAndServerAgree(t *testing.T) {
	for mode, want := range map[era.Mode]era.Era{era.ModeAuto: era.EraModern, era.ModeLegacy: era.EraLegacy} {
		synctest.Test(t, func(t *testing.T) {
			near, far := net.Pipe()
			done := make(chan error, 1)
			go func() { done <- mcp.Serve(t.Context(), host.Duplex(far), echo(), host.MCPServer) }()
			options, _ := clientOptions()
			options.Mode = mode
			s, err := mcp.Connect(t.Context(), mcp.Over(host.Duplex(near), ""), options)
			if err != nil {
				t.Fatal(err)
			}
			result, err := host.Call[struct{ Era, Name string }](t.Context(), s, "tools/call", map[string]string{"name": "a"})
			if err != nil || result.Era != want.String() || result.Name != "a" || s.Era() != want {
				t.Errorf("got %+v, %v", result, err)
			}
			if err := errors.Join(s.Close(), <-done); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNotificationsReachTheirHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer("s", "1")
		heard := make(chan int, 1)
		mcp.HandleNotification(s, "notifications/moved", core.ModeDefault, func(_ context.Context, p struct{ To int }) error {
			heard <- p.To
			return nil
		})
		w := serve(t, s)
		w.say(`{"jsonrpc":"2.0","method":"notifications/moved","params":{"to":"no"}}`)
		w.say(`{"jsonrpc":"2.0","method":"notifications/moved","params":{"to":4}}`)
		if got := <-heard; got != 4 {
			t.Errorf("got %d", got)
		}
	})
}

// A handler tells a client of either era how far it is.
func TestHandlersNotify(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer("s", "1")
		mcp.Handle(s, "tools/call", core.ModeDefault, func(ctx context.Context, _ struct{}) (any, error) {
			return nil, mcp.RequestFrom(ctx).Notify(ctx, "notifications/progress", map[string]int{"progress": 1})
		})
		w := serve(t, s)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + claim + `}}`)
		w.expect(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`)
		w.expect(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",` + serverMeta + `}}`)
	})
}

func TestRegisteringWrongPanics(t *testing.T) {
	for _, method := range []string{"initialize", "server/discover", "tools/call"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", method)
				}
			}()
			mcp.Handle(echo(), method, core.ModeDefault, func(context.Context, struct{}) (any, error) { return nil, nil })
		}()
	}
}
