//go:build linux || darwin

package child

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// serverVariable tells this test binary which server to be.
const serverVariable = "PARLEY_CHILD_TEST_SERVER"

var servers = map[string]func() int{"lsp": serveLSP}

// serveLSP returns what STOP-9 says: 0 after shutdown and exit, else 1.
func serveLSP() int {
	mux := host.NewMux()
	empty := func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{}`), nil
	}
	for _, method := range []string{"initialize", "shutdown"} {
		mux.HandleRaw(method, core.ModeBypass, empty)
	}
	mux.HandleNotificationRaw("exit", core.ModeBypass, func(context.Context, json.RawMessage) error { return nil })
	transport, err := host.Stdio()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	options := host.LSPServer
	options.Mux = mux
	p, err := host.New(transport, options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	<-p.Done()
	return p.ExitCode()
}

// self is this test binary as a server.
func self(name string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serverVariable+"="+name)
	return cmd
}

// startPeer fails the test if anything of the child or of its descendants is left at its end.
func startPeer(t *testing.T, cmd *exec.Cmd, opts host.Options, more ...Option) *Peer {
	t.Helper()
	alive := livenessPipe(t, cmd)
	p, err := Start(t.Context(), cmd, opts, more...)
	if err != nil {
		t.Fatal(err)
	}
	closeAll(cmd.ExtraFiles...)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		<-p.Done()
		alive.mustEnd(t)
		mustBeReaped(t, cmd.Process.Pid)
	})
	return p
}

func script(text string) *exec.Cmd { return exec.Command("sh", "-c", text) }

// mustBeLost calls and wants the call to fail with the session, for the reasons given.
func mustBeLost(t *testing.T, p *Peer, reasons ...string) {
	t.Helper()
	_, err := p.CallRaw(t.Context(), "m", nil)
	var ended *host.SessionError
	if !errors.Is(err, host.ErrClosed) || !errors.As(err, &ended) {
		t.Fatalf("error %v, want a *host.SessionError", err)
	}
	for _, reason := range reasons {
		if !strings.Contains(err.Error(), reason) {
			t.Errorf("%q is not in the error: %v", reason, err)
		}
	}
}

// STOP-10
func TestCloseSaysFarewellAfterTheHandshake(t *testing.T) {
	for _, c := range []struct {
		name  string
		calls []string
		want  string
	}{
		{"handshake", []string{"initialize"}, "exit status 0"},
		{"handshake and shutdown", []string{"initialize", "shutdown"}, "exit status 0"},
		{"no handshake", nil, "exit status 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := startPeer(t, self("lsp"), host.LSP, patient)
			for _, method := range c.calls {
				if _, err := host.Call[json.RawMessage](t.Context(), p, method, nil); err != nil {
					t.Fatal(err)
				}
			}
			results := make(chan error)
			for range 8 {
				go func() { results <- p.Close() }()
			}
			for range 8 {
				if err := <-results; err != nil {
					t.Error(err)
				}
			}
			if got := status(t, p.Process); got != c.want {
				t.Errorf("status %q, want %q", got, c.want)
			}
		})
	}
}

// STOP-10: a server that does not answer shutdown is ended all the same, and Close says so.
func TestFarewellIsBounded(t *testing.T) {
	reply := `{"jsonrpc":"2.0","id":1,"result":{}}`
	cmd := script(fmt.Sprintf(`read -r header; printf 'Content-Length: %d\r\n\r\n%s'; cat >/dev/null`,
		len(reply), reply))
	p, err := Start(t.Context(), cmd, host.LSP, short)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.CallRaw(t.Context(), "initialize", nil); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); !errors.Is(err, host.ErrTimeout) {
		t.Errorf("Close: %v, want the farewell's timeout", err)
	}
	mustBeReaped(t, cmd.Process.Pid)
}

// STOP-4
func TestLostCallsNameTheEndOfTheChild(t *testing.T) {
	for _, c := range []struct {
		name, script string
		reasons      []string
	}{
		{"exit", `echo 'FATAL: API_KEY is not set' >&2; exit 78`, []string{"sh: exit status 78", `stderr: "FATAL: API_KEY is not set"`}},
		{"signal", `kill -9 $$`, []string{"signal: killed"}},
		{"a descendant holds the output", `sleep 300 & exit 3`, []string{"exit status 3"}},
		{"closed output", `exec 1>&-; exec sleep 300`, []string{"still running"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := startPeer(t, script(c.script), host.MCP, short)
			mustBeLost(t, p, c.reasons...)
			mustBeLost(t, p, c.reasons...) // every later verb says the same
			<-p.Process.ended              // with nobody calling Close
		})
	}
}

// SEND-3, STOP-6
func TestCloseDoesNotWaitForAChildThatReadsNothing(t *testing.T) {
	p := startPeer(t, script(`exec sleep 300`), host.LSP, short)
	params := json.RawMessage(`["` + strings.Repeat("x", 1<<20) + `"]`)
	_, err := p.CallRaw(t.Context(), "m", params, host.WithTimeout(50*time.Millisecond))
	if !errors.Is(err, host.ErrTimeout) {
		t.Errorf("error %v, want a timeout", err)
	}
	pending := make(chan error)
	go func() {
		_, err := p.CallRaw(t.Context(), "m", nil)
		pending <- err
	}()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := <-pending; !errors.Is(err, host.ErrClosed) {
		t.Errorf("a call that Close overtook: %v", err)
	}
}

// STOP-6: output is drained meanwhile, also the one of a child that never stops writing.
func TestCloseDoesNotWaitForAChildNobodyReads(t *testing.T) {
	p := startPeer(t, script(`while :; do echo '{"jsonrpc":"2.0","method":"n"}' || exit; done`), host.MCP, short)
	for message, err := range p.Messages(t.Context()) {
		if err != nil || message.Method != "n" {
			t.Fatalf("message %v, %v", message, err)
		}
		break
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// API-3
func TestPeerWithoutStdin(t *testing.T) {
	p := startPeer(t, script(`echo '{"jsonrpc":"2.0","method":"n"}'`), host.MCP, NoStdin())
	if err := p.NotifyRaw(t.Context(), "n", nil); !errors.Is(err, host.ErrUnsupported) {
		t.Errorf("notify: %v, want ErrUnsupported", err)
	}
	if err := p.FinishInput(t.Context()); !errors.Is(err, host.ErrUnsupported) {
		t.Errorf("finish input: %v, want ErrUnsupported", err)
	}
	count := 0
	for _, err := range p.Messages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		count++
	}
	if count != 1 {
		t.Errorf("%d messages, want 1", count)
	}
}

// API-3
func TestPeerSendsAfterTheFirstBytes(t *testing.T) {
	cmd := exec.Command("cat")
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","method":"first"}` + "\n")
	p := startPeer(t, cmd, host.MCP)
	if err := p.NotifyRaw(t.Context(), "second", nil); err != nil {
		t.Fatal(err)
	}
	if err := p.FinishInput(t.Context()); err != nil {
		t.Fatal(err)
	}
	var methods []string
	for message, err := range p.Messages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		methods = append(methods, message.Method)
	}
	if got := strings.Join(methods, " "); got != "first second" {
		t.Errorf("the child got %q", got)
	}
}

