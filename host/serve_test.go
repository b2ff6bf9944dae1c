package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

type sumParams struct{ A, B int }

func sum(_ context.Context, p sumParams) (int, error) { return p.A + p.B, nil }

func TestHandlersAnswer(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		mux := host.NewMux()
		host.Handle(mux, "sum", core.ModeRead, sum)
		host.Handle(mux, "refuse", core.ModeRead, func(context.Context, any) (any, error) {
			return nil, fmt.Errorf("wrapped: %w", &host.RPCError{Code: -32001, Message: "busy", Data: []byte(`{"retry":true}`)})
		})
		host.Handle(mux, "nothing", core.ModeRead, func(context.Context, *sumParams) (any, error) { return nil, nil })
		host.HandleNotification(mux, "note", core.ModeOrder, func(context.Context, any) error { return nil })
		client, _ := pair(t, engine, mux)

		ctx := t.Context()
		if got, err := host.Call[int](ctx, client, "sum", sumParams{40, 2}); got != 42 || err != nil {
			t.Errorf("sum: %d, %v", got, err)
		}
		if raw, err := client.CallRaw(ctx, "nothing", nil); string(raw) != "null" || err != nil {
			t.Errorf("nothing: %s, %v", raw, err)
		}
		for method, want := range map[string]host.RPCError{
			"refuse":  {Code: -32001, Message: "busy", Data: []byte(`{"retry":true}`)},
			"missing": {Code: host.MethodNotFound},
			"note":    {Code: host.MethodNotFound}, // REQ-4: with an id it is another thing
		} {
			var e *host.RPCError
			_, err := client.CallRaw(ctx, method, nil)
			if !errors.As(err, &e) || e.Code != want.Code || want.Message != "" && e.Message != want.Message || !bytes.Equal(e.Data, want.Data) {
				t.Errorf("%s: %v", method, err)
			}
		}
		var e *host.RPCError
		_, err := client.CallRaw(ctx, "sum", []byte(`{"A":"forty"}`))
		if !errors.As(err, &e) || e.Code != host.InvalidParams {
			t.Errorf("params that do not fit: %v", err)
		}
	})
}

// REQ-5: a handler that fails is contained, the peer learns the code and the log the details.
func TestHandlersAreContained(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		const secret = "/etc/secret\x1b[31m"
		mux := host.NewMux()
		host.Handle(mux, "panic", core.ModeRead, func(context.Context, any) (any, error) { panic(secret) })
		host.Handle(mux, "exit", core.ModeRead, func(context.Context, any) (any, error) { runtime.Goexit(); return nil, nil })
		host.Handle(mux, "error", core.ModeRead, func(context.Context, any) (any, error) { return nil, errors.New(secret) })
		host.Handle(mux, "unserialisable", core.ModeRead, func(context.Context, any) (any, error) { return func() {}, nil })
		mux.HandleRaw("no JSON", core.ModeRead, func(context.Context, json.RawMessage) (json.RawMessage, error) { return json.RawMessage("{"), nil })
		host.HandleNotification(mux, "note", core.ModeOrder, func(context.Context, any) error { panic(secret) })
		host.Handle(mux, "sum", core.ModeRead, sum)

		var log syncBuffer
		options := host.PlainServer
		options.Mux = mux
		options.Logger = slog.New(slog.NewTextHandler(&log, nil))
		p, w := dial(t, engine, options, roomy)
		for i, method := range []string{"panic", "exit", "error", "unserialisable", "no JSON"} {
			w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, i, method))
			line := w.hear()
			if !strings.HasPrefix(line, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,`, i)) || strings.Contains(line, "secret") {
				t.Errorf("%s: %s", method, line)
			}
			synctest.Wait()
			if logged := log.String(); !strings.Contains(logged, "method="+method) && !strings.Contains(logged, fmt.Sprintf("method=%q", method)) || strings.Contains(logged, "\x1b") {
				t.Errorf("%s: logged %q", method, logged)
			}
			log.Reset()
		}
		w.say(`{"jsonrpc":"2.0","method":"note"}`)
		w.say(`{"jsonrpc":"2.0","id":9,"method":"sum","params":{"A":1,"B":2}}`)
		w.expect(`{"jsonrpc":"2.0","id":9,"result":3}`)
		if running := p.State().Running; running != 0 {
			t.Errorf("%d items still run", running)
		}
	})
}

type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (b *syncBuffer) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf.Reset()
}

// REQ-4: the peer's cancel reaches the handler, and the profile decides on the answer.
func TestCancelReachesTheHandler(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		causes := make(chan error, 1)
		mux := host.NewMux()
		host.Handle(mux, "wait", core.ModeRead, func(ctx context.Context, _ any) (any, error) {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return nil, ctx.Err()
		})
		options := host.MCPServer
		options.Mux = mux
		p, w := dial(t, engine, options, roomy)
		w.say(`{"jsonrpc":"2.0","id":7,"method":"wait"}`)
		w.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		if cause := <-causes; !errors.Is(cause, context.Canceled) {
			t.Errorf("cause: %v", cause)
		}
		synctest.Wait()
		if running := p.State().Running; running != 0 {
			t.Errorf("%d items still run", running)
		}
		p.Close()
		w.expect("") // mcp: nothing further is sent for it
	})
}

// A handler finds its session, and what it sends goes out before its answer.
func TestHandlersNotify(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		mux := host.NewMux()
		host.Handle(mux, "open", core.ModeRead, func(ctx context.Context, _ any) (bool, error) {
			return true, host.PeerFrom(ctx).Notify(ctx, "diagnostics", []int{1})
		})
		options := host.PlainServer
		options.Mux = mux
		_, w := dial(t, engine, options, roomy)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"open"}`)
		w.expect(`{"jsonrpc":"2.0","method":"diagnostics","params":[1]}`)
		w.expect(`{"jsonrpc":"2.0","id":1,"result":true}`)
	})
}

