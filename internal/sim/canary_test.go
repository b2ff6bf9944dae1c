//go:build canary

package sim

import (
	"fmt"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// A planted bug is to be found within this many runs.
const canaryRuns = 10_000

// A simulation that finds nothing proves nothing: goal, that each bug planted in the core is found
// within canaryRuns runs from a seed that is always the same. Run it with the tags canary and verify.
func TestCanaries(t *testing.T) {
	defer core.Plant(0)
	core.Plant(0)
	if runs, rule := runsToFind(t); runs > 0 {
		t.Fatalf("%s is broken in run %d, and no bug is planted", rule, runs)
	}
	found := 0
	for bug := 1; bug < len(core.Canaries); bug++ {
		core.Plant(bug)
		runs, rule := runsToFind(t)
		if runs == 0 {
			t.Errorf("escaped %d runs: %s", canaryRuns, core.Canaries[bug])
			continue
		}
		found++
		fmt.Printf("%5d runs  %-6s %s\n", runs, rule, core.Canaries[bug])
	}
	fmt.Printf("%d of %d found\n", found, len(core.Canaries)-1)
}

// runsToFind runs seeds until one fails; runs is 0 when none does.
func runsToFind(t *testing.T) (runs uint64, rule string) {
	for runs = 1; runs <= canaryRuns; runs++ {
		_, fault, err := play(runs, host.Native)
		if err != nil {
			t.Fatal(err)
		}
		if fault != nil {
			return runs, fault.Rule
		}
	}
	return 0, ""
}
