//go:build linux || darwin

package child

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// TestMain is also the child's main, where a test starts its own binary as a server.
func TestMain(m *testing.M) {
	if serve, ok := servers[os.Getenv(serverVariable)]; ok {
		os.Exit(serve())
	}
	goleak.VerifyTestMain(m)
}

var (
	// short is for children that are known to use the bounds up.
	short = WithBounds(Bounds{Grace: 100 * time.Millisecond, Terminate: 100 * time.Millisecond})
	// patient is for children that leave when asked, on a machine however busy.
	patient = WithBounds(Bounds{Grace: time.Minute})
)

// shell starts a script. Whatever of it is left when the test ends fails the test.
func shell(t *testing.T, script string, opts ...Option) *Process {
	t.Helper()
	return start(t, exec.Command("sh", "-c", script), opts...)
}

func start(t *testing.T, cmd *exec.Cmd, opts ...Option) *Process {
	t.Helper()
	alive := livenessPipe(t, cmd)
	p, err := StartProcess(cmd, opts...)
	if err != nil {
		t.Fatal(err)
	}
	// The child has its own copy.
	closeAll(cmd.ExtraFiles...)
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
		alive.mustEnd(t)
		mustBeReaped(t, cmd.Process.Pid)
	})
	return p
}

// liveness is the read end of a pipe that a child and all its descendants hold the other end of:
// it ends with the last of them.
type liveness struct{ *os.File }

func livenessPipe(t *testing.T, cmd *exec.Cmd) liveness {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeAll(r) })
	cmd.ExtraFiles = []*os.File{w}
	return liveness{r}
}

func (l liveness) mustEnd(t *testing.T) {
	t.Helper()
	if err := l.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, l); err != nil {
		t.Errorf("a descendant lives on: %v", err)
	}
}

func mustBeReaped(t *testing.T, pid int) {
	t.Helper()
	if _, err := unix.Wait4(pid, nil, unix.WNOHANG, nil); err != unix.ECHILD {
		t.Errorf("child %d is not reaped: %v", pid, err)
	}
}

func mustRead(t *testing.T, r io.Reader, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(r, got); err != nil || string(got) != want {
		t.Fatalf("read %q, %v, want %q", got, err, want)
	}
}

func status(t *testing.T, p *Process) string {
	t.Helper()
	state, err := p.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return state.String()
}

func TestProcessLeavesAtEndOfStdin(t *testing.T) {
	p := shell(t, `cat; echo bye >&2; exit 7`, patient)
	if _, err := io.WriteString(p.Stdin, "hello"); err != nil {
		t.Fatal(err)
	}
	mustRead(t, p.Stdout, "hello")
	results := make(chan error)
	for range 8 {
		go func() { results <- p.Stop() }()
	}
	for range 8 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if got := status(t, p); got != "exit status 7" {
		t.Errorf("status %q", got)
	}
	if got := string(p.Stderr.Bytes()); got != "bye\n" {
		t.Errorf("stderr %q", got)
	}
}

// STOP-6
func TestProcessIgnoresTerminate(t *testing.T) {
	p := shell(t, `trap '' TERM; echo ready; while :; do sleep 60; done`, short)
	mustRead(t, p.Stdout, "ready\n")
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if got := status(t, p); got != "signal: killed" {
		t.Errorf("status %q", got)
	}
}

