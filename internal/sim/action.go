package sim

import "github.com/parley-rpc/parley/core"

// action is one thing that can happen to one end.
type action uint8

const (
	doTurn action = iota
	doDeliver
	doTake
	doWrote
	doWriteAll
	doAsk
	doAskTogether
	doTell
	doCancel
	doAnswer
	doAnswerTwice
	doReturn
	doReturnEarly
	doCancelRequest
	doWant
	doForward
	doSpeak
	doWait
	doJump
	doTurnBack
	doSlow
	doBusy
	doLook
	doTrace
	doVersion
	doFlip
	doCut
	doFinishInput
	doShutdown
	doAbort
	doWriteFail
	actionEnd
)

// rare bounds the weight of what ends a session, makes its bytes untrustworthy, or changes little.
var rare = [actionEnd]int{
	doTurnBack: 4, doSlow: 4, doBusy: 4, doVersion: 2, doLook: 4, doTrace: 4, doFlip: 4,
	doCut: 1, doFinishInput: 1, doShutdown: 1, doAbort: 1, doWriteFail: 1,
}

var actions = [actionEnd]func(*world, *end){
	doTurn: func(w *world, e *end) { e.turn(w.now) },
	doDeliver: func(w *world, e *end) {
		size := len(e.in.bytes)
		if w.d.oneIn(2) {
			size = 1 + w.d.wild(max(size-1, 0))
		}
		w.delivers(e, size)
	},
	doTake:        writer((*end).takes),
	doWrote:       writer(func(e *end) { e.writes(e.d.wild(len(e.block))) }),
	doWriteAll:    writer(func(e *end) { e.writes(len(e.block)) }),
	doAsk:         func(w *world, e *end) { e.asks() },
	doAskTogether: func(w *world, e *end) { e.asksTogether() },
	doTell:        func(w *world, e *end) { e.tells() },
	doCancel: func(w *world, e *end) {
		e.cancels()
		if w.bad != nil && w.d.oneIn(2) { // the answer crosses it
			w.bad.frame(w.bad.answer())
			w.delivers(e, len(e.in.bytes))
		}
	},
	doAnswer:      func(w *world, e *end) { e.answers(false) },
	doAnswerTwice: func(w *world, e *end) { e.answers(true) },
	doReturn:      func(w *world, e *end) { e.returns(false) },
	doReturnEarly: func(w *world, e *end) { e.returns(true) },
	doCancelRequest: func(w *world, e *end) {
		e.tolerate(e.CancelRequest(uint64(w.d.wild(int(e.ordinal) + 2))))
	},
	doWant:    func(w *world, e *end) { e.Want(w.d.wild(5)) },
	doForward: func(w *world, e *end) { e.passesOn() },
	doSpeak: func(w *world, e *end) {
		if w.bad != nil {
			w.bad.speaks()
		}
	},
	doWait: func(w *world, e *end) { w.now += pick(w.d, 1, core.Millisecond, core.Second, core.Time(w.d.IntN(1e9))) },
	doJump: func(w *world, e *end) { w.jump(e) },
	doTurnBack: func(w *world, e *end) {
		e.turn(max(w.now-core.Time(w.d.IntN(1e9)), 0))
	},
	doSlow:  func(w *world, e *end) { e.in.isSlow = !e.in.isSlow },
	doBusy:  func(w *world, e *end) { e.isBusy = !e.isBusy },
	doLook:  func(w *world, e *end) { e.looks() },
	doTrace: func(w *world, e *end) { e.traces(w.d.oneIn(2)) },
	doVersion: func(w *world, e *end) {
		e.tolerate(e.SetVersion(pick(w.d, "2025-03-26", "2025-11-25", "2026-07-28", "")))
	},
	doFlip:        func(w *world, e *end) { e.in.flip(w.d) },
	doCut:         func(w *world, e *end) { e.in.cut(w.d) },
	doFinishInput: func(w *world, e *end) { e.tolerate(e.FinishInput()) },
	doShutdown:    func(w *world, e *end) { e.Shutdown() },
	doAbort:       func(w *world, e *end) { e.Abort() },
	doWriteFail:   func(w *world, e *end) { e.failsToWrite() },
}

// writer is what the writer does, unless it is stuck.
func writer(act func(*end)) func(*world, *end) {
	return func(w *world, e *end) {
		if !e.isBusy {
			act(e)
		}
	}
}

// jump goes to an end's deadline, just before it, or far beyond.
func (w *world) jump(e *end) {
	when, kind := e.Deadline()
	switch {
	case w.d.oneIn(16):
		w.now += 3600 * core.Second
	case kind == core.TimerNone || when > w.now+1e13:
	default:
		w.now = max(w.now, when-core.Time(w.d.IntN(2)))
	}
}
