package wasichild

import (
	"context"
	"errors"
	"runtime/metrics"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host/child"
	"github.com/parley-rpc/parley/host/internal/modulecache"
)

// CompileBytesDefault is the memory that compiling may take where Server does not say. A program in Go takes
// 6 to 10 bytes for each of its module's.
const CompileBytesDefault = 1024 * core.MiB

const (
	compileLookEvery = 20 * time.Millisecond
	// compileLeaveMax is how long a compiler that is to stop may take to: it heeds that between two functions.
	compileLeaveMax = time.Second
)

// compiled is a module's code and the runtime that runs it.
type compiled struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
}

func (c compiled) close() error {
	ctx := context.Background()
	return errors.Join(c.code.Close(ctx), c.runtime.Close(ctx))
}

// compile compiles a module until ctx is done or this process has taken bytesMax more than before: no size
// of a module says what it takes, since the compiler's memory can grow with the square of a function. A
// compiler that is inside a function then goes on by itself, and the error matches child.ErrSurvived.
func compile(ctx context.Context, config wazero.RuntimeConfig, cacheDir string, module []byte, bytesMax int64) (compiled, error) {
	type outcome struct {
		compiled
		err error
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ended := make(chan outcome, 1)
	before := processBytes()
	go func() {
		runtime, code, err := modulecache.Compile(ctx, config, cacheDir, module)
		ended <- outcome{compiled{runtime, code}, err}
	}()
	look := time.NewTicker(compileLookEvery)
	defer look.Stop()
	stopped := ctx.Done()
	var patience <-chan time.Time
	for {
		select {
		case end := <-ended:
			if end.err != nil && ctx.Err() != nil {
				return compiled{}, context.Cause(ctx)
			}
			return end.compiled, end.err
		case <-look.C:
			if err := limit("bytes of memory to be compiled", processBytes()-before, bytesMax, "raise CompileBytesMax (--compile-memory)"); err != nil {
				stop(err)
			}
		case <-stopped:
			stopped, patience = nil, time.After(compileLeaveMax)
		case <-patience:
			go func() {
				if end := <-ended; end.err == nil {
					_ = end.close() // nobody is left to be told
				}
			}()
			return compiled{}, errors.Join(context.Cause(ctx), child.ErrSurvived)
		}
	}
}

// processBytes is the memory that Go has taken from the system for this process, and not given back.
func processBytes() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}
