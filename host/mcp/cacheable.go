package mcp

import "encoding/json"

// cacheable are the methods whose modern results must say how long they hold and for whom; clients
// take one that does not for an invalid answer.
var cacheable = map[string]bool{
	"tools/list":               true,
	"prompts/list":             true,
	"resources/list":           true,
	"resources/templates/list": true,
	"resources/read":           true,
}

// appendLifetime completes a rendered modern result of a cacheable method: what the handler did not
// say holds for no time, and for the client that asked.
func appendLifetime(result []byte) ([]byte, error) {
	var said struct {
		TTLMs      json.RawMessage `json:"ttlMs"`
		CacheScope json.RawMessage `json:"cacheScope"`
	}
	if err := json.Unmarshal(result, &said); err != nil {
		return nil, err
	}
	result = result[:len(result)-1] // a rendered result has members, and ends with its brace
	if said.TTLMs == nil {
		result = append(result, `,"ttlMs":0`...)
	}
	if said.CacheScope == nil {
		result = append(result, `,"cacheScope":"private"`...)
	}
	return append(result, '}'), nil
}
