package main

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// draw writes a contest as bars of medians with whiskers from the smallest to the largest round, on a
// logarithmic scale: contenders differ by orders of magnitude.
func (r result) draw(folder string) error {
	p := plot.New()
	p.Title.Text = r.title
	p.X.Label.Text = "ns/op"
	p.X.Scale = plot.LogScale{}
	p.X.Tick.Marker = plot.LogTicks{Prec: -1}
	outcomes := slices.Clone(r.outcomes)
	slices.Reverse(outcomes) // the first contender is on top
	names := make([]string, len(outcomes))
	smallest := slices.Min(outcomes[0].opNs)
	for _, o := range outcomes {
		smallest = min(smallest, slices.Min(o.opNs))
	}
	for i, o := range outcomes {
		names[i] = o.name + strings.Repeat(" ", len(o.name)/3) // viewers without the font use a wider one
		y, ns := float64(i), median(o.opNs)
		bar, err := plotter.NewLine(plotter.XYs{{X: smallest * 0.8, Y: y}, {X: ns, Y: y}})
		if err != nil {
			return err
		}
		bar.Width, bar.Color = vg.Points(9), barColour(o.name)
		spread, err := plotter.NewLine(plotter.XYs{{X: slices.Min(o.opNs), Y: y}, {X: slices.Max(o.opNs), Y: y}})
		if err != nil {
			return err
		}
		p.Add(bar, spread)
	}
	p.NominalY(names...)
	path := filepath.Join(folder, r.id+".svg")
	return p.Save(18*vg.Centimeter, vg.Length(len(outcomes))*0.7*vg.Centimeter+2*vg.Centimeter, path)
}

// The lines between which writeResults puts what it measured.
const (
	resultsBegin = "<!-- measured: begin -->\n"
	resultsEnd   = "<!-- measured: end -->\n"
)

// writeResults replaces what stands between the two marks of a file, and draws the plots beside it.
func writeResults(path, machine string, results []result, fleets []fleet, lines []standing) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, hasBegin := strings.Cut(string(text), resultsBegin)
	_, after, hasEnd := strings.Cut(rest, resultsEnd)
	if !hasBegin || !hasEnd {
		return fmt.Errorf("%s: it lacks the lines %q and %q", path, resultsBegin, resultsEnd)
	}
	folder := filepath.Join(filepath.Dir(path), "plots")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n\n### Targets\n\n| target | ratio | wanted | |\n|---|---:|---:|---|\n", machine)
	for _, line := range lines {
		fmt.Fprintf(&b, "| %s | %.2f | %s | %s |\n", line.name, line.ratio, line.limit, line.verdict)
	}
	for _, r := range results {
		r.table(&b)
		if err := r.draw(folder); err != nil {
			return err
		}
	}
	fleetTable(&b, fleets)
	return os.WriteFile(path, []byte(before+resultsBegin+b.String()+"\n"+resultsEnd+after), 0o644)
}

// writeBench writes all rounds in the form that benchstat reads.
func writeBench(path string, results []result) error {
	var b strings.Builder
	for _, r := range results {
		r.benchLines(&b)
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

// barColour sets parley apart.
func barColour(name string) color.Color {
	if strings.HasPrefix(name, nativeName) {
		return color.RGBA{R: 0x1f, G: 0x77, B: 0xb4, A: 0xff}
	}
	return color.Gray{Y: 0xa0}
}
