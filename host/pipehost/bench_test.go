package pipehost_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host/pipehost"
	"github.com/parley-rpc/parley/host/wasmhost"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

// BenchmarkInput is the price of one input: the least that is given and answered.
func BenchmarkInput(b *testing.B) {
	file := wasmtest.Command(b)
	module, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	command, err := wasmhost.StartCommand(b.Context(), module)
	if err != nil {
		b.Fatal(err)
	}
	engines := map[string]func() (*pipehost.Engine, error){
		"wazero":  func() (*pipehost.Engine, error) { return pipehost.New(pipehost.Command(command)) },
		"process": func() (*pipehost.Engine, error) { return pipehost.Start(process(b)) },
	}
	if runner, missing := wasmtest.Runner(b); missing == "" {
		engines["node"] = func() (*pipehost.Engine, error) { return pipehost.Start(exec.Command("node", runner, file)) }
	}
	for name, start := range engines {
		b.Run(name, func(b *testing.B) {
			e, err := start()
			if err != nil {
				b.Fatal(err)
			}
			defer e.Close()
			m, err := e.Machine(core.Defaults(core.ProfileLSP, core.RoleClient))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				m.Advance(1)
			}
			if m.Err() != nil {
				b.Error(m.Err())
			}
		})
	}
}
