package sim

import (
	"errors"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/internal/transcript"
)

// forgetful is a machine that never tells of a timeout.
type forgetful struct{ host.Machine }

func (f forgetful) Next(ev *core.Event) bool {
	for f.Machine.Next(ev) {
		if ev.Kind != core.EventTimeout {
			return true
		}
	}
	return false
}

func openForgetful(cfg core.Config) (host.Machine, error) {
	machine, err := host.Native(cfg)
	return forgetful{machine}, err
}

// Goal: a failure says how to repeat it, and its transcript is all there is to it: it parses, it
// breaks the same rule on the broken machine and none on a good one, and little is left of the run.
func TestFailureIsShrunkAndReplays(t *testing.T) {
	const seedsMax, linesMax = 200, 12
	var failure *Failure
	for seed := uint64(1); failure == nil; seed++ {
		if seed > seedsMax {
			t.Fatalf("no call timed out in %d runs", seedsMax)
		}
		if _, err := Run(seed, openForgetful); err != nil && !errors.As(err, &failure) {
			t.Fatal(err)
		}
	}
	text := failure.Error()
	_, spelled, found := strings.Cut(text, "\n\n")
	if !found || !strings.Contains(text, "-run TestSeeds -seed=0x") {
		t.Fatal(text)
	}
	parsed, err := transcript.Parse([]byte(spelled))
	if err != nil {
		t.Fatal(err)
	}
	if _, again := replay(parsed[0], openForgetful); again == nil || again.Rule != failure.Rule {
		t.Errorf("played again it breaks %v:\n%s", again, text)
	}
	if _, innocent := replay(parsed[0], host.Native); innocent != nil {
		t.Errorf("a good machine breaks %v:\n%s", innocent, text)
	}
	if lines := strings.Count(spelled, "\n"); lines > linesMax {
		t.Errorf("%d lines are left:\n%s", lines, text)
	}
}
