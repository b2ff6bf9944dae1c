package wasichild

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
)

const (
	// MemoryBytesDefault is a guest's linear memory where Server does not say.
	MemoryBytesDefault = 256 * core.MiB
	memoryBytesCeiling = 4096 * core.MiB
	pageBytes          = 64 * core.KiB
)

// Server is a program compiled to WASI, and what it may use.
type Server struct {
	Name   string   // names it in errors, and is its argument 0
	Module []byte   // a WASI command: WebAssembly that exports _start
	Args   []string // its arguments behind the name
	Env    []string // its environment, NAME=VALUE; besides it only NO_COLOR=1 and TERM=dumb (STOP-6)
	Grants []Grant  // the directories it sees; none by default

	// MemoryBytesMax bounds its linear memory: 64 KiB to 4 GiB, in whole pages of 64 KiB. A program in
	// Go that wants more ends with exit status 2. 0 means MemoryBytesDefault.
	MemoryBytesMax int64
	// TimeMax ends it after so long, however it behaves, with ErrTime. 0 means never.
	TimeMax time.Duration
	// CacheDir keeps compiled code, and must be a directory that nobody else can write: it holds
	// machine code. "" means the folder parley in os.UserCacheDir.
	CacheDir string
	// Stderr gets what it writes to standard error, as in child.StartProcess. Run has a file for that.
	Stderr io.Writer
}

// bounds are a guest's where the caller chooses none. It needs less time to leave than a process, and
// Close is to take less than a second even where a language server is told goodbye before.
var bounds = child.Bounds{Grace: 400 * time.Millisecond, Terminate: 400 * time.Millisecond}

// Start compiles the server, starts it inside this process and opens a session over its stdio. ctx
// bounds the start alone. Close ends the session and the guest as it ends a child process, but gives
// the guest 400 ms to leave in place of 2 s (STOP-6). Start fails with a *child.StartError where the
// module, a grant or a limit is refused, and with host.New's error where the session is.
func Start(ctx context.Context, s *Server, opts host.Options, more ...child.Option) (*child.Peer, error) {
	running, interrupt := context.WithCancelCause(context.WithoutCancel(ctx))
	g, err := prepare(ctx, s, running)
	if err != nil {
		interrupt(nil)
		return nil, &child.StartError{Program: s.Name, Err: err}
	}
	p, err := child.StartGuest(ctx, &child.Guest{
		Name:      s.Name,
		Run:       g.runToStatus,
		Interrupt: func() { interrupt(errInterrupted) },
		Stderr:    s.Stderr,
	}, opts, append([]child.Option{child.WithBounds(bounds)}, more...)...)
	if errors.As(err, new(*child.StartError)) { // it has not run, and so not closed itself
		interrupt(nil)
		return nil, errors.Join(err, g.close())
	}
	return p, err
}

// Run compiles the server and runs it in this process to its end, with the files as its stdio, which
// it closes. It returns the guest's exit code, or why there is none: a *TrapError, ErrTime, the cause
// of ctx, or a *child.StartError. Where ctx can never be done and TimeMax is 0 the guest runs at full
// speed, and nothing stops it but the end of the process.
func Run(ctx context.Context, s *Server, stdin, stdout, stderr *os.File) (code int, err error) {
	defer closeFiles(stdin, stdout, stderr)
	g, err := prepare(ctx, s, ctx)
	if err != nil {
		return 0, &child.StartError{Program: s.Name, Err: err}
	}
	return g.run(stdin, stdout, stderr)
}

// validate finds what no guest could be started with, and names it as the caller knows it.
func (s *Server) validate() error {
	switch {
	case s.Name == "":
		return errors.New("the server has no name")
	case s.MemoryBytesMax != 0 && s.MemoryBytesMax < pageBytes || s.MemoryBytesMax > memoryBytesCeiling:
		return fmt.Errorf("MemoryBytesMax is %d, want %d to %d", s.MemoryBytesMax, int64(pageBytes), int64(memoryBytesCeiling))
	case s.TimeMax < 0:
		return fmt.Errorf("TimeMax is %v, want 0 (none) or more", s.TimeMax)
	}
	for _, variable := range s.Env {
		if at := strings.IndexByte(variable, '='); at < 1 {
			return fmt.Errorf("environment: %q, want NAME=VALUE", variable)
		}
	}
	for _, text := range slices.Concat([]string{s.Name}, s.Args, s.Env) {
		if strings.IndexByte(text, 0) >= 0 {
			return fmt.Errorf("%q holds a zero byte", text)
		}
	}
	return nil
}

func (s *Server) memoryPagesMax() uint32 {
	if s.MemoryBytesMax == 0 {
		return MemoryBytesDefault / pageBytes
	}
	return uint32(s.MemoryBytesMax / pageBytes)
}
