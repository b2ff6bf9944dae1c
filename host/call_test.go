package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

func TestCallReturnsTheResult(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.Plain, roomy)
		go func() {
			w.expect(`{"jsonrpc":"2.0","id":1,"method":"sum","params":[1,2]}`)
			w.say(`{"jsonrpc":"2.0","id":1,"result":3}`)
		}()
		sum, err := host.Call[int](t.Context(), p, "sum", []int{1, 2})
		if sum != 3 || err != nil {
			t.Errorf("got %d, %v", sum, err)
		}
	})
}

func TestCallRawKeepsTheNull(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.Plain, roomy)
		go func() {
			w.expect(`{"jsonrpc":"2.0","id":1,"method":"shutdown"}`)
			w.say(`{"jsonrpc":"2.0","id":1,"result":null}`)
		}()
		result, err := p.CallRaw(t.Context(), "shutdown", nil)
		if string(result) != "null" || err != nil {
			t.Errorf("got %s, %v", result, err)
		}
	})
}

// API-6: what the peer says against a call is typed, names the method, and ends nothing.
func TestAnswersThatFail(t *testing.T) {
	type point struct{ X int }
	tests := []struct {
		name   string
		answer string
		call   func(ctx context.Context, p *host.Peer) error
		check  func(err error) bool
	}{
		{"error", `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"busy","data":{"retry":true}}}`, callInto[point], func(err error) bool {
			var e *host.RPCError
			return errors.As(err, &e) && e.Method == "m" && e.Code == -32001 && e.Message == "busy" && string(e.Data) == `{"retry":true}`
		}},
		{"another type", `{"jsonrpc":"2.0","id":1,"result":"far"}`, callInto[point], isParse},
		{"null for a struct", `{"jsonrpc":"2.0","id":1,"result":null}`, callInto[point], isParse},
		{"null for a number", `{"jsonrpc":"2.0","id":1,"result":null}`, callInto[int], isParse},
		{"null for a pointer", `{"jsonrpc":"2.0","id":1,"result":null}`, callInto[*point], func(err error) bool { return err == nil }},
		{"null for raw text", `{"jsonrpc":"2.0","id":1,"result":null}`, callInto[json.RawMessage], func(err error) bool { return err == nil }},
		{"misshapen error", `{"jsonrpc":"2.0","id":1,"error":"no"}`, callInto[point], isParse},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			onEngines(t, func(t *testing.T, engine host.Engine) {
				p, w := dial(t, engine, host.Plain, roomy)
				go func() {
					w.hear()
					w.say(test.answer)
				}()
				if err := test.call(t.Context(), p); !test.check(err) {
					t.Errorf("got %#v: %v", err, err)
				}
				if err := p.NotifyRaw(t.Context(), "still/there", nil); err != nil {
					t.Errorf("the session did not live: %v", err)
				}
			})
		})
	}
}

func callInto[R any](ctx context.Context, p *host.Peer) error {
	_, err := host.Call[R](ctx, p, "m", nil)
	return err
}

func isParse(err error) bool {
	var e *host.ParseError
	return errors.As(err, &e) && e.Method == "m" && len(e.Raw) > 0 && strings.Contains(err.Error(), `"m"`)
}

