package main

import (
	"fmt"
	"slices"
	"time"
)

// contest is one table: contenders that do the same work, the first of which is the measure of the
// others.
type contest struct {
	title      string
	contenders []contender
}

// contender does one kind of operation over and over.
type contender struct {
	name    string
	opBytes int // payload bytes an operation, for the throughput column
	// start prepares the contender; run does n operations and says how long they took.
	start func() (run func(n int) (time.Duration, error), stop func() error, err error)
}

// run starts all contenders, lets each run once a round in an order that rotates, and prints the
// table. What disturbs the machine for a while then disturbs all of them.
func (c contest) run(rounds int, slice time.Duration) error {
	runs := make([]func(int) (time.Duration, error), len(c.contenders))
	counts := make([]int, len(c.contenders))
	for i, contender := range c.contenders {
		run, stop, err := contender.start()
		if err != nil {
			return fmt.Errorf("%s: %w", contender.name, err)
		}
		defer stop()
		runs[i] = run
		if counts[i], err = countFor(run, slice); err != nil {
			return fmt.Errorf("%s: %w", contender.name, err)
		}
	}
	opNs := make([][]float64, len(runs)) // by contender, by round
	for round := range rounds {
		for turn := range runs {
			i := (turn + round) % len(runs)
			took, err := runs[i](counts[i])
			if err != nil {
				return fmt.Errorf("%s: %w", c.contenders[i].name, err)
			}
			opNs[i] = append(opNs[i], float64(took)/float64(counts[i]))
		}
	}
	c.print(opNs)
	return nil
}

// countFor finds how many operations take about one slice; finding it is the warm-up.
func countFor(run func(int) (time.Duration, error), slice time.Duration) (int, error) {
	const countMax = 1 << 30
	for count := 1; ; count *= 2 {
		took, err := run(count)
		if err != nil {
			return 0, err
		}
		if took >= slice/4 || count >= countMax {
			return max(1, int(float64(count)*float64(slice)/float64(max(took, 1)))), nil
		}
	}
}

// print renders medians, and ratios to the first contender taken within each round.
func (c contest) print(opNs [][]float64) {
	fmt.Printf("\n## %s\n\n| contender | ns/op, median | min to max | MB/s | × %s |\n|---|---:|---:|---:|---:|\n",
		c.title, c.contenders[0].name)
	for i, contender := range c.contenders {
		ratios := make([]float64, len(opNs[i]))
		for round := range ratios {
			ratios[round] = opNs[i][round] / opNs[0][round]
		}
		ns := median(opNs[i])
		throughput := "–"
		if contender.opBytes > 0 {
			throughput = fmt.Sprintf("%.0f", float64(contender.opBytes)*1e3/ns)
		}
		fmt.Printf("| %s | %.0f | %.0f to %.0f | %s | %.2f |\n", contender.name, ns,
			slices.Min(opNs[i]), slices.Max(opNs[i]), throughput, median(ratios))
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}
