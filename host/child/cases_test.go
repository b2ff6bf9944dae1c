//go:build linux || darwin

package child

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// The tests of this file are named after the reports of docs/cases.md.

func init() {
	servers["b81"] = serveToTheEnd
	servers["b92"] = serveStrictly
}

// STOP-6: a child is told that it writes to no terminal.
func TestB22(t *testing.T) {
	cmd := script(`printf '{"jsonrpc":"2.0","method":"env","params":["%s","%s"]}\n' "$NO_COLOR" "$TERM"`)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	p := startPeer(t, cmd, host.MCP, patient)
	for message, err := range p.Messages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if got := string(message.Params); got != `["1","dumb"]` {
			t.Errorf("NO_COLOR and TERM are %s", got)
		}
	}
}

// STOP-4: a child that dies before its first answer says why.
func TestB77(t *testing.T) {
	for _, c := range []struct {
		name, script string
		reasons      []string
	}{
		{"exit", `echo 'FATAL: API_KEY is not set' >&2; exit 78`, []string{"exit status 78", "FATAL: API_KEY is not set"}},
		{"signal", `kill -9 $$`, []string{"signal: killed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			mustBeLost(t, startPeer(t, script(c.script), host.MCP, short), c.reasons...)
		})
	}
	absent := filepath.Join(t.TempDir(), "server")
	_, err := Start(t.Context(), exec.Command(absent, "--stdio"), host.MCP)
	var startErr *StartError
	if !errors.As(err, &startErr) || !strings.Contains(err.Error(), absent) {
		t.Errorf("a program that does not exist: %v, want a *StartError with its path", err)
	}
}

