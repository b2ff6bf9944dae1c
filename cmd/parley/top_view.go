//go:build !wasip1

package main

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-rpc/parley/host/control"
)

var (
	styleTitle  = ansi.NewStyle().Bold()
	styleFaint  = ansi.NewStyle().Faint()
	styleChosen = ansi.NewStyle().Reverse(true)
	styleBusy   = ansi.NewStyle().ForegroundColor(ansi.Yellow)
	styleFull   = ansi.NewStyle().ForegroundColor(ansi.Red)
)

// View draws the whole picture.
func (d *dashboard) View() tea.View {
	lines := d.lines()
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], d.width, "…")
	}
	view := tea.NewView(strings.Join(lines, "\n"))
	view.AltScreen = true
	view.WindowTitle = "parley top"
	return view
}

// lines are exactly as many as the terminal has.
func (d *dashboard) lines() []string {
	if d.trace != nil {
		return d.traceLines()
	}
	room := max(d.height-2, 0) // between title and keys
	body := d.body(room)
	for len(body) < room {
		body = append(body, "")
	}
	return append(append([]string{d.title()}, body[:room]...), d.footer())
}

func (d *dashboard) title() string {
	v := d.last.view
	running, queued := 0, 0
	for _, s := range d.sessions() {
		running, queued = running+s.Running, queued+s.Waiting
	}
	title := styleTitle.Styled("parley top") + fmt.Sprintf("   %s, %s   %d running, %d waiting",
		count(len(v.Processes), "process", "processes"), count(len(d.sessions()), "session", "sessions"), running, queued)
	if silent := len(v.Silent); silent > 0 {
		title += "   " + styleFull.Styled(count(silent, "process does", "processes do")+" not answer")
	}
	if v.Truncated {
		title += "   " + styleBusy.Styled("not all sessions are shown")
	}
	if d.held {
		title += "   " + styleBusy.Styled("held")
	}
	return title
}

// footer is what was asked or told last, else the keys.
func (d *dashboard) footer() string {
	switch {
	case d.asking != "":
		return styleBusy.Styled("cancel " + oneLine(d.asking) + "? y cancels it, any other key does not")
	case d.notice != "":
		return styleBusy.Styled(oneLine(d.notice))
	}
	return styleFaint.Styled("↑↓ choose   tab sessions/requests   c cancel   t trace   space hold   q quit")
}

// body shares the room: a third is for sessions, and a third at least for requests, who also have what
// methods leave.
func (d *dashboard) body(room int) []string {
	sessions := d.sessions()
	switch {
	case !d.seen:
		return []string{"", "looking …"}
	case len(sessions) == 0:
		return []string{
			"", "No session is running.", "",
			"A process is seen here while it has a control connection: parley serve, parley tap and parley peer have one,",
			"and Go programs that call control.Listen. Try, in another terminal:  parley peer echo --work 1m",
		}
	}
	part := max((room-8)/3, 3)
	lines := []string{""}
	lines = append(lines, d.sessionTable().lines(d.width, part, d.sessionAt(sessions), d.pane == paneSessions)...)
	p, stats := d.chosen(), d.last.stats
	lines = append(lines, "", d.pressure(p))
	requests := d.requests()
	lines = append(lines, "", d.heading("Requests", p, paneRequests))
	if len(requests) == 0 {
		lines = append(lines, styleFaint.Styled("  nothing is in work"))
	} else {
		left := room - len(lines) - len(stats.Methods) - 4 // two headings, a title, a gap
		lines = append(lines, requestGrid(requests).lines(d.width, max(part, left), d.requestAt(requests), d.pane == paneRequests)...)
	}
	lines = append(lines, "", d.heading("Methods", p, paneCount))
	if stats.Session != p.ID || len(stats.Methods) == 0 {
		return append(lines, styleFaint.Styled("  none that is registered has ended yet"))
	}
	return append(lines, methodGrid(stats.Methods).lines(d.width, max(room-len(lines)-1, 1), -1, false)...)
}

func (d *dashboard) heading(text string, p *placed, own pane) string {
	text += " of " + oneLine(p.ID)
	if d.pane == own {
		return styleTitle.Styled(text)
	}
	return text
}

