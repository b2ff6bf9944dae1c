package era

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parley-rpc/parley/core"
)

// client is who the tests say they are.
var client = Client{Info: []byte(`{"name":"t","version":"1"}`)}

// auto, and what a row changes in it.
func auto() Config { return Defaults(client) }

func with(change func(*Config)) Config {
	cfg := auto()
	change(&cfg)
	return cfg
}

func spawned() Config      { return with(func(c *Config) { c.Spawned = true }) }
func known(era Era) Config { return with(func(c *Config) { c.Known = era }) }
func pinned(version string) Config {
	return with(func(c *Config) { c.Mode, c.Version = ModePinned, version })
}

// play runs a script on a Negotiation and returns the steps it asked for, as words.
//
// A script is what happens, separated by ";": "at 5s", or the outcome of a call by its number:
// "1 result JSON", "1 error CODE [DATA]", "1 invalid", "1 timeout", "1 cancelled", "1 lost".
func play(t *testing.T, cfg Config, script string) (string, *Negotiation) {
	t.Helper()
	n, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	n.Advance(0)
	words := drain(n)
	for event := range strings.SplitSeq(script, ";") {
		if event = strings.TrimSpace(event); event != "" {
			happen(t, n, event)
			words = append(words, drain(n)...)
		}
	}
	return strings.Join(words, " "), n
}

func happen(t *testing.T, n *Negotiation, event string) {
	t.Helper()
	if after, ok := strings.CutPrefix(event, "at "); ok {
		d, err := time.ParseDuration(after)
		if err != nil {
			t.Fatal(err)
		}
		n.Advance(core.Time(d))
		return
	}
	number, rest, _ := strings.Cut(event, " ")
	call, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	kind, rest, _ := strings.Cut(rest, " ")
	ev := core.Event{Body: []byte(rest)}
	switch kind {
	case "result":
		ev.Kind = core.EventResult
	case "error":
		code, data, _ := strings.Cut(rest, " ")
		number, err := strconv.Atoi(code)
		if err != nil {
			t.Fatal(err)
		}
		ev.Kind, ev.Code, ev.Text, ev.Body = core.EventError, core.Code(number), []byte("no"), []byte(data)
	case "invalid":
		ev.Kind = core.EventInvalidAnswer
	case "timeout":
		ev.Kind = core.EventTimeout
	case "cancelled":
		ev.Kind = core.EventCanceled
	case "lost":
		ev.Kind = core.EventLost
	default:
		t.Fatalf("no such event: %s", event)
	}
	n.Settle(uint32(call), &ev)
}

func drain(n *Negotiation) []string {
	var words []string
	var step Step
	for n.Next(&step) {
		words = append(words, word(&step, n))
	}
	return words
}

func word(s *Step, n *Negotiation) string {
	switch s.Kind {
	case StepCall:
		if s.ID != nil {
			return s.Method + "#" + strings.Trim(string(s.ID), `"`)
		}
		return s.Method
	case StepNotify:
		return s.Method
	case StepProbed:
		return "probed:" + s.Era.String()
	case StepForget:
		return "forget"
	case StepRestart:
		return "restart"
	case StepModern:
		return "modern:" + s.Version
	case StepLegacy:
		return "legacy:" + s.Version
	case StepFailed:
		return "failed:" + failureWords[n.Failure().Kind]
	}
	return fmt.Sprintf("step %d", s.Kind)
}

var failureWords = map[FailureKind]string{
	FailureVersions: "versions", FailureRefused: "refused", FailureMalformed: "malformed",
	FailureTimeout: "timeout", FailureLost: "lost", FailureCanceled: "cancelled",
}

// row is one sentence of a rule.
type row struct {
	says   string
	cfg    Config
	script string
	want   string
}

func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.says, func(t *testing.T) {
			if got, _ := play(t, r.cfg, r.script); got != r.want {
				t.Errorf("%s\n got %s\nwant %s", r.script, got, r.want)
			}
		})
	}
}

// Parts of what is wanted.
const (
	ask       = "server/discover#discover-1"
	askAgain  = "server/discover#discover-2"
	fallBack  = "probed:unknown initialize"
	learnt    = "probed:legacy initialize"
	handshook = "notifications/initialized legacy:2025-11-25"
	isModern  = "probed:modern modern:2026-07-28"
)

// Answers.
const (
	modernResult = `result {"supportedVersions":["2026-07-28"]}`
	legacyResult = `result {"protocolVersion":"2025-11-25","capabilities":{}}`
)
