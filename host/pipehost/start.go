package pipehost

import (
	"errors"
	"os/exec"
	"time"

	"github.com/parley-rpc/parley/host/child"
)

// Start runs cmd, which it then owns, as a wasm/command in a process of its own: the command built
// natively, or a runtime that runs it as WASI. Its Stderr, where it has one, gets a copy of what the
// process says there.
func Start(cmd *exec.Cmd, opts ...Option) (*Engine, error) {
	// A command leaves as soon as its stdin ends; what does not is not waited for.
	process, err := child.StartProcess(cmd, child.WithBounds(child.Bounds{
		Grace: 500 * time.Millisecond, Terminate: 500 * time.Millisecond,
	}))
	if err != nil {
		return nil, err
	}
	return New(Command{
		Stdin:  process.Stdin,
		Stdout: process.Stdout,
		Stderr: process.Stderr.Bytes,
		Stop:   func() error { return errors.Join(process.Stdout.Close(), process.Stop()) },
	}, opts...)
}
