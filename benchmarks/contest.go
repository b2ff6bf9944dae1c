package main

import (
	"fmt"
	"time"
)

// contest is one table: contenders that do the same work, the first of which is the measure of the
// others.
type contest struct {
	id         string // what -only and the targets name; also the plot's file
	title      string
	contenders []contender
}

// contender does one kind of operation over and over.
type contender struct {
	name    string
	opBytes int // payload bytes an operation, for the throughput column; 0: not meaningful
	// start prepares the contender; the worker does the operations.
	start func() (worker, error)
}

// worker is a contender that has started.
type worker struct {
	run   func(n int) (time.Duration, error) // does n operations and says how long they took
	stop  func() error
	waits *waits // of single operations, where they are recorded; else nil
	// warmUp is how long to run it at least before it counts, where a compiler is at work meanwhile.
	warmUp time.Duration
}

// outcome is what was measured of one contender.
type outcome struct {
	name     string
	opBytes  int
	opNs     []float64 // by round
	p50, p99 time.Duration
	isOnce   bool // one operation took longer than onceAfter: it was run once
}

// onceAfter is how long one operation may take before its contender is run once only, and marked.
const onceAfter = 5 * time.Second

// run starts all contenders and lets each run once a round in an order that rotates. What disturbs
// the machine for a while then disturbs all of them.
func (c contest) run(rounds int, slice time.Duration) (result, error) {
	workers := make([]worker, len(c.contenders))
	counts := make([]int, len(c.contenders))
	outcomes := make([]outcome, len(c.contenders))
	for i, contender := range c.contenders {
		w, err := contender.start()
		if err != nil {
			return result{}, fmt.Errorf("%s: %w", contender.name, err)
		}
		defer w.stop()
		workers[i] = w
		outcomes[i] = outcome{name: contender.name, opBytes: contender.opBytes}
		var first time.Duration
		if counts[i], first, err = countFor(w, slice); err != nil {
			return result{}, fmt.Errorf("%s: %w", contender.name, err)
		}
		if first > onceAfter {
			outcomes[i].isOnce, outcomes[i].opNs = true, []float64{float64(first)}
		}
		w.waits.reset()
	}
	for round := range rounds {
		for turn := range workers {
			i := (turn + round) % len(workers)
			if outcomes[i].isOnce {
				continue
			}
			took, err := workers[i].run(counts[i])
			if err != nil {
				return result{}, fmt.Errorf("%s: %w", c.contenders[i].name, err)
			}
			outcomes[i].opNs = append(outcomes[i].opNs, float64(took)/float64(counts[i]))
		}
	}
	for i := range workers {
		outcomes[i].p50, outcomes[i].p99 = workers[i].waits.percentile(50), workers[i].waits.percentile(99)
	}
	return result{c.id, c.title, outcomes}, nil
}

// countFor finds how many operations take about one slice; finding it is the warm-up. first is how
// long the first one took, which says little of the others.
func countFor(w worker, slice time.Duration) (count int, first time.Duration, err error) {
	const countMax = 1 << 30
	if first, err = w.run(1); err != nil || first > onceAfter {
		return 1, first, err
	}
	warm := first
	for count := 1; ; count *= 2 {
		took, err := w.run(count)
		if err != nil {
			return 0, 0, err
		}
		warm += took
		if took >= slice/4 && warm >= w.warmUp || count >= countMax {
			return max(1, int(float64(count)*float64(slice)/float64(max(took, 1)))), first, nil
		}
	}
}

// repeat makes a contender of one operation.
func repeat(name string, opBytes int, op func() error) contender {
	return contender{name, opBytes, func() (worker, error) { return loop(op, nil), nil }}
}

// loop is the worker of one operation; stop may be nil.
func loop(op func() error, stop func() error) worker {
	if stop == nil {
		stop = func() error { return nil }
	}
	run := func(n int) (time.Duration, error) {
		start := time.Now()
		for range n {
			if err := op(); err != nil {
				return 0, err
			}
		}
		return time.Since(start), nil
	}
	return worker{run: run, stop: stop}
}