func TestTimeouts(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.LSP, roomy)
		start := time.Now()
		_, err := p.CallRaw(t.Context(), "slow", nil, host.WithTimeout(3*time.Second))
		var callErr *host.CallError
		if !errors.Is(err, host.ErrTimeout) || !errors.As(err, &callErr) || callErr.Method != "slow" || callErr.ID != "1" || callErr.Fault != host.FaultPeer {
			t.Errorf("got %v", err)
		}
		// The clock is the bubble's: this is the budget, not a measurement.
		if waited := time.Since(start); waited < 3*time.Second || waited > 3*time.Second+20*time.Millisecond {
			t.Errorf("waited %v", waited)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start = time.Now()
		_, err = p.CallRaw(ctx, "slow", nil, host.WithTimeout(time.Hour))
		if waited := time.Since(start); waited > time.Second+20*time.Millisecond {
			t.Errorf("by context: waited %v", waited)
		}
		if !errors.Is(err, host.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("by context: got %v", err)
		}
		p.Close()
		for _, want := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"slow"}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`,
			`{"jsonrpc":"2.0","id":2,"method":"slow"}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}`,
		} {
			w.hear() // Content-Length
			w.hear()
			body := make([]byte, len(want))
			if _, err := w.lines.Read(body); err != nil || string(body) != want {
				t.Errorf("on the wire: %s, %v, want %s", body, err, want)
			}
		}
	})
}

// CALL-4: a budget of 0 or a deadline already past writes nothing; a negative one is refused.
func TestBudgetsThatFailAtOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.Plain, roomy)
		past, cancel := context.WithDeadline(t.Context(), time.Now())
		defer cancel()
		cancelled, stop := context.WithCancelCause(t.Context())
		cause := errors.New("tab closed")
		stop(cause)

		if _, err := p.CallRaw(t.Context(), "m", nil, host.WithTimeout(0)); !errors.Is(err, host.ErrTimeout) {
			t.Errorf("0: %v", err)
		}
		if _, err := p.CallRaw(past, "m", nil); !errors.Is(err, host.ErrTimeout) {
			t.Errorf("past: %v", err)
		}
		if _, err := p.CallRaw(cancelled, "m", nil); !errors.Is(err, host.ErrCanceled) || !errors.Is(err, cause) {
			t.Errorf("cancelled: %v", err)
		}
		var e *host.CallError
		_, err := p.CallRaw(t.Context(), "m", nil, host.WithTimeout(-1))
		if !errors.As(err, &e) || e.Fault != host.FaultCaller || errors.Is(err, host.ErrTimeout) {
			t.Errorf("negative: %v", err)
		}
		p.Close()
		w.expect("")
	})
}

// CALL-4: budgets past 2^31 ms work, and so does one that no clock reaches.
func TestLongBudgets(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		for _, budget := range []time.Duration{1 << 32 * time.Millisecond, math.MaxInt64} {
			p, w := dial(t, engine, host.Plain, roomy)
			go func() {
				w.hear()
				w.say(`{"jsonrpc":"2.0","id":1,"result":true}`)
			}()
			if ok, err := host.Call[bool](t.Context(), p, "m", nil, host.WithTimeout(budget)); !ok || err != nil {
				t.Errorf("%v: got %v, %v", budget, ok, err)
			}
		}
	})
}

// CALL-3: an answer that lies in the transport when the deadline passes wins.
func TestAnswerInTheTransportBeatsTheDeadline(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.Plain, roomy)
		for range 50 {
			const budget = time.Second
			// Both timers fire at the same instant, in either order.
			time.AfterFunc(budget, func() {
				var call struct{ ID json.RawMessage }
				if err := json.Unmarshal([]byte(w.hear()), &call); err != nil {
					t.Error(err)
				}
				w.say(`{"jsonrpc":"2.0","id":` + string(call.ID) + `,"result":"in time"}`)
			})
			if _, err := p.CallRaw(t.Context(), "m", nil, host.WithTimeout(budget)); err != nil {
				t.Fatal(err)
			}
		}
		if late := p.Stats().Late; late != 0 {
			t.Errorf("%d answers were late", late)
		}
	})
}

func TestCancelTellsThePeer(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.MCP, roomy)
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("tab closed")
		go func() {
			w.expect(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
			cancel(cause)
			w.expect(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
			w.say(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		}()
		_, err := p.CallRaw(ctx, "tools/call", nil)
		if !errors.Is(err, host.ErrCanceled) || !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		if late := p.Stats().Late; late != 1 {
			t.Errorf("%d late answers, want 1 (CALL-5)", late)
		}
	})
}

func TestBadArgumentsFailAtTheCall(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, withLimits(host.Plain, func(l *core.Limits) { l.FrameBytesMax = 100 }), roomy)
		ctx := t.Context()
		tests := []struct {
			name string
			err  error
			want error
		}{
			{"not JSON", p.NotifyRaw(ctx, "m", json.RawMessage(`{`)), core.ErrBadJSON},
			{"scalar params", p.Notify(ctx, "m", 1), core.ErrBadParams},
			{"unserialisable", p.Notify(ctx, "m", func() {}), core.ErrBadParams},
			{"no method", p.Notify(ctx, "", nil), core.ErrBadMethod},
			{"over the limit", p.Notify(ctx, "m", []string{strings.Repeat("x", 100)}), host.ErrTooLarge},
		}
		for _, test := range tests {
			var e *host.CallError
			if !errors.Is(test.err, test.want) || !errors.As(test.err, &e) || e.Fault != host.FaultCaller {
				t.Errorf("%s: got %v", test.name, test.err)
			}
		}
		p.Close()
		w.expect("")
	})
}
