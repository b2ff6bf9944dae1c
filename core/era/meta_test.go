package era

import "testing"

// client is who the tests say they are.
var client = Client{Info: []byte(`{"name":"t","version":"1"}`)}

const completeMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`

func TestERA9EveryModernRequestCarriesItsMeta(t *testing.T) {
	tests := []struct{ name, params, want string }{
		{"no params", ``, `{"_meta":{` + completeMeta + `}}`},
		{"null", ` null `, `{"_meta":{` + completeMeta + `}}`},
		{"empty", ` { } `, `{"_meta":{` + completeMeta + `}}`},
		{"members follow", `{"name":"a","arguments":{"_meta":1}}`, `{"_meta":{` + completeMeta + `},"name":"a","arguments":{"_meta":1}}`},
		{"a progress token stays", `{"a":1,"_meta":{"progressToken":7}}`, `{"_meta":{` + completeMeta + `,"progressToken":7},"a":1}`},
		{"ours replace theirs", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"x","io.modelcontextprotocol\/clientInfo":0}}`, `{"_meta":{` + completeMeta + `}}`},
	}
	for _, test := range tests {
		got, err := client.AppendParams(nil, []byte(test.params), "2026-07-28")
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %v\n got %s\nwant %s", test.name, err, got, test.want)
		}
		if !isObject(got) {
			t.Errorf("%s: not JSON", test.name)
		}
	}
}

func TestAppendParamsRefuses(t *testing.T) {
	for params, want := range map[string]string{
		`{`:           "core: not one valid JSON text",
		`[1]`:         "core: params must be an object or an array",
		`{"_meta":1}`: "core: params must be an object or an array",
	} {
		got, err := client.AppendParams([]byte("before"), []byte(params), "2026-07-28")
		if err == nil || err.Error() != want || string(got) != "before" {
			t.Errorf("%s: %s, %v", params, got, err)
		}
	}
}
