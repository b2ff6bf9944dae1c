package sim

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/internal/transcript"
)

// Failure is a run in which a machine broke a rule.
type Failure struct {
	Seed  uint64
	Where string // whose machine it was
	Fault
	Transcript transcript.Vector // what that machine was given, shrunk, and what it did
}

func (f *Failure) Error() string {
	return fmt.Sprintf("%s: %s\nreproduce: go test -tags verify ./internal/sim -run TestSeeds -seed=%#x\n\n%s",
		f.Where, f.Fault.Error(), f.Seed, transcript.Print([]transcript.Vector{f.Transcript}))
}

// Run runs one seed on machines that open makes, and counts what went into them. Its error is a
// *Failure, or says that a machine could not be opened or closed.
func Run(seed uint64, open transcript.Factory) (operations int, err error) {
	w, fault, err := play(seed, open)
	if err != nil {
		return 0, err
	}
	for _, e := range w.ends {
		operations += len(e.tape.records)
	}
	if fault == nil {
		return operations, nil
	}
	e := w.acting
	if found, _ := w.fault(); found != nil {
		e = found
	}
	return operations, &Failure{Seed: seed, Where: e.name, Fault: *fault, Transcript: shrink(e.tape.vector(seed, fault), fault, open)}
}

// play runs one seed and returns what was found.
func play(seed uint64, open transcript.Factory) (w *world, fault *Fault, err error) {
	w, err = newWorld(newDraw(seed), open)
	defer func() {
		err = errors.Join(err, w.close())
	}()
	if err != nil {
		return w, nil, err
	}
	defer func() {
		if cause := recover(); cause != nil {
			fault = panicOf(cause)
		}
	}()
	w.run()
	_, fault = w.fault()
	return w, fault, nil
}

// panicked stands for a rule in the Fault of a machine that panicked; a transcript, which has to
// cite one, then cites ruleOfPanics: the peer's bytes and the caller's commands only ever lead to
// typed errors.
const (
	panicked     = "panic"
	ruleOfPanics = "API-6"
)

func panicOf(cause any) *Fault {
	return &Fault{Rule: panicked, Detail: fmt.Sprintf("%v\n%s", cause, debug.Stack())}
}

// errOpened ends a play that was only to say which configuration a vector opens.
var errOpened = errors.New("sim: opened")

// configOf returns the configuration that a transcript's opening spells.
func configOf(opening []transcript.Record) (cfg core.Config, credit int, err error) {
	v := transcript.Vector{Title: "opening", Records: opening}
	_, err = v.Play(func(c core.Config) (host.Machine, error) {
		cfg = c
		return nil, errOpened
	}, &transcript.Cutting{})
	if !errors.Is(err, errOpened) {
		return cfg, 0, fmt.Errorf("sim: the opening is refused: %w", err)
	}
	err = nil
	credit = creditMax
	for _, s := range opening[0].Settings {
		if string(s.Name) == "credit" {
			credit, err = strconv.Atoi(string(s.Value))
		}
	}
	return cfg, credit, err
}

// creditMax is what an opening grants that says nothing else.
const creditMax = 1<<31 - 1
