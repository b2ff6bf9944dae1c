package sim

import (
	"context"
	"testing"

	"github.com/parley-rpc/parley/host/wasmhost"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

const wazeroRuns = 100 // each opens an instance or more

// The core in the sandbox keeps every rule too: goal, that the module and the host around it lose
// nothing of what the native machine does.
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
	for i := range runs {
		if err := Run(first+i, engine.Machine); err != nil {
			t.Fatal(err)
		}
	}
}
