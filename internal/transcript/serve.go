package transcript

import (
	"errors"
	"fmt"
	"io"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// Serve is a machine behind pipes: it reads inputs in the binary spelling and answers each with
// observations, of which OpReady is the last, until from ends between two records. It has one
// connection at a time; OpOpen begins the next one and forgets the one before (docs/abi.md). The error
// is the other side's fault, named by a *TornError, a *CorruptError or an input that is none, or that
// of a pipe.
func Serve(from io.Reader, to io.Writer) error {
	var s server
	reader := NewReader(from, 0)
	for {
		var r Record
		if err := reader.Next(&r); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		s.answer = s.answer[:0]
		if cap(s.answer) > answerBytesKept {
			s.answer = nil
		}
		if err := s.input(&r); err != nil {
			return err
		}
		if err := s.ready(); err != nil {
			return err
		}
		if _, err := to.Write(s.answer); err != nil {
			return err
		}
	}
}

// What one turn shows at most, before OpMore says that it goes on.
const (
	TurnRecordsMax = 256
	TurnBytesMax   = 1 * core.MiB // the record that reaches it is the last
)

// answerBytesKept is how large a buffer is kept from one answer to the next.
const answerBytesKept = 2 * TurnBytesMax

// server is one connection at a time and the answer under way.
type server struct {
	opening []Record     // OpOpen and OpMethod of a connection that has had no input yet
	machine host.Machine // nil before a connection's first input, and where its configuration was refused
	framing core.Framing
	batch   []core.BatchItem

	holding bool
	taken   int // bytes of the block that OpTake took, as far as they are not written
	spare   []byte

	answer []byte
}

func (s *server) observe(r Record) (err error) {
	s.answer, err = r.AppendBinary(s.answer)
	return err
}

func (s *server) input(r *Record) error {
	switch {
	case r.Op == OpOpen:
		*s = server{opening: []Record{r.clone()}, answer: s.answer}
		return nil
	case r.Op == OpNote:
		return nil
	case r.Op == OpMethod && len(s.opening) > 0:
		s.opening = append(s.opening, r.clone())
		return nil
	case r.Op == OpMethod || r.Op.IsObservation() || r.Op >= OpCapture && r.Op <= OpExit:
		return fmt.Errorf("transcript: %q is no input here", spellings[r.Op].verb)
	}
	if len(s.opening) > 0 {
		if err := s.open(); err != nil {
			return err
		}
	}
	if s.machine == nil {
		return s.observe(Record{Op: OpRefused, Refused: core.ErrClosed})
	}
	return s.drive(r)
}

// open makes the machine that the opening describes, or shows why not.
func (s *server) open() error {
	v := Vector{Title: "a connection", Records: s.opening}
	s.opening = nil
	o, err := v.opening()
	if err != nil {
		return s.observe(Record{Op: OpConfigError, Text: []byte(err.Error())})
	}
	m, err := host.Native(o.config)
	var refused *core.ConfigError
	if errors.As(err, &refused) {
		return s.observe(Record{Op: OpConfigError, Text: []byte(refused.Field)})
	}
	s.machine, s.framing = m, o.config.Framing
	if o.credit > 0 {
		m.Want(o.credit)
	}
	return err
}

func (s *server) drive(r *Record) error {
	m := s.machine
	switch r.Op {
	case OpIn, OpFrame:
		return s.arrive(r)
	case OpEOF:
		return s.refuse(m.CommitEOF())
	case OpAdvance:
		m.Advance(r.Time)
	case OpAt:
		m.Advance(r.Time)
		return s.turn()
	case OpDrain:
		return s.turn()
	case OpHold:
		s.holding = true
	case OpRelease:
		s.holding = false
		s.wrote(s.taken)
	case OpTake:
		return s.take()
	case OpWrote:
		if r.Count > uint64(s.taken) {
			return s.refuse(core.ErrBadCount)
		}
		s.wrote(int(r.Count))
	case OpWriteFailed:
		s.taken = 0
		m.WriteFailed()
	case OpStats, OpState, OpSnapshot:
		return s.inspect(r)
	case OpAddCall, OpAddNotify:
		added := r.clone()
		s.batch = append(s.batch, added.batchItem())
	case OpBatch:
		return s.sendBatch()
	default:
		call, err := r.command(m)
		if err == nil && r.Op == OpCall {
			return s.observe(Record{Op: OpAccepted, Call: uint64(call)})
		}
		return s.refuse(err)
	}
	return nil
}

// refuse shows that an input was refused, or that it met a violation; any other error is a defect.
func (s *server) refuse(err error) error {
	var broken *core.ProtocolError
	var refused core.UsageError
	switch {
	case errors.As(err, &broken):
		return s.observe(violationRecord(broken))
	case errors.As(err, &refused):
		return s.observe(Record{Op: OpRefused, Refused: refused})
	}
	return err
}

// arrive commits what arrived, as often as it is repeated, until it is refused.
func (s *server) arrive(r *Record) error {
	piece := r.bytes(s.framing)
	isMessage := r.Op == OpFrame && s.framing == core.FramingWhole
	for range max(r.Repeat, 1) {
		if err := s.commit(piece, isMessage); err != nil {
			return s.refuse(err)
		}
	}
	return nil
}

func (s *server) commit(piece []byte, isMessage bool) error {
	for {
		size := copy(s.machine.Reserve(min(len(piece), readBytesMax)), piece)
		piece = piece[size:]
		if len(piece) == 0 && isMessage {
			return s.machine.CommitMessage(size)
		}
		if err := s.machine.Commit(size); err != nil || len(piece) == 0 {
			return err
		}
	}
}

// turn shows every event that is ready and, unless the writer is held, takes and writes what is queued.
func (s *server) turn() error {
	var ev core.Event
	for count := 0; ; count++ {
		if count == TurnRecordsMax || len(s.answer) >= TurnBytesMax {
			return s.observe(Record{Op: OpMore})
		}
		if s.machine.Next(&ev) {
			if err := s.event(&ev); err != nil {
				return err
			}
			continue
		}
		if s.holding {
			return nil
		}
		block := s.machine.Take(s.spare)
		s.spare = nil // it is the machine's now
		if block == nil {
			return nil
		}
		if err := s.observe(Record{Op: OpOut, Text: block}); err != nil {
			return err
		}
		s.spare, s.taken = block, len(block)
		s.wrote(s.taken)
	}
}

func (s *server) event(ev *core.Event) error {
	r, err := eventRecord(ev)
	if err != nil {
		return err
	}
	if err := s.observe(r); err != nil {
		return err
	}
	if ev.Kind == core.EventEnding && ev.Reason == core.ReasonViolation {
		return s.observe(violationRecord(s.machine.State().Err))
	}
	return nil
}

func (s *server) take() error {
	block := s.machine.Take(s.spare)
	s.spare = nil
	if block == nil {
		return s.observe(Record{Op: OpTakenNothing})
	}
	s.spare, s.taken = block, len(block)
	return s.observe(Record{Op: OpTaken, Text: block})
}

func (s *server) wrote(size int) {
	s.machine.Wrote(size)
	s.taken -= size
}

// sendBatch sends the members added since the last batch.
func (s *server) sendBatch() error {
	items := s.batch
	s.batch = nil
	ids := make([]core.CallID, len(items))
	if err := s.machine.Batch(items, ids); err != nil {
		return s.refuse(err)
	}
	for i := range items {
		if items[i].Notification {
			continue
		}
		if err := s.observe(Record{Op: OpAccepted, Call: uint64(ids[i])}); err != nil {
			return err
		}
	}
	return nil
}

// ready ends the answer with what holds now.
func (s *server) ready() error {
	ready := Record{Op: OpReady, Time: core.Never}
	if s.machine == nil {
		return s.observe(ready)
	}
	if s.machine.Paused() {
		if err := s.observe(Record{Op: OpPaused}); err != nil {
			return err
		}
	}
	if s.machine.OutputDone() {
		if err := s.observe(Record{Op: OpOutputDone}); err != nil {
			return err
		}
	}
	ready.Time, ready.Timer = s.machine.Deadline()
	if ready.Time >= timeEnd {
		ready.Time = core.Never
	}
	ready.Count = uint64(s.machine.Pending())
	return s.observe(ready)
}

// clone copies what the record shares with a Reader.
func (r *Record) clone() Record {
	c := *r
	for _, member := range []*[]byte{&c.ID, &c.Token, &c.Method, &c.Body, &c.Text} {
		*member = append([]byte(nil), *member...)
	}
	c.Settings = nil
	for _, s := range r.Settings {
		c.Settings = append(c.Settings, Setting{Name: append([]byte(nil), s.Name...), Value: append([]byte(nil), s.Value...)})
	}
	return c
}
