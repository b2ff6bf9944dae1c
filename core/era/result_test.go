package era

import "testing"

func TestERA9ResultTypes(t *testing.T) {
	for result, want := range map[string]ResultType{
		`{}`:                              ResultComplete,
		`{"resultType":"complete"}`:       ResultComplete,
		`{"resultType":"input_required"}`: ResultInputRequired,
		`{"resultType":"other"}`:          ResultUnknown,
		`{"resultType":null}`:             ResultUnknown,
		`{"ResultType":"other"}`:          ResultComplete,
		`null`:                            ResultUnknown,
		`[]`:                              ResultUnknown,
	} {
		if got := TypeOf([]byte(result)); got != want {
			t.Errorf("%s: got %d, want %d", result, got, want)
		}
	}
}

func TestERA8AnswersKeepToTheirEra(t *testing.T) {
	const info = `{"name":"s","version":"1"}`
	const meta = `"_meta":{"io.modelcontextprotocol/serverInfo":` + info
	tests := []struct{ result, modern, legacy string }{
		{``, `{"resultType":"complete",` + meta + `}}`, `{}`},
		{`null`, `{"resultType":"complete",` + meta + `}}`, `{}`},
		{` {"tools": []} `, `{"resultType":"complete","tools":[],` + meta + `}}`, `{"tools":[]}`},
		{`{"resultType":"input_required","requestState":"x"}`, `{"resultType":"input_required","requestState":"x",` + meta + `}}`, `{}`},
		{`{"a":1,"ttlMs":1,"cacheScope":"public"}`, `{"resultType":"complete","a":1,"ttlMs":1,"cacheScope":"public",` + meta + `}}`, `{"a":1}`},
		{`{"_meta":{"b":2,"io.modelcontextprotocol\/serverInfo":0}}`, `{"resultType":"complete",` + meta + `,"b":2}}`, `{"_meta":{"b":2}}`},
	}
	for _, test := range tests {
		modern, err := AppendModernResult(nil, []byte(test.result), []byte(info))
		if err != nil || string(modern) != test.modern {
			t.Errorf("modern %s: %v\n got %s\nwant %s", test.result, err, modern, test.modern)
		}
		legacy, err := AppendLegacyResult(nil, []byte(test.result))
		if err != nil || string(legacy) != test.legacy {
			t.Errorf("legacy %s: %v\n got %s\nwant %s", test.result, err, legacy, test.legacy)
		}
	}
	for _, bad := range []string{`{`, `1`, `[]`, `{"_meta":1}`} {
		if _, err := AppendModernResult(nil, []byte(bad), []byte(info)); err == nil {
			t.Errorf("modern: %s was taken", bad)
		}
		if _, err := AppendLegacyResult(nil, []byte(bad)); err == nil {
			t.Errorf("legacy: %s was taken", bad)
		}
	}
}

func TestERA8MethodsBelongToEras(t *testing.T) {
	for method, want := range map[string][2]bool{
		"server/discover": {false, true}, "initialize": {true, false}, "ping": {true, false},
		"resources/subscribe": {true, false}, "tools/call": {true, true},
	} {
		if MethodIn(EraLegacy, method) != want[0] || MethodIn(EraModern, method) != want[1] {
			t.Errorf("%s: legacy %v, modern %v", method, MethodIn(EraLegacy, method), MethodIn(EraModern, method))
		}
	}
}
