package lint

import (
	"encoding/json"
	"strings"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/capture"
)

// lifecycle judges when something is sent: initialize, its answer, initialized, shutdown, exit.
func (l *Linter) lifecycle(seen *capture.Seen) {
	method := string(seen.Found.Message.Method)
	s := l.s
	if strings.HasPrefix(method, "notifications/") || method == "server/discover" {
		s.isMCP = true
	}
	if s.isGapped {
		return
	}
	if seen.Side == core.SideServer {
		if s.initialize == phaseAsked && !isEarlyServer(method) {
			l.report(serverTooEarly, seen, "%s", method)
		}
		return
	}
	switch {
	case method == "initialize" && s.initialize != phaseNone:
		l.report(initializeTwice, seen, "initialize")
	case method == "initialize":
		s.initialize = phaseAsked
		s.isMCP = s.isMCP || asksMCP(seen.Found.Message.Body)
	case s.initialize == phaseNone && !isEarly(method) && !isStateless(seen.Found.Message.Body):
		l.report(beforeInitialize, seen, "%s comes first", method)
	case s.initialize == phaseAsked && !isEarly(method) && cancelField(method) == "":
		l.report(beforeInitialize, seen, "%s comes before the answer to initialize", method)
	case method == "initialized", method == "notifications/initialized":
		s.initialized = true
	case s.shutdown && method != "exit":
		l.report(afterShutdown, seen, "%s", method)
	case method == "shutdown":
		s.shutdown = true
	case method == "exit":
		if !s.shutdown && s.initialize == phaseAnswered {
			l.report(noShutdown, seen, "exit")
		}
		s.exited = true
	case s.initialize == phaseAnswered && !s.initialized && cancelField(method) == "" && method != "ping":
		l.report(noInitialized, seen, "%s comes first", method)
		s.initialized = true // said once
	}
}

// asksMCP reports whether the params of initialize are those of MCP.
func asksMCP(params []byte) bool {
	var p struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	return json.Unmarshal(params, &p) == nil && p.ProtocolVersion != ""
}

// isStateless reports whether a request of MCP carries its own version, and so needs no initialize.
func isStateless(params []byte) bool {
	var p struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(params, &p) != nil {
		return false
	}
	for name := range p.Meta {
		if strings.HasSuffix(name, "protocolVersion") {
			return true
		}
	}
	return false
}

func (l *Linter) initializeAnswered(answer *core.Event) {
	l.s.initialize = phaseAnswered
	var result struct {
		Capabilities struct {
			PositionEncoding string `json:"positionEncoding"`
		} `json:"capabilities"`
	}
	if answer.Class == core.ClassResult && json.Unmarshal(answer.Body, &result) == nil {
		l.s.documents.isUTF16 = result.Capabilities.PositionEncoding == "" || result.Capabilities.PositionEncoding == "utf-16"
	}
}
