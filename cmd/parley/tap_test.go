//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/capture"
	"github.com/parley-rpc/parley/internal/transcript"
)

// recorded is what a capture holds, byte for byte.
type recorded struct {
	client, server, stderr []byte
	ops                    []transcript.Op
	exit                   core.Code
	torn                   bool
}

func readCapture(t *testing.T, path string) (got recorded) {
	t.Helper()
	source, err := capture.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	for r, err := range source.Records() {
		if errors.As(err, new(*transcript.TornError)) {
			got.torn = true
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got.ops = append(got.ops, r.Op)
		switch r.Op {
		case transcript.OpClient:
			got.client = append(got.client, r.Text...)
		case transcript.OpServer:
			got.server = append(got.server, r.Text...)
		case transcript.OpStderr:
			got.stderr = append(got.stderr, r.Text...)
		case transcript.OpExit:
			got.exit = r.Code
		}
	}
	return got
}

// tapped runs a shell script behind a tap that records to FILE, or to a file of its own.
func tapped(t *testing.T, stdin, file, script string, flags ...string) (outcome, string) {
	t.Helper()
	if file == "" {
		file = filepath.Join(t.TempDir(), "a.cap")
	}
	args := append([]string{"tap", "--record", file}, flags...)
	command := exec.Command(binary, append(args, "--", "sh", "-c", script)...)
	command.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil && command.ProcessState == nil {
		t.Fatal(err)
	}
	return outcome{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}, file
}

// Goal: what passes is the same to the byte, whatever it is, and is recorded as it passed.
func TestTapPassesEverything(t *testing.T) {
	noise := make([]byte, 300_000)
	for i := range noise {
		noise[i] = byte(i * i >> 7)
	}
	for name, input := range map[string]string{
		"nothing":  "",
		"messages": frame(`{"jsonrpc":"2.0","id":1,"method":"a"}`) + frame(`{}`),
		"noise":    string(noise),
	} {
		got, file := tapped(t, input, "", `cat; echo done >&2; exit 7`)
		if got.code != 7 || got.stdout != input || got.stderr != "done\n" {
			t.Errorf("%s: exit code %d, %d bytes of stdout for %d, stderr %q", name, got.code, len(got.stdout), len(input), got.stderr)
		}
		rec := readCapture(t, file)
		if string(rec.client) != input || string(rec.server) != input || string(rec.stderr) != "done\n" || rec.exit != 7 {
			t.Errorf("%s: recorded %d and %d bytes of %d, stderr %q, exit %d", name, len(rec.client), len(rec.server), len(input), rec.stderr, rec.exit)
		}
		if rec.ops[0] != transcript.OpCapture || rec.ops[len(rec.ops)-1] != transcript.OpExit {
			t.Errorf("%s: records %v", name, rec.ops)
		}
	}
}

// Goal: secrets pass and are not recorded. Method: they stand where their message comes in two reads,
// in a name that is escaped, at a path, and on stderr.
func TestTapMasksWhatItRecords(t *testing.T) {
	input := frame(`{"jsonrpc":"2.0","id":1,"method":"a","params":{"env":{"GITHUB_TOKEN":"hunter2-a"},"\u0061pi-key":["hunter2-b"],` +
		`"progressToken":5,"email":"hunter2-c","pin":7}}`)
	got, file := tapped(t, input, "", `dd bs=60 2>/dev/null; echo "password=hunter2-d" >&2`, "--redact", "params.email", "--redact", "params.pin")
	if got.stdout != input {
		t.Errorf("what passed was changed: %q", got.stdout)
	}
	rec := readCapture(t, file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("hunter2")) {
		t.Errorf("a secret was recorded: %q", text)
	}
	for _, passed := range [][]byte{rec.client, rec.server} {
		if len(passed) != len(input) || !bytes.Contains(passed, []byte(`"progressToken":5,"email":"*********","pin":0}`)) ||
			!bytes.Contains(passed, []byte(`"GITHUB_TOKEN":"*********"}`)) {
			t.Errorf("recorded %q", passed)
		}
	}
	if _, file := tapped(t, input, "", `cat`, "--no-secrets"); string(readCapture(t, file).client) != input {
		t.Error("masked in spite of --no-secrets")
	}
}

// Goal: a disk that is full or does not answer costs the recording and nothing else.
func TestTapSurvivesItsDisk(t *testing.T) {
	input := strings.Repeat(frame(`{"jsonrpc":"2.0","method":"a"}`), 20_000)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0) // open, and never read
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	files := []string{pipe}
	if _, err := os.Stat("/dev/full"); err == nil {
		files = append(files, "/dev/full")
	}
	for _, file := range files {
		got, _ := tapped(t, input, file, `cat; exit 3`)
		if got.code != 3 || got.stdout != input {
			t.Errorf("%s: exit code %d, %d bytes of %d", file, got.code, len(got.stdout), len(input))
		}
		if !strings.Contains(got.stderr, "the recording is incomplete") || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: stderr %q", file, got.stderr)
		}
	}
	got, _ := tapped(t, "", filepath.Join(t.TempDir(), "no", "folder"), `cat`)
	got.wantLine(t, exitUsage, "--record")
	noCapture := filepath.Join(t.TempDir(), "letter")
	if err := os.WriteFile(noCapture, []byte("Dear Sir"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, _ = tapped(t, "", noCapture, `cat`)
	got.wantLine(t, exitUsage, "is not a capture")
}

// Goal: what was recorded before the tap was killed can be read, and the next session goes behind it.
func TestTapLeavesAReadableCaptureWhenKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.cap")
	command := exec.Command(binary, "tap", "--record", file, "--", "cat")
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	message := frame(`{"jsonrpc":"2.0","method":"a"}`)
	// Messages go round until the first of them is on the disk.
	for len(onDisk(t, file)) == 0 {
		if _, err := stdin.Write([]byte(message)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(stdout, make([]byte, len(message))); err != nil {
			t.Fatal(err)
		}
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // it says that it was killed
	before := readCapture(t, file)
	if len(before.client) == 0 || len(before.client)%len(message) != 0 {
		t.Errorf("%d bytes recorded of messages of %d", len(before.client), len(message))
	}
	appended, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := appended.WriteString("\x00\x00\x01\x00torn"); err != nil {
		t.Fatal(err)
	}
	appended.Close()
	if !readCapture(t, file).torn {
		t.Error("nobody says that the last record is torn")
	}
	if got, _ := tapped(t, message, file, "cat"); got.code != 0 || got.stderr != "" {
		t.Fatal(got)
	}
	after := readCapture(t, file)
	if after.torn || string(after.client) != string(before.client)+message {
		t.Errorf("torn %v, %d bytes after %d", after.torn, len(after.client), len(before.client))
	}
}

// onDisk is what a capture holds of the client, nothing while it has no whole record.
func onDisk(t *testing.T, file string) []byte {
	t.Helper()
	if info, err := os.Stat(file); err != nil || info.Size() < 9 {
		return nil
	}
	return readCapture(t, file).client
}

func TestTapRotates(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.cap")
	message := frame(`{"jsonrpc":"2.0","method":"a","params":"` + strings.Repeat("x", 500) + `"}`)
	// Each line is answered before the next is written, so that the disk sees them one by one.
	command := exec.Command(binary, "tap", "--record", file, "--rotate", "2KiB", "--", "cat")
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(file + ".1"); err == nil {
			break
		}
		if _, err := io.WriteString(stdin, message); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(stdout, make([]byte, len(message))); err != nil {
			t.Fatal(err)
		}
	}
	stdin.Close()
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{file, file + ".1"} {
		if rec := readCapture(t, part); rec.ops[0] != transcript.OpCapture || rec.torn {
			t.Errorf("%s: records %v, torn %v", part, rec.ops, rec.torn)
		}
	}
}

// Goal: a second tap on the same file disturbs nobody.
func TestTapTakesAnotherNameWhereAFileIsWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.cap")
	inner := binary + ` tap --record ` + file + ` -- cat`
	got, _ := tapped(t, "hello", file, inner)
	if got.code != 0 || got.stdout != "hello" || !strings.Contains(got.stderr, "is being written by another process") {
		t.Error(got)
	}
	others, err := filepath.Glob(file + ".*")
	if err != nil || len(others) != 1 || string(readCapture(t, others[0]).client) != "hello" {
		t.Error(others, err)
	}
}

