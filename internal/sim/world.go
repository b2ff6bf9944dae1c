package sim

import (
	"fmt"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/transcript"
)

// world is one run: its ends, what lies between them, and the one clock.
type world struct {
	d      draw
	plan   plan
	ends   []*end
	links  []*link
	bad    *adversary // lone
	now    core.Time
	serial int
	acting *end // whose machine was called last
}

// newWorld opens every machine of a plan.
func newWorld(d draw, open transcript.Factory) (*world, error) {
	w := &world{d: d, plan: newPlan(d), now: core.Millisecond}
	for i := range w.plan.ends {
		e, err := newEnd(&w.plan.ends[i], open)
		if err != nil {
			return w, err
		}
		e.name, e.d, e.serial, e.now = fmt.Sprintf("end %d of %d", i+1, len(w.plan.ends)), d, &w.serial, &w.now
		w.ends = append(w.ends, e)
	}
	join := func(from, to *end) {
		l := &link{isWhole: w.ends[0].cfg.Framing == core.FramingWhole}
		w.links = append(w.links, l)
		if from != nil {
			from.out = l
		}
		if to != nil {
			to.in = l
		}
	}
	if w.plan.shape == lone {
		join(nil, w.ends[0])
		join(w.ends[0], nil)
		w.bad = &adversary{d: d, victim: w.ends[0]}
		if w.ends[0].cfg.Role == core.RoleRelay {
			w.ends[0].twin = w.ends[0] // what it hears goes back
		}
		return w, nil
	}
	for i := 0; i < len(w.ends); i += 2 {
		join(w.ends[i], w.ends[i+1])
		join(w.ends[i+1], w.ends[i])
	}
	if w.plan.shape == relayed {
		w.ends[1].twin, w.ends[2].twin = w.ends[2], w.ends[1]
	}
	return w, nil
}

// newEnd opens a machine as a transcript with the same opening would.
func newEnd(s *setup, open transcript.Factory) (*end, error) {
	records := append([]transcript.Record{{Op: transcript.OpOpen, Settings: s.settings}}, s.methods...)
	cfg, credit, err := configOf(records)
	if err != nil {
		return nil, err
	}
	machine, err := open(cfg)
	if err != nil {
		return nil, err
	}
	e := &end{watched: watch(machine, cfg)}
	e.tape.records = append(records, transcript.Record{Op: transcript.OpHold})
	e.grant(credit)
	return e, nil
}

func (w *world) close() (err error) {
	for _, e := range w.ends {
		if failed := e.Close(); err == nil {
			err = failed
		}
	}
	return err
}

// fault returns the first breach that any model found, and where.
func (w *world) fault() (*end, *Fault) {
	for _, e := range w.ends {
		if e.model.fault != nil {
			return e, e.model.fault
		}
	}
	return nil, nil
}

// run lets things happen, then calm down, then end.
func (w *world) run() {
	total := 0
	for _, weight := range w.plan.weights {
		total += weight
	}
	for range w.plan.steps {
		w.step(total)
		if e, _ := w.fault(); e != nil {
			return
		}
	}
	w.calm()
	if e, _ := w.fault(); e == nil {
		w.finish()
	}
}

// step draws one action.
func (w *world) step(total int) {
	at := w.d.IntN(total)
	chosen := action(0)
	for ; at >= w.plan.weights[chosen]; chosen++ {
		at -= w.plan.weights[chosen]
	}
	e := w.ends[w.d.IntN(len(w.ends))]
	w.acting = e
	actions[chosen](w, e)
	if w.d.oneIn(w.plan.laxness) {
		w.acting = e
		e.turn(w.now)
	}
	w.hangUp()
}

// hangUp closes the links of those who have nothing more to say. A relay has nothing more to say
// once its twin hears nothing any more.
func (w *world) hangUp() {
	for _, e := range w.ends {
		if e.twin != nil && e.twin.State().Input != core.InputOpen && len(e.forwards) == 0 && e.State().Output == core.OutputOpen {
			w.acting = e
			e.Shutdown()
		}
		if e.OutputDone() && len(e.block) == 0 || e.State().Output == core.OutputFailed {
			e.out.isClosed = true
		}
	}
}

// delivers lets some of what is on its way to an end arrive.
func (w *world) delivers(e *end, size int) bool {
	if e.in.isSlow || !e.in.isPending() || e.Paused() && !w.plan.isRude {
		return false
	}
	w.acting = e
	e.in.arrives(e, min(size, len(e.in.bytes)))
	return true
}

// calmRoundsMax is more than any run takes to come to rest.
const calmRoundsMax = 5000

// calm makes nothing new happen, and lets everything that has begun come to its end.
func (w *world) calm() {
	for _, l := range w.links {
		l.isSlow = false
	}
	for _, e := range w.ends {
		e.isBusy = false
	}
	for range calmRoundsMax {
		moved := false
		for _, e := range w.ends {
			w.acting = e
			moved = w.calmEnd(e) || moved
			if e.model.fault != nil {
				return
			}
		}
		w.hangUp()
		if !moved {
			return
		}
	}
	w.ends[0].model.found("STOP-2", "the run does not come to rest")
}

func (w *world) calmEnd(e *end) (moved bool) {
	if e.State().Credit < 1<<20 {
		e.Want(1 << 30)
	}
	if len(e.block) > 0 {
		e.writes(len(e.block))
		moved = true
	}
	e.takes()
	moved = moved || len(e.block) > 0
	for e.passesOn() {
		moved = true
	}
	for running := len(e.handlers); running > 0; running-- {
		e.answers(false)
		e.returns(false)
	}
	moved = w.delivers(e, 1+w.d.wild(4096)) || moved
	e.turn(w.now)
	return moved
}

// finish ends each session in one way or another, and waits until its bounds are over.
func (w *world) finish() {
	for _, e := range w.ends {
		w.acting = e
		endings[w.d.IntN(len(endings))](w, e)
		e.turn(w.now)
	}
	for range 4 {
		w.calm()
		w.now += 31 * core.Second
	}
	for _, e := range w.ends {
		w.acting = e
		e.turn(w.now)
		e.Abort()
		e.turn(w.now)
	}
}

// endings are the ways to end a session.
var endings = []func(*world, *end){
	func(w *world, e *end) { e.Shutdown() },
	func(w *world, e *end) { e.in.isClosed = true },
	func(w *world, e *end) { e.tolerate(e.FinishInput()) },
	func(w *world, e *end) { e.failsToWrite() },
	func(w *world, e *end) {},
}
