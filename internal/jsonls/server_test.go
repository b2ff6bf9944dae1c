package jsonls

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// client is the other end of a served session.
type client struct {
	*host.Peer
	published chan publishParams
	logged    chan logParams
	exitCode  chan int
}

// serve runs the language server at one end of a pipe and a client at the other.
func serve(t *testing.T) *client {
	t.Helper()
	near, far := net.Pipe()
	c := &client{published: make(chan publishParams, 8), logged: make(chan logParams, 8), exitCode: make(chan int, 1)}
	go func() {
		code, err := Serve(t.Context(), host.Duplex(far), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Error(err)
		}
		c.exitCode <- code
	}()
	mux := host.NewMux()
	host.HandleNotification(mux, "textDocument/publishDiagnostics", core.ModeOrder, func(_ context.Context, params publishParams) error {
		c.published <- params
		return nil
	})
	host.HandleNotification(mux, "window/logMessage", core.ModeOrder, func(_ context.Context, params logParams) error {
		c.logged <- params
		return nil
	})
	options := host.LSP
	options.Mux = mux
	peer, err := host.New(host.Duplex(near), options)
	if err != nil {
		t.Fatal(err)
	}
	c.Peer = peer
	t.Cleanup(func() { _ = peer.Close() })
	return c
}

func (c *client) call(t *testing.T, method, params string) string {
	t.Helper()
	result, err := c.CallRaw(t.Context(), method, json.RawMessage(params))
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return string(result)
}

func (c *client) notify(t *testing.T, method, params string) {
	t.Helper()
	if err := c.NotifyRaw(t.Context(), method, json.RawMessage(params)); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
}

const withDiagnostics = `{"processId":null,"capabilities":{"textDocument":{"publishDiagnostics":{}}}}`

func (c *client) failure(t *testing.T, method, params string) *host.RPCError {
	t.Helper()
	_, err := c.CallRaw(t.Context(), method, json.RawMessage(params))
	var answer *host.RPCError
	if !errors.As(err, &answer) {
		t.Fatalf("%s: %v, want an error answer", method, err)
	}
	return answer
}

func TestInitializeClaimsWhatIsRegistered(t *testing.T) {
	c := serve(t)
	if early := c.failure(t, "textDocument/hover", `{}`); early.Code != core.CodeNotInitialized {
		t.Errorf("before initialize: %v", early)
	}
	var result struct{ Capabilities map[string]any }
	if err := json.Unmarshal([]byte(c.call(t, "initialize", withDiagnostics)), &result); err != nil {
		t.Fatal(err)
	}
	var claimed []string
	for name := range result.Capabilities {
		claimed = append(claimed, name)
	}
	slices.Sort(claimed)
	want := []string{"documentFormattingProvider", "documentSymbolProvider", "hoverProvider", "positionEncoding", "textDocumentSync"}
	if !reflect.DeepEqual(claimed, want) || result.Capabilities["positionEncoding"] != "utf-16" {
		t.Errorf("capabilities %v, want %v", result.Capabilities, want)
	}
	if unknown := c.failure(t, "textDocument/rename", `{}`); unknown.Code != host.MethodNotFound {
		t.Errorf("unregistered: %v", unknown)
	}
}

