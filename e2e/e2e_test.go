package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
	"github.com/parley-rpc/parley/host/wasmhost"
	"github.com/parley-rpc/parley/internal/testneeds"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

// scratch is a folder of this run.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "parley-e2e-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(scratch)
		os.Exit(code)
	}))
}

// parley is the program as it is shipped, built once for all tests.
func parley(t *testing.T) (program string) {
	t.Helper()
	program, err := buildParley()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

var buildParley = sync.OnceValues(func() (program string, err error) {
	program = filepath.Join(scratch, "parley")
	if output, err := exec.Command("go", "build", "-o", program, "../cmd/parley").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, output)
	}
	return program, nil
})

// callMax bounds one call, shutdown included: a server on a busy machine may take long to load and
// analyse its workspace.
const callMax = 2 * time.Minute

type namedEngine struct {
	name string
	make host.Engine
}

// engines are all that a session can run on.
func engines(t *testing.T) []namedEngine {
	t.Helper()
	sandbox, err := wasmhost.New(t.Context(), wasmhost.Module(wasmtest.Reactor(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sandbox.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return []namedEngine{
		{"native", host.Native},
		{"wazero", sandbox.Machine},
	}
}

// answers are what one conversation was told, by method.
type answers map[string]json.RawMessage

// eachEngine holds the conversation on every engine and compares what it was told.
func eachEngine(t *testing.T, converse func(t *testing.T, engine host.Engine) answers) {
	var first answers
	for _, engine := range engines(t) {
		t.Run(engine.name, func(t *testing.T) {
			got := converse(t, engine.make)
			if first == nil {
				first = got
			}
			for method, want := range first {
				if !bytes.Equal(got[method], want) {
					t.Errorf("%s\n got %s\nwant %s", method, got[method], want)
				}
			}
		})
	}
}

// start runs a server until the test ends. It must then leave by itself, with status 0.
func start(t *testing.T, cmd *exec.Cmd, options host.Options) *child.Peer {
	t.Helper()
	p, err := child.Start(t.Context(), cmd, options, child.WithBounds(child.Bounds{Grace: callMax}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		state, err := p.Process.Wait(context.Background())
		if err != nil || state.String() != "exit status 0" {
			t.Errorf("the server ended with %v, %v; stderr: %q", state, err, p.Process.Stderr.Bytes())
		}
	})
	return p
}

// call fails the test with what the server said.
func call(t *testing.T, p *child.Peer, method string, params any) json.RawMessage {
	t.Helper()
	result, err := host.Call[json.RawMessage](t.Context(), p, method, params, host.WithTimeout(callMax))
	if err != nil {
		t.Fatalf("%v; stderr: %q", err, p.Process.Stderr.Bytes())
	}
	return result
}

func notify(t *testing.T, p *child.Peer, method string, params any) {
	t.Helper()
	if err := p.Notify(t.Context(), method, params); err != nil {
		t.Fatal(err)
	}
}

// decode reads an answer into a shape that names only what the test looks at.
func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return value
}

// sourceFile returns the absolute path of a file of this repository, and its text.
func sourceFile(t *testing.T, path string) (absolute string, text []byte) {
	t.Helper()
	absolute, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile(absolute); err != nil {
		t.Fatal(err)
	}
	return absolute, text
}

// installed returns the absolute path of a part that `make deps` brings. Without it a test skips,
// in CI it fails.
func installed(t *testing.T, path string) string {
	t.Helper()
	absolute, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(absolute); err != nil {
		testneeds.Missing(t, path+" is missing; `make deps` installs it")
	}
	return absolute
}
