package era

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
)

func TestERA1ProbeHasItsBudgetInsideTheConnectBudget(t *testing.T) {
	check(t, []row{
		{"auto mode probes first", auto(), ``, ask},
		{"the probe is waited for until its budget ends", auto(), `at 4.999s`, ask},
		{"after 5 s the server is silent", auto(), `at 5s`, ask + " " + fallBack},
		{"a newly spawned process gets 10 s more", spawned(), `at 14.999s`, ask},
		{"and no more", spawned(), `at 15s`, ask + " " + fallBack},
		{"on its first probe only", spawned(), `1 error -32022 {"supported":["2026-07-28"]}; at 5s`, ask + " " + askAgain + " " + fallBack},
		{"the retry has 5 s too", auto(), `at 3s; 1 error -32022 {"supported":["2026-07-28"]}; at 7.999s`, ask + " " + askAgain},
		{"all of it inside 30 s, after which connect fails with Timeout", auto(), `at 5s; at 30s`, ask + " " + fallBack + " failed:timeout"},
		{"also while the probe waits", with(func(c *Config) { c.ConnectNs = 2 * core.Second }), `at 2s`, ask + " probed:unknown failed:timeout"},
	})
}

func TestERA1ProbeIsCompleteAndAsksForTheNewestVersion(t *testing.T) {
	n, err := New(auto())
	if err != nil {
		t.Fatal(err)
	}
	n.Advance(7 * core.Second)
	var s Step
	if !n.Next(&s) {
		t.Fatal("no step")
	}
	const want = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`
	if string(s.Params) != want || string(s.ID) != `"discover-1"` || s.Deadline != 37*core.Second || n.Deadline() != 12*core.Second {
		t.Errorf("params %s, id %s, deadline %d, probe until %d", s.Params, s.ID, s.Deadline, n.Deadline())
	}
}

func TestERA2OutcomesOfTheProbe(t *testing.T) {
	const legacyOnly, otherModern = `["2025-11-25","2024-11-05"]`, `["2027-01-01"]`
	check(t, []row{
		{"a common modern version: modern", auto(), `1 ` + modernResult, ask + " " + isModern},
		{"well-formed is an array of strings, nothing else demotes", auto(), `1 result {"resultType":7,"capabilities":null,"supportedVersions":["x","2026-07-28"]}`, ask + " " + isModern},
		{"legacy versions only: legacy", auto(), `1 result {"supportedVersions":` + legacyOnly + `}`, ask + " " + learnt},
		{"other modern versions only: an error, no fallback", auto(), `1 result {"supportedVersions":` + otherModern + `}`, ask + " probed:unknown failed:versions"},
		{"no version at all is no version in common", auto(), `1 result {"supportedVersions":[]}`, ask + " probed:unknown failed:versions"},
		{"other modern and legacy ones: legacy, but no proof of it", auto(), `1 result {"supportedVersions":["2027-01-01","2025-11-25"]}`, ask + " " + fallBack},
		{"-32022 naming a common version: tried once more", auto(), `1 error -32022 {"supported":["2026-07-28"]}; 2 ` + modernResult, ask + " " + askAgain + " " + isModern},
		{"-32022 naming legacy versions only: legacy", auto(), `1 error -32022 {"supported":` + legacyOnly + `}`, ask + " " + learnt},
		{"-32022 naming other modern versions only: an error", auto(), `1 error -32022 {"supported":` + otherModern + `}`, ask + " probed:unknown failed:versions"},
		{"a second -32022 is surfaced", auto(), `1 error -32022 {"supported":["2026-07-28"]}; 2 error -32022 {"supported":["2026-07-28"]}`, ask + " " + askAgain + " probed:unknown failed:refused"},
		{"-32022 without a list is surfaced", auto(), `1 error -32022`, ask + " probed:unknown failed:refused"},
		{"a list of other things is none", auto(), `1 error -32022 {"supported":["2026-07-28",1]}`, ask + " probed:unknown failed:refused"},
		{"-32020 is surfaced", auto(), `1 error -32020`, ask + " probed:unknown failed:refused"},
		{"-32021 is surfaced", auto(), `1 error -32021 {"requiredCapabilities":{}}`, ask + " probed:unknown failed:refused"},
		{"any other error: legacy, on this connection", auto(), `1 error 0; 2 ` + legacyResult, ask + " " + fallBack + " " + handshook},
		{"malformed: no list", auto(), `1 result {}`, ask + " " + fallBack},
		{"malformed: a string for a list", auto(), `1 result {"supportedVersions":"2026-07-28"}`, ask + " " + fallBack},
		{"malformed: no object", auto(), `1 result null`, ask + " " + fallBack},
		{"an answer that is no response", auto(), `1 invalid`, ask + " " + fallBack},
		{"silence, as the core tells it", auto(), `1 timeout`, ask + " " + fallBack},
		{"a connection that ended cannot be fallen back on", auto(), `1 lost`, ask + " probed:unknown failed:lost"},
		{"a caller who gave up", auto(), `1 cancelled`, ask + " probed:unknown failed:cancelled"},
	})
}

func TestERA3OnlyDefinitiveRejectionTeachesLegacy(t *testing.T) {
	check(t, []row{
		{"-32601 teaches", auto(), `1 error -32601`, ask + " " + learnt},
		{"a legacy-only list in a result teaches", auto(), `1 result {"supportedVersions":["2025-06-18"]}`, ask + " " + learnt},
		{"in -32022", auto(), `1 error -32022 {"supported":["2024-10-07"]}`, ask + " " + learnt},
		{"in -32602 with data.supported", auto(), `1 error -32602 {"supported":["2025-11-25"],"requested":"2026-07-28"}`, ask + " " + learnt},
		{"-32602 without one does not", auto(), `1 error -32602 ""`, ask + " " + fallBack},
		{"-32602 with a modern one in it does not", auto(), `1 error -32602 {"supported":["2025-11-25","2026-07-28"]}`, ask + " " + fallBack},
		{"silence does not", auto(), `at 5s`, ask + " " + fallBack},
		{"other errors do not", auto(), `1 error -32000`, ask + " " + fallBack},
		{"malformed results do not", auto(), `1 result []`, ask + " " + fallBack},
		{"names that are no dates prove nothing", auto(), `1 result {"supportedVersions":["2025-11-2x","draft"]}`, ask + " probed:unknown failed:versions"},
	})
}

func TestERA4CachedErasAreNotProbed(t *testing.T) {
	check(t, []row{
		{"cached legacy: no probe", known(EraLegacy), `1 ` + legacyResult, "initialize " + handshook},
		{"cached modern: discover, and nothing to teach", known(EraModern), `1 ` + modernResult, ask + " modern:2026-07-28"},
		{"without fallback: a rejection", known(EraModern), `1 error -32601`, ask + " forget failed:refused"},
		{"without fallback: silence", known(EraModern), `at 5s`, ask + " forget failed:timeout"},
		{"without fallback: a legacy list", known(EraModern), `1 result {"supportedVersions":["2025-11-25"]}`, ask + " forget failed:versions"},
		{"without fallback: a dead child", with(func(c *Config) { c.Known, c.Spawned = EraModern, true }), `1 lost`, ask + " forget failed:lost"},
	})
}

func TestERA5ChildThatCannotBearTheProbeIsStartedOnceMore(t *testing.T) {
	const again = " probed:unknown restart initialize"
	check(t, []row{
		{"ends on the probe: started once more, in the legacy way", spawned(), `1 lost; 2 ` + legacyResult, ask + again + " " + handshook},
		{"ends after answering, before the fallback is answered", spawned(), `1 error -32602; 2 lost; 3 ` + legacyResult, ask + " " + fallBack + " restart initialize " + handshook},
		{"teaches nothing, also not what it said before", spawned(), `1 error -32601; 2 lost`, ask + " " + learnt + " forget restart initialize"},
		{"a second death is the end", spawned(), `1 lost; 2 lost`, ask + again + " failed:lost"},
		{"within the same 30 s", spawned(), `at 14s; 1 lost; at 30s`, ask + again + " failed:timeout"},
		{"a silent one that ends on initialize", spawned(), `at 15s; 1 lost; 2 lost; 3 ` + legacyResult, ask + " " + fallBack + " restart initialize " + handshook},
		{"outcomes on the old connection are over", spawned(), `at 15s; 2 lost; 1 ` + modernResult + `; 3 ` + legacyResult, ask + " " + fallBack + " restart initialize " + handshook},
		{"without a probe there is nothing to blame", with(func(c *Config) { c.Mode, c.Spawned = ModeLegacy, true }), `1 lost`, "initialize failed:lost"},
	})
}

func TestERA6LateEvidence(t *testing.T) {
	const reprobe = `at 5s; 2 error -32022 {"supported":["2026-07-28"]}`
	check(t, []row{
		{"a late result teaches modern and disturbs nothing", auto(), `at 5s; 1 ` + modernResult + `; 2 ` + legacyResult, ask + " " + fallBack + " probed:modern " + handshook},
		{"also once legacy is decided", auto(), `at 5s; 2 ` + legacyResult + `; 1 ` + modernResult, ask + " " + fallBack + " " + handshook + " probed:modern"},
		{"a late rejection teaches what it would have in time", auto(), `at 5s; 2 ` + legacyResult + `; 1 error -32601`, ask + " " + fallBack + " " + handshook + " probed:legacy"},
		{"a late error teaches nothing", auto(), `at 5s; 2 ` + legacyResult + `; 1 error -32000`, ask + " " + fallBack + " " + handshook},
		{"an answer counts once", auto(), `at 5s; 1 ` + modernResult + `; 1 ` + modernResult, ask + " " + fallBack + " probed:modern"},
		{"-32022 to the fallback: one new probe", auto(), reprobe + `; 3 ` + modernResult, ask + " " + fallBack + " " + askAgain + " " + isModern},
		{"also where the legacy entry was wrong", known(EraLegacy), `1 error -32022; 2 ` + modernResult, "initialize " + ask + " " + isModern},
		{"the new probe is the last", auto(), reprobe + `; 3 error -32022 {"supported":["2026-07-28"]}`, ask + " " + fallBack + " " + askAgain + " failed:refused"},
		{"and nothing is fallen back on", auto(), reprobe + `; 3 error -32601`, ask + " " + fallBack + " " + askAgain + " failed:refused"},
		{"a late rejection does not undo it", auto(), reprobe + `; 3 ` + modernResult + `; 1 error -32601`, ask + " " + fallBack + " " + askAgain + " " + isModern},
	})
}

func TestERA10Modes(t *testing.T) {
	legacy := with(func(c *Config) { c.Mode = ModeLegacy })
	check(t, []row{
		{"legacy: no probe", legacy, `1 ` + legacyResult, "initialize " + handshook},
		{"legacy stays legacy", legacy, `1 error -32022 {"supported":["2026-07-28"]}`, "initialize failed:refused"},
		{"another handshake version we know is accepted", legacy, `1 result {"protocolVersion":"2024-11-05"}`, "initialize notifications/initialized legacy:2024-11-05"},
		{"an unknown one is not", legacy, `1 result {"protocolVersion":"2023-01-01"}`, "initialize failed:versions"},
		{"a modern one has no handshake", legacy, `1 result {"protocolVersion":"2026-07-28"}`, "initialize failed:versions"},
		{"no version at all", legacy, `1 result {"capabilities":{}}`, "initialize failed:malformed"},
		{"an error", legacy, `1 error -32603`, "initialize failed:refused"},
		{"no response", legacy, `1 invalid`, "initialize failed:malformed"},
		{"pinned: that version", pinned("2026-07-28"), `1 ` + modernResult, ask + " modern:2026-07-28"},
		{"pinned: no fallback", pinned("2026-07-28"), `1 error -32601`, ask + " failed:refused"},
		{"pinned: no fallback from silence", pinned("2026-07-28"), `at 5s`, ask + " failed:timeout"},
		{"pinned to a handshake", pinned("2025-06-18"), `1 result {"protocolVersion":"2025-06-18"}`, "initialize notifications/initialized legacy:2025-06-18"},
		{"and to no other", pinned("2025-06-18"), `1 ` + legacyResult, "initialize failed:versions"},
	})
}

func TestERA10InitializeOffersTheNewestHandshake(t *testing.T) {
	n, err := New(with(func(c *Config) { c.Mode = ModeLegacy }))
	if err != nil {
		t.Fatal(err)
	}
	n.Advance(0)
	var s Step
	n.Next(&s)
	const want = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`
	if string(s.Params) != want || s.ID != nil {
		t.Errorf("params %s, id %s", s.Params, s.ID)
	}
}

