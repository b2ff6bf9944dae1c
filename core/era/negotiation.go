package era

import (
	"bytes"
	"strconv"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/internal/scan"
)

// Negotiation decides the era of one connection.
type Negotiation struct {
	cfg    Config
	modern []string // versions to ask for and accept, newest first
	legacy []string // handshake versions to accept, newest first: the first is offered

	phase phase
	now   core.Time
	due   core.Time // the probe's budget ends
	end   core.Time // the connect budget ends

	calls   uint32 // made so far
	current uint32 // the one waited for
	late    uint32 // the probe that was given up on and may still be answered; 0: none
	probes  int    // made so far

	// What is still allowed. Each of them happens once, so that every negotiation ends.
	mayAskAgain bool // after -32022 (ERA-2)
	mayFallBack bool // to initialize (ERA-2)
	mayRestart  bool // a child that ends (ERA-5)
	mayProbe    bool // after -32022 to initialize (ERA-6)

	teaches   bool // this connection's probes teach the cache
	probed    bool // StepProbed is among the steps
	taught    Era  // by it
	restarted bool
	failure   *Failure
	steps     []Step
}

type phase uint8

const (
	phaseNew phase = iota
	phaseProbing
	phaseHandshaking
	phaseDecided
)

// New makes a Negotiation, or a *core.ConfigError that names the first field refused. The first
// Advance begins it.
func New(cfg Config) (*Negotiation, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	n := &Negotiation{cfg: cfg, modern: ModernVersions(), legacy: LegacyVersions(), mayAskAgain: true}
	switch cfg.Mode {
	case ModeAuto:
		n.teaches = cfg.Known != EraModern
		n.mayFallBack = cfg.Known == EraUnknown
		n.mayRestart = cfg.Known == EraUnknown && cfg.Spawned
		n.mayProbe = cfg.Known != EraModern
	case ModeLegacy:
		n.modern = nil
	case ModePinned:
		n.modern, n.legacy = []string{cfg.Version}, nil
		if Of(cfg.Version) == EraLegacy {
			n.modern, n.legacy = nil, n.modern
		}
	}
	return n, nil
}

// Advance tells the time; time that runs backwards is held.
func (n *Negotiation) Advance(now core.Time) {
	n.now = max(n.now, now)
	switch {
	case n.phase == phaseNew:
		n.begin()
	case n.phase == phaseDecided:
	case n.now >= n.end:
		n.fail(Failure{Kind: FailureTimeout})
	case n.phase == phaseProbing && n.now >= n.due:
		n.late = n.current
		n.judged(judge(&core.Event{Kind: core.EventTimeout}, n.modern))
	}
}

// Deadline returns when Advance must be called at the latest; core.Never once it is decided.
func (n *Negotiation) Deadline() core.Time {
	switch n.phase {
	case phaseDecided:
		return core.Never
	case phaseProbing:
		return min(n.due, n.end)
	}
	return n.end
}

// Next takes the next step, and reports whether there was one.
func (n *Negotiation) Next(step *Step) bool {
	if len(n.steps) == 0 {
		return false
	}
	*step = n.steps[0]
	n.steps = n.steps[1:]
	return true
}

// Failure is why there is no decision; nil unless StepFailed is among the steps.
func (n *Negotiation) Failure() *Failure { return n.failure }

// Settle tells the outcome of a call: an event of one of the six kinds of core.EventResult to
// core.EventLost. What it needs of it is copied. An outcome that nobody waits for any more changes
// nothing, except that a late answer to a probe may still teach (ERA-6).
func (n *Negotiation) Settle(call uint32, ev *core.Event) {
	switch {
	case call == 0:
	case call == n.late:
		n.late = 0
		n.learnLate(ev)
	case call == n.current && n.phase == phaseProbing:
		n.current = 0
		n.settleProbe(ev)
	case call == n.current && n.phase == phaseHandshaking:
		n.current = 0
		n.settleHandshake(ev)
	}
}

func (n *Negotiation) begin() {
	n.end = n.now + n.cfg.ConnectNs
	if n.modern == nil || n.cfg.Mode == ModeAuto && n.cfg.Known == EraLegacy {
		n.handshake()
		return
	}
	budget := n.cfg.ProbeNs
	if n.cfg.Spawned {
		budget += n.cfg.StartupNs
	}
	n.probe(n.modern[0], budget)
}

// probe asks the server what it speaks. The call outlives the probe's budget, so that an answer
// that comes late is still heard.
func (n *Negotiation) probe(version string, budget core.Time) {
	n.phase = phaseProbing
	n.due = n.now + budget
	n.probes++
	params, err := n.cfg.Client.AppendParams(nil, nil, version)
	if err != nil {
		panic("era: invariant: a validated client renders")
	}
	n.call(Step{Method: "server/discover", Params: params, ID: []byte(`"discover-` + strconv.Itoa(n.probes) + `"`)})
}

