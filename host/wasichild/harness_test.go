//go:build linux || darwin

package wasichild

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
)

// guestModule is testdata/guest, built once; cacheDir keeps its code for all tests.
var (
	guestModule []byte
	cacheDir    string
)

func TestMain(m *testing.M) {
	directory, err := os.MkdirTemp("", "wasichild")
	if err == nil {
		cacheDir = filepath.Join(directory, "cache")
		guestModule, err = buildGuest(filepath.Join(directory, "guest.wasm"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		// What is left of it is for the system to clear away.
		_ = os.RemoveAll(directory)
		os.Exit(code)
	}))
}

func buildGuest(file string) ([]byte, error) {
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", file, "./testdata/guest")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, output)
	}
	return os.ReadFile(file)
}

// behaving is the guest with that behaviour.
func behaving(args ...string) *Server {
	return &Server{Name: "guest", Module: guestModule, Args: args, CacheDir: cacheDir}
}

// start ends the guest with the test. It has left when the test's goroutines are counted.
func start(t *testing.T, s *Server, opts host.Options, more ...child.Option) *child.Peer {
	t.Helper()
	p, err := Start(t.Context(), s, opts, more...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// awaitMessage returns the params of the guest's first message.
func awaitMessage(t *testing.T, p *child.Peer, method string) json.RawMessage {
	t.Helper()
	for message, err := range p.Messages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if message.Method != method {
			t.Fatalf("message %s %s, want %s", message.Method, message.Params, method)
		}
		return message.Params
	}
	t.Fatal("the guest ended and said nothing")
	return nil
}

// statusOf is how the guest ended, once it has.
func statusOf(t *testing.T, p *child.Peer) string {
	t.Helper()
	if _, err := p.Process.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p.Process.Obituary(t.Context()).Status
}

// closeMax is what the end of a guest is promised to take.
const closeMax = time.Second

// mustClose fails where Close takes longer than promised.
func mustClose(t *testing.T, p *child.Peer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), closeMax)
	defer cancel()
	closed := make(chan error, 1)
	began := time.Now()
	go func() { closed <- p.Close() }()
	select {
	case err := <-closed:
		t.Logf("ended after %v", time.Since(began).Round(time.Millisecond))
		if err != nil {
			t.Error(err)
		}
	case <-ctx.Done():
		t.Fatalf("not closed after %v", closeMax)
	}
}
