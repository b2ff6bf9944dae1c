//go:build canary

package sim

import (
	"fmt"
	"io"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// canaryRuns is within how many runs each planted bug is to be found.
const canaryRuns = 10_000

// Canaries plants one bug of the core after another and runs the same seeds until a model finds it.
// It writes a line for each and the tally last; its error says that one escaped, or that something
// is found while nothing is planted, which would prove as little.
func Canaries(w io.Writer) error {
	defer core.Plant(0)
	core.Plant(0)
	runs, rule, err := runsToFind()
	if err != nil {
		return err
	}
	if runs > 0 {
		return fmt.Errorf("%s is broken in run %d, and no bug is planted", rule, runs)
	}
	found := 0
	for bug := 1; bug < len(core.Canaries); bug++ {
		core.Plant(bug)
		if runs, rule, err = runsToFind(); err != nil {
			return err
		}
		if runs > 0 {
			found++
			fmt.Fprintf(w, "%5d runs  %-7s %s\n", runs, rule, core.Canaries[bug])
		} else {
			fmt.Fprintf(w, "escaped %d runs: %s\n", canaryRuns, core.Canaries[bug])
		}
	}
	planted := len(core.Canaries) - 1
	fmt.Fprintf(w, "%d of %d found\n", found, planted)
	if found < planted {
		return fmt.Errorf("%d planted bugs were not found within %d runs each", planted-found, canaryRuns)
	}
	return nil
}

// runsToFind runs seeds from 1 until one fails; runs is 0 when none does.
func runsToFind() (runs uint64, rule string, err error) {
	for seed := uint64(1); seed <= canaryRuns; seed++ {
		_, fault, err := play(seed, host.Native)
		if err != nil {
			return 0, "", err
		}
		if fault != nil {
			return seed, fault.Rule, nil
		}
	}
	return 0, "", nil
}
