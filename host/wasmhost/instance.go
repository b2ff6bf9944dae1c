package wasmhost

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/parley-rpc/parley/wasm/abi"
)

// instance is one module with its linear memory. Its lock serialises the connections that share
// it; a view of memory is taken anew after every export, because memory may have moved.
type instance struct {
	mu        sync.Mutex
	ctx       context.Context
	module    api.Module
	functions [exportsEnd]api.Function // those that were called: each costs 17 KB
	stack     [16]uint64               // parameters and result of one export
	stderr    stderr
	trap      atomic.Pointer[TrapError]
	scratch   block  // what parley_scratch last handed out
	minor     uint64 // of the module's ABI version
}

// block is a piece of linear memory.
type block struct{ address, size uint32 }

func newInstance(ctx context.Context, runtime wazero.Runtime, compiled wazero.CompiledModule) (*instance, error) {
	in := &instance{ctx: ctx}
	// wazero's default clock is a fake that starves Go's collector, and its default randomness is
	// a fixed seed, which would let a peer choose colliding map keys.
	config := wazero.NewModuleConfig().WithName("").
		WithSysNanotime().WithSysWalltime().
		WithRandSource(rand.Reader).
		WithStderr(&in.stderr).
		WithStartFunctions(startFunction)
	var err error
	if in.module, err = runtime.InstantiateModule(withLinearMemory(ctx), compiled, config); err != nil {
		return nil, &TrapError{Export: startFunction, Panic: in.stderr.String(), Err: err}
	}
	version, err := in.call(exportVersion)
	if err == nil && version>>16 != abi.VersionMajor {
		err = fmt.Errorf("wasmhost: the module speaks ABI %d.%d, want %d", version>>16, version&0xffff, abi.VersionMajor)
	}
	if err != nil {
		return nil, errors.Join(err, in.module.Close(ctx))
	}
	in.minor = version & 0xffff
	return in, nil
}

// call runs one export and returns its result as it stands on the stack. Any error poisons the
// instance for good. It allocates nothing but at the first call of an export.
func (in *instance) call(x export, params ...uint64) (uint64, error) {
	if trap := in.trap.Load(); trap != nil {
		return 0, trap
	}
	if in.functions[x] == nil {
		in.functions[x] = in.module.ExportedFunction(exportNames[x])
	}
	copy(in.stack[:], params)
	if err := in.functions[x].CallWithStack(in.ctx, in.stack[:]); err != nil {
		return 0, in.poison(exportNames[x], err)
	}
	return in.stack[0], nil
}

// forgetFunctions lets go of those that opening a connection called: most are not called again soon.
func (in *instance) forgetFunctions() { in.functions = [exportsEnd]api.Function{} }

// callInt runs an export whose result is an i32: a value from 0, or the error that its negative is.
func (in *instance) callInt(x export, params ...uint64) (uint32, error) {
	raw, err := in.call(x, params...)
	if err != nil {
		return 0, err
	}
	if n := int32(uint32(raw)); n < 0 {
		return 0, errorOf(-n)
	}
	return uint32(raw), nil
}

// poison marks the instance as dead; the first reason stays.
func (in *instance) poison(export string, err error) *TrapError {
	in.trap.CompareAndSwap(nil, &TrapError{Export: export, Panic: in.stderr.String(), Err: err})
	return in.trap.Load()
}

// read returns a view of linear memory, good until the next export. A module that hands out an
// address outside its memory is broken.
func (in *instance) read(address, size uint32) ([]byte, error) {
	view, ok := in.module.Memory().Read(address, size)
	if !ok {
		return nil, in.poison("memory", errOutside)
	}
	return view, nil
}

// close waits for a running export; whoever still holds the instance finds it dead.
func (in *instance) close() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.poison("close", errClosed)
	return in.module.Close(in.ctx)
}

var (
	errOutside = errors.New("an address outside linear memory")
	errClosed  = errors.New("the instance is closed")
)
