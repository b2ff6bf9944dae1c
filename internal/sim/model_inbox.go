package sim

import (
	"bytes"
	"maps"
	"slices"

	"github.com/parley-rpc/parley/core"
)

// inbox is what the model knows of the peer's messages.
type inbox struct {
	arrived []arrived
	frames  [][]byte // relay: every frame that is to be handed over, in order
	running []*served
	unheard uint64 // notifications that arrived and were not delivered

	asked   map[string]int  // by id: what may be answered
	owed    map[string]int  // by id: what must be answered
	told    map[string]int  // by id: answers on the wire
	excused map[string]bool // by id: cancelled by the peer, in a profile that then answers nothing
	byOwner map[uint64]bool // by ordinal: cancelled by us, and so answered in every profile (REQ-7)

	newest [laneEnd]uint64 // ordinal last delivered
	fresh  []core.ReqID    // ended since the machine had told everything
}

// arrived is a clean request or notification that was not delivered yet, and may never be.
type arrived struct {
	message
	isInBatch bool
}

// served is one message of theirs from its delivery until it has ended.
type served struct {
	req       core.ReqID
	key       string // "" for a notification
	id        []byte
	method    string
	ordinal   uint64
	mode      core.Mode
	isInBatch bool
	isKnown   bool // the frame that it came in was judged
	answered  bool
	signalled bool

	isDoubtful bool // an answer was refused, and the machine may have given one of its own
}

// lane is what keeps its order (SCHED-1).
type lane uint8

const (
	foreground lane = iota
	background
	bypass
	laneEnd
)

func laneOf(mode core.Mode) lane {
	switch mode {
	case core.ModeBackground:
		return background
	case core.ModeBypass:
		return bypass
	}
	return foreground
}

// hears takes in a clean message of theirs.
func (in *inbox) hears(m *model, msg message, isInBatch bool) {
	if msg.kind == notification {
		switch {
		case msg.method == cancelMethods[m.cfg.Profile] && msg.method != "":
			in.cancelled(m, msg)
			return
		case msg.method == "$/progress" && m.cfg.Profile == core.ProfileLSP:
			m.calls.progressed(keyOf(member(msg.body, "token")))
		case msg.method == "notifications/progress" && m.cfg.Profile == core.ProfileMCP:
			m.calls.progressed(keyOf(member(msg.body, "progressToken")))
		}
	}
	msg.body, msg.id = bytes.Clone(msg.body), bytes.Clone(msg.id)
	in.arrived = append(in.arrived, arrived{msg, isInBatch})
	if msg.kind == notification && !isProgress(msg.method) {
		in.unheard++
	}
	if msg.kind == request {
		key := keyOf(msg.id)
		in.asked[key]++
		// The answers of a batch may turn out to be over the frame limit together.
		if first(msg.id) != 'n' && !isInBatch {
			in.owed[key]++
		}
	}
}

// isProgress reports a notification that may be for a call of ours, or for nobody (CALL-10).
func isProgress(method string) bool {
	return method == "$/progress" || method == "notifications/progress"
}

// cancelled takes in a cancel notice of theirs.
func (in *inbox) cancelled(m *model, msg message) {
	if m.cfg.Profile == core.ProfileMCP {
		in.excused[keyOf(member(msg.body, "requestId"))] = true
	}
}

func member(object []byte, name string) []byte {
	members, _ := membersOf(object)
	return members[name]
}

