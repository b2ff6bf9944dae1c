package transcript

import (
	"fmt"

	"github.com/parley-rpc/parley/core"
)

// names lists the names of an enumeration, from 0 to its last member.
func names[E interface {
	~uint8
	fmt.Stringer
}](last E) []string {
	var list []string
	for e := E(0); e <= last; e++ {
		list = append(list, e.String())
	}
	return list
}

var (
	modeNames      = names(core.ModeBypass)
	timerNames     = names(core.TimerLinger)
	reasonNames    = names(core.ReasonReadFailed)
	invalidNames   = names(core.InvalidBatchSize)
	violationNames = names(core.ViolationBacklog)
)

var classNames = []string{
	core.ClassInvalid:      "invalid",
	core.ClassRequest:      "request",
	core.ClassNotification: "notification",
	core.ClassResult:       "result",
	core.ClassError:        "error",
	core.ClassBatch:        "batch",
}

var hintNames = []string{
	core.HintNone:        "",
	core.HintTextMode:    "text-mode",
	core.HintBareJSON:    "bare-json",
	core.HintStdoutNoise: "stdout-noise",
	core.HintHeader:      "header",
	core.HintPretty:      "pretty",
	core.HintTerminal:    "terminal",
	core.HintText:        "text",
	core.HintLittle:      "little",
	core.HintDAP:         "dap",
	core.HintCharset:     "charset",
	core.HintOverLimit:   "over-limit",
}

var refusedNames = []string{
	0:                      "",
	core.ErrUnsupported:    "unsupported",
	core.ErrClosed:         "closed",
	core.ErrTooLarge:       "too-large",
	core.ErrOutputFull:     "output-full",
	core.ErrTooManyCalls:   "too-many-calls",
	core.ErrTracing:        "tracing",
	core.ErrTimeout:        "timeout",
	core.ErrCanceled:       "canceled",
	core.ErrUnknownCall:    "unknown-call",
	core.ErrUnknownRequest: "unknown-request",
	core.ErrAnswered:       "answered",
	core.ErrNotRequest:     "not-request",
	core.ErrBadJSON:        "bad-json",
	core.ErrBadParams:      "bad-params",
	core.ErrBadMethod:      "bad-method",
	core.ErrBadID:          "bad-id",
	core.ErrIDTaken:        "id-taken",
	core.ErrBadProgress:    "bad-progress",
	core.ErrBadCount:       "bad-count",
}

const optional, required = true, false

var (
	method  = word("method", "", required, func(r *Record) *[]byte { return &r.Method })
	id      = word("id", "id=", optional, func(r *Record) *[]byte { return &r.ID })
	token   = word("token", "token=", optional, func(r *Record) *[]byte { return &r.Token })
	data    = word("body", "data=", optional, func(r *Record) *[]byte { return &r.Body })
	body    = rest("body", func(r *Record) *[]byte { return &r.Body })
	text    = rest("text", func(r *Record) *[]byte { return &r.Text })
	call    = number("call", "c", required, func(r *Record) *uint64 { return &r.Call })
	req     = number("req", "r", required, func(r *Record) *uint64 { return &r.Req })
	reqIf   = number("req", "r", optional, func(r *Record) *uint64 { return &r.Req })
	ordinal = number("ordinal", "#", required, func(r *Record) *uint64 { return &r.Ordinal })
	offset  = number("offset", "offset=", optional, func(r *Record) *uint64 { return &r.Offset })
	have    = number("have", "have=", optional, func(r *Record) *uint64 { return &r.Have })
	need    = number("need", "need=", optional, func(r *Record) *uint64 { return &r.Need })
	count   = number("count", "count=", optional, func(r *Record) *uint64 { return &r.Count })
	amount  = number("count", "", required, func(r *Record) *uint64 { return &r.Count })
	at      = duration("time", "", required, func(r *Record) *core.Time { return &r.Time })
	by      = duration("deadline", "deadline=", optional, func(r *Record) *core.Time { return &r.Deadline })
	extend  = duration("extend", "extend=", optional, func(r *Record) *core.Time { return &r.Extend })
	byMax   = duration("deadlineMax", "deadline-max=", optional, func(r *Record) *core.Time { return &r.DeadlineMax })
	quiet   = mark("quiet")
	notify  = mark("notification")
	partial = mark("part")
	path    = word("text", "supersede=", optional, func(r *Record) *[]byte { return &r.Text })
	mode    = enum("mode", "", required, modeNames, func(r *Record) *uint8 { return (*uint8)(&r.Mode) })
	timer   = enum("timer", "", required, timerNames, func(r *Record) *uint8 { return (*uint8)(&r.Timer) })
	reason  = enum("reason", "", required, reasonNames, func(r *Record) *uint8 { return (*uint8)(&r.Reason) })
	invalid = enum("invalid", "", required, invalidNames, func(r *Record) *uint8 { return (*uint8)(&r.Invalid) })
	class   = enum("class", "", required, classNames, func(r *Record) *uint8 { return (*uint8)(&r.Class) })
	broken  = enum("broken", "", required, violationNames, func(r *Record) *uint8 { return (*uint8)(&r.Broken) })
	refused = enum("refused", "", required, refusedNames, func(r *Record) *uint8 { return (*uint8)(&r.Refused) })
	hint    = enum("hint", "hint=", optional, hintNames, func(r *Record) *uint8 { return (*uint8)(&r.Hint) })
	flaw    = enum("invalid", "invalid=", optional, invalidNames, func(r *Record) *uint8 { return (*uint8)(&r.Invalid) })
	named   = word("method", "method=", optional, func(r *Record) *[]byte { return &r.Method })
	inside  = word("body", "body=", optional, func(r *Record) *[]byte { return &r.Body })
	callRow = []field{method, by, extend, byMax, token, id, quiet, body}
)

