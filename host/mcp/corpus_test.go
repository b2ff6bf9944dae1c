package mcp_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host/mcp"
)

// reaction is what a server does with the next request: the result or error member of its answer,
// silence, or its end.
type reaction struct{ method, does string }

const (
	silence = ""
	leaves  = "leaves"
)

func (r reaction) play(w *wire) {
	w.t.Helper()
	id := w.hearCall(r.method)
	switch r.does {
	case silence:
	case leaves:
		hangUp(w)
	default:
		w.say(`{"jsonrpc":"2.0","id":` + id + `,` + r.does + `}`)
	}
}

// What the servers of the corpus do, in their own words.
const (
	handshake2025_06 = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}`
	handshake2025_11 = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}`
	discovered       = `"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":""}},"ttlMs":0,"cacheScope":"public",` +
		`"supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"capabilities":{"tools":{"listChanged":true}}}`
	notFound = `"error":{"code":-32601,"message":"Method not found"}`
)

// unsupported is the error that refuses a version and lists others.
func unsupported(list string) string {
	return `"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":` + list + `,"requested":"2026-07-28"}}`
}

// probed is a server that reacts to the probe in this way and then shakes hands.
func probed(reacts string) []reaction {
	return []reaction{{"server/discover", reacts}, {"initialize", handshake2025_11}}
}