// delivered judges the delivery of a request or a notification: it arrived, and its mode allows it
// to start now (REQ-1, SCHED-1).
func (in *inbox) delivered(m *model, ev *core.Event) {
	wanted := notification
	if ev.Kind == core.EventRequest {
		wanted = request
	}
	at := slices.IndexFunc(in.arrived, func(a arrived) bool {
		return a.kind == wanted && a.method == string(ev.Method) && bytes.Equal(a.id, ev.ID) && sameParams(a.body, ev.Body)
	})
	r := &served{req: ev.Req, id: bytes.Clone(ev.ID), method: string(ev.Method), ordinal: ev.Ordinal, mode: modeOf(m.cfg, ev)}
	if at >= 0 {
		r.isKnown, r.isInBatch = true, in.arrived[at].isInBatch
		in.arrived = slices.Delete(in.arrived, at, at+1)
		if ev.Kind == core.EventNotification && !isProgress(string(ev.Method)) {
			in.unheard--
		}
	} else {
		m.must(m.blind, "FRAME-1", "%v %s %s %q was delivered, and never arrived", ev.Kind, ev.ID, ev.Method, ev.Body)
	}
	line := laneOf(r.mode)
	m.must(ev.Ordinal > in.newest[line], "SCHED-1", "message #%d was delivered after #%d", ev.Ordinal, in.newest[line])
	in.newest[line] = ev.Ordinal
	isWrite := r.mode == core.ModeOrder || r.mode == core.ModeWrite
	m.must(!isWrite || ev.Ordinal > in.newest[background], "SCHED-1", "the write #%d started after #%d, which is background work", ev.Ordinal, in.newest[background])
	if ev.Kind == core.EventRequest {
		r.key = keyOf(ev.ID)
		for _, other := range in.running {
			m.must(other.key != r.key, "REQ-3", "two live requests have the id %s", ev.ID)
		}
	}
	if ev.Req != 0 {
		in.mayStart(m, r)
		in.running = append(in.running, r)
	}
}

// sameParams treats null and absent alike (MSG-3).
func sameParams(a, b []byte) bool {
	return bytes.Equal(a, b) || first(a) == 'n' && len(b) == 0
}

func modeOf(cfg *core.Config, ev *core.Event) core.Mode {
	if cfg.Inbound == core.InboundMessages {
		return core.ModeRead
	}
	for i := range cfg.Methods {
		if cfg.Methods[i].Name == string(ev.Method) && cfg.Methods[i].Mode != core.ModeDefault {
			return cfg.Methods[i].Mode
		}
	}
	if ev.Kind == core.EventRequest {
		return core.ModeRead
	}
	return core.ModeOrder
}

// mayStart judges a start against everything that was delivered before and has not ended.
func (in *inbox) mayStart(m *model, r *served) {
	if r.mode == core.ModeBypass {
		return
	}
	running, backgrounds := 0, 0
	hasBarrier := m.cfg.Role != core.RoleClient && (m.cfg.Profile == core.ProfileLSP || m.cfg.Profile == core.ProfileMCP)
	for _, other := range in.running {
		isBarrier := hasBarrier && other.method == "initialize" && other.key != "" && !other.answered && !other.isDoubtful
		m.must(!isBarrier, "SCHED-6", "#%d %q started while initialize has no outcome", r.ordinal, r.method)
		if other.mode != core.ModeBypass {
			running++
		}
		if other.mode == core.ModeBackground {
			backgrounds++
		}
		if r.mode == core.ModeBackground || other.mode == core.ModeBackground || other.mode == core.ModeBypass {
			continue
		}
		isExclusive := other.mode == core.ModeOrder || other.mode == core.ModeWrite
		m.must(!isExclusive, "SCHED-1", "a message of mode %v started beside one of mode %v", r.mode, other.mode)
		m.must(r.mode != core.ModeWrite || other.mode != core.ModeRead, "SCHED-1", "a write started beside a read")
	}
	m.must(running < m.cfg.Limits.RunningMax, "REQ-1", "%d messages run, and one more started", running)
	m.must(r.mode != core.ModeBackground || backgrounds < m.cfg.Limits.BackgroundMax, "SCHED-2", "%d run in the background, and one more started", backgrounds)
}

