package transcript

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// Factory makes the machine under test.
type Factory func(core.Config) (host.Machine, error)

const (
	// A reader commits at most this much at once; bytes.
	readBytesMax = 64 * core.KiB
	// A writer reports progress after each piece of this size (SEND-6); bytes.
	writeBytesMax = 16 * core.KiB
	// A longer value is shown by its first bytes, its size and its hash; bytes.
	shownBytesMax   = 512
	shownPrefixSize = 64
)

// Play gives the vector's inputs to a new machine, cut as cutting says, and returns the vector with
// the observations that the machine made instead of those it came with. Its error is a defect of the
// vector or of the machine's engine, never something that the peer's bytes caused.
func (v *Vector) Play(open Factory, cutting *Cutting) (Vector, error) {
	played := Vector{Rules: v.Rules, Title: v.Title}
	o, err := v.opening()
	if err != nil {
		return played, err
	}
	m, err := open(o.config)
	var refused *core.ConfigError
	if errors.As(err, &refused) {
		for i := range v.Records {
			if v.Records[i].Op < OpIn {
				played.Records = append(played.Records, v.Records[i])
			}
		}
		played.Records = append(played.Records, Record{Op: OpConfigError, Text: []byte(refused.Field)})
		return played, nil
	}
	if err != nil {
		return played, err
	}
	p := player{machine: m, framing: o.config.Framing, cutting: cutting, deadline: core.Never}
	if o.credit > 0 {
		m.Want(o.credit)
	}
	err = p.play(v.Records)
	played.Records = p.records
	return played, errors.Join(err, m.Close())
}

// player is one play of one vector.
type player struct {
	machine host.Machine
	framing core.Framing
	cutting *Cutting
	records []Record // inputs and observations so far

	arriving []byte // read and not committed
	offset   uint64 // of arriving[0] in the stream, bytes
	batch    []core.BatchItem

	calls []core.CallID // calls[n-1] is the handle of call n
	reqs  []core.ReqID  // reqs[n-1] is the handle of request n

	// What the turn has shown so far. A turn that a cutting inserts adds to it.
	events []Record
	blocks [][]byte

	// The writer.
	holding bool
	taken   []byte // a block that OpTake took, as far as it is not written
	spare   []byte

	// What was shown last.
	now        core.Time
	deadline   core.Time
	timer      core.TimerKind
	paused     bool
	outputDone bool
	broken     string // the text of the violation that Commit reported
}

func (p *player) play(records []Record) error {
	for i := range records {
		r := &records[i]
		if r.Op.IsObservation() {
			continue
		}
		if r.Op != OpIn && r.Op != OpFrame {
			if err := p.commit(false); err != nil {
				return err
			}
		}
		p.records = append(p.records, *r)
		if err := p.input(r); err != nil {
			return err
		}
		if err := p.machine.Err(); err != nil {
			return fmt.Errorf("transcript: the engine failed: %w", err)
		}
	}
	if len(p.arriving) > 0 || !endsWithTurn(p.records) {
		return errors.New("transcript: a vector ends with a turn: > at TIME")
	}
	return nil
}

// endsWithTurn reports whether nothing that a turn would show follows the last turn.
func endsWithTurn(records []Record) bool {
	for i := len(records) - 1; i >= 0; i-- {
		switch op := records[i].Op; {
		case op == OpAt, op == OpMethod, op == OpOpen:
			return true
		case op.IsObservation(), op == OpStats, op == OpState, op == OpNote:
		default:
			return false
		}
	}
	return true
}