// spelling is one row of the grammar: how a line begins, and the fields that follow.
type spelling struct {
	verb   string
	fields []field
}

var spellings = [opEnd]spelling{
	OpOpen:   {"open", []field{settings()}},
	OpMethod: {"method", []field{method, mode, notify, path}},
	OpNote:   {"##", []field{text}},

	OpIn:          {"> in", []field{text}},
	OpFrame:       {"> frame", []field{text}},
	OpEOF:         {"> eof", nil},
	OpAt:          {"> at", []field{at}},
	OpHold:        {"> hold", nil},
	OpRelease:     {"> release", nil},
	OpTake:        {"> take", nil},
	OpWrote:       {"> wrote", []field{amount}},
	OpWriteFailed: {"> write-failed", nil},

	OpCall:          {"> call", callRow},
	OpNotify:        {"> notify", []field{method, body}},
	OpAddCall:       {"> add-call", callRow},
	OpAddNotify:     {"> add-notify", []field{method, body}},
	OpBatch:         {"> batch", nil},
	OpCancel:        {"> cancel", []field{call}},
	OpReply:         {"> reply", []field{req, body}},
	OpFail:          {"> fail", []field{req, code(), data, text}},
	OpDone:          {"> done", []field{req}},
	OpCancelRequest: {"> cancel-request", []field{ordinal}},
	OpWant:          {"> want", []field{amount}},
	OpForward:       {"> forward", []field{text}},
	OpFinishInput:   {"> finish-input", nil},
	OpShutdown:      {"> shutdown", nil},
	OpAbort:         {"> abort", nil},
	OpTraceStart:    {"> trace-start", nil},
	OpTraceStop:     {"> trace-stop", nil},
	OpSetVersion:    {"> set-version", []field{text}},
	OpStats:         {"> stats", []field{settings()}},
	OpState:         {"> state", []field{settings()}},

	OpRefused:      {"< refused", []field{refused}},
	OpConfigError:  {"< config-error", []field{text}},
	OpStatsAnswer:  {"< stats", []field{settings()}},
	OpStateAnswer:  {"< state", []field{settings()}},
	OpTaken:        {"< taken", []field{text}},
	OpTakenNothing: {"< taken-nothing", nil},

	OpRequest:       {"< request", []field{req, ordinal, id, method, body}},
	OpNotification:  {"< notification", []field{reqIf, ordinal, method, body}},
	OpMessage:       {"< message", []field{class, flaw, offset, hint, id, named, inside, text}},
	OpResult:        {"< result", []field{call, body}},
	OpError:         {"< error", []field{call, code(), data, text}},
	OpInvalidAnswer: {"< invalid-answer", []field{call, id, body}},
	OpTimeout:       {"< timeout", []field{call, id, count, text}},
	OpCanceled:      {"< canceled", []field{call, id}},
	OpLost:          {"< lost", []field{call, reason, id}},
	OpProgress:      {"< progress", []field{call, body}},
	OpCancelNotice:  {"< cancel-request", []field{req, ordinal}},
	OpInvalid:       {"< invalid", []field{invalid, offset, count, hint, text}},
	OpNoise:         {"< noise", []field{invalid, offset, count, hint, text}},
	OpPeerError:     {"< peer-error", []field{code(), data, text}},
	OpResync:        {"< resync", []field{offset, count, text}},
	OpWritable:      {"< writable", nil},
	OpStalled:       {"< stalled", nil},
	OpDropped:       {"< dropped", []field{id, method}},
	OpEnding:        {"< ending", []field{reason}},
	OpViolation:     {"< violation", []field{broken, flaw, offset, have, need, hint, text}},
	OpClosed:        {"< closed", nil},

	OpOut:        {"< out", []field{text}},
	OpPaused:     {"< paused", nil},
	OpReading:    {"< reading", nil},
	OpOutputDone: {"< output-done", nil},
	OpDeadline:   {"< deadline", []field{at, timer}},

	OpCapture:   {"capture", []field{settings()}},
	OpClient:    {"client", []field{at, partial, text}},
	OpServer:    {"server", []field{at, partial, text}},
	OpStderr:    {"stderr", []field{at, text}},
	OpClientEOF: {"client-eof", []field{at}},
	OpServerEOF: {"server-eof", []field{at}},
	OpClientGap: {"client-gap", []field{at, amount}},
	OpServerGap: {"server-gap", []field{at, amount}},
	OpStderrGap: {"stderr-gap", []field{at, amount}},
	OpSignal:    {"signal", []field{at, text}},
	OpExit:      {"exit", []field{at, code(), text}},

	OpReadFailed: {"> read-failed", nil},
	OpAdvance:    {"> advance", []field{at}},
	OpDrain:      {"> drain", nil},
	OpSnapshot:   {"> snapshot", nil},

	OpAccepted:       {"< accepted", []field{call}},
	OpMore:           {"< more", nil},
	OpSnapshotAnswer: {"< snapshot", []field{settings()}},
	OpItem:           {"< item", []field{settings()}},
	OpMethodStats:    {"< method-stats", []field{settings()}},
	OpMethodDropped:  {"< method-dropped", []field{settings()}},
	OpTraced:         {"< traced", []field{settings()}},
	OpReady:          {"< ready", []field{at, timer, amount}},
}

// opOf finds the Op of a line's verb; OpNone if there is none.
func opOf(verb string) Op {
	for op := OpNone + 1; op < opEnd; op++ {
		if spellings[op].verb == verb {
			return op
		}
	}
	return OpNone
}
