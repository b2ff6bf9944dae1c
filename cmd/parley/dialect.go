package main

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
)

// dialect is what a client says around its calls in one profile, and what it answers.
type dialect struct {
	options host.Options
	// answers are the server's requests that are served; core refuses all others (REQ-5).
	answers map[string]func(params json.RawMessage) (json.RawMessage, error)
	// greet is the handshake; nil: none, or one that is not this simple. Its counterpart at the end is child.Peer's (STOP-10).
	greet func(ctx context.Context, p *child.Peer, e *env) error
}

var dialects = map[string]dialect{
	"lsp": {
		options: host.LSP,
		answers: map[string]func(json.RawMessage) (json.RawMessage, error){
			"workspace/configuration":        noConfiguration,
			"client/registerCapability":      constant("null"),
			"client/unregisterCapability":    constant("null"),
			"window/workDoneProgress/create": constant("null"),
		},
		greet: greetLSP,
	},
	"mcp": {
		options: host.MCP,
		answers: map[string]func(json.RawMessage) (json.RawMessage, error){
			"roots/list": constant(`{"roots":[]}`),
			"ping":       constant("{}"),
		},
		// Its handshake is openMCP's.
	},
	"plain": {
		options: host.Plain,
		answers: map[string]func(json.RawMessage) (json.RawMessage, error){
			"ping": constant("{}"),
		},
	},
}

// mux returns the table of what the server may ask.
func (d *dialect) mux() *host.Mux {
	mux := host.NewMux()
	for method, answer := range d.answers {
		mux.HandleRaw(method, core.ModeRead, func(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
			return answer(params)
		})
	}
	return mux
}

func constant(result string) func(json.RawMessage) (json.RawMessage, error) {
	return func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage(result), nil }
}

// noConfiguration answers one null for each section asked for: use your defaults.
func noConfiguration(params json.RawMessage) (json.RawMessage, error) {
	var asked struct {
		Items []struct{} `json:"items"`
	}
	if err := json.Unmarshal(params, &asked); err != nil {
		return nil, &host.RPCError{Code: host.InvalidParams, Message: err.Error()}
	}
	return json.Marshal(make([]any, len(asked.Items)))
}

func greetLSP(ctx context.Context, p *child.Peer, e *env) error {
	params, err := initializeParams(e)
	if err != nil {
		return err
	}
	if _, err := host.Call[json.RawMessage](ctx, p, "initialize", params); err != nil {
		return err
	}
	return p.Notify(ctx, "initialized", struct{}{})
}

// initializeParams claims what dialects serves and nothing else (REQ-8).
func initializeParams(e *env) (any, error) {
	directory, err := e.directory()
	if err != nil {
		return nil, err
	}
	// A path with a drive letter has no slash in front, a file URI has.
	root := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(directory), "/")}
	return map[string]any{
		"processId":  os.Getpid(),
		"clientInfo": clientInfo(),
		"rootUri":    root.String(),
		"capabilities": map[string]any{
			"general":   map[string]any{"positionEncodings": []string{"utf-16"}},
			"workspace": map[string]any{"configuration": true},
			"window":    map[string]any{"workDoneProgress": true},
		},
	}, nil
}

func clientInfo() map[string]string {
	return map[string]string{"name": "parley", "version": buildInfo().Version}
}
