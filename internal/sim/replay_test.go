package sim

import (
	"fmt"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/internal/transcript"
)

// A tape is all there was to a machine's run: goal, that what is found in a run is found in its
// transcript. Method: play tapes again, through their text, and compare where the machines stand.
func TestTapesReplay(t *testing.T) {
	const runs = 200
	for seed := range uint64(runs) {
		w, fault, err := play(seed, host.Native)
		if err != nil || fault != nil {
			t.Fatal(fault, err)
		}
		for _, e := range w.ends {
			want := standing(e.Machine)
			if got := standing(again(t, e)); got != want {
				t.Fatalf("seed %#x, %s: in the run %s\nplayed again %s", seed, e.name, want, got)
			}
		}
	}
}

// again plays the text of an end's tape on a new machine.
func again(t *testing.T, e *end) (machine host.Machine) {
	t.Helper()
	v := e.tape.vector(0, &Fault{Rule: "CALL-3", Detail: "nothing"})
	v.Records = v.Records[:len(v.Records)-1] // the turn that a vector ends with
	parsed, err := transcript.Parse(transcript.Print([]transcript.Vector{v}))
	if err != nil {
		t.Fatal(err)
	}
	_, err = parsed[0].Play(func(cfg core.Config) (host.Machine, error) {
		machine, err = host.Native(cfg)
		return machine, err
	}, &transcript.Cutting{})
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

func standing(m host.Machine) string {
	state := m.State()
	violation := fmt.Sprint(state.Err)
	state.Err = nil
	when, timer := m.Deadline()
	return fmt.Sprintf("%+v %+v %d %v %s", state, m.Stats(), when, timer, violation)
}
