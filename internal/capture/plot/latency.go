package plot

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/capture"
)

// elapsedMsMin is where the logarithmic axes begin at the latest: answers within a microsecond stand there.
const elapsedMsMin = 0.001

// latencyChart has a point for each answer, and a cross for an error.
func latencyChart(rows []row) (*plot.Plot, error) {
	p := newChart("Latency of answers (crosses: errors)")
	p.X.Label.Text = "seconds since the session began"
	p.X.Min, p.X.Max = 0, endSeconds(rows)
	useLogScale(&p.Y, rows)
	p.Add(grid())
	for i := len(rows) - 1; i >= 0; i-- { // what took the most time lies on top
		for _, isError := range []bool{false, true} {
			points, err := plotter.NewScatter(pointsOf(rows[i].answers, isError, p.X.Max))
			if err != nil {
				return nil, err
			}
			points.GlyphStyle = draw.GlyphStyle{Color: rows[i].color, Radius: vg.Points(2), Shape: draw.CircleGlyph{}}
			if isError {
				points.Radius, points.Shape = vg.Points(3), cross{}
			}
			p.Add(points)
		}
	}
	return p, nil
}

// cross is an error: strokes that are seen among points.
type cross struct{}

// DrawGlyph draws one.
func (cross) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	line, r := draw.LineStyle{Color: style.Color, Width: vg.Points(1.4)}, style.Radius
	c.StrokeLine2(line, at.X-r, at.Y-r, at.X+r, at.Y+r)
	c.StrokeLine2(line, at.X-r, at.Y+r, at.X+r, at.Y-r)
}

// A point is drawn once in a cell of this grid, so that a capture of a million answers is a picture of
// some thousand points.
const (
	columnsMax = 1200 // over the time of the session
	decadeRows = 60   // in a factor of ten
)

// pointsOf is where answers stand: seconds and milliseconds.
func pointsOf(answers []capture.Answer, isError bool, endSeconds float64) plotter.XYs {
	var points plotter.XYs
	taken := map[[2]int]bool{}
	for i := range answers {
		if answers[i].IsError != isError {
			continue
		}
		point := plotter.XY{X: seconds(answers[i].At), Y: elapsedMs(answers[i].Elapsed)}
		cell := [2]int{int(point.X / endSeconds * columnsMax), int(math.Log10(point.Y) * decadeRows)}
		if !taken[cell] {
			taken[cell] = true
			points = append(points, point)
		}
	}
	return points
}

func seconds(t core.Time) float64 { return float64(t) / 1e9 }

func elapsedMs(t core.Time) float64 { return max(float64(t)/1e6, elapsedMsMin) }

// endSeconds is when the last answer came, and never 0.
func endSeconds(rows []row) float64 {
	end := 1e-3
	for i := range rows {
		for _, answer := range rows[i].answers {
			end = max(end, seconds(answer.At))
		}
	}
	return end
}

// useLogScale gives an axis whole decades around every latency.
func useLogScale(axis *plot.Axis, rows []row) {
	fastest, slowest := math.Inf(1), elapsedMsMin
	for i := range rows {
		answers := rows[i].answers
		fastest = min(fastest, elapsedMs(answers[0].Elapsed))
		slowest = max(slowest, elapsedMs(answers[len(answers)-1].Elapsed))
	}
	axis.Scale = plot.LogScale{}
	axis.Label.Text = "milliseconds"
	axis.Min = math.Pow10(int(math.Floor(math.Log10(fastest))))
	axis.Max = max(math.Pow10(int(math.Ceil(math.Log10(slowest)))), 10*axis.Min)
	axis.Tick.Marker = decades{}
}

// decades are the ticks of a logarithmic axis.
type decades struct{}

// Ticks labels every factor of ten, and marks what lies between.
func (decades) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	first, last := int(math.Round(math.Log10(low))), int(math.Round(math.Log10(high)))
	for exponent := first; exponent <= last; exponent++ {
		decade := math.Pow10(exponent)
		ticks = append(ticks, plot.Tick{Value: decade, Label: strconv.FormatFloat(decade, 'f', -1, 64)})
		for i := 2.0; i < 10 && exponent < last; i++ {
			ticks = append(ticks, plot.Tick{Value: i * decade})
		}
	}
	return ticks
}

func grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Horizontal.Color, g.Vertical.Color = color.Gray{0xe4}, color.Gray{0xe4}
	return g
}