func TestADocumentsLife(t *testing.T) {
	c := serve(t)
	c.call(t, "initialize", withDiagnostics)
	c.notify(t, "initialized", `{}`)
	c.notify(t, "textDocument/didOpen", `{"textDocument":{"uri":"a","languageId":"json","version":1,"text":"{\"😀\":x}"}}`)
	opened := <-c.published
	if *opened.Version != 1 || len(opened.Diagnostics) != 1 || opened.Diagnostics[0].Range.Start != (Position{0, 6}) {
		t.Errorf("opened: %+v", opened)
	}
	c.notify(t, "textDocument/didChange", `{"textDocument":{"uri":"a","version":2},"contentChanges":[
		{"range":{"start":{"line":0,"character":6},"end":{"line":0,"character":7}},"text":"9007199254740993"}]}`)
	if changed := <-c.published; *changed.Version != 2 || len(changed.Diagnostics) != 0 {
		t.Errorf("changed: %+v", changed)
	}
	const document = `{"textDocument":{"uri":"a"}`
	if hover := c.call(t, "textDocument/hover", document+`,"position":{"line":0,"character":7}}`); !strings.Contains(hover, "9007199254740993") {
		t.Errorf("hover: %s", hover)
	}
	if symbols := c.call(t, "textDocument/documentSymbol", document+`}`); !strings.Contains(symbols, `"name":"😀"`) {
		t.Errorf("symbols: %s", symbols)
	}
	edits := c.call(t, "textDocument/formatting", document+`,"options":{"tabSize":2,"insertSpaces":true}}`)
	if strings.Count(edits, "newText") != 3 {
		t.Errorf("formatting: %s", edits)
	}
	c.notify(t, "textDocument/didClose", document+`}`)
	if closed := <-c.published; closed.Version != nil || closed.Diagnostics == nil || len(closed.Diagnostics) != 0 {
		t.Errorf("closed: %+v", closed)
	}
	if gone := c.failure(t, "textDocument/hover", document+`,"position":{"line":0,"character":7}}`); gone.Code != host.InvalidParams {
		t.Errorf("after close: %v", gone)
	}

	c.call(t, "shutdown", `null`)
	c.notify(t, "exit", `null`)
	if code := <-c.exitCode; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestWhatCannotBeDoneIsSaid(t *testing.T) {
	c := serve(t)
	c.call(t, "initialize", withDiagnostics)
	c.notify(t, "textDocument/didOpen", `{"textDocument":{"uri":"a","version":1,"text":"{,}"}}`)
	<-c.published
	malformed := c.failure(t, "textDocument/formatting", `{"textDocument":{"uri":"a"},"options":{"tabSize":2,"insertSpaces":true}}`)
	if malformed.Code != codeRequestFailed || !strings.Contains(malformed.Message, "line 1") {
		t.Errorf("formatting: %+v", malformed)
	}
	if misfit := c.failure(t, "textDocument/hover", `{"position":{"line":-1}}`); misfit.Code != host.InvalidParams {
		t.Errorf("negative line: %+v", misfit)
	}
	c.notify(t, "textDocument/didChange", `{"textDocument":{"uri":"a","version":2},"contentChanges":[
		{"range":{"start":{"line":0,"character":2},"end":{"line":0,"character":1}},"text":""}]}`)
	if taken := <-c.published; len(taken.Diagnostics) != 0 {
		t.Errorf("a lost document keeps its diagnostics: %+v", taken)
	}
	if said := <-c.logged; said.Type != logError || !strings.Contains(said.Message, "a is not followed any more") {
		t.Errorf("logged: %+v", said)
	}
}

// SCHED-9: the server tells where it is, at any time; what a test waits for is a state.
func TestDebugInfoFollowsTheServersLife(t *testing.T) {
	c := serve(t)
	if early := c.debugInfo(t); early.Phase != host.PhaseUninitialized {
		t.Errorf("before initialize: %+v", early)
	}
	c.call(t, "initialize", `{"capabilities":{},"workspaceFolders":[{"uri":"file:///w/","name":"w"},{"uri":"file:///v","name":"v"}]}`)
	if configured := c.debugInfo(t); configured.Phase != host.PhaseConfigured || len(configured.Folders) != 2 {
		t.Errorf("after initialize: %+v", configured)
	}
	c.notify(t, "initialized", `{}`)
	c.notify(t, "textDocument/didOpen", `{"textDocument":{"uri":"file:///w/a.json","version":1,"text":"{}"}}`)
	c.notify(t, "textDocument/didOpen", `{"textDocument":{"uri":"file:///wide/a.json","version":1,"text":"{}"}}`)
	info := c.debugInfo(t)
	for info.Counters.Notifications < 3 || len(info.Queue.Items) > 0 {
		info = c.debugInfo(t) // each round trip gives the server a chance to go on
	}
	if info.Phase != host.PhaseReady || info.Folders[0].Counts["documents"] != 1 || info.Folders[1].Counts["documents"] != 0 {
		t.Errorf("two documents open, one of them in a folder: %+v", info)
	}
	c.call(t, "shutdown", `null`)
	if late := c.debugInfo(t); late.Phase != host.PhaseShuttingDown {
		t.Errorf("after shutdown: %+v", late)
	}
}

func (c *client) debugInfo(t *testing.T) host.DebugInfo {
	t.Helper()
	info, err := host.Call[host.DebugInfo](t.Context(), c, host.DebugInfoMethod, nil)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// REQ-9: a client that does not show diagnostics gets none.
func TestNothingIsPublishedUnasked(t *testing.T) {
	c := serve(t)
	c.call(t, "initialize", `{"capabilities":{}}`)
	c.notify(t, "textDocument/didOpen", `{"textDocument":{"uri":"a","version":1,"text":"{,}"}}`)
	c.call(t, "textDocument/documentSymbol", `{"textDocument":{"uri":"a"}}`) // runs after the write
	select {
	case published := <-c.published:
		t.Errorf("published %+v", published)
	default:
	}
}