func (p *player) input(r *Record) error {
	switch r.Op {
	case OpOpen, OpMethod, OpNote:
	case OpIn, OpFrame:
		return p.arrive(r)
	case OpEOF:
		return p.committed(p.machine.CommitEOF())
	case OpAt:
		return p.endTurn(r.Time)
	case OpHold:
		p.holding = true
	case OpRelease:
		p.holding = false
		p.wrote(len(p.taken))
	case OpTake:
		p.take()
	case OpWrote:
		if r.Count > uint64(len(p.taken)) {
			return fmt.Errorf("transcript: wrote %d of a block of %d bytes", r.Count, len(p.taken))
		}
		p.wrote(int(r.Count))
	case OpWriteFailed:
		p.taken = nil
		p.machine.WriteFailed()
	case OpStats:
		stats := p.machine.Stats()
		answers, err := ask(&stats, r.Settings)
		p.observe(Record{Op: OpStatsAnswer, Settings: answers})
		return err
	case OpState:
		state := p.machine.State()
		answers, err := ask(&state, r.Settings)
		p.observe(Record{Op: OpStateAnswer, Settings: answers})
		return err
	default:
		return p.refuse(p.command(r))
	}
	return nil
}

func (p *player) observe(r Record) { p.records = append(p.records, r) }

// refuse shows that a command was refused; any other error is a defect.
func (p *player) refuse(err error) error {
	var refused core.UsageError
	if !errors.As(err, &refused) {
		return err
	}
	p.observe(Record{Op: OpRefused, Refused: refused})
	return nil
}

// endTurn advances the clock, drains, writes, and shows everything that changed.
func (p *player) endTurn(now core.Time) error {
	p.now = now
	if err := p.turn(!p.holding); err != nil {
		return err
	}
	p.records = append(p.records, p.events...)
	p.events = nil
	p.showOutput()
	if paused := p.machine.Paused(); paused != p.paused {
		p.paused = paused
		p.observe(Record{Op: map[bool]Op{true: OpPaused, false: OpReading}[paused]})
	}
	if done := p.machine.OutputDone(); done && !p.outputDone {
		p.outputDone = true
		p.observe(Record{Op: OpOutputDone})
	}
	if deadline, timer := p.machine.Deadline(); deadline != p.deadline || timer != p.timer {
		p.deadline, p.timer = deadline, timer
		p.observe(Record{Op: OpDeadline, Time: deadline, Timer: timer})
	}
	return nil
}

// turn is one turn of a host. Writing can bring events, so it drains until nothing was written.
func (p *player) turn(isWriting bool) error {
	p.machine.Advance(p.now)
	for {
		if err := p.drain(); err != nil {
			return err
		}
		if !isWriting {
			return nil
		}
		block := p.machine.Take(p.spare)
		p.spare = nil // it is the machine's now
		if block == nil {
			return nil
		}
		p.blocks = append(p.blocks, append([]byte(nil), block...))
		p.taken = block
		p.wrote(len(block))
	}
}

// showOutput shows the turn's output: message by message in framing whole, else as one run of
// bytes, since blocks may be cut anywhere between frames.
func (p *player) showOutput() {
	if p.framing == core.FramingWhole {
		for _, message := range p.blocks {
			p.observe(Record{Op: OpOut, Text: shown(message)})
		}
	} else {
		var joined []byte
		for _, block := range p.blocks {
			joined = append(joined, block...)
		}
		if len(joined) > 0 {
			p.observe(Record{Op: OpOut, Text: shown(joined)})
		}
	}
	p.blocks = nil
}

func (p *player) take() {
	block := p.machine.Take(p.spare)
	p.spare = nil
	if block == nil {
		p.observe(Record{Op: OpTakenNothing})
		return
	}
	p.taken = block
	p.observe(Record{Op: OpTaken, Text: shown(block)})
}

// wrote reports the next size bytes of the block taken as written, in a writer's pieces.
func (p *player) wrote(size int) {
	for written := 0; written < size; {
		piece := min(size-written, writeBytesMax)
		p.machine.Wrote(piece)
		written += piece
	}
	p.spare = p.taken
	p.taken = p.taken[size:]
}

// shown copies value for a record; a long one is named by its beginning, its size and its hash.
func shown(value []byte) []byte {
	if len(value) <= shownBytesMax {
		return append([]byte(nil), value...)
	}
	return fmt.Appendf(nil, "%s ... %d bytes, SHA-256 %x",
		value[:shownPrefixSize], len(value), sha256.Sum256(value))
}
