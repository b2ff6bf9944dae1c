package child

import (
	"errors"
	"os"
	"time"
)

// ErrSurvived says that the child was still there after SIGKILL: the kernel holds it, most often
// in a file system that does not answer. It is reaped when the kernel lets go of it. Of a guest, that
// it did not heed the interruption.
var ErrSurvived = errors.New("child: still running after it was killed")

const (
	// groupPollEvery is how often a group whose leader is reaped is looked at. Between two looks
	// its id cannot come back as another's: ids are handed out in turn, and no machine goes
	// through all of them in this time.
	groupPollEvery = 10 * time.Millisecond
	// killedRestWait is how long killed descendants are waited for. They were not our children:
	// whoever adopted them reaps them, and until then they still look alive.
	killedRestWait = 100 * time.Millisecond
)

// signal is what a group can be told.
type signal uint8

const (
	terminate signal = iota // end, please: SIGTERM
	kill                    // SIGKILL
)

// group is a process group of our own, the child as its leader: the system's or, in tests, a fake.
type group interface {
	// awaitExit blocks until the leader has exited, and leaves it unreaped: until reap, the
	// group's id cannot be taken by anybody else. It says how the leader ended, "" where the system
	// does not tell before reap.
	awaitExit() string
	// reap ends the leader's time as a zombie. Its state is nil if the system did not tell.
	reap() *os.ProcessState
	// signal reaches every member. It is not called with the leader reaped and the group empty.
	signal(sig signal)
	// empty reports whether no member is left that could be signalled.
	empty() bool
}

// ladder ends a process group, rung by rung (STOP-6).
type ladder struct {
	group  group
	bounds Bounds

	stop        <-chan struct{} // closed: the owner wants the child to leave
	outputEnded <-chan struct{} // closed: nothing more can be read from the child
	dropInput   func()          // closes stdin, whatever is still queued for it
	cutOutput   func()          // ends the output for its reader

	exited chan struct{} // closed once status is valid
	status string
	reaped chan struct{} // closed once state is valid
	state  *os.ProcessState
	ended  chan struct{} // closed once err is valid and nothing of the group is left
	err    error
}

func newLadder(g group, bounds Bounds, stop, outputEnded <-chan struct{}, dropInput, cutOutput func()) *ladder {
	return &ladder{
		group: g, bounds: bounds, stop: stop, outputEnded: outputEnded,
		dropInput: dropInput, cutOutput: cutOutput,
		exited: make(chan struct{}), reaped: make(chan struct{}), ended: make(chan struct{}),
	}
}

// run watches the leader from its start to the end of its group.
func (l *ladder) run() {
	exited := l.exited
	go func() {
		l.status = l.group.awaitExit()
		close(exited)
	}()

	select {
	case <-exited:
	case <-l.stop:
		within(l.bounds.Grace, exited)
	}
	if isClosed(exited) { // its last words are still read (STOP-4)
		within(l.bounds.Output, l.outputEnded)
		l.cutOutput()
	}
	l.dropInput()

	// The leader is alive or a zombie, so the group's id is ours: its descendants are reached
	// even when it has left before them.
	l.group.signal(terminate)
	killAt := time.Now().Add(l.bounds.Terminate)
	if !within(l.bounds.Terminate, exited) {
		l.group.signal(kill)
		if !within(l.bounds.Kill, exited) {
			l.err = ErrSurvived
			l.cutOutput()
			close(l.ended)
			<-exited
			l.reap()
			return
		}
	}
	l.reap()
	l.endRest(killAt)
	within(l.bounds.Output, l.outputEnded)
	l.cutOutput()
	close(l.ended)
}

func (l *ladder) reap() {
	l.state = l.group.reap()
	close(l.reaped)
}

// endRest waits until killAt for the descendants to follow their leader, then kills them.
func (l *ladder) endRest(killAt time.Time) {
	for !l.group.empty() {
		if !time.Now().Before(killAt) {
			l.group.signal(kill)
			break
		}
		time.Sleep(groupPollEvery)
	}
	for deadline := time.Now().Add(killedRestWait); !l.group.empty() && time.Now().Before(deadline); {
		time.Sleep(groupPollEvery)
	}
}
