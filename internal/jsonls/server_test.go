package jsonls

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"reflect"
	"slices"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// client is the other end of a served session.
type client struct {
	*host.Peer
	heard    chan notification // diagnostics and messages for people, in order
	exitCode chan int
}

type notification struct {
	method string
	params json.RawMessage
}

// serve runs the language server at one end of a pipe and a client at the other.
func serve(t *testing.T) *client {
	t.Helper()
	near, far := net.Pipe()
	c := &client{heard: make(chan notification, 8), exitCode: make(chan int, 1)}
	go func() {
		code, err := Serve(t.Context(), host.Duplex(far), host.LSPServer)
		if err != nil {
			t.Error(err)
		}
		c.exitCode <- code
	}()
	mux := host.NewMux()
	for _, method := range []string{"textDocument/publishDiagnostics", "window/logMessage"} {
		host.HandleNotification(mux, method, core.ModeOrder, func(_ context.Context, params json.RawMessage) error {
			c.heard <- notification{method, params}
			return nil
		})
	}
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
	want := []string{"completionProvider", "documentFormattingProvider", "documentSymbolProvider", "hoverProvider", "positionEncoding", "textDocumentSync"}
	if !reflect.DeepEqual(claimed, want) || result.Capabilities["positionEncoding"] != "utf-16" {
		t.Errorf("capabilities %v, want %v", result.Capabilities, want)
	}
	if unknown := c.failure(t, "textDocument/rename", `{}`); unknown.Code != host.MethodNotFound {
		t.Errorf("unregistered: %v", unknown)
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