// API-3, SEND-3: a call that is given up while the first bytes still come is withdrawn, and fails
// alone.
func TestPeerGivesUpBehindTheFirstBytes(t *testing.T) {
	cmd := exec.Command("cat")
	first, feed := io.Pipe()
	cmd.Stdin = first
	p := startPeer(t, cmd, host.MCP)
	if _, err := p.CallRaw(t.Context(), "withdrawn", nil, host.WithTimeout(time.Millisecond)); !errors.Is(err, host.ErrTimeout) {
		t.Errorf("call: %v, want ErrTimeout", err)
	}
	if err := p.NotifyRaw(t.Context(), "second", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(feed, `{"jsonrpc":"2.0","method":"first"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := feed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.FinishInput(t.Context()); err != nil {
		t.Fatal(err)
	}
	var methods []string
	for message, err := range p.Messages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		methods = append(methods, message.Method)
	}
	if got := strings.Join(methods, " "); got != "first second" {
		t.Errorf("the child got %q", got)
	}
}

func TestRefusedSessionLeavesNothing(t *testing.T) {
	before := openDescriptors(t)
	refused := host.MCP
	refused.Config.Role = core.RoleRelay
	cmd := script(`exec cat`)
	if _, err := Start(t.Context(), cmd, refused); !errors.Is(err, host.ErrUnsupported) {
		t.Errorf("error %v, want ErrUnsupported", err)
	}
	mustBeReaped(t, cmd.Process.Pid)
	if after := openDescriptors(t); after != before {
		t.Errorf("%d descriptors left", after-before)
	}
}

func TestStartBoundedByItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var startErr *StartError
	if _, err := Start(ctx, exec.Command("cat"), host.MCP); !errors.As(err, &startErr) || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want a *StartError with context.Canceled", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	p, err := Start(ctx, self("lsp"), host.LSP)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := p.CallRaw(t.Context(), "initialize", nil); err != nil {
		t.Errorf("the session ended with the context of its start: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