// serveToTheEnd serves MCP until its input ends.
func serveToTheEnd() int {
	transport, err := host.Stdio()
	if err == nil {
		err = host.Serve(context.Background(), transport, host.NewMux(), host.MCPServer)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return 0
}

// STOP-4, STOP-9: the end of a pipe is the end, for a server of ours and for a client.
func TestB81(t *testing.T) {
	for name, want := range map[string]string{"b81": "exit status 0", "lsp": "exit status 1"} {
		p := start(t, self(name), patient)
		if err := p.Stdin.Close(); err != nil {
			t.Fatal(err)
		}
		if got := status(t, p); got != want {
			t.Errorf("server %s: %q, want %q; stderr: %q", name, got, want, p.Stderr.Bytes())
		}
	}
	p := startPeer(t, script(`exec 1>&- 2>&-; exec sleep 300`), host.MCP, short)
	mustBeLost(t, p, "the peer's output has ended")
	<-p.Process.ended // with nobody calling Close
}

// SEND-5: a child that has closed its stdin fails whoever writes to it, and nobody else.
func TestB82(t *testing.T) {
	cmd := script(`exec 0<&-; echo '{"jsonrpc":"2.0","method":"ready"}'; exec sleep 300`)
	p := startPeer(t, cmd, host.MCP, short)
	for message, err := range p.Messages(t.Context()) {
		if err != nil || message.Method != "ready" {
			t.Fatalf("message %v, %v", message, err)
		}
		break
	}
	for range 2 {
		_, err := p.CallRaw(t.Context(), "m", nil)
		var ended *host.SessionError
		if !errors.As(err, &ended) || ended.Reason != core.ReasonWriteFailed || !errors.Is(err, syscall.EPIPE) {
			t.Errorf("call: %v, want a failed write with EPIPE", err)
		}
		if err := p.NotifyRaw(t.Context(), "n", nil); !errors.Is(err, host.ErrClosed) {
			t.Errorf("notify: %v, want ErrClosed", err)
		}
	}
}

// STOP-7: what a child writes to stderr never keeps it from answering, read or unread.
func TestB83(t *testing.T) {
	const count, bytesEach = 50, 1_000_001
	flood := fmt.Sprintf(`n=0; while read -r line; do n=$((n+1))
		head -c %d /dev/zero | tr '\0' E >&2; echo >&2
		echo '{"jsonrpc":"2.0","id":'$n',"result":"ok"}'; done`, bytesEach-1)
	for _, reading := range []bool{true, false} {
		slow := &blockedWriter{release: make(chan struct{})}
		cmd := script(flood)
		if !reading {
			cmd.Stderr = slow
		}
		p := startPeer(t, cmd, host.MCP, patient)
		for range count {
			if answer, err := host.Call[string](t.Context(), p, "m", nil); answer != "ok" || err != nil {
				t.Fatalf("answer %q, %v", answer, err)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		tail := p.Process.Stderr
		if got := tail.BytesTotal(); got != count*bytesEach {
			t.Errorf("%d bytes of stderr, want %d", got, count*bytesEach)
		}
		if got := len(tail.Bytes()); got != TailBytesMax {
			t.Errorf("%d bytes are kept, want %d", got, TailBytesMax)
		}
		close(slow.release)
		if reading {
			continue
		}
		<-tail.sink.ended
		if got, lost := int64(slow.buf.Len()), tail.BytesLost(); lost == 0 || got+lost != count*bytesEach {
			t.Errorf("the slow reader got %d bytes and lost %d, of %d", got, lost, count*bytesEach)
		}
	}
}

// SEND-3, STOP-6: a child that never reads holds up no call and not the end.
func TestB85(t *testing.T) {
	p := startPeer(t, script(`exec sleep 300`), host.LSP, short)
	params := json.RawMessage(`["` + strings.Repeat("x", 1<<20) + `"]`)
	if _, err := p.CallRaw(t.Context(), "m", params, host.WithTimeout(50*time.Millisecond)); !errors.Is(err, host.ErrTimeout) {
		t.Errorf("the call that is half written: %v, want ErrTimeout", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	canceled := make(chan error)
	go func() {
		_, err := p.CallRaw(ctx, "m", nil)
		canceled <- err
	}()
	cancel()
	if err := <-canceled; !errors.Is(err, context.Canceled) {
		t.Errorf("the call that waits: %v, want context.Canceled", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if got := status(t, p.Process); got != "signal: terminated" {
		t.Errorf("status %q", got)
	}
}

// STOP-6: the end of stdin comes first, then SIGTERM, then SIGKILL.
func TestB86(t *testing.T) {
	cmd := script(`trap 'echo term >&2' TERM
		echo '{"jsonrpc":"2.0","method":"ready"}'
		cat >/dev/null; echo end of stdin >&2
		while :; do sleep 60 & wait; done`)
	p := startPeer(t, cmd, host.MCP, WithBounds(Bounds{Grace: time.Second, Terminate: 500 * time.Millisecond}))
	for message, err := range p.Messages(t.Context()) {
		if err != nil || message.Method != "ready" {
			t.Fatalf("message %v, %v", message, err)
		}
		break
	}
	pending := make(chan error)
	go func() {
		_, err := p.CallRaw(context.Background(), "m", nil)
		pending <- err
	}()
	results := make(chan error)
	for range 8 {
		go func() { results <- p.Close() }()
	}
	for range 8 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if err := <-pending; !errors.Is(err, host.ErrClosed) {
		t.Errorf("the pending call: %v, want ErrClosed", err)
	}
	if got := status(t, p.Process); got != "signal: killed" {
		t.Errorf("status %q", got)
	}
	if got := string(p.Process.Stderr.Bytes()); got != "end of stdin\nterm\n" {
		t.Errorf("the child saw %q", got)
	}
}

// STOP-6: a child that leaves at the end of its stdin gets no signal.
func TestB86Polite(t *testing.T) {
	p := startPeer(t, script(`trap 'echo term >&2' TERM; cat >/dev/null; echo bye >&2`), host.MCP, patient)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if got := status(t, p.Process); got != "exit status 0" {
		t.Errorf("status %q", got)
	}
	if got := string(p.Process.Stderr.Bytes()); got != "bye\n" {
		t.Errorf("stderr %q", got)
	}
}

// STOP-6: startPeer's cleanup finds out whether the grandchild is gone.
func TestB87(t *testing.T) {
	const deaf = `(trap '' TERM; echo '{"jsonrpc":"2.0","method":"ready"}'
		exec </dev/null >/dev/null 2>&1; while :; do sleep 60; done) & `
	for name, wrapper := range map[string]string{"waits": "wait", "is gone": "exit 0"} {
		t.Run("wrapper "+name, func(t *testing.T) {
			p := startPeer(t, script(deaf+wrapper), host.MCP, short)
			for message, err := range p.Messages(t.Context()) {
				if err != nil || message.Method != "ready" {
					t.Fatalf("message %v, %v", message, err)
				}
				break
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// STOP-4: the exit of the child ends the session, whoever still holds its output.
func TestB88(t *testing.T) {
	t.Run("after the call", func(t *testing.T) {
		p := startPeer(t, script(`sleep 300 & read -r line; exit 3`), host.MCP, short)
		mustBeLostWith3(t, p)
	})
	t.Run("before the call", func(t *testing.T) {
		bounds := Bounds{Terminate: 100 * time.Millisecond, Output: 20 * time.Millisecond}
		p := startPeer(t, script(`sleep 300 & exit 3`), host.MCP, WithBounds(bounds))
		p.Process.ladder.group.awaitExit() // now a write fails, or the output ends, whichever is first
		mustBeLostWith3(t, p)
	})
}

func mustBeLostWith3(t *testing.T, p *Peer) {
	t.Helper()
	mustBeLost(t, p, "exit status 3")
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if got := status(t, p.Process); got != "exit status 3" {
		t.Errorf("status %q", got)
	}
}

// STOP-4: what a child wrote just before it left is read to the end, every time.
func TestB89(t *testing.T) {
	const runs, atOnce = 100, 8
	var workers sync.WaitGroup
	for worker := range atOnce {
		workers.Go(func() {
			for range (runs + atOnce - 1 - worker) / atOnce {
				if err := askOnce(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
}

// askOnce starts a child that answers one call at length and leaves.
func askOnce(ctx context.Context) error {
	const answerBytes = 200_000
	p, err := Start(ctx, script(fmt.Sprintf(`read -r line; echo last stderr line >&2
		printf '{"jsonrpc":"2.0","id":1,"result":"'; head -c %d /dev/zero | tr '\0' z; echo '"}'`, answerBytes)), host.MCP, patient)
	if err != nil {
		return err
	}
	answer, err := host.Call[string](ctx, p, "m", nil)
	if err == nil && answer != strings.Repeat("z", answerBytes) {
		err = fmt.Errorf("the answer has %d bytes, want %d", len(answer), answerBytes)
	}
	err = errors.Join(err, p.Close())
	<-p.Done()
	state, waitErr := p.Process.Wait(ctx)
	if err = errors.Join(err, waitErr); err != nil {
		return err
	}
	if said := string(p.Process.Stderr.Bytes()); !state.Success() || said != "last stderr line\n" {
		return fmt.Errorf("the child ended with %v and said %q", state, said)
	}
	return nil
}

// STOP-6: no zombie and no descriptor is left, whether anybody calls Close or not.
func TestB90(t *testing.T) {
	const count = 100
	elsewhere := filepath.Join(t.TempDir(), "absent")
	before := openDescriptors(t)
	var forgotten []*Peer
	var pids []int
	for range count {
		leaves, stays, fails := exec.Command("true"), exec.Command("sleep", "60"), exec.Command("true")
		fails.Dir = elsewhere
		p, err := Start(t.Context(), leaves, host.MCP)
		if err != nil {
			t.Fatal(err)
		}
		forgotten = append(forgotten, p)
		if p, err = Start(t.Context(), stays, host.MCP, WithBounds(Bounds{Grace: time.Millisecond})); err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if p, err = Start(t.Context(), fails, host.MCP); err == nil {
			t.Errorf("started in a directory that does not exist: %v", p.Close())
		}
		pids = append(pids, leaves.Process.Pid, stays.Process.Pid)
	}
	for _, p := range forgotten {
		<-p.Done()
		<-p.Process.ended
	}
	for _, pid := range pids {
		mustBeReaped(t, pid)
	}
	if after := openDescriptors(t); after != before {
		t.Errorf("%d descriptors left", after-before)
	}
}

// How serveStrictly ends.
const (
	leftAsItShould   = 0
	exitCameTooEarly = 3
	spelledOtherwise = 4
	leftWithoutExit  = 9
)

// serveStrictly is a language server without a line of ours in it, that ends as the client told it
// to: with a code of its own for every way to get that wrong.
func serveStrictly() int {
	const (
		shutdown = `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`
		exit     = `{"jsonrpc":"2.0","method":"exit"}`
	)
	messages := make(chan string)
	go readBodies(os.Stdin, messages)
	<-messages // initialize
	reply(1, "{}")
	if got := <-messages; got != shutdown {
		return spelledOtherwise
	}
	select {
	case <-messages: // of whatever kind: the client has to wait for the answer
		return exitCameTooEarly
	case <-time.After(100 * time.Millisecond):
	}
	reply(2, "null")
	switch got, more := <-messages; {
	case !more:
		return leftWithoutExit
	case got != exit:
		return spelledOtherwise
	}
	return leftAsItShould
}

// readBodies sends the body of every frame and closes messages at the end of input.
func readBodies(r io.Reader, messages chan<- string) {
	defer close(messages)
	frames := textproto.NewReader(bufio.NewReader(r))
	for {
		header, err := frames.ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(frames.R, body); err != nil {
			return
		}
		messages <- string(body)
	}
}

func reply(id int, result string) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
	fmt.Printf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// STOP-10: exit waits for the answer to shutdown, and stdin is closed after both.
func TestB92(t *testing.T) {
	p := startPeer(t, self("b92"), host.LSP, patient)
	if _, err := p.CallRaw(t.Context(), "initialize", json.RawMessage(`{}`)); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if got := status(t, p.Process); got != "exit status "+strconv.Itoa(leftAsItShould) {
		t.Errorf("the server ended with %q", got)
	}
}
