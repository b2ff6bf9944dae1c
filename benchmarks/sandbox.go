package main

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host/wasmhost"
)

// measureSandboxes is what a sandboxed machine costs where the engine keeps spares: the time until one is
// open, and the memory that it takes in this process once it has decoded a message.
func measureSandboxes(ctx context.Context) (lines []standing, err error) {
	const machines = 16
	goroutines := runtime.NumGoroutine()
	engine, err := wasmhost.New(ctx, wasmhost.Spares(1))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, engine.Close(context.WithoutCancel(ctx))) }()
	var openMs []float64
	awaitSpare(goroutines)
	before := heapMB()
	for range machines {
		awaitSpare(goroutines)
		start := time.Now()
		machine, err := engine.Machine(core.Defaults(core.ProfileLSP, core.RoleClient))
		if err != nil {
			return nil, err
		}
		defer machine.Close()
		openMs = append(openMs, time.Since(start).Seconds()*1e3)
		machine.Want(1)
		if err := turns(machine, new(core.Event), framed(notification), len(framed(notification)), 1); err != nil {
			return nil, err
		}
	}
	awaitSpare(goroutines)
	return []standing{
		atMost("a sandboxed machine from a spare, ms", median(openMs), spareMsMax),
		atMost("a sandboxed machine, MB of heap", (heapMB()-before)/machines, sandboxMBMax),
	}, nil
}

// awaitSpare waits until the engine has made the spare: what makes it is a goroutine more.
func awaitSpare(goroutines int) {
	for runtime.NumGoroutine() > goroutines {
		time.Sleep(time.Millisecond)
	}
}

func heapMB() float64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc) / 1e6
}
