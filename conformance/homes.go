package conformance

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/pipehost"
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

// Modules are what homes run.
type Modules struct {
	Reactor []byte // nil: the one that is published
	Command string // the file of wasm/command built for WASI
	Runner  string // the file of bindings/js/src/command-main.ts bundled for Node; "": that home is left out
}

// Homes makes every home; the caller closes each. The error tells of those that could not be made.
func Homes(modules Modules) (homes []Home, err error) {
	makers := []func(*Modules) (Home, error){natively, inWazero, pipeInWazero}
	if modules.Runner != "" {
		makers = append(makers, pipeInNode)
	}
	for _, home := range makers {
		h, failure := home(&modules)
		if failure == nil {
			homes = append(homes, h)
		}
		err = errors.Join(err, failure)
	}
	return homes, err
}

func natively(*Modules) (Home, error) {
	return Home{Name: "native", Open: host.Native, Stride: 1, Close: func() error { return nil }}, nil
}

// inWazero is the core as a WASI module. An instance costs milliseconds and lives as long as a
// connection on it, so a connection that says nothing keeps one for all vectors.
func inWazero(modules *Modules) (Home, error) {
	ctx := context.Background()
	options := []wasmhost.Option{wasmhost.PerInstance(2)}
	if modules.Reactor != nil {
		options = append(options, wasmhost.Module(modules.Reactor))
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

// Each input is a round trip over the pipes, and there are many in a vector that is cut.
const pipeStride = 199

// The answer to a message at a default limit takes a busy machine long, and a vector is not about how long.
var pipeAnswer = pipehost.Answer(time.Minute)

// pipeInWazero is the core as a WASI command in this process, behind pipes.
func pipeInWazero(modules *Modules) (Home, error) {
	module, err := os.ReadFile(modules.Command)
	if err != nil {
		return Home{}, err
	}
	command, err := wasmhost.StartCommand(context.Background(), module)
	if err != nil {
		return Home{}, err
	}
	return behindPipes("wazero-pipe")(pipehost.New(pipehost.Command(command), pipeAnswer))
}

// pipeInNode is the same command in a process of Node, with the shim of bindings/js.
func pipeInNode(modules *Modules) (Home, error) {
	return behindPipes("node-pipe")(pipehost.Start(exec.Command("node", modules.Runner, modules.Command), pipeAnswer))
}

func behindPipes(name string) func(*pipehost.Engine, error) (Home, error) {
	return func(engine *pipehost.Engine, err error) (Home, error) {
		if err != nil {
			return Home{}, err
		}
		return Home{Name: name, Open: engine.Machine, Stride: pipeStride, Close: engine.Close}, nil
	}
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
