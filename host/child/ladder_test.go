package child

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fakeGroup is a process group in a bubble of fake time. It logs what the ladder does to it, each
// line with the milliseconds since the start.
type fakeGroup struct {
	start  time.Time
	leader chan struct{} // closed: the leader has exited

	mu         sync.Mutex
	log        []string
	leaderGone bool
	leaderHeed signal // the least signal that ends the leader; unkillable: none does
	rest       bool   // a descendant lives
	restHeed   signal
}

const unkillable signal = kill + 1

func (g *fakeGroup) note(what string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.log = append(g.log, fmt.Sprintf("%s %d", what, time.Since(g.start).Milliseconds()))
}

func (g *fakeGroup) exit() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.leaderGone {
		g.leaderGone = true
		close(g.leader)
	}
}

func (g *fakeGroup) awaitExit() string {
	<-g.leader
	return ""
}

func (g *fakeGroup) reap() *os.ProcessState {
	g.note("reap")
	return nil
}

func (g *fakeGroup) signal(sig signal) {
	g.note([]string{"terminate", "kill"}[sig])
	if sig >= g.leaderHeed {
		g.exit()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if sig >= g.restHeed {
		g.rest = false
	}
}

func (g *fakeGroup) empty() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.leaderGone && !g.rest
}

// STOP-4, STOP-6
func TestLadder(t *testing.T) {
	const never = time.Duration(-1)
	cases := []struct {
		name       string
		group      *fakeGroup
		stopAt     time.Duration // the owner asks
		exitAt     time.Duration // the leader leaves unsignalled
		outputHeld bool          // the output does not end with the leader
		want       []string
		err        error
	}{
		{
			name: "leaves at the end of stdin", group: &fakeGroup{}, stopAt: 0, exitAt: 100 * time.Millisecond,
			want: []string{"cut 100", "drop 100", "terminate 100", "reap 100", "cut 100", "ended 100"},
		},
		{
			name: "leaves on SIGTERM", group: &fakeGroup{}, stopAt: 0, exitAt: never,
			want: []string{"drop 2000", "terminate 2000", "reap 2000", "cut 2000", "ended 2000"},
		},
		{
			name: "ignores SIGTERM", group: &fakeGroup{leaderHeed: kill}, stopAt: 0, exitAt: never,
			want: []string{"drop 2000", "terminate 2000", "kill 4000", "reap 4000", "cut 4000", "ended 4000"},
		},
		{
			name: "leaves by itself", group: &fakeGroup{}, stopAt: never, exitAt: 0,
			want: []string{"cut 0", "drop 0", "terminate 0", "reap 0", "cut 0", "ended 0"},
		},
		{
			name:  "wrapper gone, descendant ignores SIGTERM and holds the output",
			group: &fakeGroup{rest: true, restHeed: kill}, stopAt: never, exitAt: 0, outputHeld: true,
			want: []string{"cut 500", "drop 500", "terminate 500", "reap 500", "kill 2500", "cut 2500", "ended 2500"},
		},
		{
			name:  "wrapper leaves when asked, descendant on SIGTERM",
			group: &fakeGroup{rest: true}, stopAt: 0, exitAt: 300 * time.Millisecond, outputHeld: true,
			want: []string{"cut 800", "drop 800", "terminate 800", "reap 800", "cut 800", "ended 800"},
		},
		{
			name: "descendant that nobody reaps", group: &fakeGroup{rest: true, restHeed: unkillable},
			stopAt: 0, exitAt: time.Millisecond,
			want: []string{"cut 1", "drop 1", "terminate 1", "reap 1", "kill 2001", "cut 2101", "ended 2101"},
		},
		{
			name: "survives SIGKILL for a while", group: &fakeGroup{leaderHeed: unkillable},
			stopAt: 0, exitAt: 10 * time.Second, err: ErrSurvived,
			want: []string{"drop 2000", "terminate 2000", "kill 4000", "cut 6000", "ended 6000", "reap 10000"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				bounds, err := Bounds{}.withDefaults()
				if err != nil {
					t.Fatal(err)
				}
				g := c.group
				g.start, g.leader = time.Now(), make(chan struct{})
				stop, outputEnded := make(chan struct{}), make(chan struct{})
				if !c.outputHeld {
					go func() { <-g.leader; close(outputEnded) }()
				}
				var cut sync.Once
				l := newLadder(g, bounds, stop, outputEnded, func() { g.note("drop") }, func() {
					g.note("cut")
					if c.outputHeld {
						cut.Do(func() { close(outputEnded) })
					}
				})
				if c.stopAt != never {
					time.AfterFunc(c.stopAt, func() { close(stop) })
				}
				if c.exitAt != never {
					time.AfterFunc(c.exitAt, g.exit)
				}
				go l.run()
				<-l.ended
				g.note("ended")
				<-l.reaped

				if l.err != c.err {
					t.Errorf("error %v, want %v", l.err, c.err)
				}
				if !slices.Equal(g.log, c.want) {
					t.Errorf("got  %q\nwant %q", g.log, c.want)
				}
			})
		})
	}
}

func TestBoundsRefuseNegative(t *testing.T) {
	if _, err := (Bounds{Terminate: -1}).withDefaults(); err == nil {
		t.Error("a negative bound was accepted")
	}
}
