package jsonls

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// codeRequestFailed is LSP's answer to a request that was understood and could not be done.
const codeRequestFailed core.Code = -32803

// Serve speaks LSP over transport until the client is gone or ctx ends, and returns the exit code
// that LSP wants of the process: 0 after shutdown and exit, else 1 (STOP-9). Start options from
// host.LSPServer.
func Serve(ctx context.Context, transport *host.Transport, options host.Options) (exitCode int, err error) {
	options.Mux = newServer().mux
	peer, err := host.New(transport, options)
	if err != nil {
		return 1, err
	}
	select {
	case <-peer.Done():
		return peer.ExitCode(), peer.Err()
	case <-ctx.Done():
		err = peer.Close()
		return peer.ExitCode(), err
	}
}

// server is one session's state. Mode order has a request see every change that was sent before
// it (SCHED-1); a request that runs already may meet a later one, hence the lock.
type server struct {
	mux *host.Mux

	mu        sync.Mutex
	documents *Store
	folders   []folder
	phase     host.WorkspacePhase
}

// newServer registers what is served, and with it what initialize claims (REQ-8).
func newServer() *server {
	s := &server{mux: host.NewMux(), documents: NewStore(), phase: host.PhaseConfigured}
	host.Handle(s.mux, "initialize", core.ModeRead, s.initialize, host.Capability(`{"positionEncoding":"utf-16"}`))
	host.HandleNotification(s.mux, "initialized", core.ModeOrder, s.initialized)
	host.Handle(s.mux, "shutdown", core.ModeBypass, s.shutdown)
	host.HandleNotification(s.mux, "exit", core.ModeOrder, ignore)
	host.HandleDebugInfo(s.mux, s.describe)
	host.HandleNotification(s.mux, "textDocument/didOpen", core.ModeOrder, s.didOpen,
		host.Capability(`{"textDocumentSync":{"openClose":true}}`))
	host.HandleNotification(s.mux, "textDocument/didChange", core.ModeOrder, s.didChange,
		host.Capability(`{"textDocumentSync":{"change":2}}`)) // incremental
	host.HandleNotification(s.mux, "textDocument/didClose", core.ModeOrder, s.didClose)
	host.Handle(s.mux, "textDocument/hover", core.ModeRead, s.hover,
		host.Capability(`{"hoverProvider":true}`))
	host.Handle(s.mux, "textDocument/documentSymbol", core.ModeRead, s.documentSymbol,
		host.Capability(`{"documentSymbolProvider":true}`))
	host.Handle(s.mux, "textDocument/completion", core.ModeRead, s.completion,
		host.Capability(`{"completionProvider":{"triggerCharacters":["\"",":"]}}`))
	host.Handle(s.mux, "textDocument/formatting", core.ModeRead, s.formatting,
		host.Capability(`{"documentFormattingProvider":true}`))
	return s
}

func ignore(context.Context, struct{}) error { return nil }

func (s *server) initialize(_ context.Context, params initializeParams) (initializeResult, error) {
	s.mu.Lock()
	s.folders = params.folders()
	s.mu.Unlock()
	return initializeResult{Capabilities: s.mux.Capabilities(), ServerInfo: serverInfo{Name: "parley-json"}}, nil
}

func (s *server) initialized(context.Context, struct{}) error {
	s.mu.Lock()
	s.phase = host.PhaseReady // nothing is loaded: the documents come from the client
	s.mu.Unlock()
	return nil
}

// describe counts the open documents of each folder (SCHED-9).
func (s *server) describe(context.Context) host.Workspace {
	s.mu.Lock()
	defer s.mu.Unlock()
	workspace := host.Workspace{Phase: s.phase}
	uris := s.documents.URIs()
	for _, f := range s.folders {
		within := 0
		for _, uri := range uris {
			if strings.HasPrefix(uri, strings.TrimSuffix(f.URI, "/")+"/") {
				within++
			}
		}
		workspace.Folders = append(workspace.Folders, host.Folder{URI: f.URI, Name: f.Name, Counts: map[string]int{"documents": within}})
	}
	return workspace
}

func (s *server) shutdown(context.Context, struct{}) (any, error) { return nil, nil }

func (s *server) didOpen(ctx context.Context, params openParams) error {
	id := params.TextDocument.documentID
	s.mu.Lock()
	document, err := s.documents.Open(id.URI, id.Version, params.TextDocument.Text)
	s.mu.Unlock()
	return s.settle(ctx, id.URI, document, err)
}

func (s *server) didChange(ctx context.Context, params changeParams) error {
	id := params.TextDocument
	s.mu.Lock()
	document, err := s.documents.Change(id.URI, id.Version, params.ContentChanges)
	s.mu.Unlock()
	return s.settle(ctx, id.URI, document, err)
}

func (s *server) didClose(ctx context.Context, params documentParams) error {
	s.mu.Lock()
	s.documents.Close(params.TextDocument.URI)
	s.mu.Unlock()
	return s.publish(ctx, publishParams{URI: params.TextDocument.URI, Diagnostics: []Diagnostic{}})
}

// settle publishes what a document's new text deserves. A document that was lost is told to the
// person, since a notification has no answer, and its stale diagnostics are taken back.
func (s *server) settle(ctx context.Context, uri string, document *Document, err error) error {
	if err == nil {
		return s.publish(ctx, publishParams{URI: uri, Version: &document.Version, Diagnostics: Diagnose(document.Text)})
	}
	message := fmt.Sprintf("%s is not followed any more: %v; close it and open it again", cut(uri, shownBytesMax), err)
	cleared := s.publish(ctx, publishParams{URI: uri, Diagnostics: []Diagnostic{}})
	logged := host.PeerFrom(ctx).Notify(ctx, "window/logMessage", logParams{Type: logError, Message: message})
	return errors.Join(cleared, logged)
}

func (s *server) publish(ctx context.Context, params publishParams) error {
	const method = "textDocument/publishDiagnostics"
	peer := host.PeerFrom(ctx)
	if !peer.Negotiated(method) {
		return nil
	}
	return peer.Notify(ctx, method, params)
}

func (s *server) hover(_ context.Context, params positionParams) (*Hover, error) {
	document, err := s.document(params.TextDocument)
	if err != nil {
		return nil, err
	}
	return HoverAt(document.Text, params.Position), nil
}

func (s *server) documentSymbol(_ context.Context, params documentParams) ([]Symbol, error) {
	document, err := s.document(params.TextDocument)
	if err != nil {
		return nil, err
	}
	return Symbols(document.Text), nil
}

func (s *server) completion(_ context.Context, params positionParams) ([]Completion, error) {
	document, err := s.document(params.TextDocument)
	if err != nil {
		return nil, err
	}
	return Complete(document.Text, params.Position), nil
}

func (s *server) formatting(_ context.Context, params formattingParams) ([]TextEdit, error) {
	document, err := s.document(params.TextDocument)
	if err != nil {
		return nil, err
	}
	edits, err := Format(document.Text, params.Options)
	if err != nil {
		return nil, &host.RPCError{Code: codeRequestFailed, Message: err.Error()}
	}
	return edits, nil
}

func (s *server) document(id documentID) (*Document, error) {
	s.mu.Lock()
	document := s.documents.Get(id.URI)
	s.mu.Unlock()
	if document == nil {
		return nil, &host.RPCError{Code: host.InvalidParams, Message: ErrNotOpen.Error() + ": " + cut(id.URI, shownBytesMax)}
	}
	return document, nil
}
