package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-rpc/parley/core"
)

// end is a machine with its application and its writer.
type end struct {
	*watched
	name    string
	d       draw
	serial  *int // makes every message of a run different
	now     *core.Time
	in, out *link
	isFresh bool // bytes were the last input: something comes before more of them

	block  []byte // what the writer has, as far as it is not written
	spare  []byte
	isBusy bool // the writer is stuck until the next calm

	calls    []core.CallID
	handlers []handler
	seen     core.Snapshot
	ordinal  uint64 // the newest heard of

	twin     *end     // relay: the other half
	forwards [][]byte // relay: frames that the twin handed over
}

// handler is a message of theirs that the application works on.
type handler struct {
	req       core.ReqID
	isRequest bool
	isOver    bool // answered
}

// turn ends a turn: the time, then everything that is to be told.
func (e *end) turn(now core.Time) {
	e.isFresh = false
	e.Advance(now)
	e.drain()
}

func (e *end) drain() {
	var ev core.Event
	for e.Next(&ev) {
		e.ordinal = max(e.ordinal, ev.Ordinal)
		switch ev.Kind {
		case core.EventRequest, core.EventNotification:
			if ev.Req != 0 {
				e.handlers = append(e.handlers, handler{req: ev.Req, isRequest: ev.Kind == core.EventRequest})
			}
		case core.EventMessage:
			if e.twin != nil {
				e.twin.forwards = append(e.twin.forwards, slices.Clone(ev.Frame))
			}
		}
	}
}

// reads takes a piece of the stream, or one message in framing whole.
func (e *end) reads(piece []byte) {
	for len(piece) > 0 || e.cfg.Framing == core.FramingWhole {
		if e.isFresh {
			e.parts()
		}
		space := e.Reserve(len(piece))
		n := copy(space, piece)
		e.isFresh = true
		if e.cfg.Framing == core.FramingWhole {
			e.tolerate(e.CommitMessage(n))
			return
		}
		e.tolerate(e.Commit(n))
		piece = piece[n:]
	}
}

// parts makes two inputs of bytes before and behind it: what the first part told is drained in
// between, or is still to be told when the second one comes.
func (e *end) parts() {
	if e.d.oneIn(2) {
		e.turn(*e.now)
	} else {
		e.Want(0)
	}
}

func (e *end) endsReading() { e.tolerate(e.CommitEOF()) }

// tolerate accepts every typed refusal: the model judges them.
func (e *end) tolerate(err error) {
	switch err.(type) {
	case nil, core.UsageError, *core.ProtocolError:
	default:
		e.model.found("API-6", "an error without a type: %v", err)
	}
}

// takes moves a block to the writer.
func (e *end) takes() {
	block := e.Take(e.spare)
	e.spare = nil
	if block != nil {
		e.block = block
	}
}

// writes writes size bytes of the writer's block; a message leaves as a whole.
func (e *end) writes(size int) {
	if e.out.isWhole {
		size = len(e.block)
	}
	if size == 0 {
		return
	}
	e.out.send(e.block[:size])
	e.Wrote(size)
	if e.block = e.block[size:]; len(e.block) == 0 {
		e.block = nil
	}
}

// failsToWrite loses the writer's block, and everything after it.
func (e *end) failsToWrite() {
	e.block = nil
	e.out.isClosed = true
	e.WriteFailed()
}

// params draws parameters that no other message has. Now and then they make the message as large
// as the frame limit, or one byte larger.
func (e *end) params(besides int) []byte {
	*e.serial++
	text := fmt.Sprintf(`{"n":%d,"k":"%s"}`, *e.serial, pick(e.d, "a", "b"))
	if e.d.oneIn(8) {
		most := min(e.cfg.Limits.FrameBytesMax, 3000)
		size := most - besides + e.d.IntN(3) - 1 - len(text) - len(`,"p":""`)
		if e.d.oneIn(2) {
			size = e.d.wild(most)
		}
		text = text[:len(text)-1] + `,"p":"` + strings.Repeat("x", max(size, 0)) + `"}`
	}
	if e.d.oneIn(16) {
		text = "{\n" + text[1:]
	}
	return []byte(text)
}

// callOptions draws the options of a call.
func (e *end) callOptions() core.CallOptions {
	d := e.d
	opts := core.CallOptions{Quiet: d.oneIn(8)}
	if d.oneIn(2) {
		opts.Deadline = *e.now + pick(d, 1, core.Second, 20*core.Second, 3600*core.Second)
		if d.oneIn(16) {
			opts.Deadline = max(*e.now-core.Time(d.IntN(2)), 1)
		}
	}
	if d.oneIn(6) {
		opts.ID = []byte(pick(d, `"a"`, `"b"`, `1`, `2`, `3`, `5`, `"\u0061"`, `-1`, `1e1`))
	}
	if d.oneIn(6) {
		opts.ProgressToken = []byte(pick(d, `"t"`, `1`, `2`))
		if opts.Deadline != 0 && d.oneIn(2) {
			opts.Extend, opts.DeadlineMax = pick(d, 1, core.Second), opts.Deadline+pick(d, 1, 3*core.Second)
		}
	}
	return opts
}

