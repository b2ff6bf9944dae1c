package wasmhost

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/sys"
)

// Command is a running wasm/command, and converts to a pipehost.Command. Stderr is the first 16 KiB of
// what it wrote there. Stop ends it and may be called from any goroutine, and more than once.
type Command struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser
	Stderr func() []byte
	Stop   func() error
}

// StartCommand runs module, which is wasm/command built for WASI, with pipes as its stdin and stdout:
// pipehost.New(pipehost.Command(c)) makes an engine of it. Of the options MemoryBytesMax, CacheDir and
// CloseOnContextDone apply, the last to ctx and to Stop. A command that runs out of memory ends.
func StartCommand(ctx context.Context, module []byte, opts ...Option) (Command, error) {
	o := defaultOptions()
	for _, set := range opts {
		set(&o)
	}
	if err := o.validate(); err != nil {
		return Command{}, err
	}
	config := wazero.NewRuntimeConfig().
		WithMemoryLimitPages(uint32(o.memoryBytesMax / pageBytes)).
		WithCloseOnContextDone(o.closeOnContextDone)
	runtime, compiled, err := compile(ctx, config, o.cacheDir, module, "_start")
	if err != nil {
		return Command{}, err
	}
	// One goroutine of the guest reads, works and writes, so that a read may block it: no poller is
	// asked, and a pipe without a descriptor will do.
	theirStdin, stdin := io.Pipe()
	stdout, theirStdout := io.Pipe()
	ctx, cancel := context.WithCancel(ctx)
	c := &command{runtime: runtime, compiled: compiled, cancel: cancel, ended: make(chan struct{})}
	go c.run(ctx, theirStdin, theirStdout)
	stop := func() error {
		return errors.Join(stdin.Close(), stdout.Close(), c.stop())
	}
	return Command{Stdin: stdin, Stdout: stdout, Stderr: c.stderr.bytes, Stop: stop}, nil
}

// command is one run of wasm/command.
type command struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	cancel   context.CancelFunc
	stderr   stderr
	ended    chan struct{} // closed with err set
	err      error
}

// run ends with the guest. Whoever still writes to it or reads from it learns that it is gone.
func (c *command) run(ctx context.Context, stdin *io.PipeReader, stdout *io.PipeWriter) {
	config := wazero.NewModuleConfig().WithName("").
		WithSysNanotime().WithSysWalltime().
		WithRandSource(rand.Reader).
		WithStdin(stdin).WithStdout(stdout).WithStderr(&c.stderr)
	_, err := c.runtime.InstantiateModule(ctx, c.compiled, config)
	gone := fmt.Errorf("wasmhost: the command ended: %w", err)
	if exit := new(sys.ExitError); err == nil || errors.As(err, &exit) && exit.ExitCode() == 0 {
		gone = io.EOF
	}
	stdin.CloseWithError(gone)
	stdout.CloseWithError(gone)
	c.err = c.runtime.Close(context.WithoutCancel(ctx))
	close(c.ended)
}

// commandStopMax is how long a command may take to leave once its pipes are closed. It works on one
// input at a time, of at most a mebibyte.
const commandStopMax = 2 * time.Second

// ErrStillRunning is what Stop returns where a command neither reads nor writes, and goes on. Only
// CloseOnContextDone could have ended it.
var ErrStillRunning = errors.New("wasmhost: the command goes on although its pipes are closed")

func (c *command) stop() error {
	c.cancel()
	select {
	case <-c.ended:
		return c.err
	case <-time.After(commandStopMax):
		return ErrStillRunning
	}
}
