package host_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// STOP-4: pending calls are lost with an explanation, and every later verb fails the same way.
func TestLostCallsAreExplained(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		options := host.LSP
		options.Explain = func(context.Context) string { return "gopls: exit status 2: panic: no \x1b[31mmodule" }
		p, w := dial(t, engine, options, roomy)
		time.AfterFunc(time.Second, func() { w.Close() })
		_, err := p.CallRaw(t.Context(), "hover", nil)
		later := p.NotifyRaw(t.Context(), "note", nil)
		for _, err := range []error{err, later} {
			var session *host.SessionError
			if !errors.Is(err, host.ErrClosed) || !errors.As(err, &session) || session.Reason != core.ReasonEOF {
				t.Errorf("got %v", err)
				continue
			}
			text := err.Error()
			if !strings.Contains(text, "exit status 2: panic: no \uFFFD[31mmodule") || strings.ContainsAny(text, "\x1b\n") {
				t.Errorf("text: %q", text)
			}
		}
	})
}

// STOP-4: the wait for an explanation is bounded, even for one that ignores its context.
func TestExplanationIsBounded(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		release := make(chan struct{})
		defer close(release)
		options := host.LSP
		options.Explain = func(context.Context) string { <-release; return "too late" }
		p, w := dial(t, engine, options, roomy)
		w.Close()
		start := time.Now()
		if _, err := p.CallRaw(t.Context(), "hover", nil); !errors.Is(err, host.ErrClosed) || strings.Contains(err.Error(), "too late") {
			t.Errorf("got %v", err)
		}
		if waited := time.Since(start); waited > 500*time.Millisecond { // of the bubble's time
			t.Errorf("waited %v", waited)
		}
		<-p.Done()
	})
}

// failing is a stream whose reads fail once it is cut.
type failing struct{ *stream }

var errReset = errors.New("connection reset by peer")

func (s failing) Read(p []byte) (int, error) {
	n, err := s.stream.Read(p)
	if err == io.EOF {
		err = errReset
	}
	return n, err
}

// A transport that fails is no clean end, and the error says what it said.
func TestTransportFaultIsNamed(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		near, far := connect(roomy)
		options := host.Plain
		options.Engine = engine
		p, err := host.New(host.Duplex(failing{near}), options)
		if err != nil {
			t.Fatal(err)
		}
		defer far.Close()
		far.CloseWrite()
		_, err = p.CallRaw(t.Context(), "m", nil)
		<-p.Done()
		for _, err := range []error{err, p.Err()} {
			if !errors.Is(err, errReset) || !errors.Is(err, host.ErrClosed) {
				t.Errorf("got %v", err)
			}
		}
	})
}

func TestViolationFailsEverything(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.LSP, roomy)
		go func() {
			w.hear()
			w.say("hello, world")
		}()
		_, err := p.CallRaw(t.Context(), "initialize", nil)
		var violation *core.ProtocolError
		if !errors.As(err, &violation) || violation.Kind != core.ViolationNoise || violation.Offset == 0 {
			t.Errorf("got %v", err)
		}
		<-p.Done()
		if !errors.As(p.Err(), &violation) {
			t.Errorf("Err: %v", p.Err())
		}
	})
}

func TestTooLargeIsFound(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.LSP, roomy)
		go func() {
			w.hear()
			fmt.Fprint(w, "Content-Length: 99999999999\r\n\r\n")
		}()
		if _, err := p.CallRaw(t.Context(), "m", nil); !errors.Is(err, host.ErrTooLarge) || !errors.Is(err, host.ErrClosed) {
			t.Errorf("got %v", err)
		}
	})
}

