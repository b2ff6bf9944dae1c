package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// result is one contest that has been run.
type result struct {
	id, title string
	outcomes  []outcome
}

// ratio is the median over the rounds of one contender's time to another's, taken within each round.
// It is 0 where either did not run.
func (r result) ratio(of, to string) float64 {
	a, b := r.outcome(of), r.outcome(to)
	if a == nil || b == nil {
		return 0
	}
	ratios := make([]float64, min(len(a.opNs), len(b.opNs)))
	for round := range ratios {
		ratios[round] = a.opNs[round] / b.opNs[round]
	}
	return median(ratios)
}

func (r result) outcome(name string) *outcome {
	for i := range r.outcomes {
		if r.outcomes[i].name == name {
			return &r.outcomes[i]
		}
	}
	return nil
}

// table writes medians with their spread, and ratios to the first contender.
func (r result) table(w io.Writer) {
	measure := r.outcomes[0].name
	hasWaits := slices.ContainsFunc(r.outcomes, func(o outcome) bool { return o.p99 > 0 })
	fmt.Fprintf(w, "\n### %s\n\n`go run . -only '^%s$'` · [plot](plots/%s.svg)\n\n", r.title, r.id, r.id)
	head, rule := "| contender | ns/op, median | min to max | MB/s |", "|---|---:|---:|---:|"
	if hasWaits {
		head, rule = head+" p50 µs | p99 µs |", rule+"---:|---:|"
	}
	fmt.Fprintf(w, "%s × %s |\n%s---:|\n", head, measure, rule)
	for _, o := range r.outcomes {
		ns := median(o.opNs)
		name := o.name
		if o.isOnce {
			name += " (run once)"
		}
		fmt.Fprintf(w, "| %s | %.0f | %.0f to %.0f | %s |", name, ns, slices.Min(o.opNs), slices.Max(o.opNs), throughput(o.opBytes, ns))
		if hasWaits {
			fmt.Fprintf(w, " %s | %s |", micros(o.p50), micros(o.p99))
		}
		fmt.Fprintf(w, " %.2f |\n", r.ratio(o.name, measure))
	}
}

// benchLines writes the rounds as Go benchmarks write theirs, for benchstat.
func (r result) benchLines(w io.Writer) {
	for _, o := range r.outcomes {
		for _, ns := range o.opNs {
			fmt.Fprintf(w, "Benchmark%s/%s 1 %.1f ns/op\n", r.id, benchName.Replace(o.name), ns)
		}
	}
}

func throughput(opBytes int, opNs float64) string {
	if opBytes == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", float64(opBytes)*1e3/opNs)
}

func micros(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", float64(d)/1e3)
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

// waits collects how long single operations took, from many goroutines; nil collects nothing.
type waits struct {
	mu   sync.Mutex
	each []time.Duration
}

// waitsMax bounds what is kept: enough for a p99 of each round.
const waitsMax = 1 << 20

func (w *waits) add(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.each) < waitsMax {
		w.each = append(w.each, d)
	}
}

func (w *waits) reset() {
	if w != nil {
		w.each = w.each[:0]
	}
}

// percentile is 0 where nothing was collected.
func (w *waits) percentile(percent int) time.Duration {
	if w == nil || len(w.each) == 0 {
		return 0
	}
	slices.Sort(w.each)
	return w.each[(len(w.each)-1)*percent/100]
}

// benchName keeps a contender's name one word of a benchmark's.
var benchName = strings.NewReplacer(" ", "_", ",", "", "/", ".")
