//go:build linux || darwin

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host/control"
)

// staged is what a dashboard sees in these tests, and what it was told to do.
type staged struct {
	shows   observation
	did     []string
	failing error
}

func (s *staged) observe(session string) observation {
	o := s.shows
	for _, p := range sessionsOf(o.view.Discovery) {
		if session == "" || session == p.ID {
			o.stats, _ = s.stats(p)
			break
		}
	}
	return o
}

func (s *staged) stats(p placed) (control.Stats, error) {
	return control.Stats{Session: p.ID, Methods: []control.MethodStats{{Method: "method-of-" + p.ID, Count: 3, P95Ms: 31.4}}}, nil
}

func (s *staged) cancel(_ placed, correlationID string) (bool, error) {
	s.did = append(s.did, "cancel "+correlationID)
	return true, s.failing
}

func (s *staged) traceStart(p placed) error {
	s.did = append(s.did, "start "+p.ID)
	return s.failing
}

func (s *staged) traceStop(p placed) (control.Trace, error) {
	s.did = append(s.did, "stop "+p.ID)
	trace := control.Trace{Session: p.ID, Dropped: 7}
	for i := range 100 {
		trace.Steps = append(trace.Steps, control.Step{CorrelationID: fmt.Sprintf("%s-%d", p.ID, i), Method: "m", Phase: "queued"})
	}
	return trace, s.failing
}

// stage is two sessions, of which the first has three requests, all with foreign text in them.
func stage() *staged {
	const rude = "\x1b[31mred\r\n\u202Eback 世界"
	started := uint64(4)
	session := func(id string) control.Session {
		return control.Session{ID: id, Name: rude, Profile: "lsp", Role: "server", Phase: "ready", Running: 2, RunningMax: 2, Waiting: 1, QueuedMax: 2, Requests: 10}
	}
	request := func(n int, age float64) control.Request {
		return control.Request{CorrelationID: fmt.Sprintf("7.1-%d", n), Session: "7.1", Method: rude, Mode: "read", Phase: "running", Generation: &started, AgeMs: age}
	}
	waiting := request(3, 10)
	waiting.Phase, waiting.Generation = "queued", nil
	return &staged{shows: observation{at: core.Second, view: view{
		Discovery: control.Discovery{
			Processes: []control.Process{{PID: 7, Program: rude, Sessions: []control.Session{session("7.1"), session("7.2")}}},
			Silent:    []control.Silent{{PID: 8}}, Truncated: true,
		},
		requests: []control.Request{waiting, request(1, 3000), request(2, 20)},
	}}}
}

// run carries out what a command of bubbletea's leads to. Ticks are left out: they are time.
func (d *dashboard) run(cmd tea.Cmd) {
	if cmd != nil {
		_, _ = d.Update(cmd())
	}
}

func (d *dashboard) keys(names ...string) {
	for _, name := range names {
		d.run(d.press(name))
	}
}

func (d *dashboard) text() string { return ansi.Strip(strings.Join(d.lines(), "\n")) }

func watching(t *testing.T, s *staged) *dashboard {
	t.Helper()
	d := newDashboard(s, time.Second)
	_, _ = d.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	d.run(d.Init())
	return d
}

