// Package modulecache compiles WebAssembly modules for the packages of host that run some, and keeps
// the code, so that a module is compiled once a machine and not once a process.
package modulecache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// compiling is held by who compiles: wazero publishes a module that it reads from the cache before
// the module is ready for a second reader.
var compiling = make(chan struct{}, 1)

// caches holds one cache a directory for the life of the process, so that a module is compiled once
// however many runtimes use it. Guarded by compiling. They are never closed: code compiled through a
// cache needs it open.
var caches = map[string]wazero.CompilationCache{}

// Compile makes a runtime with WASI in it and compiles module for it, or takes the code from the
// cache in dir. ctx bounds the waiting and the compiling. Close the runtime; where the code is not
// wanted in memory any longer, the module too.
func Compile(ctx context.Context, config wazero.RuntimeConfig, dir string, module []byte) (wazero.Runtime, wazero.CompiledModule, error) {
	select {
	case compiling <- struct{}{}:
		defer func() { <-compiling }()
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	runtime := wazero.NewRuntimeWithConfig(ctx, config.WithCompilationCache(cache(dir)))
	fail := func(what string, err error) (wazero.Runtime, wazero.CompiledModule, error) {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", what, err), runtime.Close(ctx))
	}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, runtime); err != nil {
		return fail("WASI", err)
	}
	// One worker would not heed ctx.
	workers := max(2, goruntime.GOMAXPROCS(0))
	compiled, err := runtime.CompileModule(experimental.WithCompilationWorkers(ctx, workers), module)
	if err != nil {
		return fail("compile", err)
	}
	return runtime, compiled, nil
}

// cache returns the cache of a directory, or the one in memory where there is none or it cannot be
// used.
func cache(dir string) wazero.CompilationCache {
	if cache, ok := caches[dir]; ok {
		return cache
	}
	cache := wazero.NewCompilationCache()
	if dir != "" {
		if onDisk, err := openDir(dir); err == nil {
			cache = onDisk
		}
	}
	caches[dir] = cache
	return cache
}

func openDir(dir string) (wazero.CompilationCache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return wazero.NewCompilationCacheWithDir(dir)
}

// DefaultDir is the folder parley in os.UserCacheDir, or "" on a system without a place for caches.
func DefaultDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "parley")
}
