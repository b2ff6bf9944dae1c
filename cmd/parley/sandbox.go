package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/parley-rpc/parley/host/child"
	"github.com/parley-rpc/parley/host/wasichild"
)

// sandboxCmd is "parley sandbox": the process around a guest that call, serve and tap start with --wasi.
type sandboxCmd struct {
	Module string `arg:"" help:"Program compiled to WASI preview 1."`

	guestFlags `embed:""`
}

// Help is the part of the help below the flags' summary.
func (sandboxCmd) Help() string {
	return `The program has stdin, stdout and stderr, clocks, randomness, its arguments behind --, and what it is given here. It has no
network, starts nothing, and cannot leave the directories that it is granted. call, serve and tap start it so with --wasi, and
end it as they end any server. The first start compiles it, which takes seconds; the code is kept for the next one.

Bounded are its memory (--memory), the memory that compiling takes (--compile-memory), the files it has open (256 a directory), the
module's file (256 MiB) and its tables (1,048,576 elements). Not bounded are what it writes to a directory that is not :ro, and the
processor, by compiling too: --timeout of call ends both.

A program in Go must not ask for signals (signal.Notify): on wasip1 it hears nothing of its input from then on.

Examples:

  GOOS=wasip1 GOARCH=wasm go build -o server.wasm ./server
  parley sandbox server.wasm --dir ./src:/src:ro --env LANG --memory 512MiB -- --stdio
  parley call initialize '{}' --no-handshake --wasi server.wasm --dir ./src:/src:ro -- --stdio

Exit codes:

  The program's own, 255 for one that is larger.
  3    it cannot be started
  4    its time was up
  6    it trapped`
}

// exitCodeMax is the largest that a process can have.
const exitCodeMax = 255

// Run runs the guest to its end. Nothing interrupts it from inside, which would slow it down: signals do
// what they do to a process that knows of none, whatever the guest is busy with.
func (c *sandboxCmd) Run(e *env, arguments serverCommand) error {
	signal.Reset(os.Interrupt, syscall.SIGTERM)
	stdin, stdout, stderr, err := e.files()
	if err != nil {
		return err
	}
	grants, err := c.grants()
	if err != nil {
		return err
	}
	module, err := readModule(c.Module)
	if err != nil {
		return &child.StartError{Program: c.Module, Err: err}
	}
	code, err := wasichild.Run(context.Background(), &wasichild.Server{
		Name:   moduleName(c.Module),
		Module: module, Args: arguments, Env: c.environment(), Grants: grants,
		MemoryBytesMax: int64(c.Memory), CompileBytesMax: int64(c.CompileMemory), TimeMax: c.Time,
	}, stdin, stdout, stderr)
	trap, limit := new(wasichild.TrapError), new(wasichild.LimitError)
	switch {
	case errors.As(err, &limit): // what may go on compiling ends with this process
		return &child.StartError{Program: c.Module, Err: limit}
	case errors.As(err, &trap):
		return peerDied{err.Error()}
	case err != nil:
		return err
	case code != 0:
		return serverExit(min(code, exitCodeMax))
	}
	return nil
}

// moduleName is what people call the program in a module's file.
func moduleName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".wasm") }

// readModule reads no more of a file than shows that it is too large.
func readModule(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, wasichild.ModuleBytesMax+1))
}
