//go:build !wasip1

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host/control"
)

// dashboard runs the program that draws, until q or a signal.
func (c *topCmd) dashboard(ctx context.Context, e *env) error {
	model := newDashboard(attached{ctx, e, &c.attachFlags}, c.Every)
	program := tea.NewProgram(model, tea.WithContext(ctx), tea.WithInput(e.stdin), tea.WithOutput(e.stdout), tea.WithoutSignalHandler())
	final, err := program.Run()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, tea.ErrInterrupted):
		return nil // ctrl+c is a key here
	case err != nil:
		return err
	}
	return final.(*dashboard).fatal
}

// dashboard is what top shows and what it was told. Everything in it changes in Update.
type dashboard struct {
	watched       watched
	every         time.Duration
	width, height int

	seen   bool // there was a first look
	last   observation
	before observation // the look before, for rates
	held   bool        // the picture stands still
	fatal  error       // why the first look failed: there is nothing to show

	pane    pane
	session string // chosen, by id
	request string // chosen, by correlation id
	asking  string // the request whose cancelling is asked about; "": none
	notice  string // the outcome of the last key

	trace *control.Trace // shown in place of everything; nil: none
	top   int            // the first line of it that is shown
}

type pane uint8

const (
	paneSessions pane = iota
	paneRequests
	paneCount
)

// What arrives from other goroutines besides an observation.
type (
	tickMsg   struct{}
	noticeMsg string
	statsMsg  control.Stats // of a session that has just been chosen
	traceMsg  control.Trace
)

func newDashboard(w watched, every time.Duration) *dashboard {
	return &dashboard{watched: w, every: every, width: 80, height: 24}
}

// Init starts the first look.
func (d *dashboard) Init() tea.Cmd { return d.look() }

func (d *dashboard) look() tea.Cmd {
	session := d.session
	return func() tea.Msg { return d.watched.observe(session) }
}

// Update takes one event.
func (d *dashboard) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		d.width, d.height = msg.Width, msg.Height
	case tickMsg:
		if d.held {
			return d, d.tick()
		}
		return d, d.look()
	case observation:
		if msg.err != nil && !d.seen {
			d.fatal = msg.err
			return d, tea.Quit
		}
		d.take(msg)
		return d, d.tick()
	case noticeMsg:
		d.notice = string(msg)
		return d, nil
	case statsMsg:
		d.last.stats = control.Stats(msg)
	case traceMsg:
		trace := control.Trace(msg)
		d.trace, d.top, d.notice = &trace, 0, ""
	case tea.KeyPressMsg:
		return d, d.press(msg.String())
	}
	return d, nil
}

func (d *dashboard) tick() tea.Cmd {
	return tea.Tick(d.every, func(time.Time) tea.Msg { return tickMsg{} })
}

// take keeps a look, and the choices as far as what was chosen is still there.
func (d *dashboard) take(o observation) {
	d.seen = true
	if o.err != nil {
		d.notice = oneLine(o.err.Error())
		return
	}
	place := max(d.requestAt(d.requests()), 0)
	d.before, d.last = d.last, o
	sessions, requests := d.sessions(), d.requests()
	if d.chosen() == nil {
		d.session = ""
		if len(sessions) > 0 {
			d.session = sessions[0].ID
		}
		requests = d.requests()
	}
	if d.requestAt(requests) < 0 {
		d.request = "" // what moves up in its place is chosen
		if len(requests) > 0 {
			d.request = requests[min(place, len(requests)-1)].CorrelationID
		}
	}
	if d.asking != "" && !slices.ContainsFunc(requests, func(r control.Request) bool { return r.CorrelationID == d.asking }) {
		d.asking, d.notice = "", d.asking+" has ended by itself"
	}
}

func (d *dashboard) sessions() []placed { return sessionsOf(d.last.view.Discovery) }

// chosen is the session that is chosen; nil where it is not there.
func (d *dashboard) chosen() *placed {
	sessions := d.sessions()
	if at := d.sessionAt(sessions); at >= 0 {
		return &sessions[at]
	}
	return nil
}

func (d *dashboard) sessionAt(sessions []placed) int {
	return slices.IndexFunc(sessions, func(p placed) bool { return p.ID == d.session })
}

func (d *dashboard) requestAt(requests []control.Request) int {
	return slices.IndexFunc(requests, func(r control.Request) bool { return r.CorrelationID == d.request })
}

