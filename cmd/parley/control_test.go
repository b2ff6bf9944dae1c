//go:build linux || darwin

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// shown is a running "parley peer echo" whose control socket lies in a folder of its own.
type shown struct {
	t         *testing.T
	directory string
	command   *exec.Cmd
	input     io.WriteCloser
	output    *bufio.Reader
	id        string // of its session
}

// controlFolder is a private one with a short path.
func controlFolder(t *testing.T) string {
	t.Helper()
	made, err := os.MkdirTemp("", "ctl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(made) })
	return filepath.Join(made, "sockets")
}

func startShown(t *testing.T, directory string, args ...string) *shown {
	t.Helper()
	s := &shown{t: t, directory: directory}
	s.command = exec.Command(binary, append([]string{"peer", "echo", "--no-control=false", "--control-directory", directory}, args...)...)
	s.command.Stderr = os.Stderr
	var err error
	if s.input, err = s.command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	output, err := s.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.output = bufio.NewReader(output)
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.command.Process.Kill(); _ = s.command.Wait() })
	s.id = strconv.Itoa(s.command.Process.Pid) + ".1"
	s.sync()
	return s
}

func (s *shown) say(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.input, text+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shown) hear() string {
	s.t.Helper()
	line, err := s.output.ReadString('\n')
	if err != nil {
		s.t.Fatal(err)
	}
	return line
}

// sync returns once the peer has taken everything said before: it echoes a notification.
func (s *shown) sync() {
	s.t.Helper()
	s.say(`{"jsonrpc":"2.0","method":"sync"}`)
	if heard := s.hear(); !strings.Contains(heard, "sync") {
		s.t.Fatalf("heard %s", heard)
	}
}

// ask runs a command that looks into the folder.
func (s *shown) ask(args ...string) outcome {
	s.t.Helper()
	return inProcess(s.t, "", append(args, "--control-directory", s.directory)...)
}

func (o outcome) wantShown(t *testing.T, parts ...string) {
	t.Helper()
	if o.code != exitOK || o.stderr != "" {
		t.Errorf("exit code %d, stderr %q", o.code, o.stderr)
	}
	for _, part := range parts {
		if !strings.Contains(o.stdout, part) {
			t.Errorf("stdout lacks %q:\n%s", part, o.stdout)
		}
	}
}

func TestSessionsListsWhatRuns(t *testing.T) {
	directory := controlFolder(t)
	first := startShown(t, directory)
	second := startShown(t, directory)
	first.ask("sessions").wantShown(t, "SESSION", first.id, second.id, "parley peer echo", "stdio", "plain", "server", "ready", "0/256")

	var document sessionsDocument
	if err := json.Unmarshal([]byte(first.ask("sessions", "--json").stdout), &document); err != nil {
		t.Fatal(err)
	}
	if len(document.Processes) != 2 || document.Processes[0].Sessions[0].Notifications != 1 {
		t.Errorf("%+v", document)
	}
	first.ask("stats").wantLine(t, exitUsage, "which session? Give --session: ")
	first.ask("stats", "--session", "nobody").wantLine(t, exitUsage, "no session nobody is running; there are ")
	first.ask("requests", "--session", "nobody").wantLine(t, exitUsage, "no session nobody")
}