// SEND-5: after a failed write the peer's words still arrive.
func TestWriteFailureKeepsReading(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.Plain, roomy)
		w.in.close(false, true) // the peer does not read any more
		notify(t, p, "unheard", 1)
		synctest.Wait() // the write fails
		if err := p.NotifyRaw(t.Context(), "m", nil); !errors.Is(err, host.ErrClosed) {
			t.Errorf("got %v", err)
		}
		w.say(`{"jsonrpc":"2.0","method":"last words"}`)
		w.CloseWrite()
		var heard []string
		var last error
		for m, err := range p.Messages(t.Context()) {
			if last = err; err == nil {
				heard = append(heard, m.Method)
			}
		}
		var session *host.SessionError
		if fmt.Sprint(heard) != "[last words]" || !errors.As(last, &session) || session.Reason != core.ReasonWriteFailed || !errors.Is(last, io.ErrClosedPipe) {
			t.Errorf("heard %v, then %v", heard, last)
		}
	})
}

func TestCloseFromEverywhere(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.LSP, roomy)
		call := make(chan error, 1)
		go func() {
			_, err := p.CallRaw(t.Context(), "slow", nil)
			call <- err
		}()
		synctest.Wait()
		start := time.Now()
		var closers sync.WaitGroup
		for range 8 {
			closers.Go(func() {
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		closers.Wait()
		if waited := time.Since(start); waited != 0 { // of the bubble's time
			t.Errorf("closing took %v although the peer reads", waited)
		}
		if err := <-call; !errors.Is(err, host.ErrClosed) {
			t.Errorf("the open call: %v", err)
		}
		if err := p.NotifyRaw(t.Context(), "m", nil); !errors.Is(err, host.ErrClosed) {
			t.Errorf("afterwards: %v", err)
		}
		rest, err := io.ReadAll(w.lines)
		if err != nil || !strings.Contains(string(rest), `$/cancelRequest`) {
			t.Errorf("the peer read %q, %v", rest, err)
		}
	})
}

// STOP-2: a peer that does not read and a handler that does not return are not waited for longer
// than both bounds together.
func TestCloseIsBounded(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		release := make(chan struct{})
		defer close(release)
		cancelled := make(chan time.Time, 1)
		mux := host.NewMux()
		host.Handle(mux, "stubborn", core.ModeRead, func(ctx context.Context, _ any) (any, error) {
			<-ctx.Done()
			cancelled <- time.Now()
			<-release
			return nil, nil
		})
		options := host.PlainServer
		options.Mux = mux
		p, w := dial(t, engine, options, 16)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"stubborn"}`)
		notify(t, p, "unread", 100)
		synctest.Wait()
		start := time.Now()
		if err := p.Close(); !errors.Is(err, host.ErrClosed) {
			t.Errorf("a cut end: %v", err)
		}
		grace, bound := time.Duration(options.Config.GraceNs), time.Duration(options.Config.GraceNs+options.Config.ShutdownNs)
		if at := (<-cancelled).Sub(start); at != grace {
			t.Errorf("the handler was cancelled after %v, want %v", at, grace)
		}
		if waited := time.Since(start); waited != bound {
			t.Errorf("closing took %v, want %v", waited, bound)
		}
	})
}

// Shutdown lets what has begun finish; its context cuts it short.
func TestShutdown(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.Plain, roomy)
		call := make(chan error, 1)
		go func() {
			_, err := p.CallRaw(t.Context(), "slow", nil)
			call <- err
		}()
		w.hear()
		time.AfterFunc(time.Second, func() { w.say(`{"jsonrpc":"2.0","id":1,"result":1}`) })
		if err := p.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-call; err != nil {
			t.Errorf("the open call: %v", err)
		}

		p, _ = dial(t, engine, host.Plain, roomy)
		go func() {
			_, err := p.CallRaw(t.Context(), "slow", nil)
			call <- err
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.Shutdown(ctx); !errors.Is(err, host.ErrClosed) {
			t.Errorf("cut short: %v", err)
		}
		if err := <-call; !errors.Is(err, host.ErrClosed) {
			t.Errorf("the open call: %v", err)
		}
	})
}

// STOP-1: the peer's end of output is a half-close: what it asked before is answered.
func TestHalfClose(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		release := make(chan struct{})
		mux := host.NewMux()
		host.Handle(mux, "wait", core.ModeRead, func(ctx context.Context, _ any) (string, error) {
			<-release
			return "done", ctx.Err()
		})
		options := host.PlainServer
		options.Mux = mux
		p, w := dial(t, engine, options, roomy)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"wait"}`)
		w.CloseWrite()
		synctest.Wait()
		close(release)
		w.expect(`{"jsonrpc":"2.0","id":1,"result":"done"}`)
		w.expect("")
		<-p.Done()
		if err := p.Err(); err != nil {
			t.Error(err)
		}
	})
}