// The error of a failed negotiation names both lists, whose fault it is, and no raw bytes of the
// peer's.
func TestFailureNamesBothLists(t *testing.T) {
	_, n := play(t, auto(), `1 result {"supportedVersions":["2027-01-01","\u001b[31mred"]}`)
	f := n.Failure()
	if !slices.Equal(f.Theirs, []string{"2027-01-01", "\x1b[31mred"}) || f.Ours[0] != "2026-07-28" || f.Ours[1] != "2025-11-25" {
		t.Errorf("theirs %q, ours %q", f.Theirs, f.Ours)
	}
	const want = `era: server/discover: peer: no version in common: the server speaks "2027-01-01", "\x1b[31mred", this client "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"`
	if f.Error() != want {
		t.Errorf("got %s", f.Error())
	}
}

func TestFailureMatchesTheSentinels(t *testing.T) {
	for script, want := range map[string]error{
		`1 lost`: core.ErrClosed, `at 30s`: core.ErrTimeout, `1 cancelled`: core.ErrCanceled,
	} {
		_, n := play(t, pinned("2026-07-28"), script)
		if !errors.Is(n.Failure(), want) {
			t.Errorf("%s: %v is not %v", script, n.Failure(), want)
		}
	}
}

// A list of a peer's is kept as far as an error shows it.
func TestFailureIsBounded(t *testing.T) {
	many := strings.Repeat(`"`+strings.Repeat("v", 1000)+`",`, 1000)
	_, n := play(t, auto(), `1 result {"supportedVersions":[`+many+`"x"]}`)
	if f := n.Failure(); len(f.Theirs) != versionsMax || len(f.Theirs[0]) != versionBytesMax {
		t.Errorf("%d versions of %d bytes", len(f.Theirs), len(f.Theirs[0]))
	}
}

func TestConfigIsRefused(t *testing.T) {
	for name, cfg := range map[string]Config{
		"Mode":                with(func(c *Config) { c.Mode = ModePinned + 1 }),
		"Known":               with(func(c *Config) { c.Known = EraModern + 1 }),
		"ProbeNs":             with(func(c *Config) { c.ProbeNs = 0 }),
		"StartupNs":           with(func(c *Config) { c.StartupNs = -1 }),
		"ConnectNs":           with(func(c *Config) { c.ConnectNs = budgetMax + 1 }),
		"Version":             pinned("2020-01-01"),
		"Client.Info":         with(func(c *Config) { c.Client.Info = nil }),
		"Client.Capabilities": with(func(c *Config) { c.Client.Capabilities = []byte("[]") }),
	} {
		var e *core.ConfigError
		if _, err := New(cfg); !errors.As(err, &e) || e.Field != name {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
