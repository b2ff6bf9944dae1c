// Package wasmhost runs the machine inside a WebAssembly sandbox: package core compiled to WASI,
// executed by wazero. A hostile peer's bytes are then parsed in a memory of their own, which has a
// ceiling, no system calls but the clock and randomness, and nobody else's data in it. It costs
// speed: scanning runs at about a tenth of native, and where wazero has no compiler (it has one for
// amd64 and arm64) at a thousandth.
package wasmhost

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/internal/modulecache"
	"github.com/parley-rpc/parley/wasm"
	"github.com/parley-rpc/parley/wasm/abi"
)

// Engine makes machines that run in a sandbox. It is safe for concurrent use; each Machine is not.
type Engine struct {
	ctx      context.Context
	options  options
	runtime  wazero.Runtime
	compiled wazero.CompiledModule

	mu        sync.Mutex
	instances map[*instance]int // connections on each; nil once the engine is closed
	spares    []*instance       // ready, without a connection
	making    int               // spares in the making
	makers    sync.WaitGroup
}

// ErrEngineClosed is returned by Machine after Close.
var ErrEngineClosed = errors.New("wasmhost: the engine is closed")

// New compiles the module, or takes it from the cache. The context is the one that the engine's
// machines run under; it matters only with CloseOnContextDone.
func New(ctx context.Context, opts ...Option) (*Engine, error) {
	e := &Engine{ctx: ctx, options: defaultOptions(), instances: map[*instance]int{}}
	for _, set := range opts {
		set(&e.options)
	}
	if err := e.options.validate(); err != nil {
		return nil, err
	}
	if e.options.module == nil {
		e.options.module = wasm.Reactor
	}
	config := wazero.NewRuntimeConfig().
		WithMemoryLimitPages(uint32(e.options.memoryBytesMax / pageBytes)).
		WithCloseOnContextDone(e.options.closeOnContextDone)
	var err error
	required := append([]string{startFunction}, exportNames[:]...)
	if e.runtime, e.compiled, err = compile(ctx, config, e.options.cacheDir, e.options.module, required...); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.makeSpares()
	return e, nil
}

// compile refuses a module without the required exports before anything of it runs.
func compile(ctx context.Context, config wazero.RuntimeConfig, cacheDir string, module []byte, required ...string) (wazero.Runtime, wazero.CompiledModule, error) {
	runtime, compiled, err := modulecache.Compile(ctx, config, cacheDir, module)
	if err != nil {
		return nil, nil, fmt.Errorf("wasmhost: %w", err)
	}
	if err := checkExports(compiled, required); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("wasmhost: module: %w", err), runtime.Close(ctx))
	}
	return runtime, compiled, nil
}

// checkExports finds a module of another kind before anything runs. wazero skips a start function
// that does not exist, and the Go runtime would then trap at the first call.
func checkExports(compiled wazero.CompiledModule, required []string) error {
	exports := compiled.ExportedFunctions()
	for _, name := range required {
		if _, ok := exports[name]; !ok {
			return fmt.Errorf("it does not export %s: of another kind or version", name)
		}
	}
	return nil
}

// Machine opens one connection. A *core.ConfigError says which field was refused, also where the
// limits do not fit the memory (MemoryBytesMax, BACK-4).
func (e *Engine) Machine(cfg core.Config) (host.Machine, error) {
	in, shared, err := e.acquire()
	if err != nil {
		return nil, err
	}
	m, err := open(e, in, &cfg)
	if errors.Is(err, abi.ErrMemory) && shared {
		// The instance is full of other connections: a fresh one may have the room.
		if err = e.release(in); err != nil {
			return nil, err
		}
		if in, err = e.instantiate(); err != nil {
			return nil, err
		}
		m, err = open(e, in, &cfg)
	}
	if err != nil {
		return nil, errors.Join(err, e.release(in))
	}
	return m, nil
}

// acquire finds an instance with room, or makes one.
func (e *Engine) acquire() (in *instance, shared bool, err error) {
	e.mu.Lock()
	if e.instances == nil {
		e.mu.Unlock()
		return nil, false, ErrEngineClosed
	}
	for in, connections := range e.instances {
		if connections < e.options.perInstance && in.trap.Load() == nil {
			e.instances[in]++
			e.mu.Unlock()
			return in, true, nil
		}
	}
	e.mu.Unlock()
	in, err = e.instantiate()
	return in, false, err
}

// instantiate returns an instance with one connection on it: a spare one, or one that it makes.
func (e *Engine) instantiate() (*instance, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.instances == nil {
		return nil, ErrEngineClosed
	}
	in := e.takeSpare()
	if in == nil {
		e.mu.Unlock()
		made, err := newInstance(e.ctx, e.runtime, e.compiled)
		e.mu.Lock()
		if err != nil {
			return nil, err
		}
		if e.instances == nil {
			return nil, errors.Join(ErrEngineClosed, made.close())
		}
		in = made
	}
	e.instances[in] = 1
	return in, nil
}

// release gives back one connection's place; the last one closes the instance.
func (e *Engine) release(in *instance) error {
	e.mu.Lock()
	last := e.instances[in] == 1
	if last {
		delete(e.instances, in)
	} else if e.instances != nil {
		e.instances[in]--
	}
	e.mu.Unlock()
	if last {
		return in.close()
	}
	return nil
}

// Close ends the engine and every machine it made; those then act as after a trap.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	open := e.spares
	for in := range e.instances {
		open = append(open, in)
	}
	e.instances, e.spares = nil, nil
	e.mu.Unlock()
	e.makers.Wait()
	var errs []error
	for _, in := range open {
		errs = append(errs, in.close())
	}
	return errors.Join(append(errs, e.runtime.Close(ctx))...)
}
