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
	Module []byte   // a WASI command: WebAssembly that exports _start, of ModuleBytesMax at most
	Args   []string // its arguments behind the name
	Env    []string // its environment, NAME=VALUE; besides it only NO_COLOR=1 and TERM=dumb (STOP-6)
	Grants []Grant  // the directories it sees; none by default

	// MemoryBytesMax bounds its linear memory: 64 KiB to 4 GiB, in whole pages of 64 KiB. A module that
	// begins with more is refused with a *LimitError; a program in Go that comes to want more ends with
	// exit status 2. 0 means MemoryBytesDefault.
	MemoryBytesMax int64
	// CompileBytesMax bounds what this process may take from the system while the module is compiled, more
	// than before and whoever takes it; unit: bytes. Beyond it the server is refused with a *LimitError. The
	// compiler heeds that between two functions; inside one it goes on alone, and the error matches
	// child.ErrSurvived. 0 means CompileBytesDefault.
	CompileBytesMax int64
	// TimeMax ends it after so long, compiling not counted, however it behaves, with ErrTime. 0 means never.
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
	g, err := prepare(ctx, s, true)
	if err != nil {
		return nil, &child.StartError{Program: s.Name, Err: err}
	}
	running, interrupt := context.WithCancelCause(context.WithoutCancel(ctx))
	p, err := child.StartGuest(ctx, &child.Guest{
		Name: s.Name,
		Run: func(stdin, stdout, stderr *os.File) string {
			limited, cancel := s.limit(running)
			defer cancel()
			return status(g.run(limited, stdin, stdout, stderr))
		},
		Interrupt: func() { interrupt(errInterrupted) },
		Stderr:    s.Stderr,
	}, opts, append([]child.Option{child.WithBounds(bounds)}, more...)...)
	if errors.As(err, new(*child.StartError)) { // it has not run, and so not closed itself
		return nil, errors.Join(err, g.close())
	}
	return p, err
}

// interruptMax is how long Run waits for a guest that is interrupted.
const interruptMax = time.Second

// Run compiles the server and runs it in this process to its end, with the files as its stdio. It
// returns the guest's exit code, or why there is none: a *TrapError, ErrTime, the cause of ctx, or a
// *child.StartError. Where ctx can never be done and TimeMax is 0 the guest runs at full speed, and
// nothing stops it but the end of the process. Otherwise Run returns a second after ctx is done or
// the time is up at the latest; where the guest still runs then, because it goes through no loop or
// waits for room in a file without deadlines, the error matches child.ErrSurvived too.
//
// Run leaves the files open. What it has read of stdin is gone, also where the guest did not take it,
// and it goes on reading until stdin ends or is closed.
func Run(ctx context.Context, s *Server, stdin, stdout, stderr *os.File) (code int, err error) {
	g, err := prepare(ctx, s, ctx.Done() != nil || s.TimeMax > 0)
	if err != nil {
		return 0, &child.StartError{Program: s.Name, Err: err}
	}
	ctx, cancel := s.limit(ctx)
	defer cancel()
	interrupted := ctx.Done()
	type outcome struct {
		code int
		err  error
	}
	ended := make(chan outcome, 1)
	go func() {
		code, err := g.run(ctx, stdin, stdout, stderr)
		ended <- outcome{code, err}
	}()
	var patience <-chan time.Time
	for {
		select {
		case end := <-ended:
			return end.code, end.err
		case <-interrupted:
			interrupted, patience = nil, time.After(interruptMax)
		case <-patience:
			return 0, errors.Join(context.Cause(ctx), child.ErrSurvived)
		}
	}
}

// limit ends ctx once the server's time is up.
func (s *Server) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.TimeMax == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, s.TimeMax, ErrTime)
}

// validate finds what no guest could be started with, and names it as the caller knows it.
func (s *Server) validate() error {
	switch {
	case s.Name == "":
		return errors.New("the server has no name")
	case s.MemoryBytesMax != 0 && s.MemoryBytesMax < pageBytes || s.MemoryBytesMax > memoryBytesCeiling:
		return fmt.Errorf("MemoryBytesMax is %d, want %d to %d", s.MemoryBytesMax, int64(pageBytes), int64(memoryBytesCeiling))
	case s.CompileBytesMax < 0:
		return fmt.Errorf("CompileBytesMax is %d, want 0 (%d) or more", s.CompileBytesMax, int64(CompileBytesDefault))
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
