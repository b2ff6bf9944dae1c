package wasmhost

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/parley-rpc/parley/internal/abigen"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

var update = flag.Bool("update", false, "rewrite docs/abi.txt")

// moduleBytesMax is the budget of the raw module. An empty Go reactor has 1.82 MB of it, the zeros of joined
// data segments 0.33 MB; compressed they make the module 5 % smaller.
const moduleBytesMax = 3_200_000

func decode(t *testing.T) wazero.CompiledModule {
	t.Helper()
	ctx := context.Background()
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { runtime.Close(ctx) })
	compiled, err := runtime.CompileModule(ctx, wasmtest.Reactor(t))
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// An eleventh import means that core or the reactor has come to depend on time, fmt or the like,
// which every home would have to provide and every page to download.
func TestModuleImportsExactlyTenFunctions(t *testing.T) {
	want := []string{
		"args_get", "args_sizes_get", "clock_time_get", "environ_get", "environ_sizes_get",
		"fd_write", "poll_oneoff", "proc_exit", "random_get", "sched_yield",
	}
	var got []string
	for _, f := range decode(t).ImportedFunctions() {
		module, name, _ := f.Import()
		if module != "wasi_snapshot_preview1" {
			t.Errorf("%s.%s is no WASI import", module, name)
		}
		got = append(got, name)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("imports %v, want %v", got, want)
	}
}

func TestModuleStaysWithinItsBudget(t *testing.T) {
	module := wasmtest.Reactor(t)
	if testing.Verbose() && !underRace { // some seconds, for a figure that nothing depends on
		t.Logf("reactor: %d bytes, %d with brotli 11", len(module), brotliBytes(t, module))
	}
	if len(module) > moduleBytesMax {
		t.Errorf("the module has %d bytes, its budget is %d", len(module), moduleBytesMax)
	}
}

func brotliBytes(t *testing.T, module []byte) int {
	t.Helper()
	var packed bytes.Buffer
	w := brotli.NewWriterLevel(&packed, brotli.BestCompression)
	if _, err := w.Write(module); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Len()
}

// docs/abi.txt lists every export with its types, every number and every layout. A change of it in
// a review is a change of the ABI.
func TestABIIsAsListed(t *testing.T) {
	const file = "../../docs/abi.txt"
	numbers, err := abigen.Listing()
	if err != nil {
		t.Fatal(err)
	}
	listing := strings.Join(signatures(decode(t)), "\n") + "\n" + numbers
	if *update {
		if err := os.WriteFile(file, []byte(listing), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want, got := string(committed), listing; want != got {
		t.Errorf("docs/abi.txt is not what the module exports: go test ./host/wasmhost -run ABIIsAsListed -update\n%s",
			firstDifference(want, got))
	}
}

// signatures spells the exports, each with the types of its parameters and of its result.
func signatures(compiled wazero.CompiledModule) []string {
	exports := slices.SortedFunc(maps.Values(compiled.ExportedFunctions()), func(a, b api.FunctionDefinition) int {
		return cmp.Compare(a.ExportNames()[0], b.ExportNames()[0])
	})
	var lines []string
	for _, f := range exports {
		lines = append(lines, fmt.Sprintf("%s(%s) %s", f.ExportNames()[0], typeNames(f.ParamTypes()), typeNames(f.ResultTypes())))
	}
	return lines
}

func typeNames(types []api.ValueType) string {
	var names []string
	for _, t := range types {
		names = append(names, api.ValueTypeName(t))
	}
	return strings.Join(names, " ")
}

func firstDifference(want, got string) string {
	wantLines, gotLines := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(wantLines), len(gotLines)) {
		if wantLines[i] != gotLines[i] {
			return fmt.Sprintf("line %d: listed %q, is %q", i+1, wantLines[i], gotLines[i])
		}
	}
	return fmt.Sprintf("%d lines listed, there are %d", len(wantLines), len(gotLines))
}

// Go crashes its compiler over a seventeenth parameter, and one result is all it can return.
func TestExportsFitWhatGoCanExport(t *testing.T) {
	for name, f := range decode(t).ExportedFunctions() {
		if len(f.ParamTypes()) > 16 || len(f.ResultTypes()) > 1 {
			t.Errorf("%s has %d parameters and %d results", name, len(f.ParamTypes()), len(f.ResultTypes()))
		}
		for _, of := range append(f.ParamTypes(), f.ResultTypes()...) {
			if of != api.ValueTypeI32 && of != api.ValueTypeF64 {
				t.Errorf("%s has an %s, which is a BigInt in JavaScript", name, api.ValueTypeName(of))
			}
		}
	}
}
