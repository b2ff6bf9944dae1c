package era

import "testing"

func TestERA8ClaimsOfARequest(t *testing.T) {
	const version = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
	const capabilities = `"io.modelcontextprotocol/clientCapabilities":{"roots":{}}`
	tests := []struct {
		says, params string
		kind         ClaimKind
		key          string
	}{
		{"no params", ``, ClaimNone, ""},
		{"no _meta", `{"a":1}`, ClaimNone, ""},
		{"a _meta of the legacy era", `{"_meta":{"progressToken":1}}`, ClaimNone, ""},
		{"a _meta of another shape", `{"_meta":[1]}`, ClaimNone, ""},
		{"complete", `{"_meta":{` + completeMeta + `}}`, ClaimServed, ""},
		{"identity is not required", `{"_meta":{` + version + `,` + capabilities + `}}`, ClaimServed, ""},
		{"another version", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}`, ClaimUnserved, ""},
		{"a handshake version has no claims", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25",` + capabilities + `}}`, ClaimUnserved, ""},
		{"version missing", `{"_meta":{` + capabilities + `}}`, ClaimMisshapen, KeyVersion},
		{"version misshapen", `{"_meta":{"io.modelcontextprotocol/protocolVersion":2026,` + capabilities + `}}`, ClaimMisshapen, KeyVersion},
		{"version and capabilities missing", `{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}`, ClaimMisshapen, KeyVersion},
		{"capabilities missing", `{"_meta":{` + version + `}}`, ClaimMisshapen, KeyCapabilities},
		{"capabilities misshapen", `{"_meta":{` + version + `,"io.modelcontextprotocol/clientCapabilities":[]}}`, ClaimMisshapen, KeyCapabilities},
		{"identity misshapen", `{"_meta":{` + version + `,` + capabilities + `,"io.modelcontextprotocol/clientInfo":{"name":1,"version":"1"}}}`, ClaimMisshapen, KeyInfo},
		{"identity without a version", `{"_meta":{` + version + `,` + capabilities + `,"io.modelcontextprotocol/clientInfo":{"name":"c","version":1}}}`, ClaimMisshapen, KeyInfo},
	}
	for _, test := range tests {
		c := ReadClaim([]byte(test.params), ModernVersions())
		if c.Kind != test.kind || c.Key != test.key {
			t.Errorf("%s: got %d %q", test.says, c.Kind, c.Key)
		}
		if (c.Capabilities != nil) != (test.kind == ClaimServed) {
			t.Errorf("%s: capabilities %s", test.says, c.Capabilities)
		}
	}
}

func TestERA10ServerAnswersAHandshakeVersionItKnows(t *testing.T) {
	for asked, want := range map[string]string{
		`"2024-11-05"`: "2024-11-05", `"2026-07-28"`: "2025-11-25", `"x"`: "2025-11-25", `7`: "", `null`: "",
	} {
		h, ok := ReadHandshake([]byte(`{"protocolVersion":` + asked + `,"capabilities":{"roots":{}},"clientInfo":[]}`))
		if h.Version != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v", asked, h.Version, ok)
		}
		if ok && (!Can(h.Capabilities, "roots") || Can(h.Capabilities, "sampling") || h.Info != nil) {
			t.Errorf("%s: capabilities %s, info %s", asked, h.Capabilities, h.Info)
		}
	}
	const info = `{"name":"c","version":"1"}`
	if h, _ := ReadHandshake([]byte(`{"protocolVersion":"2025-11-25","capabilities":7,"clientInfo":` + info + `}`)); string(h.Info) != info || h.Capabilities != nil {
		t.Errorf("capabilities %s, info %s", h.Capabilities, h.Info)
	}
}