// requests are those of the chosen session, oldest first.
func (d *dashboard) requests() []control.Request {
	return oldest(slices.DeleteFunc(slices.Clone(d.last.view.requests), func(r control.Request) bool { return r.Session != d.session }))
}

// rate is how many messages of its peer a session took in a second, between the last two looks.
func (d *dashboard) rate(p placed) float64 {
	elapsed := d.last.at - d.before.at
	for _, before := range sessionsOf(d.before.view.Discovery) {
		if before.ID == p.ID && elapsed > 0 {
			taken := p.Requests + p.Notifications - before.Requests - before.Notifications
			return float64(taken) * float64(core.Second) / float64(elapsed)
		}
	}
	return 0
}

// press carries one key out.
func (d *dashboard) press(key string) tea.Cmd {
	if key == "ctrl+c" || key == "q" && d.trace == nil {
		return tea.Quit
	}
	switch {
	case d.trace != nil:
		d.pressInTrace(key)
		return nil
	case d.asking != "":
		return d.answer(key)
	}
	d.notice = ""
	switch key {
	case "up", "k":
		return d.move(-1)
	case "down", "j":
		return d.move(1)
	case "tab", "shift+tab":
		d.pane = (d.pane + 1) % paneCount
	case "space", "p":
		d.held = !d.held
	case "c":
		d.pane = paneRequests
		if d.asking = d.request; d.asking == "" {
			d.notice = "there is no request to cancel"
		}
	case "t":
		return d.toggleTrace()
	}
	return nil
}

// move changes the choice in the pane at hand.
func (d *dashboard) move(by int) tea.Cmd {
	sessions, requests := d.sessions(), d.requests()
	if d.pane == paneRequests {
		if at := d.requestAt(requests); at >= 0 {
			d.request = requests[min(max(at+by, 0), len(requests)-1)].CorrelationID
		}
		return nil
	}
	at := d.sessionAt(sessions)
	if at < 0 {
		return nil
	}
	d.session, d.request = sessions[min(max(at+by, 0), len(sessions)-1)].ID, ""
	if requests = d.requests(); len(requests) > 0 {
		d.request = requests[0].CorrelationID
	}
	session := *d.chosen()
	return func() tea.Msg {
		stats, err := d.watched.stats(session)
		if err != nil {
			return noticeMsg(err.Error())
		}
		return statsMsg(stats)
	}
}

// answer takes the answer to whether a request is to be cancelled.
func (d *dashboard) answer(key string) tea.Cmd {
	id, p := d.asking, d.chosen()
	d.asking = ""
	if key != "y" || p == nil {
		d.notice = "nothing was cancelled"
		return nil
	}
	d.notice = "cancelling " + id + " …"
	session := *p
	return func() tea.Msg {
		cancelled, err := d.watched.cancel(session, id)
		switch {
		case err != nil:
			return noticeMsg(err.Error())
		case !cancelled:
			return noticeMsg(id + " had ended already")
		}
		return noticeMsg("cancelled " + id)
	}
}

// toggleTrace starts the chosen session's trace, or stops it and shows what it recorded.
func (d *dashboard) toggleTrace() tea.Cmd {
	p := d.chosen()
	if p == nil {
		d.notice = "there is no session to trace"
		return nil
	}
	session := *p
	if !session.Tracing {
		return func() tea.Msg {
			if err := d.watched.traceStart(session); err != nil {
				return noticeMsg(err.Error())
			}
			return noticeMsg(fmt.Sprintf("tracing %s; t stops and shows it", session.ID))
		}
	}
	return func() tea.Msg {
		trace, err := d.watched.traceStop(session)
		if err != nil {
			return noticeMsg(err.Error())
		}
		return traceMsg(trace)
	}
}

// tracePage is how many steps are shown at once, below three lines and above one.
func (d *dashboard) tracePage() int { return max(d.height-4, 1) }

func (d *dashboard) pressInTrace(key string) {
	page := d.tracePage()
	switch key {
	case "q", "esc", "t", "enter":
		d.trace = nil
		return
	case "up", "k":
		d.top--
	case "down", "j":
		d.top++
	case "pgup":
		d.top -= page
	case "pgdown", "space":
		d.top += page
	case "home", "g":
		d.top = 0
	case "end", "G":
		d.top = len(d.trace.Steps)
	}
	d.top = max(min(d.top, len(d.trace.Steps)-page), 0)
}
