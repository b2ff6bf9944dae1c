package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// asking serves initialize, and refuses it on request.
func asking(options host.Options) host.Options {
	options.Mux = host.NewMux()
	options.Mux.HandleRaw("initialize", core.ModeRead, func(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
		if strings.Contains(string(params), "refuse me") {
			return nil, errors.New("refused")
		}
		return json.RawMessage(`{"capabilities":{}}`), nil
	})
	return options
}

// REQ-9: a server sends what the client's initialize offers to take, and nothing else of the table.
func TestServerSendsWhatWasOffered(t *testing.T) {
	tests := []struct {
		name     string
		options  host.Options
		offer    string
		method   string
		unwanted bool
	}{
		{"offered", host.LSPServer, `{"workspace":{"configuration":true}}`, "workspace/configuration", false},
		{"an object", host.LSPServer, `{"textDocument":{"publishDiagnostics":{}}}`, "textDocument/publishDiagnostics", false},
		{"not offered", host.LSPServer, `{}`, "workspace/configuration", true},
		{"false", host.LSPServer, `{"workspace":{"applyEdit":false}}`, "workspace/applyEdit", true},
		{"null", host.LSPServer, `{"window":{"workDoneProgress":null}}`, "window/workDoneProgress/create", true},
		{"elsewhere", host.LSPServer, `{"workspace":{"workspace":{"configuration":true},"list":[{"configuration":true}]}}`, "workspace/configuration", true},
		{"an object of false", host.LSPServer, `{"window":{"workDoneProgress":{"x":false}}}`, "window/workDoneProgress/create", false},
		{"one to register", host.LSPServer, `{"workspace":{"symbol":{"dynamicRegistration":true}}}`, "client/registerCapability", false},
		{"none to register", host.LSPServer, `{"workspace":{"symbol":{"dynamicRegistration":false}}}`, "client/registerCapability", true},
		{"refresh", host.LSPServer, `{"workspace":{"codeLens":{"refreshSupport":true}}}`, "workspace/inlayHint/refresh", true},
		{"of no table", host.LSPServer, `{}`, "window/showMessageRequest", false},
		{"roots", host.MCPServer, `{"roots":{}}`, "roots/list", false},
		{"sampling", host.MCPServer, `{"roots":{}}`, "sampling/createMessage", true},
		{"plain", host.PlainServer, `{}`, "sampling/createMessage", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			onEngines(t, func(t *testing.T, engine host.Engine) {
				client, server := connected(t, engine, asking(test.options))
				if !server.Negotiated(test.method) {
					t.Error("refused before any handshake")
				}
				initialize(t, client, test.offer)
				before := server.State().AcceptedBytes
				err := server.NotifyRaw(t.Context(), test.method, nil)
				var callErr *host.CallError
				if unwanted := errors.Is(err, host.ErrUnsupported); unwanted != test.unwanted || server.Negotiated(test.method) == unwanted {
					t.Errorf("%s: %v", test.method, err)
				} else if unwanted && (!errors.As(err, &callErr) || callErr.Method != test.method || server.State().AcceptedBytes != before) {
					t.Errorf("%s: %#v with %d bytes accepted", test.method, err, server.State().AcceptedBytes-before)
				}
				if !test.unwanted {
					return
				}
				if _, err := server.CallRaw(t.Context(), test.method, nil); !errors.Is(err, host.ErrUnsupported) {
					t.Errorf("call %s: %v", test.method, err)
				}
			})
		})
	}
}

// REQ-9: a handshake that failed has negotiated nothing, and the session goes on without one.
func TestRefusedHandshakeHoldsNothingBack(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		client, server := connected(t, engine, asking(host.MCPServer))
		var answer *host.RPCError
		if _, err := client.CallRaw(t.Context(), "initialize", []byte(`{"capabilities":{},"x":"refuse me"}`)); !errors.As(err, &answer) {
			t.Fatalf("initialize: %v", err)
		}
		if !server.Negotiated("roots/list") {
			t.Error("a refused handshake counts")
		}
	})
}

// REQ-9: a client that reads Messages and a server that answers them know the handshake as well.
func TestHandshakeByHand(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		client, server := connected(t, engine, host.LSPServer)
		go func() {
			for m, err := range server.Messages(t.Context()) {
				if err != nil {
					return // the test has ended
				}
				if err := m.Reply(t.Context(), json.RawMessage(`{"capabilities":{"diagnosticProvider":{"workspaceDiagnostics":false}}}`)); err != nil {
					t.Error(err)
				}
			}
		}()
		initialize(t, client, `{"textDocument":{}}`)
		if server.Negotiated("workspace/configuration") {
			t.Error("the server has overlooked the offer")
		}
		if !client.Negotiated("textDocument/diagnostic") || client.Negotiated("workspace/diagnostic") {
			t.Error("the client has overlooked what is advertised")
		}
		initialize(t, client, `{"textDocument":{"diagnostic":{"dynamicRegistration":true}}}`)
		if !client.Negotiated("workspace/diagnostic") {
			t.Error("what may be registered later is held back")
		}
	})
}

func initialize(t *testing.T, client *host.Peer, offer string) {
	t.Helper()
	if _, err := client.CallRaw(t.Context(), "initialize", []byte(`{"capabilities":`+offer+`}`)); err != nil {
		t.Fatal(err)
	}
}

// connected returns a server with options, and the client of its profile.
func connected(t *testing.T, engine host.Engine, options host.Options) (client, server *host.Peer) {
	t.Helper()
	near, far := connect(roomy)
	clientOptions := options
	clientOptions.Mux, clientOptions.Config.Role = nil, core.RoleClient
	var sessions [2]*host.Peer
	for i, end := range []struct {
		*stream
		host.Options
	}{{near, clientOptions}, {far, options}} {
		end.Engine = engine
		p, err := host.New(host.Duplex(end.stream), end.Options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		sessions[i] = p
	}
	return sessions[0], sessions[1]
}