func (e *end) asks() {
	method := pick(e.d, requestMethods...)
	id, err := e.Call(method, e.params(len(`{"jsonrpc":"2.0","id":1,"method":"","params":}`)+len(method)), e.callOptions())
	e.tolerate(err)
	if err == nil {
		e.calls = append(e.calls, id)
	}
}

func (e *end) asksTogether() {
	items := make([]core.BatchItem, 1+e.d.IntN(4))
	for i := range items {
		items[i] = core.BatchItem{Method: pick(e.d, requestMethods...), Params: e.params(1000), Options: e.callOptions()}
		if e.d.oneIn(3) {
			items[i] = core.BatchItem{Method: pick(e.d, notificationMethods...), Params: e.params(1000), Notification: true}
		}
	}
	ids := make([]core.CallID, len(items))
	err := e.Batch(items, ids)
	e.tolerate(err)
	for i := range items {
		if err == nil && !items[i].Notification {
			e.calls = append(e.calls, ids[i])
		}
	}
}

func (e *end) tells() {
	method := pick(e.d, notificationMethods...)
	e.tolerate(e.Notify(method, e.params(len(`{"jsonrpc":"2.0","method":"","params":}`)+len(method))))
}

// cancels gives up a call, which may have its outcome.
func (e *end) cancels() {
	if open := e.model.calls.open; len(open) > 0 && !e.d.oneIn(4) {
		e.tolerate(e.Cancel(open[e.d.wild(len(open)-1)].id))
	} else if len(e.calls) > 0 {
		e.tolerate(e.Cancel(e.calls[len(e.calls)-1-e.d.wild(len(e.calls)-1)]))
	}
}

// answers gives an answer to a request, which may have one already.
func (e *end) answers(isTwice bool) {
	at := slices.IndexFunc(e.handlers, func(h handler) bool { return h.isRequest && h.isOver == isTwice })
	if at < 0 {
		return
	}
	if others := len(e.handlers) - at; e.d.oneIn(2) {
		if other := at + e.d.IntN(others); e.handlers[other].isRequest && e.handlers[other].isOver == isTwice {
			at = other
		}
	}
	h := &e.handlers[at]
	var err error
	if e.d.oneIn(4) {
		err = e.Fail(h.req, core.Code(e.d.IntN(100)), "no", e.params(100))
	} else {
		err = e.Reply(h.req, e.params(len(`{"jsonrpc":"2.0","id":1,"result":}`)))
	}
	e.tolerate(err)
	h.isOver = h.isOver || err != core.ErrOutputFull && (err != core.ErrTooLarge || !e.cfg.OutFailFast)
}

// returns ends the oldest handler that has nothing left to do, or any.
func (e *end) returns(isAny bool) {
	if e.cfg.Inbound == core.InboundMessages {
		e.handlers = slices.DeleteFunc(e.handlers, func(h handler) bool { return h.isOver && !isAny })
		return
	}
	at := slices.IndexFunc(e.handlers, func(h handler) bool { return isAny || h.isOver || !h.isRequest })
	if at >= 0 {
		e.tolerate(e.Done(e.handlers[at].req))
		e.handlers = slices.Delete(e.handlers, at, at+1)
	}
}

// looks takes a snapshot, which shows every message that has not ended (SCHED-5).
func (e *end) looks() {
	e.tolerate(e.Snapshot(&e.seen))
	state := e.State()
	shown := min(state.Waiting+state.Running, core.SnapshotItemsMax)
	isShown := len(e.seen.Items) == shown || e.cfg.Inbound == core.InboundMessages || e.cfg.Role == core.RoleRelay
	e.model.must(isShown, "SCHED-5", "%d messages wait and %d run, and a snapshot shows %d", state.Waiting, state.Running, len(e.seen.Items))
	for i := 1; i < len(e.seen.Items); i++ {
		e.model.must(e.seen.Items[i-1].Ordinal <= e.seen.Items[i].Ordinal, "SCHED-5", "a snapshot is out of order")
	}
}

func (e *end) traces(isOn bool) {
	if isOn {
		e.tolerate(e.TraceStart())
	} else {
		e.tolerate(e.TraceStop())
	}
}

// passesOn forwards the next frame of the twin.
func (e *end) passesOn() bool {
	if len(e.forwards) == 0 {
		return false
	}
	err := e.Forward(e.forwards[0])
	e.tolerate(err)
	if err == core.ErrOutputFull || err == core.ErrTooLarge && e.cfg.OutFailFast && e.Pending() > 0 {
		return false
	}
	e.forwards = e.forwards[1:]
	return true
}
