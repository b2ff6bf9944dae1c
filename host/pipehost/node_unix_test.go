//go:build unix

package pipehost_test

import (
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/parley-rpc/parley/internal/transcript"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

// Goal: the shim of the bindings waits for input whoever made the pipe, where a Go program behind
// node:wasi would end. Method: a command in Node whose stdin answers EAGAIN while it is empty, and so many
// inputs, each given once the one before is answered, that the command surely looks before one is there.
func TestNodeWaitsOnPipesThatDoNotBlock(t *testing.T) {
	runner, missing := wasmtest.Runner(t)
	if missing != "" {
		t.Skip(missing)
	}
	theirStdin, stdin, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	cmd := exec.Command("node", runner, wasmtest.Command(t))
	cmd.Stdin, cmd.Stderr = theirStdin, os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	if err := syscall.SetNonblock(int(theirStdin.Fd()), true); err != nil { // of the pipe: the child's as well
		t.Error(err)
	}
	theirStdin.Close()
	reader := transcript.NewReader(stdout, 0)
	for count := range 1000 {
		if _, err := stdin.Write(lines(t, "open profile=lsp role=client")); err != nil {
			t.Error(err)
		}
		var r transcript.Record
		if err := reader.Next(&r); err != nil || r.Op != transcript.OpReady {
			t.Fatalf("input %d: %s, %v", count, r.Verb(), err)
		}
	}
	stdin.Close()
	if rest, err := io.ReadAll(stdout); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