// corpus is how servers in the field meet a client that probes them: what each said, what it is to
// be taken for, and what that teaches (ERA-2, ERA-3, ERA-5, ERA-6).
var corpus = []struct {
	server string
	runs   [][]reaction // one for each start; more than one: the server is started by Connect
	agreed string       // version; or, with "error: " before it, a part of what is surfaced
	learnt era.Era
}{
	// Servers that know nothing of the probe.
	{"Python SDK 1", [][]reaction{probed(`"error":{"code":-32602,"message":"Invalid request parameters","data":""}`)}, "2025-11-25", era.EraUnknown},
	{"Python SDK 2, handshake only", [][]reaction{probed(`"error":{"code":-32601,"message":"Method not found","data":"server/discover"}`)}, "2025-11-25", era.EraLegacy},
	{"TypeScript SDK 1", [][]reaction{probed(notFound)}, "2025-11-25", era.EraLegacy},
	{"Go SDK 1.0 to 1.6", [][]reaction{{
		{"server/discover", `"error":{"code":0,"message":"method \"server/discover\" is invalid during session initialization"}`},
		{"initialize", handshake2025_06},
	}}, "2025-06-18", era.EraUnknown},
	{"C# SDK 1", [][]reaction{probed(`"error":{"code":-32601,"message":"Method 'server/discover' is not available."}`)}, "2025-11-25", era.EraLegacy},
	{"rmcp 0 and 1, started by us", [][]reaction{
		{{"server/discover", leaves}},
		{{"initialize", handshake2025_06}},
	}, "2025-06-18", era.EraUnknown},
	{"rmcp 0 and 1, not ours to start again", [][]reaction{{{"server/discover", leaves}}}, "error: the connection ended", era.EraUnknown},
	{"rmcp 3, which answers and then ends", [][]reaction{
		{{"server/discover", `"error":{"code":-32602,"message":"missing request metadata"}`}, {"initialize", leaves}},
		{{"initialize", handshake2025_11}},
	}, "2025-11-25", era.EraUnknown},
	{"one that rejects the method and then ends", [][]reaction{
		{{"server/discover", notFound}, {"initialize", leaves}},
		{{"initialize", handshake2025_11}},
	}, "2025-11-25", era.EraUnknown},
	{"silent before initialize", [][]reaction{probed(silence)}, "2025-11-25", era.EraUnknown},
	{"free text under a code of its own", [][]reaction{probed(`"error":{"code":-32000,"message":"Bad Request: Server not initialized"}`)}, "2025-11-25", era.EraUnknown},
	{"a result of another shape", [][]reaction{probed(`"result":{"tools":[]}`)}, "2025-11-25", era.EraUnknown},
	{"an empty result", [][]reaction{probed(`"result":{}`)}, "2025-11-25", era.EraUnknown},
	{"the handshake's own refusal of a version", [][]reaction{
		probed(`"error":{"code":-32602,"message":"Unsupported protocol version","data":{"supported":["2025-11-25"],"requested":"2026-07-28"}}`),
	}, "2025-11-25", era.EraLegacy},

	// Servers that know the probe.
	{"Go SDK 1.8", [][]reaction{{{"server/discover", discovered}}}, "2026-07-28", era.EraModern},
	{"TypeScript SDK 2", [][]reaction{{{"server/discover", `"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},` +
		`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}},"ttlMs":3600000,"cacheScope":"public","instructions":"i"}`}}}, "2026-07-28", era.EraModern},
	{"a server's name that is misshapen", [][]reaction{{{"server/discover", `"result":{"supportedVersions":["2026-07-28"],"ttlMs":-1,` +
		`"_meta":{"io.modelcontextprotocol/serverInfo":"s"},"serverInfo":7}`}}}, "2026-07-28", era.EraModern},
	{"modern, but first in need of another word", [][]reaction{{
		{"server/discover", unsupported(`["2026-07-28"]`)},
		{"server/discover", discovered},
	}}, "2026-07-28", era.EraModern},
	{"Python SDK 2, slow: locked by the probe that it seemed to ignore", [][]reaction{{
		{"server/discover", silence},
		{"initialize", unsupported(`["2026-07-28"]`)},
		{"server/discover", discovered},
	}}, "2026-07-28", era.EraModern},
	{"C# SDK, set to its handshake", [][]reaction{probed(unsupported(`["2025-11-25","2025-06-18"]`))}, "2025-11-25", era.EraLegacy},
	{"discoverable, and legacy only", [][]reaction{probed(`"result":{"resultType":"complete","supportedVersions":["2025-11-25"],"capabilities":{}}`)}, "2025-11-25", era.EraLegacy},

	// Modern servers that are not for us: no fallback.
	{"newer than we are", [][]reaction{{{"server/discover", `"result":{"supportedVersions":["2027-01-01"]}`}}}, `error: the server speaks "2027-01-01", this client "2026-07-28"`, era.EraUnknown},
	{"newer, told by an error", [][]reaction{{{"server/discover", unsupported(`["2027-01-01"]`)}}}, `error: the server speaks "2027-01-01", this client "2026-07-28"`, era.EraUnknown},
	{"insisting on what it refused", [][]reaction{{
		{"server/discover", unsupported(`["2026-07-28"]`)},
		{"server/discover", unsupported(`["2026-07-28"]`)},
	}}, "error: error -32022", era.EraUnknown},
	{"refusing without a list", [][]reaction{{{"server/discover", `"error":{"code":-32022,"message":"Unsupported protocol version"}`}}}, "error: error -32022", era.EraUnknown},
	{"wanting a capability", [][]reaction{{{"server/discover", `"error":{"code":-32021,"message":"Missing","data":{"requiredCapabilities":{"elicitation":{}}}}`}}}, "error: error -32021", era.EraUnknown},
	{"seeing a mismatch of headers", [][]reaction{{{"server/discover", `"error":{"code":-32020,"message":"Header mismatch"}`}}}, "error: error -32020", era.EraUnknown},
}

func TestCorpusOfServers(t *testing.T) {
	for _, row := range corpus {
		t.Run(row.server, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var scripts []func(w *wire)
				for _, run := range row.runs {
					scripts = append(scripts, func(w *wire) {
						for _, r := range run {
							r.play(w)
						}
					})
				}
				server := script(t, scripts...)
				server.Spawned = len(row.runs) > 1
				options, cache := clientOptions()
				s, err := mcp.Connect(t.Context(), server.Endpoint, options)
				wantAgreed(t, s, err, row.agreed)
				if s != nil {
					s.Close()
				}
				synctest.Wait()
				if len(server.wires) != len(row.runs) {
					t.Errorf("started %d times, want %d", len(server.wires), len(row.runs))
				}
				if got := cache.Lookup("server"); got != row.learnt {
					t.Errorf("the cache knows %v, want %v", got, row.learnt)
				}
			})
		})
	}
}

// wantAgreed takes a version, or what Connect must say with "error: " before it.
func wantAgreed(t *testing.T, s *mcp.Session, err error, want string) {
	t.Helper()
	if text, failure := strings.CutPrefix(want, "error: "); failure {
		var e *mcp.ConnectError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want an error with %q", err, text)
		}
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	wantEra(t, s, era.Of(want), want)
}