func wantText(t *testing.T, d *dashboard, parts ...string) {
	t.Helper()
	text := d.text()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

func TestTopShowsSessionsRequestsAndMethods(t *testing.T) {
	d := watching(t, stage())
	wantText(t, d, "1 process, 2 sessions   4 running, 2 waiting", "1 process does not answer", "not all sessions are shown",
		"▸ 7.1", "7.2", "running ██████████ 2/2", "waiting █████░░░░░ 1/2",
		"Requests of 7.1", "▸ 7.1-1", "queued", "3.00s", "Methods of 7.1", "method-of-7.1", "31.4ms")
	heading, row := columnsOf(t, d, "SESSION"), columnsOf(t, d, "7.1  ")
	for title, want := range map[string]string{"PHASE": "ready", "RUNNING": "2", "WAITING": "1", "PROFILE": "lsp", "ROLE": "server"} {
		if at := slices.Index(heading, title); at < 0 || row[at+len(row)-len(heading)] != want {
			t.Errorf("%s is not %s: %q %q", title, want, heading, row)
		}
	}
	oldestFirst := d.text()
	if first, last := strings.Index(oldestFirst, "7.1-1"), strings.Index(oldestFirst, "7.1-3"); first > last {
		t.Error("the oldest request is not the first")
	}
	s := d.watched.(*staged)
	s.shows.at += 2 * core.Second
	s.shows.view.Processes = slices.Clone(s.shows.view.Processes)
	s.shows.view.Processes[0].Sessions = slices.Clone(s.shows.view.Processes[0].Sessions)
	s.shows.view.Processes[0].Sessions[1].Requests += 25
	d.run(d.look())
	wantText(t, d, "12.5")
}

// Goal: where there is no bound, as in what passes a tap, none is shown. Method: such a session, in top's line of
// gauges and in the table of parley sessions.
func TestSessionsWithoutBounds(t *testing.T) {
	s := stage()
	bare := &s.shows.view.Processes[0].Sessions[0]
	bare.RunningMax, bare.Waiting, bare.QueuedMax = 0, 0, 0
	wantText(t, watching(t, s), "running 2/-   waiting 0/-   output -   paused")
	row := sessionRows(sessionsOf(s.shows.view.Discovery))[0]
	if got := strings.Join(row[len(row)-5:], " "); got != "2/- 0/- 0 - off" {
		t.Errorf("RUNNING WAITING CALLS OUT TRACE are %q", got)
	}
}

// columnsOf are the words of the first line with a text in it, without the mark of a choice.
func columnsOf(t *testing.T, d *dashboard, with string) []string {
	t.Helper()
	for line := range strings.SplitSeq(d.text(), "\n") {
		if strings.Contains(line, with) {
			return strings.Fields(strings.TrimPrefix(line, "▸"))
		}
	}
	t.Fatalf("no %q", with)
	return nil
}

func TestTopMovesAndKeepsWhatIsChosen(t *testing.T) {
	d := watching(t, stage())
	d.keys("down")
	wantText(t, d, "▸ 7.2", "nothing is in work", "Methods of 7.2", "method-of-7.2")
	d.run(d.look())
	wantText(t, d, "▸ 7.2")
	d.keys("down", "up", "tab", "down", "down", "down")
	wantText(t, d, "▸ 7.1-3")
	d.run(d.look())
	wantText(t, d, "▸ 7.1-3")

	s := d.watched.(*staged)
	s.shows.view.requests = s.shows.view.requests[1:] // 7.1-3 ends
	d.run(d.look())
	wantText(t, d, "▸ 7.1-2")
	s.shows.view.Processes = nil
	d.run(d.look())
	wantText(t, d, "No session is running.", "parley peer echo")
	d.keys("c", "y", "t", "up", "down", "tab")
	if len(s.did) > 0 {
		t.Errorf("without a session it did %v", s.did)
	}
}

func TestTopCancelsAfterAQuestion(t *testing.T) {
	d := watching(t, stage())
	s := d.watched.(*staged)
	d.keys("c")
	wantText(t, d, "cancel 7.1-1? y cancels it")
	d.keys("n")
	wantText(t, d, "nothing was cancelled")
	d.keys("c", "y")
	wantText(t, d, "cancelled 7.1-1")
	s.failing = errors.New("it does not\nlisten")
	d.keys("down", "c", "y")
	wantText(t, d, "it does not listen")
	d.keys("c")
	s.shows.view.requests = nil
	d.run(d.look())
	wantText(t, d, "7.1-2 has ended by itself")
	d.keys("y")
	if got := strings.Join(s.did, ","); got != "cancel 7.1-1,cancel 7.1-2" {
		t.Errorf("it did %s", got)
	}
}

func TestTopTraces(t *testing.T) {
	d := watching(t, stage())
	s := d.watched.(*staged)
	d.keys("t")
	wantText(t, d, "tracing 7.1; t stops and shows it")
	s.shows.view.Processes[0].Sessions[0].Tracing = true
	d.run(d.look())
	d.keys("t")
	wantText(t, d, "trace of 7.1   100 steps, 7 earlier ones not kept", "7.1-0", "7.1-35")
	d.keys("end", "down", "pgdown")
	wantText(t, d, "7.1-99")
	d.keys("home", "up", "pgup", "down")
	wantText(t, d, "7.1-36")
	d.keys("q") // back, and not out
	wantText(t, d, "parley top")
	if got := strings.Join(s.did, ","); got != "start 7.1,stop 7.1" {
		t.Errorf("it did %s", got)
	}
}

// Whatever the size, the picture has it, and nothing foreign steers the terminal.
func TestTopFitsEveryTerminal(t *testing.T) {
	d := watching(t, stage())
	for _, showsTrace := range []bool{false, true} {
		if showsTrace {
			trace, _ := d.watched.traceStop(d.sessions()[0])
			d.trace, d.top = &trace, 99
		}
		for width := 0; width < 130; width += 3 {
			for height := 0; height < 45; height += 2 {
				_, _ = d.Update(tea.WindowSizeMsg{Width: width, Height: height})
				content := d.View().Content
				lines := strings.Split(content, "\n")
				if len(lines) > max(height, 2) {
					t.Fatalf("%d lines at %dx%d", len(lines), width, height)
				}
				for _, line := range lines {
					if ansi.StringWidth(line) > width {
						t.Fatalf("%q is wider than %d", line, width)
					}
				}
				if steers := strings.IndexFunc(ansi.Strip(content), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); steers >= 0 {
					t.Fatalf("%q steers the terminal", content[steers:])
				}
				if strings.Contains(content, "\x1b[31mred") {
					t.Fatal("a foreign colour")
				}
			}
		}
	}
}

func TestTopHoldsAndSaysWhenItCannotLook(t *testing.T) {
	d := watching(t, stage())
	d.keys("space")
	wantText(t, d, "held")
	s := d.watched.(*staged)
	s.shows.err = errors.New("the folder\x1b[2J is gone")
	d.run(d.look())
	wantText(t, d, "the folder\uFFFD[2J is gone", "▸ 7.1")

	first := newDashboard(s, time.Second)
	first.run(first.Init())
	if first.fatal == nil {
		t.Error("a first look that fails is not told")
	}
}

func TestTopRunsUntilItIsLeft(t *testing.T) {
	input, keyboard := io.Pipe()
	program := tea.NewProgram(newDashboard(stage(), time.Millisecond), tea.WithContext(t.Context()), tea.WithInput(input),
		tea.WithOutput(io.Discard), tea.WithoutSignalHandler(), tea.WithWindowSize(80, 24))
	go func() { _, _ = keyboard.Write([]byte("\tq")) }()
	if _, err := program.Run(); err != nil {
		t.Error(err)
	}
	keyboard.Close()
}

func TestTopPrintsOnceWithoutATerminal(t *testing.T) {
	s := startShown(t, controlFolder(t), "--work", "1h")
	s.say(`{"jsonrpc":"2.0","id":1,"method":"slow"}`)
	s.sync()
	s.ask("top").wantShown(t, "SESSION", s.id, "REQUEST", s.id+"-2", "slow")
	s.ask("top", "--json").wantShown(t, `"processes":[{"pid":`, `"correlationId":"`+s.id+`-2"`, `"stats":[{"session":"`+s.id)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(signalError(2))
	if code := run(ctx, []string{"top", "--control-directory", s.directory}, testEnv(strings.NewReader(""), io.Discard, io.Discard)); code != 130 {
		t.Errorf("interrupted: exit code %d", code)
	}
}

// Goal: a terminal that is narrow loses what matters least, and cuts nothing that it shows. Method: a table
// with two optional columns, at the width of all three, one less, and less than the first alone.
func TestGridLeavesOutOptionalColumns(t *testing.T) {
	g := grid{
		columns: []column{{title: "NAME", flexible: true}, {title: "GEN", optional: true}, {title: "ROLE", optional: true}},
		rows:    [][]string{{"a-long-name", "7", "client"}},
	}
	for width, want := range map[int]string{
		100: "  a-long-name  7    client",
		23:  "  a-long-…  7    client",
		22:  "  a-long-name  7",
		4:   "  a-long-…",
	} {
		if got := g.lines(width, 10, -1, false)[1]; got != want {
			t.Errorf("width %d: %q, want %q", width, got, want)
		}
	}
}
