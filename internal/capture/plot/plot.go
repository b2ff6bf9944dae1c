// Package plot draws what a capture says about latency.
package plot

import (
	"bytes"
	"errors"
	"image/color"
	"io"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/parley-rpc/parley/internal/capture"
)

// ErrNothing is that no request was answered.
var ErrNothing = errors.New("no request in it was answered: there is no latency to plot")

const (
	width         = 24 * vg.Centimeter
	latencyHeight = 11 * vg.Centimeter
	rowHeight     = 0.75 * vg.Centimeter
	frameHeight   = 2.2 * vg.Centimeter // of the lower chart, without its rows
	leftWidth     = 1.5 * vg.Centimeter
	rightWidth    = 0.5 * vg.Centimeter
)

// WriteSVG draws two charts, one above the other: every answer at the time at which it came, and the
// percentiles of each method, whose colours are those of the answers. Both are logarithmic. The methods
// that took the most time in all have a row and a colour; the rest is grey and counts as others.
func WriteSVG(to io.Writer, stats *capture.Stats) error {
	rows := rowsOf(stats)
	if len(rows) == 0 {
		return ErrNothing
	}
	latency, err := latencyChart(rows)
	if err != nil {
		return err
	}
	percentiles, err := percentileChart(rows)
	if err != nil {
		return err
	}
	lowerHeight := frameHeight + rowHeight*vg.Length(len(rows))
	canvas := vgsvg.New(width, latencyHeight+lowerHeight)
	page := draw.New(canvas)
	page.FillPolygon(color.White, []vg.Point{{}, {X: page.Max.X}, page.Max, {Y: page.Max.Y}})
	// The upper chart's labels are shorter than the names of methods.
	latency.Draw(draw.Crop(page, leftWidth, -rightWidth, lowerHeight, -rightWidth))
	percentiles.Draw(draw.Crop(page, rightWidth, -rightWidth, rightWidth, -latencyHeight))
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return err
	}
	_, err = to.Write(withFallbacks(text.Bytes()))
	return err
}

// withFallbacks names fonts whose characters have the same widths, for viewers that lack the ones that
// were measured.
func withFallbacks(svg []byte) []byte {
	svg = bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arimo,Arial,Helvetica,sans-serif;"))
	return bytes.ReplaceAll(svg, []byte("font-family:Liberation Mono;"), []byte("font-family:Liberation Mono,Cousine,Courier New,monospace;"))
}

// row is one method, or the others.
type row struct {
	name    string
	color   color.Color
	answers []capture.Answer // fastest first
	p50Ms   float64
	p95Ms   float64
	p99Ms   float64
	maxMs   float64
}

// colors are told apart by people who see red and green alike.
var colors = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff},
	color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0x56, 0xb4, 0xe9, 0xff},
	color.RGBA{0xd5, 0x5e, 0x00, 0xff},
	color.RGBA{0x6a, 0x4c, 0x93, 0xff},
	color.RGBA{0x8a, 0x6d, 0x3b, 0xff},
}

var othersColor = color.Gray{0x99}

// rowsOf has the methods with answers, in the order of stats.
func rowsOf(stats *capture.Stats) []row {
	var rows []row
	others := capture.MethodStats{}
	for i := range stats.Methods {
		m := &stats.Methods[i]
		switch {
		case len(m.Answers) == 0:
		case len(rows) < len(colors):
			rows = append(rows, rowOf(nameOf(m), colors[len(rows)], m))
		default:
			others.Answers = append(others.Answers, m.Answers...)
		}
	}
	if len(others.Answers) > 0 {
		others.Rank()
		rows = append(rows, rowOf("all others", othersColor, &others))
	}
	return rows
}

func rowOf(name string, of color.Color, m *capture.MethodStats) row {
	return row{name: name, color: of, answers: m.Answers, p50Ms: m.P50Ms, p95Ms: m.P95Ms, p99Ms: m.P99Ms, maxMs: m.MaxMs}
}

const nameRunesMax = 48

// nameOf is a method as a label: a peer may call it anything.
func nameOf(m *capture.MethodStats) string {
	name := []rune(m.Method)
	if len(name) > nameRunesMax {
		name = append(name[:nameRunesMax-1], '…')
	}
	for i, r := range name {
		if !unicode.IsPrint(r) {
			name[i] = unicode.ReplacementChar
		}
	}
	if m.From == "server" {
		return "server: " + string(name)
	}
	return string(name)
}

// newChart has what both have in common.
func newChart(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.Padding = vg.Points(6)
	for _, style := range []*draw.TextStyle{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Font.Typeface = "Liberation"
		style.Font.Variant = "Sans"
		style.Font.Size = vg.Points(9)
	}
	p.Title.TextStyle.Font.Size = vg.Points(11)
	return p
}