func (n *Negotiation) handshake() {
	n.phase = phaseHandshaking
	n.call(Step{Method: "initialize", Params: n.cfg.Client.appendInitialize(nil, n.legacy[0])})
}

func (n *Negotiation) call(step Step) {
	n.calls++
	n.current = n.calls
	step.Kind, step.Call, step.Deadline = StepCall, n.current, n.end
	n.steps = append(n.steps, step)
}

func (n *Negotiation) settleProbe(ev *core.Event) {
	j := judge(ev, n.modern)
	if j.verdict == verdictModern {
		n.teach(EraModern)
		n.decide(Step{Kind: StepModern, Version: j.version, Result: bytes.Clone(ev.Body)})
		return
	}
	n.judged(j)
}

// judged acts on a probe that agreed on nothing.
func (n *Negotiation) judged(j judgement) {
	fallible := j.verdict == verdictNone || j.verdict == verdictLegacy
	switch {
	case j.verdict == verdictAgain && n.mayAskAgain:
		n.mayAskAgain = false
		n.probe(j.version, n.cfg.ProbeNs)
	case j.verdict == verdictLost && n.mayRestart:
		n.restart()
	case fallible && n.mayFallBack:
		n.mayFallBack = false
		lesson := EraUnknown
		if j.verdict == verdictLegacy {
			lesson = EraLegacy
		}
		n.teach(lesson)
		n.handshake()
	default:
		n.fail(j.failure)
	}
}

func (n *Negotiation) settleHandshake(ev *core.Event) {
	switch {
	case ev.Kind == core.EventResult:
		version, failure := judgeInitialize(ev.Body, n.legacy)
		if failure != nil {
			n.fail(*failure)
			return
		}
		n.steps = append(n.steps, Step{Kind: StepNotify, Method: "notifications/initialized"})
		n.decide(Step{Kind: StepLegacy, Version: version, Result: bytes.Clone(ev.Body)})
	case ev.Kind == core.EventError && ev.Code == CodeUnsupportedVersion && n.mayProbe:
		n.probeAfterAll(ev)
	case ev.Kind == core.EventLost && n.mayRestart:
		n.restart()
	default:
		failure := failureOf(ev)
		if ev.Kind == core.EventError {
			o := readOffer(scan.Member(ev.Body, "supported").Of(ev.Body), n.legacy)
			failure.Theirs = o.shown
		}
		n.fail(failure)
	}
}

// probeAfterAll follows the evidence that a server which was taken for legacy is modern: one probe,
// and nothing after it (ERA-6).
func (n *Negotiation) probeAfterAll(ev *core.Event) {
	n.mayProbe, n.mayAskAgain, n.mayFallBack, n.mayRestart = false, false, false, false
	o := readOffer(scan.Member(ev.Body, "supported").Of(ev.Body), n.modern)
	version := o.common
	if version == "" {
		version = n.modern[0]
	}
	n.probe(version, n.cfg.ProbeNs)
}

// restart follows a child that could not bear the probe. Its end teaches nothing, and puts what it
// said before in doubt (ERA-5).
func (n *Negotiation) restart() {
	n.mayRestart, n.mayFallBack, n.restarted = false, false, true
	n.teach(EraUnknown)
	if n.taught != EraUnknown {
		n.forget()
	}
	n.late = 0
	n.steps = append(n.steps, Step{Kind: StepRestart})
	n.handshake()
}

// teach ends the first probe for those who wait for it; a later one speaks only if it has
// something to say.
func (n *Negotiation) teach(lesson Era) {
	if !n.teaches || n.probed && lesson == EraUnknown {
		return
	}
	n.probed, n.taught = true, lesson
	n.steps = append(n.steps, Step{Kind: StepProbed, Era: lesson})
}

func (n *Negotiation) forget() {
	n.taught = EraUnknown
	n.steps = append(n.steps, Step{Kind: StepForget})
}

// learnLate takes what a probe's answer teaches although the connection went on without it (ERA-6).
// A lesson learned since stays.
func (n *Negotiation) learnLate(ev *core.Event) {
	switch verdict := judge(ev, n.modern).verdict; {
	case verdict == verdictModern:
		n.teach(EraModern)
	case verdict == verdictLegacy && n.taught == EraUnknown:
		n.teach(EraLegacy)
	}
}

func (n *Negotiation) decide(step Step) {
	n.phase = phaseDecided
	n.steps = append(n.steps, step)
}

func (n *Negotiation) fail(failure Failure) {
	failure.Method = "initialize"
	if n.phase == phaseProbing {
		failure.Method = "server/discover"
		n.teach(EraUnknown)
	}
	if n.cfg.Mode == ModeAuto && n.cfg.Known == EraModern {
		n.forget()
	}
	failure.Restarted = n.restarted
	failure.Ours = append(append(failure.Ours, n.modern...), n.legacy...)
	n.failure = &failure
	n.decide(Step{Kind: StepFailed})
}
