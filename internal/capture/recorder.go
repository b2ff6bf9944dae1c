package capture

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/transcript"
)

// QueueBytesMax bounds what waits for the disk; what passes beyond it is not recorded, and counted.
// Every piece is charged queueOverhead on top. Unit: bytes.
const (
	QueueBytesMax = 16 * core.MiB
	queueOverhead = 128
)

// Recorder writes what passes a tap to a File, from a goroutine of its own. What a message hides
// under its Redaction reaches neither the disk nor the kernel.
//
// A piece of a message waits in memory until its message is complete, unless nothing is redacted: the
// Recorder holds at most two largest messages, twice, and what is queued.
type Recorder struct {
	file      *File
	redaction *Redaction
	sides     [2]*held // client, server; nil where nothing is redacted

	mu          sync.Mutex
	queue       []piece
	queuedBytes int
	lost        map[transcript.Op]uint64 // bytes by gap record, not told yet
	lostBytes   uint64
	closed      bool
	failed      error

	progress atomic.Uint64 // pieces recorded and blocks written
	wake     chan struct{} // one token: the queue is to be written
	closing  chan struct{}
	done     chan struct{}
}

// piece is one record to be.
type piece struct {
	op   transcript.Op
	at   core.Time
	text []byte
	gap  uint64
	code core.Code
}

// NewRecorder starts a Recorder. It owns file until Close.
func NewRecorder(file *File, redaction *Redaction) *Recorder {
	r := &Recorder{
		file: file, redaction: redaction,
		lost: map[transcript.Op]uint64{}, wake: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{}),
	}
	if !redaction.IsOff() {
		for side, op := range []transcript.Op{transcript.OpClient, transcript.OpServer} {
			r.sides[side] = &held{op: op, framer: NewFramer(file.header.Framing), redaction: redaction}
		}
	}
	go r.run()
	return r
}

// gapOf is the record that says that records of op are missing.
var gapOf = map[transcript.Op]transcript.Op{
	transcript.OpClient: transcript.OpClientGap,
	transcript.OpServer: transcript.OpServerGap,
	transcript.OpStderr: transcript.OpStderrGap,
}

// Bytes takes what was read from the client, the server or the server's stderr. It copies text and
// never waits for the disk; it is written after Flush.
func (r *Recorder) Bytes(op transcript.Op, at core.Time, text []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if r.failed != nil || r.queuedBytes+len(text)+queueOverhead > QueueBytesMax {
		r.lost[gapOf[op]] += uint64(len(text))
		r.lostBytes += uint64(len(text))
		return
	}
	r.tellGap(gapOf[op], at)
	r.push(piece{op: op, at: at, text: slices.Clone(text)})
}

// Mark records an end of input, a signal or the exit.
func (r *Recorder) Mark(op transcript.Op, at core.Time, text string, code core.Code) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.queuedBytes > 2*QueueBytesMax {
		return
	}
	for gap := range r.lost {
		r.tellGap(gap, at)
	}
	p := piece{op: op, at: at, code: code}
	if text != "" {
		p.text = []byte(text)
	}
	r.push(p)
	r.Flush()
}

// Flush lets what was taken be written, soon.
func (r *Recorder) Flush() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *Recorder) tellGap(gap transcript.Op, at core.Time) {
	if size := r.lost[gap]; size > 0 {
		delete(r.lost, gap)
		r.push(piece{op: gap, at: at, gap: size})
	}
}

func (r *Recorder) push(p piece) {
	r.queue = append(r.queue, p)
	r.queuedBytes += len(p.text) + queueOverhead
}

// Outcome is what became of a recording.
type Outcome struct {
	LostBytes uint64 // passed and were not recorded
	Err       error  // why the recording ended early; nil: it did not
}

// Close writes what is queued and closes the file. It gives up once nothing has been written for linger.
func (r *Recorder) Close(linger time.Duration) Outcome {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	close(r.closing)
	for isDone, before := false, uint64(0); !isDone; {
		select {
		case <-r.done:
			isDone = true
		case <-time.After(linger):
			progress := r.progress.Load()
			isDone, before = progress == before, progress
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	out := Outcome{LostBytes: r.lostBytes, Err: r.failed}
	select {
	case <-r.done:
	default:
		for _, p := range r.queue {
			out.LostBytes += uint64(len(p.text))
		}
		out.Err = fmt.Errorf("%s: the disk did not take what was left within %v", r.file.path, linger)
	}
	return out
}

// run is the Recorder's goroutine: it takes what is queued, all at once, and writes it.
func (r *Recorder) run() {
	defer close(r.done)
	var buffer []byte
	var err error
	for isClosed := false; !isClosed; {
		r.wait()
		var pieces []piece
		r.mu.Lock()
		pieces, r.queue, isClosed = r.queue, nil, r.closed
		r.mu.Unlock()
		for i := range pieces {
			if err == nil {
				buffer, err = r.record(buffer, &pieces[i])
				r.progress.Add(1)
			}
		}
		if isClosed && err == nil {
			buffer, err = r.release(buffer)
		}
		if err == nil && len(buffer) > 0 {
			err = r.file.write(buffer)
			r.progress.Add(1)
		}
		buffer = buffer[:0]
		r.wrote(pieces, err)
	}
	if closeErr := r.file.file.Close(); err == nil && closeErr != nil {
		r.wrote(nil, closeErr)
	}
}

// gatherFor is how long pieces are gathered before they are written: what the writer does in the middle of an
// answer is taken from the session. It is also what a killed tap may lose.
const gatherFor = 50 * time.Millisecond

// wait returns when there is something to write.
func (r *Recorder) wait() {
	select {
	case <-r.wake:
	case <-r.closing:
		return
	}
	select {
	case <-time.After(gatherFor):
	case <-r.closing:
	}
}

// wrote gives the room of pieces back. After a failure nothing is recorded any more.
func (r *Recorder) wrote(pieces []piece, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range pieces {
		r.queuedBytes -= len(p.text) + queueOverhead
		if err != nil {
			r.lostBytes += uint64(len(p.text))
		}
	}
	if r.failed == nil {
		r.failed = err
	}
}

// record appends the records that a piece completes.
func (r *Recorder) record(to []byte, p *piece) ([]byte, error) {
	switch p.op {
	case transcript.OpClient, transcript.OpServer:
		if side := r.side(p.op); side != nil {
			return side.feed(to, p)
		}
	case transcript.OpClientGap, transcript.OpServerGap:
		if side := r.side(p.op); side != nil {
			var err error
			if to, err = side.lose(to, p.gap); err != nil {
				return to, err
			}
		}
	case transcript.OpStderr:
		if !r.redaction.IsOff() {
			r.redaction.maskLoose(p.text)
		}
	}
	record := transcript.Record{Op: p.op, Time: p.at, Text: p.text, Count: p.gap, Code: p.code}
	return record.AppendBinary(to)
}

// release appends what waits for the end of its message.
func (r *Recorder) release(to []byte) ([]byte, error) {
	var err error
	for _, side := range r.sides {
		if side != nil && err == nil {
			to, err = side.end(to)
		}
	}
	return to, err
}

func (r *Recorder) side(op transcript.Op) *held {
	if op == transcript.OpClient || op == transcript.OpClientGap {
		return r.sides[0]
	}
	return r.sides[1]
}