// Goal: signals reach the server, once, and what it makes of them is what the tap makes of them.
func TestTapPassesSignals(t *testing.T) {
	for _, test := range []struct {
		script string
		signal syscall.Signal
		code   int
	}{
		{`trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.05; done`, syscall.SIGINT, 5},
		{`trap 'echo caught; exit 6' TERM; echo ready; while :; do sleep 0.05; done`, syscall.SIGTERM, 6},
		{`trap 'echo caught' USR1; trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done`, syscall.SIGUSR1, 0},
		{`echo ready; exec sleep 100`, syscall.SIGTERM, 143},
	} {
		file := filepath.Join(t.TempDir(), "a.cap")
		command := exec.Command(binary, "tap", "--record", file, "--", "sh", "-c", test.script)
		stdout, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(stdout, make([]byte, len("ready\n"))); err != nil {
			t.Fatal(err)
		}
		if err := command.Process.Signal(test.signal); err != nil {
			t.Fatal(err)
		}
		caught := make([]byte, len("caught\n"))
		if test.code != 143 {
			if _, err := io.ReadFull(stdout, caught); err != nil {
				t.Fatal(err)
			}
		}
		if test.signal == syscall.SIGUSR1 {
			if err := command.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
		rest, err := io.ReadAll(stdout)
		if err != nil || len(rest) > 0 {
			t.Errorf("%s: %q, %v: the signal came more than once", test.script, rest, err)
		}
		_ = command.Wait() // it repeats the exit code
		if code := command.ProcessState.ExitCode(); code != test.code {
			t.Errorf("%s: exit code %d, want %d", test.script, code, test.code)
		}
		if rec := readCapture(t, file); int(rec.exit) != test.code {
			t.Errorf("%s: recorded exit %d, want %d", test.script, rec.exit, test.code)
		}
	}
}

// Goal: the ends of the streams pass, each by itself. Method: a server that closes what it should
// not, one that ends while its client still writes, and one that leaves somebody behind who holds
// its output.
func TestTapPassesEnds(t *testing.T) {
	got, _ := tapped(t, "hello", "", `exec 1>&-; cat >&2; exit 4`)
	if got.code != 4 || got.stdout != "" || got.stderr != "hello" {
		t.Errorf("a server without output: %+v", got)
	}
	w := newWitness(t)
	args := append([]string{"tap"}, w.hold(`sleep 2 & echo words; exit 9`)...)
	command := exec.Command(binary, args...)
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	output, err := command.Output()
	if code := command.ProcessState.ExitCode(); code != 9 || string(output) != "words\n" {
		t.Errorf("exit code %d, %q, %v", code, output, err)
	}
	w.wait(t)
	got, _ = tapped(t, "", "", `kill -9 $$`)
	if got.code != 137 {
		t.Errorf("killed: %+v", got)
	}
	asProcess(t, "tap", "--", "no-such-program").wantLine(t, exitStart, "no-such-program")
	asProcess(t, "tap").wantLine(t, exitUsage, "behind --")
	asProcess(t, "tap", "--rotate", "lots", "--", "cat").wantLine(t, exitUsage, "64MiB")
	asProcess(t, "tap", "--redact", "id", "--", "cat").wantLine(t, exitUsage, "--redact")
}

func TestReplayEndsAServerThatAnswersNothing(t *testing.T) {
	file := record(t, hoverCall, binary, "peer", "lsp")
	w := newWitness(t)
	asProcess(t, append([]string{"replay", file, "--patience", "10ms"}, w.hold("exec sleep 100")...)...).
		wantOut(t, exitAnswer, "not answered within 10ms")
	w.wait(t)
}