// STOP-5.
func TestFinishInput(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.Plain, roomy)
		notify(t, p, "last", 1)
		for range 2 {
			if err := p.FinishInput(t.Context()); err != nil {
				t.Error(err)
			}
		}
		w.expect(`{"jsonrpc":"2.0","method":"last","params":["x"]}`)
		w.expect("")
		if err := p.NotifyRaw(t.Context(), "m", nil); !errors.Is(err, host.ErrClosed) {
			t.Errorf("afterwards: %v", err)
		}
		w.say(`{"jsonrpc":"2.0","method":"still heard"}`)
		for m, err := range p.Messages(t.Context()) {
			if err != nil || m.Method != "still heard" {
				t.Errorf("got %v, %v", m, err)
			}
			break
		}
	})
}

// trapping is a machine whose engine fails at the second command it is given.
type trapping struct {
	host.Machine
	commands int
	trap     error
}

func (m *trapping) Notify(method string, params []byte) error {
	if m.commands++; m.commands == 2 {
		m.trap = errors.New("wasm: unreachable")
		return host.ErrClosed
	}
	return m.Machine.Notify(method, params)
}

func (m *trapping) Err() error { return m.trap }

func TestTrapFailsEverything(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, func(cfg core.Config) (host.Machine, error) {
			machine, err := engine(cfg)
			return &trapping{Machine: machine}, err
		}, host.Plain, roomy)
		call := make(chan error, 1)
		go func() {
			_, err := p.CallRaw(t.Context(), "slow", nil)
			call <- err
		}()
		w.hear()
		notify(t, p, "fine", 1)
		trapped := p.NotifyRaw(t.Context(), "m", nil)
		<-p.Done()
		for _, err := range []error{trapped, <-call, p.Err(), p.Flush(t.Context())} {
			var session *host.SessionError
			if !errors.As(err, &session) || !session.Trapped || !strings.Contains(err.Error(), "wasm: unreachable") {
				t.Errorf("got %v", err)
			}
		}
	})
}

// API-9: observers, loggers and codecs may use the session; nothing waits for them.
func TestCallerCodeRunsOutsideTheLock(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		var p *host.Peer
		ready := make(chan struct{})
		seen := make(chan core.EventKind, 8)
		options := host.MCP
		options.Observe = func(o host.Observation) {
			<-ready
			p.Stats()
			seen <- o.Kind
		}
		options.Logger = slog.New(slog.NewTextHandler(writerFunc(func(text []byte) (int, error) {
			<-ready
			p.State()
			return len(text), nil
		}), nil))
		options.Codec.Marshal = func(any) ([]byte, error) {
			p.Stats()
			return []byte(`{}`), nil
		}
		session, w := dial(t, engine, options, roomy)
		p = session
		close(ready)
		w.say(`not JSON`)
		w.say(`{"jsonrpc":"2.0","error":{"code":-1,"message":"for nobody"}}`)
		go func() {
			w.hear()
			w.say(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		}()
		if _, err := host.Call[any](t.Context(), p, "m", 1); err != nil {
			t.Error(err)
		}
		for _, want := range []core.EventKind{core.EventNoise, core.EventPeerError} {
			if kind := <-seen; kind != want {
				t.Errorf("observed %v, want %v", kind, want)
			}
		}
	})
}

type writerFunc func(text []byte) (int, error)

func (f writerFunc) Write(text []byte) (int, error) { return f(text) }
