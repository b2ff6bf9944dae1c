package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/parley-rpc/parley/core"
)

// need is what a method needs of the handshake. Paths name members of capabilities, dots between
// the names and * for any name, and are there where the value is neither false nor null. One of the
// two is enough.
type need struct {
	offer  string // of the client's, in the params of initialize
	result string // of the server's, in its result; "": nothing there helps
}

// serverNeeds are the messages of a server that the client has to offer to take (REQ-9). Progress
// for a token of the client's own needs no offer, so that only making a token is held back.
// Registering needs one method at least that may be registered.
var serverNeeds = map[core.Profile]map[string]need{
	core.ProfileLSP: {
		"client/registerCapability":        {offer: "*.*.dynamicRegistration"},
		"client/unregisterCapability":      {offer: "*.*.dynamicRegistration"},
		"textDocument/publishDiagnostics":  {offer: "textDocument.publishDiagnostics"},
		"window/workDoneProgress/create":   {offer: "window.workDoneProgress"},
		"workspace/applyEdit":              {offer: "workspace.applyEdit"},
		"workspace/codeLens/refresh":       {offer: "workspace.codeLens.refreshSupport"},
		"workspace/configuration":          {offer: "workspace.configuration"},
		"workspace/diagnostic/refresh":     {offer: "workspace.diagnostics.refreshSupport"},
		"workspace/foldingRange/refresh":   {offer: "workspace.foldingRange.refreshSupport"},
		"workspace/inlayHint/refresh":      {offer: "workspace.inlayHint.refreshSupport"},
		"workspace/inlineValue/refresh":    {offer: "workspace.inlineValue.refreshSupport"},
		"workspace/semanticTokens/refresh": {offer: "workspace.semanticTokens.refreshSupport"},
		"workspace/workspaceFolders":       {offer: "workspace.workspaceFolders"},
	},
	core.ProfileMCP: {
		"elicitation/create":     {offer: "elicitation"},
		"roots/list":             {offer: "roots"},
		"sampling/createMessage": {offer: "sampling"},
	},
}

// clientNeeds are the messages of a client that the server has to advertise, or that the client
// lets it register later.
var clientNeeds = map[core.Profile]map[string]need{
	core.ProfileLSP: {
		"textDocument/diagnostic": {offer: "textDocument.diagnostic.dynamicRegistration", result: "diagnosticProvider"},
		"workspace/diagnostic":    {offer: "textDocument.diagnostic.dynamicRegistration", result: "diagnosticProvider.workspaceDiagnostics"},
	},
}

// handshake is what a session knows of its initialize: the methods whose need it does not meet.
type handshake struct{ unmet map[string]need }

// Negotiated reports whether a method may be sent. It is false where this session sent or served
// initialize, and that did not negotiate what the method needs: then a call or notification is
// ErrUnsupported, and nothing of it is written (REQ-9).
func (p *Peer) Negotiated(method string) bool {
	_, unmet := p.unmetNeed(method)
	return !unmet
}

func (p *Peer) unmetNeed(method string) (n need, unmet bool) {
	if h := p.handshake.Load(); h != nil {
		n, unmet = h.unmet[method]
	}
	return n, unmet
}

// refuseUnmet is the error of a verb whose method was not negotiated; nil where it may go on.
func (p *Peer) refuseUnmet(op, method string) error {
	n, unmet := p.unmetNeed(method)
	if !unmet {
		return nil
	}
	cause := fmt.Errorf("the client does not offer %s in initialize; ask Negotiated first", n.offer)
	if n.result != "" {
		cause = fmt.Errorf("the server does not advertise %s in initialize; ask Negotiated first", n.result)
	}
	return &CallError{Op: op, Method: method, Fault: FaultCaller, Err: ErrUnsupported, Cause: cause}
}

// noteOffer keeps what the client's initialize means for what we, the server, may send.
func (p *Peer) noteOffer(params json.RawMessage) {
	h := &handshake{unmet: maps.Clone(serverNeeds[p.profile])}
	h.meet(params, func(n need) string { return n.offer })
	p.handshake.Store(h)
}

// noteHandshake keeps what our initialize and its result mean for what we, the client, may send.
func (p *Peer) noteHandshake(params, result json.RawMessage) {
	h := &handshake{unmet: maps.Clone(clientNeeds[p.profile])}
	h.meet(params, func(n need) string { return n.offer })
	h.meet(result, func(n need) string { return n.result })
	p.handshake.Store(h)
}

// meet strikes the needs out whose path leads to something in text, which is valid JSON.
func (h *handshake) meet(text json.RawMessage, pathOf func(need) string) {
	walk(json.NewDecoder(bytes.NewReader(text)), nil, func(path []string) {
		if len(path) > 1 && path[0] == "capabilities" {
			maps.DeleteFunc(h.unmet, func(_ string, n need) bool { return leadsTo(path[1:], pathOf(n)) })
		}
	})
}

// leadsTo reports whether a path is the one wanted, where * stands for any name.
func leadsTo(path []string, wanted string) bool {
	for _, name := range path {
		var want string
		if want, wanted, _ = strings.Cut(wanted, "."); want != name && want != "*" {
			return false
		}
	}
	return wanted == ""
}

// walk reports the path of every value that is neither false nor null, while it reads: an offer may
// be as large as a frame, and a tree of it many times that.
func walk(decoder *json.Decoder, path []string, report func(path []string)) {
	token, err := decoder.Token()
	if err != nil || token == nil || token == false {
		return
	}
	report(path)
	opened, nested := token.(json.Delim)
	if !nested {
		return
	}
	for decoder.More() {
		name := "[]"
		if opened == '{' {
			token, err := decoder.Token()
			if err != nil {
				return
			}
			name = token.(string)
		}
		walk(decoder, append(path, name), report)
	}
	_, _ = decoder.Token() // its end
}
