package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/internal/jsonls"
)

// peerVariable names, in the environment, the server that the test binary is to be.
const peerVariable = "PARLEY_TEST_PEER"

// peerCommand is the command line of such a server.
func peerCommand(name string) []string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return append([]string{"--", "env"}, append(peerEnviron(name), self)...)
}

// peerEnviron makes the test binary that server, and has it end at once where it is built with the
// race detector, which otherwise lingers for a second.
func peerEnviron(name string) []string {
	return []string{peerVariable + "=" + name, "GORACE=atexit_sleep_ms=0"}
}

// peerAsks names the server that answers with a question.
const peerAsks = "mcp-asks"

// servePeer is the server: a profile's name, peerAsks, or the version that an MCP server answers
// initialize with.
func servePeer(name string) int {
	if name == peerAsks {
		return serveAsks()
	}
	options, version := host.PlainServer, ""
	switch name {
	case "lsp":
		options = host.LSPServer
	case "plain":
	case "plain-header":
		options.Config.Framing = core.FramingHeader
	case "plain-length4":
		options.Config.Framing = core.FramingLength4
	default:
		options, version = host.MCPServer, name
	}
	options.Mux = peerMux(version)
	if name == "stub" {
		options = host.LSPServer
		options.Mux = stubMux()
	}
	transport, err := host.Stdio()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	peer, err := host.New(transport, options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	<-peer.Done()
	return peer.ExitCode()
}

func peerMux(version string) *host.Mux {
	mux := host.NewMux()
	var client json.RawMessage // what initialize brought
	mux.HandleRaw("initialize", core.ModeRead, func(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
		client = append(client, params...)
		return json.Marshal(map[string]any{"protocolVersion": version, "capabilities": struct{}{}})
	})
	mux.HandleRaw("shutdown", core.ModeBypass, func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return nil, nil
	})
	mux.HandleRaw("client", core.ModeRead, func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return client, nil
	})
	mux.HandleRaw("echo", core.ModeRead, func(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
		return params, nil
	})
	mux.HandleRaw("fail", core.ModeRead, func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return nil, &host.RPCError{Code: -32042, Message: "no\n\x1b[31mway", Data: json.RawMessage(`{"why":[1,2]}`)}
	})
	host.Handle(mux, "ask", core.ModeRead, askClient)
	return mux
}

// stubMux is a language server with an answer for everything, whatever the document says.
func stubMux() *host.Mux {
	mux := host.NewMux()
	for method, result := range map[string]string{
		"initialize":                  `{"capabilities":{}}`,
		"shutdown":                    `null`,
		"textDocument/hover":          `{"contents":{"kind":"plaintext","value":"$"},"range":{}}`,
		"textDocument/documentSymbol": `[]`,
		"textDocument/formatting":     `[]`,
	} {
		mux.HandleRaw(method, core.ModeOrder, func(context.Context, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(result), nil
		})
	}
	for _, method := range []string{"textDocument/didOpen", "textDocument/didChange"} {
		host.HandleNotification(mux, method, core.ModeOrder, publishAlways)
	}
	return mux
}

func publishAlways(ctx context.Context, params struct {
	TextDocument struct {
		Version int32 `json:"version"`
	} `json:"textDocument"`
},
) error {
	at := jsonls.Range{Start: jsonls.Position{Line: 2, Character: 8}, End: jsonls.Position{Line: 2, Character: 11}}
	return host.PeerFrom(ctx).Notify(ctx, "textDocument/publishDiagnostics", diagnosticsParams{
		URI: demoURI, Version: params.TextDocument.Version, Diagnostics: []jsonls.Diagnostic{{Range: at, Message: "stub"}},
	})
}

type question struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// askClient sends the client what it was asked to send, and returns the answers in order: results,
// or the codes of errors.
func askClient(ctx context.Context, questions []question) ([]any, error) {
	var answers []any
	for _, q := range questions {
		result, err := host.PeerFrom(ctx).CallRaw(ctx, q.Method, q.Params)
		var answer *host.RPCError
		switch {
		case errors.As(err, &answer):
			answers = append(answers, answer.Code)
		case err != nil:
			return nil, err
		default:
			answers = append(answers, result)
		}
	}
	return answers, nil
}

// frame is a message with its header.
func frame(body string) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}
