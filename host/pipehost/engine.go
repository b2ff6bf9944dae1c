// Package pipehost runs the machine on the far side of two pipes: package core built as a program
// (wasm/command), in whatever WASI runtime there is, or natively. What goes in and comes out are the
// records of a capture (docs/abi.md). It is the way to the core for a host that has no WebAssembly of
// its own, and it costs a round trip over the pipes for each input; where Go's wazero will do, package
// wasmhost is far faster.
package pipehost

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/internal/transcript"
)

// Command is a running wasm/command. Closing Stdin and Stdout, or Stop, makes a Read or Write that
// waits return.
type Command struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser
	// Stderr is what the command has written there, or the part of it that is kept; nil: unknown.
	Stderr func() []byte
	// Stop ends the command, whatever it is doing, and returns once it is gone. It may be called
	// from any goroutine, and more than once.
	Stop func() error
}

// Engine makes machines in one command, one at a time: a Machine is refused while the one before is
// open. It is safe for concurrent use; a Machine is not.
type Engine struct {
	command Command
	options options
	reader  *transcript.Reader
	input   []byte // the record on its way in
	alarm   *time.Timer

	mu      sync.Mutex
	busy    bool
	failure *Error
	stopped error
	stop    sync.Once
}

// Option changes one thing about an Engine.
type Option func(*options)

type options struct{ answer time.Duration }

// Answer bounds how long the command takes for one answer, 10 s by default. A command that takes
// longer is stopped, and its machine's Err is ErrNoAnswer.
func Answer(limit time.Duration) Option { return func(o *options) { o.answer = limit } }

// New makes an engine of a running command, which it owns from then on.
func New(command Command, opts ...Option) (*Engine, error) {
	e := &Engine{command: command, options: options{answer: 10 * time.Second}}
	for _, set := range opts {
		set(&e.options)
	}
	if e.options.answer <= 0 {
		return nil, errors.Join(fmt.Errorf("pipehost: Answer(%v): want more than 0", e.options.answer), command.Stop())
	}
	e.reader = transcript.NewReader(bufio.NewReaderSize(command.Stdout, 64<<10), 0)
	e.alarm = time.AfterFunc(e.options.answer, func() { e.fail("an input", ErrNoAnswer) })
	e.alarm.Stop()
	return e, nil
}

// What becomes of a command; errors.Is finds them in an *Error.
var (
	ErrEnded        = errors.New("the command ended, or closed its stdout")
	ErrGarbled      = errors.New("the command answers what is no answer")
	ErrNoAnswer     = errors.New("the command takes too long for an answer")
	ErrEngineClosed = errors.New("the engine is closed")
	ErrBusy         = errors.New("pipehost: a machine of this command is still open")
)

// Error is the failure of a command. Its machine has ended, and nothing is asked of the command
// again.
type Error struct {
	Input  string // what the command was doing, as a transcript spells it: "> call"
	Stderr []byte // what the command said, where that is known; escape it before showing it
	Err    error  // one of ErrEnded, ErrGarbled, ErrNoAnswer and ErrEngineClosed, and what it was
}

func (e *Error) Error() string {
	s := "pipehost: " + e.Input + ": " + e.Err.Error()
	if len(e.Stderr) > 0 {
		s += fmt.Sprintf("; it said %+q", e.Stderr)
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Machine opens the command's next connection. A *core.ConfigError says which field was refused.
func (e *Engine) Machine(cfg core.Config) (host.Machine, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	opening, err := transcript.Opening(&cfg)
	if err != nil {
		return nil, err
	}
	if err := e.claim(); err != nil {
		return nil, err
	}
	m := newMachine(e, &cfg)
	if err := m.open(opening); err != nil {
		e.release()
		return nil, err
	}
	return m, nil
}

func (e *Engine) claim() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failure != nil {
		return e.failure
	}
	if e.busy {
		return ErrBusy
	}
	e.busy = true
	return nil
}

func (e *Engine) release() {
	e.mu.Lock()
	e.busy = false
	e.mu.Unlock()
}

// Close stops the command and ends its machine. It is repeatable.
func (e *Engine) Close() error {
	e.fail("close", ErrEngineClosed)
	return e.stopped
}

// fail stops the command for good; the first reason stays. It returns once the command is gone, so
// that all that it said is known.
func (e *Engine) fail(input string, cause error) *Error {
	e.mu.Lock()
	if e.failure == nil {
		e.failure = &Error{Input: input, Err: cause}
	}
	e.mu.Unlock()
	e.stop.Do(func() {
		err := e.command.Stop()
		e.mu.Lock()
		defer e.mu.Unlock()
		e.stopped = err
		if e.command.Stderr != nil {
			told := *e.failure
			told.Stderr = e.command.Stderr()
			e.failure = &told
		}
	})
	return e.err()
}

// err is why the command is not asked again; nil while it is.
func (e *Engine) err() *Error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.failure
}

// exchange gives the command one input and hands every record of the answer to show, which keeps no
// memory of it. It returns the record that ends the answer.
func (e *Engine) exchange(input *transcript.Record, show func(*transcript.Record) error) (ready transcript.Record, err error) {
	if failure := e.err(); failure != nil {
		return ready, failure
	}
	if e.input, err = input.AppendBinary(e.input[:0]); err != nil {
		return ready, core.ErrTooLarge // our own record: the command was not asked
	}
	e.alarm.Reset(e.options.answer)
	defer e.alarm.Stop()
	if _, err := e.command.Stdin.Write(e.input); err != nil {
		return ready, e.fail(input.Verb(), fmt.Errorf("%w: %w", ErrEnded, err))
	}
	if cap(e.input) > inputBytesKept {
		e.input = nil
	}
	for {
		var r transcript.Record
		if err := e.reader.Next(&r); err != nil {
			return ready, e.fail(input.Verb(), causeOf(err))
		}
		if r.Op == transcript.OpReady {
			return r, nil
		}
		if err := show(&r); err != nil {
			return ready, e.fail(input.Verb(), fmt.Errorf("%w: %w", ErrGarbled, err))
		}
	}
}

// inputBytesKept is how large a buffer is kept from one input to the next.
const inputBytesKept = 128 * core.KiB

// causeOf says what an error of the reader means for the command.
func causeOf(err error) error {
	var corrupt *transcript.CorruptError
	if errors.As(err, &corrupt) {
		return fmt.Errorf("%w: %w", ErrGarbled, err)
	}
	return fmt.Errorf("%w: %w", ErrEnded, err)
}
