//go:build unix

package main

import (
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Each fault, as parley's own client sees it: the exit code, and that nothing is left.
func TestPeerFaults(t *testing.T) {
	const answered = `{"a":1}` + "\n"
	for _, test := range []struct {
		args   string // of peer
		code   int
		stdout string
		want   string // in the line on stderr
	}{
		{"echo", exitOK, answered, ""},
		{"echo --split 3 --delay 1ms", exitOK, answered, ""},
		{"echo --answer-twice 1", exitOK, answered, ""},
		{"echo --out-of-order", exitOK, answered, ""},
		{"echo --junk 1", exitOK, answered, ""}, // LINE-7
		{"echo --flood 20000", exitOK, answered, ""},
		{"echo --ignore-eof", exitOK, answered, ""},
		{"echo --hold-stdout 10m", exitOK, answered, ""},
		{"echo --drop 1", exitTimeout, "", "no answer in the time given"},
		{"echo --never-answer", exitTimeout, "", "no answer in the time given"},
		{"echo --never-read", exitTimeout, "", "no answer in the time given"},
		{"echo --die-at-byte 5", exitProtocol, "", "signal: killed"},
		{"echo --die-at-byte 0", exitPeerDied, "", "signal: killed"},
		{"echo --die-at-byte 0 --stderr-flood 100000", exitPeerDied, "", "flood on stderr"},
		{"echo --framing header --junk 1", exitProtocol, "", "junk on stdout"},
		{"echo --framing header --wrong-length 1", exitProtocol, "", ""},
		{"echo --framing length4 --split 1", exitOK, answered, ""},
	} {
		t.Run(test.args, func(t *testing.T) {
			t.Parallel()
			args := []string{"call", "x", `{"a":1}`, "--profile", "plain"}
			if framing := "--framing"; strings.Contains(test.args, framing) {
				peer := strings.Fields(test.args)
				args = append(args, framing, peer[slices.Index(peer, framing)+1])
			}
			got := meet(t, test.code, "exec "+binary+" peer "+test.args, args...)
			if got.stdout != test.stdout {
				t.Errorf("stdout %q, want %q", got.stdout, test.stdout)
			}
			if test.code != exitOK {
				got.wantLine(t, test.code, test.want)
			} else if got.code != exitOK {
				t.Errorf("exit code %d, stderr %q", got.code, got.stderr)
			}
		})
	}
}

func TestFaultsThatCannotBe(t *testing.T) {
	for args, want := range map[string]string{
		"lsp --drop 1.5":          "--drop is a probability",
		"lsp --junk=-1":           "--junk is a probability",
		"lsp --answer-twice NaN":  "--answer-twice is a probability",
		"lsp --split=-1":          "--split is not negative",
		"lsp --delay=-1s":         "--delay is not negative",
		"lsp --die-at-byte=-1":    "--die-at-byte is not negative",
		"mcp --wrong-length 1":    "echo --framing header",
		"echo --framing whole":    "--framing",
		"echo --flood everything": "--flood",
	} {
		got := inProcess(t, "", append([]string{"peer"}, strings.Fields(args)...)...)
		got.wantLine(t, exitUsage, want)
	}
}

// What ends such a peer is a signal, with the signal's exit code, also where it reads nothing.
func TestStubbornPeersObeySignals(t *testing.T) {
	for _, fault := range []string{"--never-read", "--ignore-eof"} {
		command := exec.Command(binary, "peer", "echo", fault, "--flood", "1")
		stdout, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil { // its stdin is the null device: at its end
			t.Fatal(err)
		}
		if _, err := stdout.Read(make([]byte, 1)); err != nil { // it serves
			t.Error(err)
		}
		if err := command.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		bound := time.AfterFunc(15*time.Second, func() { _ = command.Process.Kill() })
		// The error only repeats the exit code.
		_ = command.Wait()
		bound.Stop()
		if code := command.ProcessState.ExitCode(); code != exitSignal+int(syscall.SIGTERM) {
			t.Errorf("%s: %v, want exit code 143", fault, command.ProcessState)
		}
	}
}
