package era_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/internal/eratable"
)

// playTable plays the rows of a rule that every home plays.
func playTable(t *testing.T, rule string) {
	eratable.Play(t, "../../conformance/era.table", rule, func(t *testing.T, cfg era.Config) eratable.Negotiation {
		return open(t, cfg)
	})
}

type native struct{ *era.Negotiation }

func (n native) FailureKind() era.FailureKind {
	if f := n.Failure(); f != nil {
		return f.Kind
	}
	return era.FailureNone
}

func open(t *testing.T, cfg era.Config) native {
	t.Helper()
	n, err := era.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return native{n}
}

// play returns a negotiation to which one thing has happened.
func play(t *testing.T, cfg era.Config, event string) native {
	t.Helper()
	n := open(t, cfg)
	n.Advance(0)
	eratable.Happen(t, n, event)
	return n
}

func with(change func(*era.Config)) era.Config {
	cfg := eratable.Defaults()
	change(&cfg)
	return cfg
}

func pinned(version string) era.Config {
	return with(func(c *era.Config) { c.Mode, c.Version = era.ModePinned, version })
}

func TestERA1ProbeHasItsBudgetInsideTheConnectBudget(t *testing.T) { playTable(t, "ERA-1") }

func TestERA1ProbeIsCompleteAndAsksForTheNewestVersion(t *testing.T) {
	n, err := era.New(eratable.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	n.Advance(7 * core.Second)
	var s era.Step
	if !n.Next(&s) {
		t.Fatal("no step")
	}
	const want = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`
	if string(s.Params) != want || string(s.ID) != `"discover-1"` || s.Deadline != 37*core.Second || n.Deadline() != 12*core.Second {
		t.Errorf("params %s, id %s, deadline %d, probe until %d", s.Params, s.ID, s.Deadline, n.Deadline())
	}
}

func TestERA2OutcomesOfTheProbe(t *testing.T) { playTable(t, "ERA-2") }

func TestERA3OnlyDefinitiveRejectionTeachesLegacy(t *testing.T) { playTable(t, "ERA-3") }

func TestERA4CachedErasAreNotProbed(t *testing.T) { playTable(t, "ERA-4") }

func TestERA5ChildThatCannotBearTheProbeIsStartedOnceMore(t *testing.T) { playTable(t, "ERA-5") }

func TestERA6LateEvidence(t *testing.T) { playTable(t, "ERA-6") }

// A refusal that lists nothing in common still leads to a probe in a version of ours.
func TestERA6NewProbeNamesAVersion(t *testing.T) {
	cfg := with(func(c *era.Config) { c.Known = era.EraLegacy })
	for _, refusal := range []string{`1 error -32022`, `1 error -32022 {"supported":["2027-01-01","2026-07-28"]}`} {
		n := play(t, cfg, refusal)
		var s era.Step
		for n.Next(&s) && s.Method != "server/discover" {
		}
		if !strings.Contains(string(s.Params), `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`) {
			t.Errorf("%s: probed with %s", refusal, s.Params)
		}
	}
}

func TestERA10Modes(t *testing.T) { playTable(t, "ERA-10") }

func TestERA10InitializeOffersTheNewestHandshake(t *testing.T) {
	n, err := era.New(with(func(c *era.Config) {
		c.Mode, c.Client.Capabilities = era.ModeLegacy, []byte(`{"roots":{}}`)
	}))
	if err != nil {
		t.Fatal(err)
	}
	n.Advance(0)
	var s era.Step
	n.Next(&s)
	const want = `{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"t","version":"1"}}`
	if string(s.Params) != want || s.ID != nil || s.Deadline != 30*core.Second || n.Deadline() != s.Deadline {
		t.Errorf("params %s, id %s, deadline %d and %d", s.Params, s.ID, s.Deadline, n.Deadline())
	}
}

// The error of a failed negotiation names both lists, whose fault it is, and no raw bytes of the
// peer's.
func TestFailureNamesBothLists(t *testing.T) {
	n := play(t, eratable.Defaults(), `1 result {"supportedVersions":["2027-01-01","\u001b[31mred"]}`)
	f := n.Failure()
	if !slices.Equal(f.Theirs, []string{"2027-01-01", "\x1b[31mred"}) || f.Ours[0] != "2026-07-28" || f.Ours[1] != "2025-11-25" {
		t.Errorf("theirs %q, ours %q", f.Theirs, f.Ours)
	}
	const want = `era: server/discover: peer: no version in common: the server speaks "2027-01-01", "\x1b[31mred", this client "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"`
	if f.Error() != want {
		t.Errorf("got %s", f.Error())
	}
}

// It also says what was asked last, what a refusal listed, and that the child was started twice.
func TestFailureOfTheHandshake(t *testing.T) {
	legacy := with(func(c *era.Config) { c.Mode = era.ModeLegacy })
	f := play(t, legacy, `1 error -32602 {"supported":["2023-01-01"]}`).Failure()
	if f.Method != "initialize" || f.Restarted || !slices.Equal(f.Theirs, []string{"2023-01-01"}) {
		t.Errorf("refused: %+v", f)
	}
	n := play(t, with(func(c *era.Config) { c.Spawned = true }), `1 lost`)
	eratable.Happen(t, n, `2 lost`)
	if f := n.Failure(); f.Method != "initialize" || !f.Restarted || f.Theirs != nil {
		t.Errorf("lost: %+v", f)
	}
}

func TestFailureMatchesTheSentinels(t *testing.T) {
	for script, want := range map[string]error{
		`1 lost`: core.ErrClosed, `at 30`: core.ErrTimeout, `1 cancelled`: core.ErrCanceled,
	} {
		n := play(t, pinned("2026-07-28"), script)
		if !errors.Is(n.Failure(), want) {
			t.Errorf("%s: %v is not %v", script, n.Failure(), want)
		}
	}
}

// A failure says whose fault it is, in one line.
func TestFailureTexts(t *testing.T) {
	for script, want := range map[string]string{
		`1 error -32603`: `era: server/discover: peer: error -32603: "no"`,
		`1 error -32020 {"supported":["2027-01-01"]}`: `era: server/discover: peer: error -32020: "no": the server speaks "2027-01-01", this client "2026-07-28"`,
		`1 result {}`:                       `era: server/discover: peer: the answer has not the shape asked for`,
		`at 30`:                             `era: server/discover: peer: no answer in the time given`,
		`1 lost`:                            `era: server/discover: peer: the connection ended`,
		`1 cancelled`:                       `era: server/discover: caller: cancelled`,
		`1 result {"supportedVersions":[]}`: `era: server/discover: peer: no version in common: the server speaks none, this client "2026-07-28"`,
	} {
		f := play(t, pinned("2026-07-28"), script).Failure()
		if f.Error() != want {
			t.Errorf("%s: got %s", script, f.Error())
		}
		if errors.Is(f, core.ErrTooLarge) {
			t.Errorf("%s: it is ErrTooLarge", script)
		}
	}
	if f := (&era.Failure{Kind: era.FailureLost, Method: "initialize", Restarted: true}); f.Error() != "era: initialize: peer: the connection ended, also after a restart" {
		t.Errorf("got %s", f)
	}
}

// A list of a peer's is kept as far as an error shows it.
func TestFailureIsBounded(t *testing.T) {
	many := strings.Repeat(`"`+strings.Repeat("v", 1000)+`",`, 1000)
	n := play(t, eratable.Defaults(), `1 result {"supportedVersions":[`+many+`"x"]}`)
	if f := n.Failure(); len(f.Theirs) != 16 || len(f.Theirs[0]) != 64 {
		t.Errorf("%d versions of %d bytes", len(f.Theirs), len(f.Theirs[0]))
	}
}

func TestConfigIsRefused(t *testing.T) {
	for name, cfg := range map[string]era.Config{
		"Mode":                with(func(c *era.Config) { c.Mode = era.ModePinned + 1 }),
		"Known":               with(func(c *era.Config) { c.Known = era.EraModern + 1 }),
		"ProbeNs":             with(func(c *era.Config) { c.ProbeNs = 0 }),
		"StartupNs":           with(func(c *era.Config) { c.StartupNs = -1 }),
		"ConnectNs":           with(func(c *era.Config) { c.ConnectNs = 1<<50 + 1 }),
		"Version":             pinned("2020-01-01"),
		"Client.Info":         with(func(c *era.Config) { c.Client.Info = nil }),
		"Client.Capabilities": with(func(c *era.Config) { c.Client.Capabilities = []byte("[]") }),
	} {
		var e *core.ConfigError
		if _, err := era.New(cfg); !errors.As(err, &e) || e.Field != name {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for _, cfg := range []era.Config{
		with(func(c *era.Config) { c.ProbeNs, c.StartupNs, c.ConnectNs = 1, 0, 1 }),
		with(func(c *era.Config) { c.ProbeNs, c.StartupNs, c.ConnectNs = 1<<50, 1<<50, 1<<50 }),
	} {
		if err := cfg.Validate(); err != nil {
			t.Errorf("a bound: %v", err)
		}
	}
	for name, change := range map[string]func(*era.Config){
		"ProbeNs":   func(c *era.Config) { c.ProbeNs = 1<<50 + 1 },
		"StartupNs": func(c *era.Config) { c.StartupNs = 1<<50 + 1 },
		"ConnectNs": func(c *era.Config) { c.ConnectNs = 0 },
	} {
		var e *core.ConfigError
		if _, err := era.New(with(change)); !errors.As(err, &e) || e.Field != name {
			t.Errorf("%s, at its other end: got %v", name, err)
		}
	}
	unpinned := with(func(c *era.Config) { c.Version = "2025-11-25" })
	if err := unpinned.Validate(); err == nil || err.Error() != "core: config: Version: only ModePinned takes a version" {
		t.Errorf("a version without ModePinned: %v", err)
	}
}
