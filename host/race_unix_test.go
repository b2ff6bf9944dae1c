//go:build linux || darwin

package host_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parley-rpc/parley/host"
)

const (
	stoppedClientEnv    = "PARLEY_TEST_STOPPED_CLIENT"
	stoppedClientBudget = 500 * time.Millisecond
)

// stoppedClient is the program that TestAnswerBeatsTheDeadlineOfAStoppedProcess starts and stops:
// one call on standard input and output, whose answer is there before its deadline has been noticed.
func stoppedClient() error {
	p, err := host.New(host.Pipes(os.Stdin, os.Stdout), host.Plain)
	if err != nil {
		return err
	}
	start := time.Now()
	answer, err := host.Call[string](context.Background(), p, "m", nil, host.WithTimeout(stoppedClientBudget))
	switch waited := time.Since(start); {
	case err != nil:
		return err
	case answer != "in time":
		return fmt.Errorf("the answer is %q", answer)
	case waited <= stoppedClientBudget:
		return fmt.Errorf("the answer came after %v: the deadline had not passed, and nothing is proven", waited)
	}
	return p.Close()
}

// CALL-3: a process that was stopped past a deadline finds the answer in the pipe, and the answer
// wins. Method: the client is this program once more, since nobody can stop a part of himself.
func TestAnswerBeatsTheDeadlineOfAStoppedProcess(t *testing.T) {
	if os.Getenv(stoppedClientEnv) != "" {
		if err := stoppedClient(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0) // before the test framework writes to standard output
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	theirIn, ourOut := osPipe(t)
	ourIn, theirOut := osPipe(t)
	defer ourOut.Close()
	defer ourIn.Close()
	var stderr strings.Builder
	client := exec.Command(program, "-test.run=^"+t.Name()+"$")
	client.Env = append(os.Environ(), stoppedClientEnv+"=1")
	client.Stdin, client.Stdout, client.Stderr = theirIn, theirOut, &stderr
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	defer func() {
		if !ended {
			_ = client.Process.Kill() // it may have ended by itself
			_ = client.Wait()
		}
	}()
	theirIn.Close()
	theirOut.Close()

	const call = `{"jsonrpc":"2.0","id":1,"method":"m"}` + "\n"
	if got, err := bufio.NewReader(ourIn).ReadString('\n'); got != call || err != nil {
		t.Fatalf("the client called %q, %v: %s", got, err, stderr.String())
	}
	stop(t, client.Process)
	if _, err := io.WriteString(ourOut, `{"jsonrpc":"2.0","id":1,"result":"in time"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	<-time.After(2 * stoppedClientBudget) // the deadline passes, in real time
	if err := client.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	err = client.Wait()
	ended = true
	if err != nil {
		t.Errorf("the client: %v: %s", err, stderr.String())
	}
}

// stop stops a child of ours and returns when it stands still.
func stop(t *testing.T, child *os.Process) {
	t.Helper()
	if err := child.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(child.Pid, &status, syscall.WUNTRACED, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil || !status.Stopped():
			t.Fatalf("waiting for the client to stop: %v, status %#x", err, status)
		default:
			return
		}
	}
}
