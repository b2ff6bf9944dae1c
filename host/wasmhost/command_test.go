package wasmhost_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host/pipehost"
	"github.com/parley-rpc/parley/host/wasmhost"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

func startCommand(t *testing.T, opts ...wasmhost.Option) wasmhost.Command {
	t.Helper()
	module, err := os.ReadFile(wasmtest.Command(t))
	if err != nil {
		t.Fatal(err)
	}
	c, err := wasmhost.StartCommand(context.Background(), module, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// A command whose memory does not suffice ends, and its machine says so.
func TestCommandWithoutMemoryEnds(t *testing.T) {
	c := startCommand(t, wasmhost.MemoryBytesMax(32*core.MiB))
	engine, err := pipehost.New(pipehost.Command(c))
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	m, err := engine.Machine(core.Defaults(core.ProfilePlain, core.RolePeer))
	if err != nil {
		t.Fatal(err)
	}
	large := []byte(`["` + strings.Repeat("x", 8*core.MiB) + `"]`)
	for range 8 {
		if err := m.Notify("a", large); err == core.ErrClosed {
			break
		}
	}
	failure := new(pipehost.Error)
	if !errors.As(m.Err(), &failure) || !errors.Is(failure, pipehost.ErrEnded) || !strings.Contains(string(failure.Stderr), "out of memory") {
		t.Errorf("%v", m.Err())
	}
}

// What a command says of an input that is none is known, and its stdout ends with its exit code.
func TestCommandSaysWhatIsWrong(t *testing.T) {
	c := startCommand(t)
	if _, err := c.Stdin.Write([]byte("\xff\xff\xff\xff")); err != nil {
		t.Fatal(err)
	}
	_, err := io.ReadAll(c.Stdout)
	if err == nil || !strings.Contains(err.Error(), "exit_code(1)") {
		t.Errorf("stdout ended with %v", err)
	}
	if said := string(c.Stderr()); !strings.HasPrefix(said, "transcript: byte 0: no record") || strings.Count(said, "\n") != 1 {
		t.Errorf("%q", said)
	}
}

func TestReactorIsNoCommand(t *testing.T) {
	if _, err := wasmhost.StartCommand(context.Background(), wasmtest.Reactor(t)); err == nil || !strings.Contains(err.Error(), "_start") {
		t.Error(err)
	}
}
