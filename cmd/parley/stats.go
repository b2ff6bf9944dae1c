package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/parley-rpc/parley/host/control"
)

// statsCmd is "parley stats".
type statsCmd struct {
	Session string `placeholder:"ID" complete:"session" help:"The session; not needed where there is one only."`
	JSON    bool   `name:"json" help:"Print one document."`
	attachFlags
	captureStats
}

// Help is the part of the help below the flags' summary.
func (statsCmd) Help() string {
	return `Counts what a running session did, by method, with the times from start to end of its peer's requests. Percentiles are
upper bounds, at most a quarter too high. Counters that are 0 are left out.

With captures, counts what they hold, > from the client, < from the server, and the percentiles are exact.

Examples:

  parley stats
  parley stats --session 4711.1 --json
  parley stats gopls.cap
  parley stats --plot latency.svg gopls.cap
  parley stats --json gopls.cap | jq '.methods[] | select(.p95Ms > 100).method'`
}

// Run prints them.
func (c *statsCmd) Run(ctx context.Context, e *env) error {
	if len(c.Files) > 0 {
		return c.captureStats.run(e, c.JSON)
	}
	if c.Plot != "" {
		return usageError{"--plot: a picture of which capture? parley stats --plot FILE.svg FILE.cap"}
	}
	return c.ask(ctx, e, c.Session, func(ctx context.Context, client *control.Client, session string) error {
		stats, err := client.Stats(ctx, session)
		if err != nil {
			return err
		}
		if c.JSON {
			return writeJSON(e.stdout, stats)
		}
		return printStats(e.stdout, stats)
	})
}

const methodsHeading = "METHOD COUNT FAILED MEAN P50 P95 P99 MAX"

func methodRows(methods []control.MethodStats) [][]string {
	var rows [][]string
	for _, m := range methods {
		rows = append(rows, []string{
			m.Method, strconv.FormatUint(m.Count, 10), strconv.FormatUint(m.Failed, 10),
			duration(m.MeanMs), duration(m.P50Ms), duration(m.P95Ms), duration(m.P99Ms), duration(m.MaxMs),
		})
	}
	return rows
}

func printStats(w io.Writer, stats control.Stats) error {
	if len(stats.Methods) > 0 {
		if err := table(w, methodsHeading, methodRows(stats.Methods)); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	counters, err := counterRows(stats.Counters)
	if err != nil {
		return err
	}
	counters = append(counters, []string{"generation", strconv.FormatUint(stats.Generation, 10)})
	for _, d := range stats.Dropped {
		counters = append(counters, []string{"dropped " + d.Method, strconv.FormatUint(d.Count, 10)})
	}
	return table(w, "COUNTER VALUE", counters)
}

// counterRows lists the counters that are not 0, by their names in JSON.
func counterRows(counters control.Counters) ([][]string, error) {
	text, err := json.Marshal(counters)
	if err != nil {
		return nil, err
	}
	var values map[string]json.Number
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, err
	}
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if values[name] != "0" {
			rows = append(rows, []string{name, values[name].String()})
		}
	}
	return rows, nil
}