func (d *dashboard) sessionTable() grid {
	var g grid
	cells := []func(placed) string{}
	add := func(c column, cell func(s placed) string) {
		g.columns, cells = append(g.columns, c), append(cells, cell)
	}
	add(column{title: "SESSION"}, func(s placed) string { return s.ID })
	add(column{title: "PROGRAM", flexible: true}, func(s placed) string { return s.process.Program })
	add(column{title: "NAME", flexible: true}, func(s placed) string { return s.Name })
	add(column{title: "PHASE"}, func(s placed) string { return phaseText(s.Session) })
	add(column{title: "RUNNING", right: true}, func(s placed) string { return strconv.Itoa(s.Running) })
	add(column{title: "WAITING", right: true}, func(s placed) string { return strconv.Itoa(s.Waiting) })
	add(column{title: "CALLS", right: true}, func(s placed) string { return strconv.Itoa(s.Calls) })
	add(column{title: "IN/S", right: true}, func(s placed) string { return fmt.Sprintf("%.1f", d.rate(s)) })
	add(column{title: "OUT", right: true}, func(s placed) string { return outText(s.Session) })
	add(column{title: "AGE", right: true}, func(s placed) string { return duration(s.AgeMs) })
	add(column{title: "GEN", right: true, optional: true}, func(s placed) string { return strconv.FormatUint(s.Generation, 10) })
	add(column{title: "TRACE", optional: true}, func(s placed) string { return onOff(s.Tracing) })
	add(column{title: "PROFILE", optional: true}, func(s placed) string { return s.Profile })
	add(column{title: "ROLE", optional: true}, func(s placed) string { return s.Role })
	for _, s := range d.sessions() {
		row := make([]string, len(cells))
		for i, cell := range cells {
			row[i] = cell(s)
		}
		g.rows = append(g.rows, row)
	}
	return g
}

func requestGrid(requests []control.Request) grid {
	g := grid{columns: []column{
		{title: "REQUEST"},
		{title: "METHOD", flexible: true},
		{title: "MODE"},
		{title: "PHASE"},
		{title: "GEN", right: true},
		{title: "AGE", right: true},
		{title: "IN WORK", right: true},
	}}
	for _, r := range requests {
		inWork := ""
		if r.Generation != nil {
			inWork = duration(r.RunningMs)
		}
		g.rows = append(g.rows, []string{r.CorrelationID, r.Method, r.Mode, requestPhase(r), generationText(r), duration(r.AgeMs), inWork})
	}
	return g
}

func methodGrid(methods []control.MethodStats) grid {
	g := grid{rows: methodRows(methods)}
	for i, title := range strings.Fields(methodsHeading) {
		g.columns = append(g.columns, column{title: title, right: i > 0, flexible: i == 0})
	}
	return g
}

// pressure shows how full a session's bounds are, and what was lost to them.
func (d *dashboard) pressure(p *placed) string {
	parts := []string{
		"running " + gauge(p.Running, p.RunningMax) + ratio(p.Running, p.RunningMax),
		"waiting " + gauge(p.Waiting, p.QueuedMax) + ratio(p.Waiting, p.QueuedMax),
		"output " + gauge(p.OutBytes, p.OutBytesMax) + outText(p.Session),
	}
	if p.OutBytesMax > 0 {
		parts[2] += "/" + byteCount(uint64(p.OutBytesMax))
	}
	paused := "paused " + duration(p.PausedMs)
	if p.Paused {
		paused = styleFull.Styled("paused now, " + duration(p.PausedMs) + " in all")
	}
	parts = append(parts, paused)
	if stats := d.last.stats; stats.Session == p.ID {
		parts = append(parts, fmt.Sprintf("%d waited at most", stats.Counters.WaitingMax))
		if dropped := stats.Counters.Dropped; dropped > 0 {
			parts = append(parts, styleFull.Styled(fmt.Sprintf("%d dropped", dropped)))
		}
		if rejected := stats.Counters.Rejected; rejected > 0 {
			parts = append(parts, styleBusy.Styled(fmt.Sprintf("%d rejected", rejected)))
		}
	}
	return strings.Join(parts, "   ")
}

// gauge is a bar of ten cells and a space; nothing where there is no bound.
func gauge(part, bound int) string {
	const cells = 10
	if bound == 0 {
		return ""
	}
	filled := min((part*cells+bound-1)/bound, cells)
	bar := strings.Repeat("█", filled) + strings.Repeat("░", cells-filled)
	switch {
	case filled >= 9:
		bar = styleFull.Styled(bar)
	case filled >= 5:
		bar = styleBusy.Styled(bar)
	}
	return bar + " "
}

func (d *dashboard) traceLines() []string {
	lines := []string{styleTitle.Styled("trace of "+oneLine(d.trace.Session)) +
		fmt.Sprintf("   %s, %d earlier ones not kept", count(len(d.trace.Steps), "step", "steps"), d.trace.Dropped), ""}
	g := grid{columns: []column{{title: "AGO", right: true}, {title: "REQUEST"}, {title: "METHOD", flexible: true}, {title: "PHASE"}}}
	for _, s := range d.trace.Steps {
		g.rows = append(g.rows, []string{duration(s.AgoMs), s.CorrelationID, s.Method, s.Phase})
	}
	table := g.lines(d.width, len(g.rows), -1, false)
	heading, steps := table[0], table[1:]
	lines = append(lines, heading)
	lines = append(lines, steps[d.top:min(d.top+d.tracePage(), len(steps))]...)
	for len(lines) < d.height-1 {
		lines = append(lines, "")
	}
	return append(lines[:max(d.height-1, 0)], styleFaint.Styled("↑↓ scroll   esc back"))
}
