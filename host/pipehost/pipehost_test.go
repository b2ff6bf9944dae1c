package pipehost_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/pipehost"
	"github.com/parley-rpc/parley/internal/machinetest"
	"github.com/parley-rpc/parley/internal/transcript"
)

// serveVariable makes the test's own program the command.
const serveVariable = "PIPEHOST_TEST_SERVES"

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) != "" {
		if err := transcript.Serve(os.Stdin, os.Stdout); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// process is the command in a process of its own.
func process(t testing.TB) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveVariable+"=1")
	return cmd
}

// inProcess is a command that is a goroutine: serve gets its stdin and stdout.
func inProcess(t *testing.T, serve func(stdin io.Reader, stdout io.Writer) error, opts ...pipehost.Option) *pipehost.Engine {
	t.Helper()
	theirStdin, stdin := io.Pipe()
	stdout, theirStdout := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := serve(theirStdin, theirStdout)
		theirStdin.CloseWithError(io.ErrClosedPipe)
		theirStdout.CloseWithError(err)
	}()
	engine, err := pipehost.New(pipehost.Command{Stdin: stdin, Stdout: stdout, Stop: func() error {
		err := errors.Join(stdin.Close(), stdout.Close())
		<-ended
		return err
	}}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return engine
}

func newMachine(t *testing.T, e *pipehost.Engine, cfg core.Config) host.Machine {
	t.Helper()
	m, err := e.Machine(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func client() core.Config {
	cfg := core.Defaults(core.ProfilePlain, core.RoleClient)
	cfg.SetFraming(core.FramingLine)
	return cfg
}

// arrive commits text and returns what the machine says to it.
func arrive(m host.Machine, text string) error {
	return m.Commit(copy(m.Reserve(len(text)), text))
}

// One command serves one machine at a time, and many one after the other.
func TestMachinesComeOneAfterTheOther(t *testing.T) {
	e := inProcess(t, transcript.Serve)
	for range 3 {
		m, err := e.Machine(client())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Machine(client()); !errors.Is(err, pipehost.ErrBusy) {
			t.Errorf("a second machine: %v", err)
		}
		call, err := m.Call("a", nil, core.CallOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m.Wrote(len(m.Take(nil)))
		if err := arrive(m, `{"jsonrpc":"2.0","id":1,"result":7}`+"\n"); err != nil {
			t.Error(err)
		}
		var ev core.Event
		if !m.Next(&ev) || ev.Kind != core.EventResult || ev.Call != call || string(ev.Body) != "7" || m.Next(&ev) {
			t.Errorf("%+v", ev)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		machinetest.ActsClosed(t, m)
	}
	var refused *core.ConfigError
	bad := client()
	bad.Limits.CallsMax = 0
	if _, err := e.Machine(bad); !errors.As(err, &refused) || refused.Field != "Limits.CallsMax" {
		t.Errorf("a bad configuration: %v", err)
	}
	newMachine(t, e, client())
}

// What one machine shows of itself is what the other shows, all of it.
func TestInspectionIsThatOfTheNativeMachine(t *testing.T) {
	cfg := core.Defaults(core.ProfileMCP, core.RoleServer)
	cfg.Seed, cfg.SessionID = 3, "a b"
	cfg.Methods = []core.Method{
		{Name: "slow", Mode: core.ModeRead, Supersede: []string{"a", "b"}},
		{Name: "note", Notification: true},
	}
	cfg.GraceNs, cfg.StallMaxNs = 7, core.Never
	native, err := host.Native(cfg)
	if err != nil {
		t.Fatal(err)
	}
	piped := newMachine(t, inProcess(t, transcript.Serve), cfg)
	for _, m := range []host.Machine{native, piped} {
		m.Want(1)
		if err := errors.Join(
			m.TraceStart(),
			arrive(m, `{"jsonrpc":"2.0","id":1,"method":"slow"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"slow"}`+"\n"),
			arrive(m, `{"jsonrpc":"2.0","method":"gone"}`+"\n"),
		); err != nil {
			t.Fatal(err)
		}
		m.Advance(5)
		var ev core.Event
		if !m.Next(&ev) || m.Next(&ev) {
			t.Fatalf("%+v", ev)
		}
		if err := m.Done(ev.Req); err != nil {
			t.Fatal(err)
		}
		m.Advance(9)
	}
	var a, b core.Snapshot
	if err := errors.Join(native.Snapshot(&a), piped.Snapshot(&b), piped.Snapshot(&b)); err != nil {
		t.Fatal(err)
	}
	same(t, "snapshot", a, b)
	same(t, "state", native.State(), piped.State())
	same(t, "stats", native.Stats(), piped.Stats())
	same(t, "limits", native.Limits(), piped.Limits())
	aTime, aTimer := native.Deadline()
	bTime, bTimer := piped.Deadline()
	same(t, "deadline", []any{aTime, aTimer, native.Pending()}, []any{bTime, bTimer, piped.Pending()})
}

func same(t *testing.T, what string, native, piped any) {
	t.Helper()
	if a, b := spelled(native), spelled(piped); a != b {
		t.Errorf("%s: natively\n%s\nover pipes\n%s", what, a, b)
	}
}

// The violation of a peer is one value, however it is asked for.
func TestViolationIsSticky(t *testing.T) {
	m := newMachine(t, inProcess(t, transcript.Serve), core.Defaults(core.ProfileLSP, core.RoleClient))
	first := arrive(m, "noise on stdout\n\n")
	broken := new(core.ProtocolError)
	if !errors.As(first, &broken) || broken.Hint != core.HintStdoutNoise {
		t.Fatalf("%v", first)
	}
	if again := arrive(m, "x"); again != first || m.State().Err != broken {
		t.Errorf("%v, then %v, then %v", first, again, m.State().Err)
	}
	if m.Err() != nil {
		t.Errorf("a peer's fault is the engine's: %v", m.Err())
	}
}

// A spliced frame leaves as it would natively, and a message arrives whole.
func TestRelayOverPipes(t *testing.T) {
	cfg := core.Defaults(core.ProfilePlain, core.RoleRelay)
	cfg.SetFraming(core.FramingWhole)
	m := newMachine(t, inProcess(t, transcript.Serve), cfg)
	m.Want(1)
	frame := []byte(`{"jsonrpc":"2.0","id":1,"method":"a"}`)
	if err := m.Forward(frame, core.Splice{Start: 22, End: 23, Value: []byte("12")}); err != nil {
		t.Fatal(err)
	}
	if err := m.Forward(frame, core.Splice{Start: 5, End: 4}); err != core.ErrBadCount {
		t.Errorf("a splice that ends before it begins: %v", err)
	}
	spare := make([]byte, 0, 100)
	if block := m.Take(spare); string(block) != `{"jsonrpc":"2.0","id":12,"method":"a"}` {
		t.Errorf("%q", block)
	}
	large := append(append([]byte(`["`), bytes.Repeat([]byte("x"), 3<<20)...), `"]`...)
	if err := m.CommitMessage(copy(m.Reserve(len(large)), large)); err != nil {
		t.Fatal(err)
	}
	var ev core.Event
	if !m.Next(&ev) || ev.Class != core.ClassBatch || !bytes.Equal(ev.Frame, large) {
		t.Errorf("%d bytes of class %d", len(ev.Frame), ev.Class)
	}
}
