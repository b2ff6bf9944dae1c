//go:build !wasip1

package main

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// grid is a table that fits a width: flexible columns give up what is too much.
type grid struct {
	columns []column
	rows    [][]string
}

type column struct {
	title    string
	right    bool // its cells stand at the right
	flexible bool
	optional bool // among the last ones, which are left out where all would not fit
}

const (
	flexibleMin = 8 // the least width of a column that gives up
	gapWidth    = 2 // before each column
)

// lines are the heading and at most rowsMax rows, among them the one that is chosen (-1: none).
// What does not fit is counted in a line of its own.
func (g grid) lines(width, rowsMax, chosen int, focused bool) []string {
	g.columns = g.fitting(width)
	widths := g.widths(width)
	lines := []string{styleFaint.Styled("  " + g.line(titles(g.columns), widths))}
	first, last := 0, len(g.rows)
	if last > rowsMax {
		shown := max(rowsMax-1, 1)
		first = min(max(chosen-shown/2, 0), last-shown)
		last = first + shown
	}
	for i := first; i < last; i++ {
		line := "  " + g.line(g.rows[i], widths)
		switch {
		case i == chosen && focused:
			line = styleChosen.Styled("▸ " + line[2:])
		case i == chosen:
			line = styleTitle.Styled("▸ " + line[2:])
		}
		lines = append(lines, line)
	}
	if hidden := len(g.rows) - (last - first); hidden > 0 {
		lines = append(lines, styleFaint.Styled(fmt.Sprintf("  … %d more", hidden)))
	}
	return lines
}

func titles(columns []column) []string {
	var all []string
	for _, c := range columns {
		all = append(all, c.title)
	}
	return all
}

// fitting are the columns without as many optional ones at the end as do not fit even where the flexible
// ones give up what they can.
func (g grid) fitting(width int) []column {
	least := 0
	for i, c := range g.columns {
		need := g.need(i)
		if c.flexible {
			need = min(need, flexibleMin)
		}
		least += gapWidth + need
	}
	last := len(g.columns) - 1
	for ; last > 0 && g.columns[last].optional && least > width; last-- {
		least -= gapWidth + g.need(last)
	}
	return g.columns[:last+1]
}

// need is the width of a column's widest cell.
func (g grid) need(i int) int {
	need := ansi.StringWidth(g.columns[i].title)
	for _, row := range g.rows {
		need = max(need, ansi.StringWidth(oneLine(row[i])))
	}
	return need
}

// widths gives each column what its widest cell needs, and takes from the flexible ones, the widest
// first, until the whole fits.
func (g grid) widths(width int) []int {
	widths := make([]int, len(g.columns))
	sum := gapWidth * len(g.columns)
	for i := range widths {
		widths[i] = g.need(i)
		sum += widths[i]
	}
	for ; sum > width; sum-- {
		widest := -1
		for i, c := range g.columns {
			if c.flexible && widths[i] > flexibleMin && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break // the terminal is too narrow: lines are cut
		}
		widths[widest]--
	}
	return widths
}

// line puts one row's cells, which are foreign text, into their columns (REQ-6).
func (g grid) line(cells []string, widths []int) string {
	var b strings.Builder
	for i, cell := range cells[:len(widths)] {
		cell = ansi.Truncate(oneLine(cell), widths[i], "…")
		padding := strings.Repeat(" ", widths[i]-ansi.StringWidth(cell))
		if i > 0 {
			b.WriteString("  ")
		}
		if g.columns[i].right {
			b.WriteString(padding + cell)
		} else {
			b.WriteString(cell + padding)
		}
	}
	return strings.TrimRight(b.String(), " ")
}
