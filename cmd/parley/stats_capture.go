package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/parley-rpc/parley/internal/capture"
)

// captureStats is parley stats with captures instead of a running session.
type captureStats struct {
	Files []string `arg:"" optional:"" name:"file" complete:"capture" help:"Captures, in any spelling; - is stdin."`
	Plot  string   `placeholder:"FILE.svg" help:"Draw latency over time and the percentiles of each method, too. For captures."`
}

func (c captureStats) run(e *env, asJSON bool) error {
	counter, follower := capture.NewCounter(), capture.NewFollower()
	err := captureFiles{c.Files}.follow(e, follower, func(seen *capture.Seen) error {
		counter.See(seen)
		return nil
	})
	if err != nil {
		return err
	}
	stats := counter.Stats(follower)
	if c.Plot != "" {
		if err := writePlot(c.Plot, stats); err != nil {
			return err
		}
	}
	if asJSON {
		return writeJSON(e.stdout, stats)
	}
	return printCaptureStats(e.stdout, stats)
}

// printCaptureStats is a table of the methods, below what is odd about the capture.
func printCaptureStats(w io.Writer, s *capture.Stats) error {
	fmt.Fprintf(w, "%s in %.3f s; %d B from the client, %d B from the server\n",
		countMessages(s.Messages), s.DurationMs/1000, s.Bytes[0], s.Bytes[1])
	for _, odd := range []struct {
		count uint64
		what  string
	}{
		{s.NoiseBytes[0], "bytes of the client are in no message"},
		{s.NoiseBytes[1], "bytes of the server are in no message"},
		{uint64(s.Invalid), "frames are no message"},
		{uint64(s.Unknown), "answers are to nothing that was open"},
		{s.LostBytes, "bytes passed and were not recorded"},
	} {
		if odd.count > 0 {
			fmt.Fprintf(w, "! %d %s (parley lint)\n", odd.count, odd.what)
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "COUNT\tERRORS\tOPEN\tP50 ms\tP95 ms\tP99 ms\tMAX ms\tBYTES\tANSWERS\t  METHOD")
	for i := range s.Methods {
		m := &s.Methods[i]
		arrow := map[string]string{"client": ">", "server": "<"}[m.From]
		if m.Kind == "notification" {
			fmt.Fprintf(table, "%d\t\t\t\t\t\t\t%d\t\t  %s %s\n", m.Count, m.Bytes, arrow, oneLine(m.Method))
			continue
		}
		fmt.Fprintf(table, "%d\t%d\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%d\t%d\t  %s %s\n",
			m.Count, m.Errors, m.Unanswered, m.P50Ms, m.P95Ms, m.P99Ms, m.MaxMs, m.Bytes, m.AnswerBytes, arrow, oneLine(m.Method))
	}
	return table.Flush()
}
