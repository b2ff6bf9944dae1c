package pipehost

import (
	"errors"
	"fmt"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/internal/transcript"
)

// machine is host.Machine as records. What it knows of the connection between inputs is what the
// last answer said.
type machine struct {
	engine  *Engine
	limits  core.Limits
	framing core.Framing
	methods int

	ready      transcript.Record // the end of the last answer
	paused     bool
	outputDone bool
	violation  *core.ProtocolError // sticky, one value for every Commit and State

	events []core.Event // fetched and not delivered: events[next:]
	next   int
	stale  bool // there may be more events than were fetched

	answer answer
	space  []byte // what Reserve handed out

	closed  bool
	failure error // what Err was when the machine was closed
}

var _ host.Machine = (*machine)(nil)

// answer is what is expected of one answer, and what it said but for events.
type answer struct {
	inspect  func(*transcript.Record) (belongs bool, err error) // takes what describes the connection; nil: nothing is asked
	callsMax int                                                // calls that the input makes
	spare    []byte                                             // where a block goes

	refused core.UsageError
	broken  bool // the input met a violation, new or old
	calls   []core.CallID
	block   []byte
	records int
	bytes   int
}

func newMachine(e *Engine, cfg *core.Config) *machine {
	m := &machine{engine: e, limits: cfg.Limits, framing: cfg.Framing, methods: len(cfg.Methods)}
	m.ready.Time = core.Never
	return m
}

// open gives the records that open the connection. The command makes it at the first input, which
// tells it to keep its output until it is taken.
func (m *machine) open(opening []transcript.Record) error {
	for i := range opening {
		if err := m.give(&opening[i], answer{}); err != nil {
			return err
		}
	}
	var field string
	err := m.give(&transcript.Record{Op: transcript.OpHold}, answer{inspect: func(r *transcript.Record) (bool, error) {
		if r.Op != transcript.OpConfigError {
			return false, nil
		}
		field = string(r.Text)
		return true, nil
	}})
	if field != "" {
		return &core.ConfigError{Field: field, Reason: "the command refuses it"}
	}
	return err
}

// give gives one input and takes over what the answer says. The error is a refusal, the violation
// that the input met, or the failure of the command.
func (m *machine) give(r *transcript.Record, expected answer) error {
	if m.closed {
		return errClosed
	}
	m.answer = expected
	m.paused, m.outputDone = false, false
	m.stale = mayTell(r.Op) || m.stale && r.Op != transcript.OpDrain
	ready, err := m.engine.exchange(r, m.show)
	if err != nil {
		return err
	}
	m.ready = ready
	switch a := &m.answer; {
	case a.refused != 0:
		return a.refused
	case a.broken:
		return m.violation
	case len(a.calls) != a.callsMax:
		return m.engine.fail(r.Verb(), fmt.Errorf("%w: it accepts %d calls of %d", ErrGarbled, len(a.calls), a.callsMax))
	}
	return nil
}

// mayTell reports whether an input can be followed by new events.
func mayTell(op transcript.Op) bool {
	switch op {
	case transcript.OpDrain, transcript.OpTake, transcript.OpStats, transcript.OpState, transcript.OpSnapshot:
		return false
	}
	return true
}

// What an answer may be at most: the events of a turn and what stands around them; or what a
// connection shows of itself.
const (
	aroundRecords   = 8
	inspectRecords  = core.SnapshotItemsMax + core.TraceRecordsMax + core.DroppedMethodsMax + aroundRecords
	inspectBytesMax = transcript.RecordBytesMax
)

// show takes over one record of an answer.
func (m *machine) show(r *transcript.Record) error {
	a := &m.answer
	recordsMax, bytesMax := transcript.TurnRecordsMax+aroundRecords+a.callsMax, transcript.TurnBytesMax
	if a.inspect != nil {
		recordsMax, bytesMax = inspectRecords+m.methods, inspectBytesMax
	}
	size := sizeOf(r)
	if a.records++; a.records > recordsMax || a.bytes >= bytesMax && size > 0 {
		return fmt.Errorf("an answer of more than %d records, or %d bytes", recordsMax, bytesMax)
	}
	a.bytes += size
	if a.inspect != nil {
		if belongs, err := a.inspect(r); belongs || err != nil {
			return err
		}
	}
	switch r.Op {
	case transcript.OpRefused:
		a.refused = r.Refused
	case transcript.OpAccepted:
		a.calls = append(a.calls, core.CallID(r.Call))
	case transcript.OpTaken:
		a.block = append(a.spare[:0], r.Text...)
	case transcript.OpTakenNothing:
	case transcript.OpViolation:
		a.broken = true
		if m.violation == nil {
			m.violation = r.Violation()
			m.violation.Sample = append([]byte(nil), r.Text...)
		}
	case transcript.OpPaused:
		m.paused = true
	case transcript.OpOutputDone:
		m.outputDone = true
	case transcript.OpMore:
		m.stale = true
	default:
		ev, isEvent := r.Event()
		if !isEvent {
			return fmt.Errorf("%q does not belong into an answer", r.Verb())
		}
		m.events = append(m.events, ownEvent(ev))
	}
	return nil
}

// sizeOf is what a record makes this side keep. Unit: bytes.
func sizeOf(r *transcript.Record) int {
	size := len(r.ID) + len(r.Method) + len(r.Body) + len(r.Text)
	for _, s := range r.Settings {
		size += len(s.Name) + len(s.Value)
	}
	return size
}

// ownEvent copies what an event shares with the reader.
func ownEvent(ev core.Event) core.Event {
	for _, member := range []*[]byte{&ev.ID, &ev.Method, &ev.Body, &ev.Text, &ev.Frame} {
		*member = append([]byte(nil), *member...)
	}
	return ev
}

// must takes the result of an input that refuses nothing this side would ask for.
func (m *machine) must(err error) {
	var refused core.UsageError
	if errors.As(err, &refused) && refused != core.ErrClosed {
		m.engine.fail("an input", fmt.Errorf("%w: it refuses what cannot be refused: %w", ErrGarbled, err))
	}
}

// alive is false once the command has failed or the machine is closed.
func (m *machine) alive() bool { return !m.closed && m.engine.err() == nil }

// Err is the *Error that ended the command.
func (m *machine) Err() error {
	if m.closed {
		return m.failure
	}
	if failure := m.engine.err(); failure != nil {
		return failure
	}
	return nil
}

// Close leaves the command to the next machine, whose opening ends this connection there.
func (m *machine) Close() error {
	if m.closed {
		return nil
	}
	m.failure = m.Err()
	m.closed = true
	m.engine.release()
	return nil
}

var errClosed = errors.New("pipehost: the machine is closed")

// closedBy is what a command answers: whatever ended the far side, the connection is closed.
func closedBy(err error) error {
	switch err.(type) {
	case nil, core.UsageError, *core.ProtocolError:
		return err
	}
	return core.ErrClosed
}
