package sim

import (
	"bytes"

	"github.com/parley-rpc/parley/core"
)

// calls is what the model knows of our calls.
type calls struct {
	all    map[core.CallID]*call
	open   []*call          // without an outcome event, in order of acceptance
	begun  []*call          // in the order of their frames
	byKey  map[string]*call // of those the newest with that wire id
	recent []*call          // answered by the bytes that are being committed
	owed   []*call          // given up after they began: the peer is to be told (CALL-6)
	number uint64           // the newest numbered wire id
}

// call is one call of ours.
type call struct {
	id       core.CallID
	method   string
	params   []byte
	opts     core.CallOptions
	deadline core.Time // 0: none

	key        string // its wire id, once begun
	begun      bool
	outcome    core.EventKind // decided by an input; EventNone: open
	body       []byte         // of its answer
	told       bool           // the event came
	isDoubtful bool           // what arrived may have failed it
	progressed bool           // since the last Advance
	late       bool           // an answer came after its outcome
	noticed    bool           // its cancel notice is on the wire
}

func (c *call) isOpen() bool { return c.outcome == core.EventNone }

// accepted takes in a call that the machine has accepted.
func (cs *calls) accepted(m *model, before core.State, method string, params []byte, opts core.CallOptions, id core.CallID) *call {
	m.must(before.Calls < m.cfg.Limits.CallsMax, "CALL-1", "one more call than CallsMax was accepted")
	m.must(opts.Deadline == 0 || opts.Deadline > m.now, "CALL-4", "a call was accepted whose deadline had passed")
	m.must(cs.all[id] == nil, "CALL-3", "a handle was given out twice")
	c := &call{id: id, method: method, params: bytes.Clone(params), opts: opts, deadline: opts.Deadline}
	c.opts.ID, c.opts.ProgressToken = bytes.Clone(opts.ID), bytes.Clone(opts.ProgressToken)
	if c.deadline == core.Never {
		c.deadline = 0
	}
	if opts.ID != nil {
		for _, other := range cs.open {
			isTwin := other.opts.ID != nil && keyOf(other.opts.ID) == keyOf(opts.ID) && other.isOpen() && !other.isDoubtful
			m.must(!isTwin || m.blind, "CALL-1", "the id %s of an open call was accepted", opts.ID)
		}
		if other := cs.byKey[keyOf(opts.ID)]; other != nil {
			isRemembered := m.cfg.Limits.AbandonedMax >= len(cs.all)
			m.must(!other.isAbandoned() || !isRemembered || m.blind, "CALL-1", "the id %s was abandoned unanswered, and accepted again", opts.ID)
		}
	}
	cs.all[id] = c
	cs.open = append(cs.open, c)
	return c
}

// isAbandoned reports a call that was given up after it had begun, and never answered.
func (c *call) isAbandoned() bool {
	return c.begun && !c.late && (c.outcome == core.EventTimeout || c.outcome == core.EventCanceled)
}

// begin notes that a call's frame is in a block handed to the writer, under this id.
func (cs *calls) begin(m *model, c *call, id []byte) {
	c.begun, c.key = true, keyOf(id)
	if other := cs.byKey[c.key]; other != nil {
		m.must(!other.isOpen() || other.isDoubtful || m.blind, "CALL-1", "id %s is on the wire twice, and the first call is open", id)
	}
	if c.opts.ID == nil && id[0] != '"' {
		var n uint64
		for _, digit := range id {
			n = n*10 + uint64(digit-'0')
		}
		m.must(n > cs.number, "CALL-1", "id %d follows %d", n, cs.number)
		cs.number = n
	}
	cs.byKey[c.key] = c
	cs.begun = append(cs.begun, c)
}

// answered takes in a clean answer: bytes that arrived decide, whatever is noticed later (CALL-3).
func (cs *calls) answered(m *model, msg message) {
	c := cs.byKey[keyOf(msg.id)]
	if m.cfg.LooseIDs && c == nil {
		cs.doubt(m, keyOf(msg.id))
	}
	switch {
	case c == nil:
	case !c.isOpen():
		c.late = true
	case !c.isDoubtful:
		c.outcome, c.body = core.EventResult, msg.body
		if msg.kind == failure {
			c.outcome = core.EventError
		}
		cs.recent = append(cs.recent, c)
	}
}

// doubt notes that what arrived may or may not have settled the call with this id.
func (cs *calls) doubt(m *model, key string) {
	if m.cfg.LooseIDs && key[0] == 's' && cs.byKey[key] == nil {
		key = keyOf([]byte(key[1:]))
	}
	if c := cs.byKey[key]; c != nil {
		c.isDoubtful, c.late = true, true
	}
}

