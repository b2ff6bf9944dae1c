// Benchmarks measures parley and the libraries it competes with side by side, as METHOD.md says.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"time"
)

// settings are the flags.
type settings struct {
	rounds  int
	slice   time.Duration
	only    string
	targets bool
	results string
	bench   string
	serve   string
}

func main() {
	var s settings
	flag.IntVar(&s.rounds, "rounds", 10, "how often each contender runs")
	flag.DurationVar(&s.slice, "slice", 100*time.Millisecond, "about how long one contender runs in a round")
	flag.StringVar(&s.only, "only", "", "run the contests whose id matches this regular expression")
	flag.BoolVar(&s.targets, "targets", false, "run what the targets need, and print one line for each")
	flag.StringVar(&s.results, "results", "", "write tables and targets into this file, and plots beside it")
	flag.StringVar(&s.bench, "bench", "", "write every round into this file, for benchstat")
	flag.StringVar(&s.serve, "serve", "", "be the child process of a contest")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := s.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		os.Exit(1)
	}
}

func (s settings) run(ctx context.Context, w io.Writer) error {
	switch s.serve {
	case "":
	case "idle", "busy":
		return serveFleet(w, s.serve == "busy")
	default:
		return serveEcho(ctx, s.serve)
	}
	only, err := regexp.Compile(s.only)
	if err != nil {
		return err
	}
	t, err := newTools(ctx)
	if err != nil {
		return err
	}
	defer t.close(ctx)
	machine := thisMachine()
	if !s.targets {
		fmt.Fprintf(w, "%s; %d rounds of %v a contender\n", machine, s.rounds, s.slice)
	}
	var results []result
	for _, c := range contests(t) {
		if len(c.contenders) == 0 || !only.MatchString(c.id) || s.targets && !isNeeded(c.id) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.targets {
			c.contenders = needed(c)
		}
		r, err := c.run(s.rounds, s.slice)
		if err != nil {
			return fmt.Errorf("%s: %w", c.id, err)
		}
		results = append(results, r)
		if !s.targets {
			r.table(w)
		}
	}
	var fleets []fleet
	if only.MatchString("fleet") {
		if fleets, err = runFleets(); err != nil {
			return err
		}
	}
	if !s.targets {
		fleetTable(w, fleets)
	}
	lines := reached(results, fleets)
	if only.MatchString("sandbox") {
		sandboxes, err := measureSandboxes(ctx)
		if err != nil {
			return err
		}
		lines = append(lines, sandboxes...)
	}
	printTargets(w, lines)
	if s.bench != "" {
		if err := writeBench(s.bench, results); err != nil {
			return err
		}
	}
	if s.results == "" {
		return nil
	}
	return writeResults(s.results, fmt.Sprintf("%s; %d rounds of %v a contender", machine, s.rounds, s.slice), results, fleets, lines)
}

// contests are all tables, in the order of METHOD.md.
func contests(t *tools) []contest {
	const kib, mib = 1 << 10, 1 << 20
	return []contest{
		decodeSmall(t),
		decodeBlock(t),
		decodeAnswer(t, completions, kib, "completion-1KiB"),
		decodeAnswer(t, completions, 64*kib, "completion-64KiB"),
		decodeAnswer(t, completions, mib, "completion-1MiB"),
		decodeAnswer(t, tokens, mib, "tokens-1MiB"),
		decodeAnswer(t, longString, mib, "string-1MiB"),
		decodeSession(t),
		encode(t, 100, "100B"),
		encode(t, 64*kib, "64KiB"),
		echo(t, 1),
		echo(t, 64),
		echoChild(t),
		chunked(t, 9_000_000, "9MB"),
		chunked(t, 50_000_000, "50MB"),
		notify(t),
		growPending(),
		growDepth(),
		growBatch(),
		instances(t),
		relay(100, "300B"),
		relay(64*kib, "64KiB"),
		nodeDecode(t, "node-179B", fmt.Sprintf("%d notifications of 179 B a chunk (ns/op is for all)", blockFrames), blockWork(), mib),
		nodeBurst(t),
		nodeDecode(t, "node-completion-1MiB", "an answer of 1 MiB of completion items", workOf(completions.body(mib), true), mib),
		nodeDecode(t, "node-tokens-1MiB", "an answer of 1 MiB of semantic tokens", workOf(tokens.body(mib), true), mib),
		nodeDecode(t, "node-string-1MiB", "an answer with a string of 1 MiB", workOf(longString.body(mib), true), mib),
		nodeEcho(t),
		nodeDecode(t, "node-9MB", "an answer of 9 MB in chunks of 8 KiB", workOf(completions.body(9_000_000), true), chunkBytes),
	}
}
