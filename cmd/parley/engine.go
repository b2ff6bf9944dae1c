package main

import (
	"context"

	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/wasmhost"
)

// engineNames are the values of --engine.
const (
	engineNative = "native"
	engineWazero = "wazero"
)

// openEngine returns where the protocol runs, and what frees it once its sessions are closed.
func openEngine(ctx context.Context, name string) (engine host.Engine, closeEngine func() error, err error) {
	if name == engineNative {
		return host.Native, func() error { return nil }, nil
	}
	sandbox, err := wasmhost.New(ctx)
	if err != nil {
		return nil, nil, err
	}
	return sandbox.Machine, func() error { return sandbox.Close(context.WithoutCancel(ctx)) }, nil
}