func TestRequestsAndCancel(t *testing.T) {
	s := startShown(t, controlFolder(t), "--work", "1h")
	if quiet := s.ask("requests"); quiet.code != exitOK || !strings.Contains(quiet.stderr, "nothing is in work") {
		t.Errorf("%+v", quiet)
	}
	s.say(`{"jsonrpc":"2.0","id":"a","method":"slow\u001b[31m\nred","params":[1]}`)
	s.sync()
	id := s.id + "-2"
	s.ask("requests").wantShown(t, "REQUEST", id, "slow\uFFFD[31m red", "running")
	var document requestsDocument
	if err := json.Unmarshal([]byte(s.ask("requests", "--json").stdout), &document); err != nil {
		t.Fatal(err)
	}
	if len(document.Requests) != 1 || document.Requests[0].CorrelationID != id || document.Requests[0].Method != "slow\x1b[31m\nred" {
		t.Errorf("%+v", document)
	}

	s.ask("cancel", id).wantShown(t, "cancelled "+id)
	if answer := s.hear(); !strings.Contains(answer, `"id":"a","error"`) {
		t.Errorf("its client hears %s", answer)
	}
	again := s.ask("cancel", "--json", id)
	again.wantLine(t, exitAnswer, "has ended, or never was")
	if !strings.Contains(again.stdout, `{"correlationId":"`+id+`","cancelled":false}`) {
		t.Errorf("stdout %q", again.stdout)
	}
	s.ask("cancel", "7").wantLine(t, exitUsage, "no correlation id")
	s.ask("cancel", "7.1-7").wantLine(t, exitUsage, "no session 7.1 is running")
}

func TestTraceAndStats(t *testing.T) {
	s := startShown(t, controlFolder(t))
	s.ask("trace", "stop").wantLine(t, exitAnswer, "does not run")
	s.ask("trace", "start").wantShown(t, "tracing "+s.id)
	s.ask("trace", "start", "--json").wantLine(t, exitAnswer, "runs already")
	s.say(`{"jsonrpc":"2.0","id":7,"method":"m"}`)
	s.hear()
	s.ask("trace", "stop", "--session", s.id).wantShown(t, "AGO", s.id+"-2", "succeeded")
	s.ask("stats").wantShown(t, "COUNTER", "requests       1", "notifications  1")
	s.ask("stats", "--json").wantShown(t, `"session":"`+s.id+`"`)
}

