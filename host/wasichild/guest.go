package wasichild

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/experimental/sysfs"

	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/internal/modulecache"
)

// startFunction is what a WASI command exports. wazero skips one that does not exist.
const startFunction = "_start"

// guest is a server that is compiled and has not run yet.
type guest struct {
	server   *Server
	compiled compiled
	grants   []*directory
}

// prepare does all that can be refused; nothing of the guest runs. ctx bounds it. A guest that is not
// interruptible runs at full speed.
func prepare(ctx context.Context, s *Server, interruptible bool) (*guest, error) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		// Nobody has seen there that a wait for a pipe ends when it is to.
		return nil, fmt.Errorf("sandboxed servers on %s: %w", runtime.GOOS, host.ErrUnsupported)
	}
	if err := s.validate(); err != nil {
		return nil, err
	}
	module, err := bounded(s.Module, s.memoryPagesMax())
	if err != nil {
		return nil, err
	}
	grants, err := openGrants(s.Grants)
	if err != nil {
		return nil, err
	}
	g := &guest{server: s, grants: grants}
	config := wazero.NewRuntimeConfig().
		WithMemoryLimitPages(s.memoryPagesMax()).
		WithCloseOnContextDone(interruptible)
	cacheDir := s.CacheDir
	if cacheDir == "" {
		cacheDir = modulecache.DefaultDir()
	}
	if g.compiled, err = compile(ctx, config, cacheDir, module, cmp.Or(s.CompileBytesMax, CompileBytesDefault)); err != nil {
		return nil, errors.Join(err, closeGrants(grants))
	}
	if _, ok := g.compiled.code.ExportedFunctions()[startFunction]; !ok {
		err := errors.New("the module does not export " + startFunction + ": it is no WASI command")
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

func (g *guest) close() error {
	return errors.Join(g.compiled.close(), closeGrants(g.grants))
}

// run runs the guest to its end, once, and closes it. It returns its exit code, or why it has none. The
// end of ctx interrupts it.
func (g *guest) run(ctx context.Context, stdin, stdout, stderr *os.File) (code int, err error) {
	defer func() { err = errors.Join(err, g.close()) }()
	for _, d := range g.grants {
		d.ctx = ctx
	}
	memory, err := reserveMemory(int64(g.server.memoryPagesMax()) * pageBytes)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, memory.release()) }()
	input, err := feed(stdin)
	if err != nil {
		return 0, err
	}
	defer input.close()
	// A guest that waits for its stdio asks no questions at loops: it is the waiting that has to end.
	defer context.AfterFunc(ctx, func() {
		input.end()
		for _, f := range []*os.File{stdout, stderr} {
			// A file without deadlines is no pipe of ours: see Run.
			_ = f.SetWriteDeadline(time.Unix(1, 0))
		}
	})()
	module, err := g.compiled.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, memory), g.compiled.code, g.config(ctx, input.theirs, stdout, stderr))
	if err == nil {
		err = module.Close(context.Background())
	}
	return ending(ctx, err)
}

// config is the guest's world. wazero's own clocks stand still between readings, which starves Go's
// collector, and its randomness is a fixed seed, by which a client could choose colliding map keys.
func (g *guest) config(ctx context.Context, stdin, stdout, stderr *os.File) wazero.ModuleConfig {
	config := wazero.NewModuleConfig().WithName("").
		WithStartFunctions(startFunction).
		WithArgs(append([]string{g.server.Name}, g.server.Args...)...).
		WithSysNanotime().WithSysWalltime().
		WithNanosleep(func(ns int64) { sleep(ctx, time.Duration(ns)) }).
		WithRandSource(rand.Reader).
		WithStdin(stdin).
		// Not the files themselves: a guest in Go would make them non-blocking, and wazero has no way of
		// waiting for room.
		WithStdout(struct{ io.Writer }{stdout}).
		WithStderr(struct{ io.Writer }{stderr})
	for _, variable := range append([]string{"NO_COLOR=1", "TERM=dumb"}, g.server.Env...) {
		name, value, _ := strings.Cut(variable, "=")
		config = config.WithEnv(name, value) // the last one stays
	}
	mounts := wazero.NewFSConfig()
	for _, d := range g.grants {
		mounts = mounts.(sysfs.FSConfig).WithSysFSMount(d.fileSystem(), d.Guest)
	}
	return config.WithFSConfig(mounts)
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