// relayed judges a frame handed over by a relay: byte for byte what arrived, in order.
func (in *inbox) relayed(m *model, ev *core.Event) {
	if len(in.frames) == 0 {
		m.must(m.blind, "MSG-6", "a frame was handed over that never arrived: %q", ev.Frame)
		return
	}
	m.must(m.blind || bytes.Equal(in.frames[0], ev.Frame), "MSG-6", "the next frame is %q, and %q was handed over", in.frames[0], ev.Frame)
	in.frames = in.frames[1:]
}

func (in *inbox) find(req core.ReqID) *served {
	for _, r := range in.running {
		if r.req == req {
			return r
		}
	}
	return nil
}

// signalled judges that a running handler is told to stop (REQ-4).
func (in *inbox) signalled(m *model, ev *core.Event) {
	r := in.find(ev.Req)
	if r == nil {
		m.must(slices.Contains(in.fresh, ev.Req), "REQ-4", "#%d is to stop, and does not run", ev.Ordinal)
		return
	}
	m.must(!r.signalled, "REQ-4", "#%d is told to stop twice", ev.Ordinal)
	r.signalled = true
}

// answered takes in an answer that the machine has accepted (REQ-2). body is nil where it is an
// answer of the machine's own.
func (in *inbox) answered(m *model, req core.ReqID, body []byte) {
	r := in.find(req)
	if r == nil {
		m.found("REQ-2", "an answer to a request that does not run was accepted")
		return
	}
	m.must(!r.answered, "REQ-2", "a second answer to %s was accepted", r.id)
	isSilent := m.cfg.Profile == core.ProfileMCP && r.signalled && !in.byOwner[r.ordinal] && !m.isStopping
	m.must(!isSilent || m.machine.State().Reason != core.ReasonNone, "REQ-2", "an answer to %s was accepted, which the peer has cancelled", r.id)
	r.answered = true
	if body != nil && !r.isInBatch {
		body = slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), r.id, []byte(`,`), body)
		m.output.expects(m, &outgoing{body: body, isUncertain: !r.isKnown})
	}
}

// ended takes a message off those that run.
func (in *inbox) ended(req core.ReqID) {
	in.fresh = append(in.fresh, req)
	in.running = slices.DeleteFunc(in.running, func(r *served) bool { return r.req == req })
}

// tell counts an answer on the wire: nothing is answered more often than it was asked (REQ-2).
func (in *inbox) tell(m *model, id []byte) {
	if id == nil || first(id) == 'n' || m.cfg.Role == core.RoleRelay {
		return
	}
	key := keyOf(id)
	in.told[key]++
	m.must(m.blind || in.told[key] <= in.asked[key], "REQ-2", "%d answers to %s are on the wire, and %d requests arrived", in.told[key], id, in.asked[key])
}

// rest judges the requests of a machine that has told everything.
func (in *inbox) rest(m *model, state *core.State) {
	in.fresh = nil
	isIdle := len(in.running) == 0
	m.must(!isIdle || state.Credit == 0 || state.Waiting == 0, "SCHED-1", "%d messages wait, there is credit, and nothing runs", state.Waiting)
	isAtWork := state.Reason == core.ReasonNone && !m.blind && state.Waiting == 0
	m.must(!isAtWork || len(in.frames) == 0, "MSG-6", "%d frames arrived, and were not handed over", len(in.frames))
	m.must(!isAtWork || in.unheard <= m.machine.Stats().Dropped+uint64(len(in.byOwner)), "BACK-5", "%d notifications were not delivered, and fewer counted as dropped", in.unheard)
	isWritten := state.QueuedBytes == 0 && m.output.unwritten == 0
	if m.blind || !isIdle || !isWritten || state.Waiting > 0 || state.Output != core.OutputOpen || state.Reason != core.ReasonNone {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(in.owed)) {
		isAnswered := in.told[key] >= in.owed[key] || in.excused[key]
		m.must(isAnswered, "REQ-2", "%d requests %q arrived, %d answers are on the wire, and nothing is left to do", in.owed[key], key, in.told[key])
	}
}
