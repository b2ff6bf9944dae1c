package mcp

import (
	"encoding/json"

	"github.com/parley-rpc/parley/core/era"
)

// capability is one that a registered method serves, and where the method is only a feature of it,
// which one (REQ-8).
type capability struct{ name, feature string }

var methodCapabilities = map[string]capability{
	"tools/list":               {"tools", ""},
	"tools/call":               {"tools", ""},
	"prompts/list":             {"prompts", ""},
	"prompts/get":              {"prompts", ""},
	"resources/list":           {"resources", ""},
	"resources/read":           {"resources", ""},
	"resources/templates/list": {"resources", ""},
	"resources/subscribe":      {"resources", "subscribe"},
	"completion/complete":      {"completions", ""},
	"logging/setLevel":         {"logging", ""},
}

// capabilities are exactly those of the registered methods that exist in an era.
func (s *Server) capabilities(e era.Era) json.RawMessage {
	all := map[string]map[string]bool{}
	for method := range s.routes {
		c, known := methodCapabilities[method]
		if !known || !era.MethodIn(e, method) {
			continue
		}
		if all[c.name] == nil {
			all[c.name] = map[string]bool{}
		}
		if c.feature != "" {
			all[c.name][c.feature] = true
		}
	}
	return encode(all) // members sorted by name
}
