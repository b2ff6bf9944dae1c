package sim

import (
	"context"
	"testing"

	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/wasmhost"
	"github.com/parley-rpc/parley/internal/transcript"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

const wazeroRuns = 100 // each opens an instance or more

// The core in the sandbox keeps every rule, and does what the native one does: goal, that the module
// and the host around it lose and add nothing. Method: what happens next in a run is drawn from what
// happened before, so that two runs with equal tapes were equal throughout.
func TestSeedsInWazero(t *testing.T) {
	ctx := context.Background()
	engine, err := wasmhost.New(ctx, wasmhost.Module(wasmtest.Reactor(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := engine.Close(ctx); err != nil {
			t.Error(err)
		}
	}()
	first, runs := seeds(t, wazeroRuns)
	for seed := first; seed < first+runs; seed++ {
		if _, err := Run(seed, engine.Machine); err != nil {
			t.Fatal(err)
		}
		want, got := tapes(t, seed, host.Native), tapes(t, seed, engine.Machine)
		if diff := transcript.Diff(want, got); diff != "" {
			t.Fatalf("seed %#x runs natively (-) as it does not in wazero (+):\n%s", seed, diff)
		}
	}
}

// tapes returns what went into each machine of a run, as text.
func tapes(t *testing.T, seed uint64, open transcript.Factory) []byte {
	t.Helper()
	w, _, err := play(seed, open)
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for _, e := range w.ends {
		for i := range e.tape.records {
			text = e.tape.records[i].Append(text)
		}
	}
	return text
}
