package conformance

import (
	"context"
	"errors"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/wasmhost"
	"github.com/parley-rpc/parley/internal/transcript"
)

// Home is somewhere the core runs.
type Home struct {
	Name string
	Open transcript.Factory
	// Stride thins out the two-part cuts where a home is too slow for all of them; 1 plays all.
	Stride int
	// Close ends what the home runs in.
	Close func() error
}

// Homes makes every home; the caller closes each. reactor is the WASI module to play on, nil for
// the one that is published.
func Homes(reactor []byte) ([]Home, error) {
	sandbox, err := inWazero(reactor)
	if err != nil {
		return nil, err
	}
	native := Home{Name: "native", Open: host.Native, Stride: 1, Close: func() error { return nil }}
	return []Home{native, sandbox}, nil
}

// inWazero is the core as a WASI module. An instance costs milliseconds and lives as long as a
// connection on it, so a connection that says nothing keeps one for all vectors.
func inWazero(reactor []byte) (Home, error) {
	ctx := context.Background()
	options := []wasmhost.Option{wasmhost.PerInstance(2)}
	if reactor != nil {
		options = append(options, wasmhost.Module(reactor))
	}
	engine, err := wasmhost.New(ctx, options...)
	if err != nil {
		return Home{}, err
	}
	quiet, err := engine.Machine(quietConfig())
	if err != nil {
		return Home{}, errors.Join(err, engine.Close(ctx))
	}
	return Home{
		Name:   "wazero",
		Open:   engine.Machine,
		Stride: 3,
		Close:  func() error { return errors.Join(quiet.Close(), engine.Close(ctx)) },
	}, nil
}

// quietConfig takes as little of the instance's memory as a configuration can.
func quietConfig() core.Config {
	cfg := core.Defaults(core.ProfilePlain, core.RoleClient)
	cfg.Limits.FrameBytesMax = 1
	cfg.Limits.OutBytesMax = 1
	cfg.Limits.QueuedBytesMax = 1
	cfg.Limits.ParkedBytesMax = 1
	cfg.Limits.CallsMax = 1
	return cfg
}
