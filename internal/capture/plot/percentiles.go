package plot

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// percentileChart has a row for each method, the first on top: a line from its median to its slowest
// answer, a disc at the median, strokes at 95 and 99 of 100.
func percentileChart(rows []row) (*plot.Plot, error) {
	p := newChart("By method: median (disc), 95 % and 99 % (strokes), slowest (ring)")
	useLogScale(&p.X, rows)
	p.Y.Min, p.Y.Max = -0.5, float64(len(rows))-0.5
	p.Y.Tick.Length = 0
	p.Y.Tick.Label.Font.Variant = "Mono" // its widths are those of every viewer's
	p.Add(grid())
	var names []plot.Tick
	for i := range rows {
		at := float64(len(rows) - 1 - i)
		names = append(names, plot.Tick{Value: at, Label: rows[i].name})
		if err := addRow(p, &rows[i], at); err != nil {
			return nil, err
		}
	}
	p.Y.Tick.Marker = plot.ConstantTicks(names)
	return p, nil
}

func addRow(p *plot.Plot, r *row, at float64) error {
	place := func(ms float64) plotter.XY { return plotter.XY{X: max(ms, elapsedMsMin), Y: at} }
	line, err := plotter.NewLine(plotter.XYs{place(r.p50Ms), place(r.maxMs)})
	if err != nil {
		return err
	}
	line.LineStyle = draw.LineStyle{Color: r.color, Width: vg.Points(1.5)}
	p.Add(line)
	for _, mark := range []struct {
		ms    float64
		shape draw.GlyphDrawer
	}{
		{r.p50Ms, draw.CircleGlyph{}},
		{r.p95Ms, stroke{}},
		{r.p99Ms, stroke{}},
		{r.maxMs, draw.RingGlyph{}},
	} {
		points, err := plotter.NewScatter(plotter.XYs{place(mark.ms)})
		if err != nil {
			return err
		}
		points.GlyphStyle = draw.GlyphStyle{Color: r.color, Radius: vg.Points(3.5), Shape: mark.shape}
		p.Add(points)
	}
	return nil
}

// stroke is an upright line.
type stroke struct{}

// DrawGlyph draws one.
func (stroke) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.StrokeLine2(draw.LineStyle{Color: style.Color, Width: vg.Points(1.5)}, at.X, at.Y-style.Radius, at.X, at.Y+style.Radius)
}
