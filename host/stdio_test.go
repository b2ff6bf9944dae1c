package host_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

const stdioChildEnv = "PARLEY_TEST_STDIO_CHILD"

// stdioChild is the program that TestStdioKeepsTheWireClean starts: a server whose process prints,
// and starts children that read and print.
func stdioChild() error {
	transport, err := host.Stdio()
	if err != nil {
		return err
	}
	mux := host.NewMux()
	host.Handle(mux, "noise", core.ModeRead, func(ctx context.Context, _ any) (string, error) {
		fmt.Println("stray print")
		child := exec.CommandContext(ctx, "sh", "-c", "cat; echo stray child")
		child.Stdin, child.Stdout = os.Stdin, os.Stdout
		return "clean", child.Run()
	})
	return host.Serve(context.Background(), transport, mux, host.LSPServer)
}

// FRAME-8: nothing but frames reaches the wire, and nothing but the session reads from it.
func TestStdioKeepsTheWireClean(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("descriptors cannot be moved here")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	theirIn, ourOut := osPipe(t)
	ourIn, theirOut := osPipe(t)
	var stderr bytes.Buffer
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), stdioChildEnv+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	p, err := host.New(host.Pipes(ourIn, ourOut), host.LSP)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := host.Call[string](t.Context(), p, "noise", nil, host.WithTimeout(time.Minute))
		if got != "clean" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the child: %v", err)
	}
	for _, stray := range []string{"stray print", "stray child"} {
		if count := strings.Count(stderr.String(), stray); count != 2 {
			t.Errorf("stderr has %q %d times: %q", stray, count, stderr.String())
		}
	}
}
