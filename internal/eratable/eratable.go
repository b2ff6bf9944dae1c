// Package eratable plays conformance/era.table on a negotiation of any home that Go can reach.
package eratable

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/era"
)

// Negotiation is era.Negotiation, there or behind a boundary.
type Negotiation interface {
	Advance(now core.Time)
	Settle(call uint32, ev *core.Event)
	Next(step *era.Step) bool
	FailureKind() era.FailureKind
}

// Open makes a Negotiation.
type Open func(t *testing.T, cfg era.Config) Negotiation

// Defaults is who negotiates in the table.
func Defaults() era.Config {
	return era.Defaults(era.Client{Info: []byte(`{"name":"t","version":"1"}`)})
}

// Play plays the rows of one rule, or with "" all.
func Play(t *testing.T, file, rule string, open Open) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	played := 0
	_, rows, _ := strings.Cut(string(text), "\n== ")
	for row := range strings.SplitSeq(rows, "\n== ") {
		title, lines, _ := strings.Cut(row, "\n")
		if of, _, _ := strings.Cut(title, ":"); rule != "" && of != rule {
			continue
		}
		played++
		t.Run(title, func(t *testing.T) { playRow(t, lines, open) })
	}
	if played == 0 {
		t.Errorf("%s holds no row of %q", file, rule)
	}
}

func playRow(t *testing.T, lines string, open Open) {
	var n Negotiation
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		command, want, ok := strings.Cut(line, " -> ")
		if !ok {
			t.Fatalf("%s: want what it asks for", line)
		}
		if fields, begins := strings.CutPrefix(command, "open"); begins {
			n = open(t, configOf(t, fields))
			n.Advance(0)
		} else {
			Happen(t, n, command)
		}
		if got := Steps(n); got != want {
			t.Errorf("%s\n got %s", line, got)
		}
	}
}

func configOf(t *testing.T, fields string) era.Config {
	cfg := Defaults()
	for field := range strings.FieldsSeq(fields) {
		switch name, value, _ := strings.Cut(field, "="); name {
		case "mode":
			cfg.Mode = map[string]era.Mode{"auto": era.ModeAuto, "legacy": era.ModeLegacy}[value]
		case "pinned":
			cfg.Mode, cfg.Version = era.ModePinned, value
		case "known":
			cfg.Known = map[string]era.Era{"legacy": era.EraLegacy, "modern": era.EraModern}[value]
		case "spawned":
			cfg.Spawned = true
		case "connect":
			cfg.ConnectNs = seconds(t, value)
		default:
			t.Fatalf("no such field: %s", field)
		}
	}
	return cfg
}

// Happen lets one event of the table happen: a time, or the outcome of a call.
func Happen(t *testing.T, n Negotiation, event string) {
	t.Helper()
	if at, ok := strings.CutPrefix(event, "at "); ok {
		n.Advance(seconds(t, at))
		return
	}
	number, outcome, _ := strings.Cut(event, " ")
	call, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	word, rest, _ := strings.Cut(outcome, " ")
	kind, ok := outcomes[word]
	if !ok {
		t.Fatalf("no such event: %s", event)
	}
	ev := core.Event{Kind: kind, Body: []byte(rest)}
	if kind == core.EventError {
		code, data, _ := strings.Cut(rest, " ")
		number, err := strconv.Atoi(code)
		if err != nil {
			t.Fatal(err)
		}
		ev.Code, ev.Text, ev.Body = core.Code(number), []byte("no"), []byte(data)
	}
	n.Settle(uint32(call), &ev)
}

var outcomes = map[string]core.EventKind{
	"result": core.EventResult, "error": core.EventError, "invalid": core.EventInvalidAnswer,
	"timeout": core.EventTimeout, "cancelled": core.EventCanceled, "lost": core.EventLost,
}

func seconds(t *testing.T, text string) core.Time {
	s, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return core.Time(s*1000+0.5) * core.Millisecond
}

// Steps takes the steps that are asked for, as words.
func Steps(n Negotiation) string {
	var words []string
	var step era.Step
	for n.Next(&step) {
		words = append(words, word(&step, n.FailureKind()))
	}
	if words == nil {
		return "none"
	}
	return strings.Join(words, " ")
}

func word(s *era.Step, failure era.FailureKind) string {
	switch s.Kind {
	case era.StepCall:
		if len(s.ID) > 0 {
			return s.Method + "#" + strings.Trim(string(s.ID), `"`)
		}
		return s.Method
	case era.StepNotify:
		return s.Method
	case era.StepProbed:
		return "probed:" + s.Era.String()
	case era.StepForget:
		return "forget"
	case era.StepRestart:
		return "restart"
	case era.StepModern:
		return "modern:" + s.Version
	case era.StepLegacy:
		return "legacy:" + s.Version
	case era.StepFailed:
		return "failed:" + failures[failure]
	}
	return fmt.Sprintf("step %d", s.Kind)
}

var failures = map[era.FailureKind]string{
	era.FailureVersions: "versions", era.FailureRefused: "refused", era.FailureMalformed: "malformed",
	era.FailureTimeout: "timeout", era.FailureLost: "lost", era.FailureCanceled: "cancelled",
}