// A tap shows what passes it, and is gone with its server.
func TestTapIsShown(t *testing.T) {
	directory := controlFolder(t)
	command := exec.Command(binary, "tap", "--no-control=false", "--control-directory", directory, "--", binary, "peer", "echo", "--no-control", "--work", "1h")
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	s := &shown{t: t, directory: directory, command: command, input: input, output: bufio.NewReader(output)}
	s.say(`{"jsonrpc":"2.0","id":1,"method":"slow"}`)
	s.sync()
	id := strconv.Itoa(command.Process.Pid) + ".1"
	s.ask("sessions").wantShown(t, id, "parley tap", "parley", "relay")
	s.ask("requests").wantShown(t, id+"-1", "slow", "running")
	s.ask("cancel", id+"-1").wantLine(t, exitAnswer, "cannot be cancelled from here")
	if err := input.Close(); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(directory); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// SIGKILL leaves a socket, which the next look removes.
func TestNothingIsShownOfTheDead(t *testing.T) {
	s := startShown(t, controlFolder(t))
	if err := s.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.command.Wait()
	got := s.ask("sessions")
	if got.code != exitOK || got.stdout != "" || got.stderr != "parley: no session is running\n" {
		t.Errorf("%+v", got)
	}
	if entries, err := os.ReadDir(s.directory); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestPeerClosesItsControlConnection(t *testing.T) {
	s := startShown(t, controlFolder(t))
	if err := s.input.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.command.Wait(); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(s.directory); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestControlFlagsOfPeer(t *testing.T) {
	t.Setenv("PARLEY_CONTROL_IDLE_TIMEOUT_SECONDS", "121")
	asProcess(t, "peer", "echo", "--no-control=false", "--control-directory", controlFolder(t)).wantLine(t, exitUsage, `PARLEY_CONTROL_IDLE_TIMEOUT_SECONDS is "121"`)
	asProcess(t, "peer", "echo", "--no-control=false", "--control-idle", "0").wantLine(t, exitUsage, "--control-idle is 0")
	for _, without := range [][]string{{"--no-control"}, nil} { // the tests' environment says the same
		if got := asProcess(t, append([]string{"peer", "echo"}, without...)...); got.code != exitOK || got.stderr != "" {
			t.Errorf("without: %+v", got)
		}
	}
	// A server works without a control connection, and says so.
	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	directory := filepath.Join(open, "sockets")
	got := asProcess(t, "peer", "echo", "--no-control=false", "--control-idle", "120", "--control-directory", directory)
	got.wantLine(t, exitOK, "no control connection")
	inProcess(t, "", "sessions", "--control-directory", directory).wantLine(t, exitUsage, "mode 0777")
}

func TestRequestsWatchPrintsWhatChanges(t *testing.T) {
	s := startShown(t, controlFolder(t), "--work", "1h")
	reader, writer := io.Pipe()
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan outcome, 1)
	go func() {
		args := []string{"requests", "--watch", "--json", "--every", "1ms", "--control-directory", s.directory}
		code := run(ctx, args, testEnv(strings.NewReader(""), writer, io.Discard))
		writer.Close()
		done <- outcome{code: code}
	}()
	changes := json.NewDecoder(reader)
	want := func(phase string) {
		t.Helper()
		var change requestChange
		if err := changes.Decode(&change); err != nil || change.Phase != phase || change.Request.CorrelationID != s.id+"-2" {
			t.Errorf("%+v, %v, want %s", change, err, phase)
		}
	}
	s.say(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
	want("running")
	s.ask("cancel", s.id+"-2").wantShown(t, "cancelled")
	var last requestChange
	for last.Phase != "ended" { // it may have been seen while it was cancelled
		if err := changes.Decode(&last); err != nil {
			t.Fatal(err)
		}
	}
	cancel(signalError(2))
	if got := <-done; got.code != 130 {
		t.Errorf("exit code %d", got.code)
	}
}

func TestDurationsAndSizesAreShort(t *testing.T) {
	for ms, want := range map[float64]string{
		0: "0", 0.004: "0.00ms", 9.994: "9.99ms", 31.44: "31.4ms", 812: "812ms", 2500: "2.50s",
		31_400: "31.4s", 187_000: "3m07s", 43_440_000: "12h04m",
	} {
		if got := duration(ms); got != want {
			t.Errorf("duration(%v) = %s, want %s", ms, got, want)
		}
	}
	for bytes, want := range map[uint64]string{0: "0B", 1023: "1023B", 1024: "1.0KiB", 1 << 20: "1.0MiB", 1<<64 - 1: "16.0EiB"} {
		if got := byteCount(bytes); got != want {
			t.Errorf("byteCount(%v) = %s, want %s", bytes, got, want)
		}
	}
}

// Every command line of the guide is one that parley takes, and its Go is the example's that compiles.
func TestGuideOfControlSaysWhatThereIs(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guides/control.md")
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	ran := 0
	for block := range strings.SplitSeq(string(guide), "```sh\n") {
		block, _, isBlock := strings.Cut(block, "```\n")
		if !isBlock || !strings.HasPrefix(block, "parley ") {
			continue
		}
		for line := range strings.Lines(block) {
			args := append(strings.Fields(line)[1:], "--control-directory", controlFolder(t))
			var said string
			if args[0] == "peer" {
				said = asProcess(t, args...).stderr
			} else {
				var stderr strings.Builder
				run(over, args, testEnv(strings.NewReader(""), io.Discard, &stderr))
				said = stderr.String()
			}
			if strings.Contains(said, "see parley --help") {
				t.Errorf("%s: %s", strings.TrimSpace(line), said)
			}
			ran++
		}
	}
	if ran < 9 {
		t.Errorf("%d command lines", ran)
	}
	example, err := os.ReadFile("../../host/control/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(guide), "```go\n")
	code, _, _ = strings.Cut(code, "```\n")
	indented := strings.ReplaceAll("\n"+strings.TrimSuffix(code, "\n"), "\n", "\n\t")
	if !strings.Contains(string(example), strings.ReplaceAll(indented, "\n\t\n", "\n\n")) {
		t.Error("its Go is not in host/control/example_test.go")
	}
}
