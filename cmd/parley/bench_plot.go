//go:build !wasip1

package main

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// writeBenchPlot draws throughput over size, a line for each engine; both scales are logarithmic.
func writeBenchPlot(path string, figures []benchFigure) error {
	p := plot.New()
	p.Title.Text = "parley: frame, judge, fetch"
	p.X.Label.Text, p.Y.Label.Text = "bytes a message", "MB/s"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Left, p.Legend.Top = true, true
	var engines []string
	points := map[string]plotter.XYs{}
	for _, f := range figures {
		if points[f.Engine] == nil {
			engines = append(engines, f.Engine)
		}
		points[f.Engine] = append(points[f.Engine], plotter.XY{X: float64(f.SizeBytes), Y: f.BytesPerSecond / 1e6})
	}
	for i, engine := range engines {
		line, marks, err := plotter.NewLinePoints(points[engine])
		if err != nil {
			return fmt.Errorf("--plot: %w", err)
		}
		line.Color, marks.Color, marks.Shape = plotutil.Color(i), plotutil.Color(i), plotutil.Shape(i)
		p.Add(line, marks)
		p.Legend.Add(engine, line, marks)
	}
	return p.Save(16*vg.Centimeter, 10*vg.Centimeter, path)
}