// doubtRecent takes back what the bytes just committed decided: the session ended within them.
func (cs *calls) doubtRecent() {
	for _, c := range cs.recent {
		c.isDoubtful = true
	}
}

// progressed notes progress for whichever call carries the token (CALL-10).
func (cs *calls) progressed(key string) {
	for _, c := range cs.open {
		if c.isOpen() && c.opts.ProgressToken != nil && keyOf(c.opts.ProgressToken) == key {
			c.progressed = true
		}
	}
}

// expire passes the deadlines that are due.
func (cs *calls) expire(now core.Time) {
	for _, c := range cs.open {
		if !c.isOpen() {
			continue
		}
		if c.progressed && c.opts.Extend > 0 {
			c.deadline = min(now+c.opts.Extend, c.opts.DeadlineMax)
		}
		c.progressed = false
		if c.deadline != 0 && c.deadline <= now {
			c.outcome = core.EventTimeout
		}
	}
}

// canceled takes in a cancel of ours.
func (cs *calls) canceled(id core.CallID) {
	if c := cs.all[id]; c != nil && c.isOpen() {
		c.outcome = core.EventCanceled
	}
}

// settled judges an outcome (CALL-3).
func (cs *calls) settled(m *model, ev *core.Event) {
	c := cs.all[ev.Call]
	if c == nil {
		m.found("CALL-3", "%v for a call that was never accepted", ev.Kind)
		return
	}
	m.must(!c.told, "CALL-3", "%v is the second outcome of call %s %s", ev.Kind, c.method, c.key)
	c.told = true
	for i, other := range cs.open {
		if other == c {
			cs.open = append(cs.open[:i:i], cs.open[i+1:]...)
			break
		}
	}
	expected := c.outcome
	c.outcome = ev.Kind
	if c.isAbandoned() && !c.opts.Quiet && !neverCancelled(c.method) && cancelMethods[m.cfg.Profile] != "" {
		cs.owed = append(cs.owed, c)
	}
	if m.blind || c.isDoubtful {
		return
	}
	switch ev.Kind {
	case core.EventResult, core.EventError:
		m.must(expected == ev.Kind, "CALL-2", "%v for call %s %s, and no such answer arrived while it was open", ev.Kind, c.method, c.key)
		if ev.Kind == core.EventResult {
			m.must(bytes.Equal(ev.Body, c.body), "CALL-2", "the result of %s %s is %q, and %q arrived", c.method, c.key, ev.Body, c.body)
		}
	case core.EventLost:
		m.must(ev.Reason != core.ReasonNone, "CALL-3", "call %s %s was lost for no reason", c.method, c.key)
		m.must(expected != core.EventResult && expected != core.EventError, "CALL-3", "call %s %s was lost, and its answer had arrived", c.method, c.key)
	default:
		m.must(expected == ev.Kind, "CALL-3", "call %s %s ended with %v, and %v was decided", c.method, c.key, ev.Kind, expected)
	}
}

// rest judges the calls of a machine that has told everything.
func (cs *calls) rest(m *model, state *core.State) {
	m.must(len(cs.open) == state.Calls, "CALL-3", "%d calls have no outcome, and %d are open", len(cs.open), state.Calls)
	if m.blind {
		return
	}
	when, _ := m.machine.Deadline()
	for _, c := range cs.open {
		if c.isDoubtful {
			continue
		}
		m.must(c.isOpen(), "CALL-3", "%v was decided for call %s %s, and not told", c.outcome, c.method, c.key)
		m.must(c.deadline == 0 || when <= c.deadline, "CALL-4", "the deadline %d of call %s %s comes before the timer %d", c.deadline, c.method, c.key, when)
	}
}

// restNotices judges, once everything is written, that the peer was told of each call given up
// (CALL-6).
func (cs *calls) restNotices(m *model) {
	for _, c := range cs.owed {
		m.must(c.noticed || c.late || c.isDoubtful || m.blind, "CALL-6",
			"call %s %s was given up after it began, and no notice was sent", c.method, c.key)
	}
	cs.owed = nil
}

// cancelMethods is how each profile spells cancellation; "" is not at all.
var cancelMethods = [...]string{
	core.ProfileLSP:     "$/cancelRequest",
	core.ProfileMCP:     "notifications/cancelled",
	core.ProfileControl: "parley/control/v1/connection/cancel-request",
	core.ProfilePlain:   "",
}

func neverCancelled(method string) bool { return method == "initialize" || method == "server/discover" }