// STOP-6: start's cleanup finds out whether the grandchild is gone.
func TestGrandchildren(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"under a waiting wrapper", `sleep 300 & echo ready; wait`},
		{"deaf", `(trap '' TERM; echo ready; while :; do sleep 60; done) & wait`},
		{"wrapper gone", `(echo ready; exec sleep 300) & exit 3`},
		{"wrapper gone, all closed", `echo ready; sleep 300 </dev/null >/dev/null 2>&1 & exit 3`},
		{"deaf, wrapper gone", `(trap '' TERM; echo ready; while :; do sleep 60; done) </dev/null 2>&1 & exit 3`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := shell(t, c.script, short)
			mustRead(t, p.Stdout, "ready\n")
			if strings.Contains(c.name, "gone") {
				if got := status(t, p); got != "exit status 3" {
					t.Errorf("status %q", got)
				}
				return // nobody calls Stop before the cleanup
			}
			if err := p.Stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// STOP-4: what a descendant holds open does not keep the output from ending.
func TestOutputEndsWithTheLeader(t *testing.T) {
	p := shell(t, `echo last; sleep 300 & exit 3`, short)
	got, err := io.ReadAll(p.Stdout)
	if err != nil || string(got) != "last\n" {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestOutputIsWholeAfterExit(t *testing.T) {
	const bytesEach = 200_000
	for range 10 {
		p := shell(t, `head -c 200000 /dev/zero; echo last line >&2`)
		got, err := io.ReadAll(p.Stdout)
		if err != nil || len(got) != bytesEach {
			t.Fatalf("read %d bytes, %v, want %d", len(got), err, bytesEach)
		}
		if err := p.Stop(); err != nil {
			t.Fatal(err)
		}
		if got := string(p.Stderr.Bytes()); got != "last line\n" {
			t.Errorf("stderr %q", got)
		}
	}
}

// STOP-6: output is drained while the child is asked to leave.
func TestClosedOutputIsDrained(t *testing.T) {
	p := shell(t, `head -c 1000000 /dev/zero; cat; echo bye >&2`, patient)
	mustRead(t, p.Stdout, "\x00")
	read := make(chan error)
	go func() {
		_, err := io.Copy(io.Discard, p.Stdout)
		read <- err
	}()
	if err := p.Stdout.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-read; !errors.Is(err, os.ErrClosed) {
		t.Errorf("a Read that Close overtook: %v", err)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if got := status(t, p); got != "exit status 0" {
		t.Errorf("status %q: it was not drained", got)
	}
}

func TestOutputNobodyReads(t *testing.T) {
	p := shell(t, `exec cat /dev/zero`, short)
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if got := status(t, p); got != "signal: terminated" {
		t.Errorf("status %q", got)
	}
}

func TestInputNobodyReads(t *testing.T) {
	p := shell(t, `echo ready; exec sleep 300`, short)
	mustRead(t, p.Stdout, "ready\n")
	wrote := make(chan error)
	go func() {
		_, err := p.Stdin.Write(make([]byte, 1<<20))
		wrote <- err
	}()
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := <-wrote; err == nil {
		t.Error("1 MiB was written to a child that reads nothing")
	}
}

// API-3
func TestFirstBytesOfStdin(t *testing.T) {
	cmd := exec.Command("cat")
	first, feed := io.Pipe()
	cmd.Stdin = first
	p := start(t, cmd)
	wrote := make(chan error)
	go func() {
		_, err := io.WriteString(p.Stdin, "then")
		if err == nil {
			err = p.Stdin.Close()
		}
		wrote <- err
	}()
	if _, err := io.WriteString(feed, "first "); err != nil {
		t.Fatal(err)
	}
	mustRead(t, p.Stdout, "first ")
	if err := feed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-wrote; err != nil {
		t.Error(err)
	}
	if got, err := io.ReadAll(p.Stdout); err != nil || string(got) != "then" {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestFirstBytesFail(t *testing.T) {
	broken := errors.New("broken")
	cmd := exec.Command("cat")
	cmd.Stdin = io.MultiReader(strings.NewReader("first"), failingReader{broken})
	p := start(t, cmd)
	if got, err := io.ReadAll(p.Stdout); err != nil || string(got) != "first" {
		t.Errorf("read %q, %v", got, err)
	}
	if _, err := io.WriteString(p.Stdin, "then"); !errors.Is(err, broken) {
		t.Errorf("a write after the gap: %v", err)
	}
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

func TestNoStdin(t *testing.T) {
	p := shell(t, `cat; echo done`, NoStdin())
	if p.Stdin != nil {
		t.Error("there is a stdin")
	}
	if got, err := io.ReadAll(p.Stdout); err != nil || string(got) != "done\n" {
		t.Errorf("read %q, %v", got, err)
	}
}

// STOP-6
func TestPlainTerminal(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"PATH=" + os.Getenv("PATH")}, "1 dumb"},
		{[]string{"PATH=" + os.Getenv("PATH"), "NO_COLOR=", "TERM=vt100"}, " vt100"},
	} {
		cmd := exec.Command("sh", "-c", `printf '%s %s' "$NO_COLOR" "$TERM"`)
		cmd.Env = c.env
		p := start(t, cmd)
		if got, err := io.ReadAll(p.Stdout); err != nil || string(got) != c.want {
			t.Errorf("read %q, %v, want %q", got, err, c.want)
		}
	}
}

// STOP-7
func TestStderrFlood(t *testing.T) {
	const bytesTotal = 1_000_000 + 4
	slow := &blockedWriter{release: make(chan struct{})}
	cmd := exec.Command("sh", "-c", `head -c 1000000 /dev/zero >&2; echo end >&2`)
	cmd.Stderr = slow
	p := start(t, cmd, short)
	if got := status(t, p); got != "exit status 0" {
		t.Errorf("status %q", got)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if got := p.Stderr.BytesTotal(); got != bytesTotal {
		t.Errorf("%d bytes in all, want %d", got, bytesTotal)
	}
	if got := p.Stderr.Bytes(); len(got) != TailBytesMax || !bytes.HasSuffix(got, []byte("\x00end\n")) {
		t.Errorf("kept %d bytes, the last %q", len(got), got[len(got)-5:])
	}
	close(slow.release)
	<-p.Stderr.sink.ended
	if got, lost := int64(slow.buf.Len()), p.Stderr.BytesLost(); lost == 0 || got+lost != bytesTotal {
		t.Errorf("the sink got %d bytes and lost %d, of %d", got, lost, bytesTotal)
	}
}

// blockedWriter lets nothing through before release is closed.
type blockedWriter struct {
	release chan struct{}
	buf     bytes.Buffer
}

func (w *blockedWriter) Write(p []byte) (int, error) {
	<-w.release
	return w.buf.Write(p)
}

func TestStderrSinkFails(t *testing.T) {
	cmd := exec.Command("sh", "-c", `echo one >&2; echo two >&2`)
	r, w := io.Pipe()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = w
	p := start(t, cmd)
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if got := string(p.Stderr.Bytes()); got != "one\ntwo\n" {
		t.Errorf("stderr %q", got)
	}
	if got := p.Stderr.BytesLost(); got != 8 {
		t.Errorf("lost %d bytes, want 8", got)
	}
}

// STOP-4
func TestObituary(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{`echo 'FATAL: API_KEY is not set' >&2; exit 78`, `: exit status 78; stderr: "FATAL: API_KEY is not set"`},
		{`kill -9 $$`, `: signal: killed`},
		{`printf 'a\033[31m\nb\r\n' >&2`, `: exit status 0; stderr: "a\x1b[31m\nb"`},
	} {
		p := shell(t, c.script, short)
		<-p.ended
		if got := p.obituary(t.Context()); !strings.HasSuffix(got, c.want) || !strings.Contains(got, "sh:") {
			t.Errorf("%q\n got %s\nwant …%s", c.script, got, c.want)
		}
	}
	p := shell(t, `exec cat`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := p.obituary(ctx); !strings.HasSuffix(got, ": still running") {
		t.Errorf("got %s", got)
	}
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.WriteFile(data, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere := exec.Command("true")
	elsewhere.Dir = filepath.Join(dir, "absent")
	for _, c := range []struct {
		name string
		cmd  *exec.Cmd
		want error
	}{
		{"no such path", exec.Command(filepath.Join(dir, "absent")), fs.ErrNotExist},
		{"not in PATH", exec.Command("parley-no-such-program"), exec.ErrNotFound},
		{"a directory", exec.Command(dir), syscall.EISDIR},
		{"not executable", exec.Command(data), fs.ErrPermission},
		{"no such working directory", elsewhere, fs.ErrNotExist},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := openDescriptors(t)
			_, err := StartProcess(c.cmd)
			var startErr *StartError
			if !errors.As(err, &startErr) || !errors.Is(err, c.want) {
				t.Fatalf("error %v, want a *StartError with %v", err, c.want)
			}
			if after := openDescriptors(t); after != before {
				t.Errorf("%d descriptors left", after-before)
			}
		})
	}
}

// Children that nobody ever stops leave neither a zombie nor a descriptor.
func TestNothingIsLeftOfForgottenChildren(t *testing.T) {
	before := openDescriptors(t)
	children := make(map[*exec.Cmd]*Process)
	for range 50 {
		cmd := exec.Command("true")
		p, err := StartProcess(cmd)
		if err != nil {
			t.Fatal(err)
		}
		children[cmd] = p
	}
	for cmd, p := range children {
		<-p.ended
		mustBeReaped(t, cmd.Process.Pid)
	}
	if after := openDescriptors(t); after != before {
		t.Errorf("%d descriptors left", after-before)
	}
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// Our own group is never hit: the child's is another.
func TestGroupOfItsOwn(t *testing.T) {
	cmd := exec.Command("cat")
	start(t, cmd)
	group, err := unix.Getpgid(cmd.Process.Pid)
	if err != nil || group != cmd.Process.Pid || group == unix.Getpgrp() {
		t.Errorf("group %d of child %d, ours is %d: %v", group, cmd.Process.Pid, unix.Getpgrp(), err)
	}
}