// SCHED-1: notifications run one at a time, in order.
func TestNotificationsRunInOrder(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		const count = 50
		got := make(chan int, count)
		mux := host.NewMux()
		host.HandleNotification(mux, "edit", core.ModeDefault, func(_ context.Context, params []int) error {
			got <- params[0]
			return nil
		})
		options := host.PlainServer
		options.Mux = mux
		_, w := dial(t, engine, options, roomy)
		for i := range count {
			w.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"edit","params":[%d]}`, i))
		}
		for i := range count {
			if n := <-got; n != i {
				t.Fatalf("edit %d came as number %d", n, i)
			}
		}
	})
}

// BACK-3: a peer that asks without reading is not read from for ever; once it reads, all is served.
func TestFloodOfRequestsIsServed(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		const count = 500
		release := make(chan struct{})
		mux := host.NewMux()
		host.Handle(mux, "wait", core.ModeRead, func(context.Context, any) (any, error) {
			<-release
			return nil, nil
		})
		options := withLimits(host.PlainServer, func(l *core.Limits) { l.RunningMax, l.QueuedMax, l.BackgroundMax = 4, 8, 4 })
		options.Mux = mux
		p, w := dial(t, engine, options, 1<<10)
		go func() {
			for i := range count {
				w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"wait"}`, i))
			}
		}()
		synctest.Wait()
		state := p.State()
		if !state.Paused || state.Running != 4 {
			t.Errorf("paused %v with %d running and %d waiting", state.Paused, state.Running, state.Waiting)
		}
		if read := p.Stats().BytesIn; read > 4<<10 {
			t.Errorf("%d bytes were read from a flood", read)
		}
		close(release)
		for range count {
			if line := w.hear(); !strings.HasSuffix(line, `"result":null}`) {
				t.Fatalf("got %s", line)
			}
		}
	})
}

// API-3: a session that cannot send serves what it is told, and asked for nothing.
func TestHandlersOfASessionThatCannotSend(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		told := make(chan int, 2)
		options := host.PlainServer
		options.Engine, options.Mux = engine, host.NewMux()
		host.Handle(options.Mux, "sum", core.ModeOrder, sum)
		host.HandleNotification(options.Mux, "note", core.ModeOrder, func(_ context.Context, n []int) error {
			told <- n[0]
			return nil
		})
		near, far := connect(roomy)
		p, err := host.New(host.Pipes(near, nil), options)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		fmt.Fprintln(far, `{"jsonrpc":"2.0","method":"note","params":[1]}`)
		fmt.Fprintln(far, `{"jsonrpc":"2.0","id":1,"method":"sum"}`)
		fmt.Fprintln(far, `{"jsonrpc":"2.0","method":"note","params":[2]}`)
		if first, second := <-told, <-told; first != 1 || second != 2 {
			t.Errorf("told %d, then %d", first, second)
		}
		synctest.Wait()
		if running := p.State().Running; running != 0 {
			t.Errorf("%d items still run", running)
		}
	})
}

// Serve ends with its context, the peer's output or a violation, and says which.
func TestServe(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		serve := func(ctx context.Context, act func(w *stream)) error {
			near, far := connect(roomy)
			options := host.LSPServer
			options.Engine = engine
			served := make(chan error, 1)
			go func() { served <- host.Serve(ctx, host.Duplex(near), host.NewMux(), options) }()
			act(far)
			return <-served
		}
		if err := serve(t.Context(), func(w *stream) { w.CloseWrite() }); err != nil {
			t.Errorf("end of input: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if err := serve(ctx, func(*stream) { cancel() }); err != nil {
			t.Errorf("end of context: %v", err)
		}
		var violation *core.ProtocolError
		if err := serve(t.Context(), func(w *stream) { fmt.Fprint(w, "Content-Length: x\r\n\r\n") }); !errors.As(err, &violation) {
			t.Errorf("violation: %v", err)
		}
	})
}

func TestMuxRefusesMistakes(t *testing.T) {
	mux := host.NewMux()
	host.Handle(mux, "sum", core.ModeRead, sum)
	mustPanic(t, "twice", func() { host.Handle(mux, "sum", core.ModeRead, sum) })
	near, far := connect(roomy)
	options := host.PlainServer
	options.Mux = mux
	p, err := host.New(host.Duplex(near), options)
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	defer p.Close()
	mustPanic(t, "late", func() { host.Handle(mux, "late", core.ModeRead, sum) })
}

func mustPanic(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", name)
		}
	}()
	f()
}
