package host_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// CALL-3, CALL-5, CALL-6: at one instant the answer arrives and the caller gives up. Whichever is
// first, the caller, the counters and the peer are told the same story.
func TestAnswerAgainstCancelOfTheContext(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.MCP, roomy)
		var late uint64
		for id := 1; id <= 50; id++ {
			ctx, cancel := context.WithCancel(t.Context())
			answer := func() { w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":true}`, id)) }
			// Both timers fire at the same instant, set in either order.
			if id%2 == 0 {
				time.AfterFunc(time.Second, answer)
			}
			time.AfterFunc(time.Second, cancel)
			if id%2 != 0 {
				time.AfterFunc(time.Second, answer)
			}
			_, err := p.CallRaw(ctx, "m", nil)
			synctest.Wait()
			w.expect(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`, id))
			switch {
			case errors.Is(err, host.ErrCanceled):
				late++
				w.expect(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
			case err != nil:
				t.Errorf("call %d: %v", id, err)
			}
			if stats := p.Stats(); stats.Late != late || stats.Unknown != 0 {
				t.Fatalf("call %d returned %v; %d answers were late, want %d, and %d unknown", id, err, stats.Late, late, stats.Unknown)
			}
		}
		p.Close()
		w.expect("") // no notice of a call that was answered
	})
}

// Once the answer is committed no cancel takes it back, and the other way round.
func TestOrderOfAnswerAndCancel(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.MCP, roomy)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		returned := make(chan error, 1)
		call := func() {
			_, err := p.CallRaw(ctx, "m", nil)
			returned <- err
		}
		go call()
		synctest.Wait()
		w.say(`{"jsonrpc":"2.0","id":1,"result":true}`)
		synctest.Wait()
		cancel()
		if err := <-returned; err != nil {
			t.Errorf("answered, then cancelled: %v", err)
		}

		ctx, cancel = context.WithCancel(t.Context())
		go call()
		synctest.Wait()
		cancel()
		synctest.Wait()
		w.say(`{"jsonrpc":"2.0","id":2,"result":true}`)
		if err := <-returned; !errors.Is(err, host.ErrCanceled) {
			t.Errorf("cancelled, then answered: %v", err)
		}
	})
}

// setLimit changes how many bytes a direction holds.
func (h *half) setLimit(limit int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.limit = limit
	h.change.Broadcast()
}

// Close while calls are everywhere: one answered before, one begun, one queued, one waiting
// for room. All return, none of what had not begun is written, and the peer is told of what had.
func TestCloseDuringCalls(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, withLimits(host.MCP, func(l *core.Limits) { l.OutBytesMax = 200 }), roomy)
		outcomes := map[string]chan error{}
		call := func(method string) {
			outcome := make(chan error, 1)
			outcomes[method] = outcome
			go func() {
				_, err := p.CallRaw(t.Context(), method, nil)
				outcome <- err
			}()
			synctest.Wait()
		}
		call("answered")
		call("begun")
		w.hear()
		w.hear()
		w.in.setLimit(0) // from here on the peer does not read
		notify(t, p, "stuck", 1)
		synctest.Wait()
		call("queued " + strings.Repeat("x", 70))
		call("waiting " + strings.Repeat("x", 100))
		w.say(`{"jsonrpc":"2.0","id":1,"result":true}`)
		synctest.Wait()
		closed := make(chan error, 1)
		go func() { closed <- p.Close() }()
		synctest.Wait()
		w.in.setLimit(roomy)
		if err := <-closed; err != nil {
			t.Errorf("Close: %v", err)
		}
		for method, outcome := range outcomes {
			err := <-outcome
			if wasAnswered := method == "answered"; wasAnswered && err != nil || !wasAnswered && !errors.Is(err, host.ErrClosed) {
				t.Errorf("%.10s: %v", method, err)
			}
		}
		w.expect(`{"jsonrpc":"2.0","method":"stuck","params":["x"]}`)
		w.expect(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		w.expect("")
	})
}

// STOP-2, SCHED-7: Close lets handlers finish, also those that wait for their turn, tells the ones
// that outlast the grace, and refuses what comes after it. All are answered before the stream ends.
func TestCloseDuringHandlers(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		mux := host.NewMux()
		release := make(chan struct{})
		host.Handle(mux, "quick", core.ModeRead, func(context.Context, any) (string, error) {
			<-release
			return "done", nil
		})
		host.Handle(mux, "slow", core.ModeRead, func(ctx context.Context, _ any) (string, error) {
			<-ctx.Done()
			return "told", nil
		})
		options := withLimits(host.PlainServer, func(l *core.Limits) { l.RunningMax, l.BackgroundMax = 2, 2 })
		options.Mux = mux
		p, w := dial(t, engine, options, roomy)
		for id, method := range []string{"quick", "slow", "quick"} { // the third waits
			w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, id, method))
		}
		synctest.Wait()
		start := time.Now()
		closed := make(chan error, 1)
		go func() { closed <- p.Close() }()
		synctest.Wait()
		w.say(`{"jsonrpc":"2.0","id":9,"method":"quick"}`)
		if line := w.hear(); !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":9,"error":{"code":-32603,`) {
			t.Errorf("after Close: %s", line)
		}
		close(release)
		w.expect(`{"jsonrpc":"2.0","id":0,"result":"done"}`)
		w.expect(`{"jsonrpc":"2.0","id":2,"result":"done"}`)
		w.expect(`{"jsonrpc":"2.0","id":1,"result":"told"}`)
		w.expect("")
		if err := <-closed; err != nil {
			t.Errorf("Close: %v", err)
		}
		// The clock is the bubble's: this is the bound, not a measurement.
		if waited, grace := time.Since(start), time.Duration(options.Config.GraceNs); waited != grace {
			t.Errorf("closing took %v, want %v", waited, grace)
		}
	})
}

// STOP-5: FinishInput comes behind everything accepted, and before everything that was not: whoever
// waits for room by then is refused.
func TestFinishInputAgainstPendingWrites(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := stuffed(t, engine, host.Plain)
		var writers sync.WaitGroup
		for range 4 {
			writers.Go(func() {
				if err := p.NotifyRaw(t.Context(), "late", nil); !errors.Is(err, host.ErrClosed) {
					t.Errorf("a notification that waited for room: %v", err)
				}
			})
		}
		synctest.Wait()
		finished := make(chan error, 2)
		for range cap(finished) {
			go func() { finished <- p.FinishInput(t.Context()) }()
		}
		writers.Wait()
		select {
		case err := <-finished:
			t.Errorf("finished with output pending: %v", err)
		default:
		}
		rest, err := io.ReadAll(w.lines)
		if err != nil {
			t.Error(err)
		}
		lines := strings.Split(string(rest), "\n")
		if len(lines) != 3 || !strings.Contains(lines[0], "filler0") || !strings.Contains(lines[1], "filler1") || lines[2] != "" {
			t.Errorf("the peer read %q", lines)
		}
		for range cap(finished) {
			if err := <-finished; err != nil {
				t.Errorf("FinishInput: %v", err)
			}
		}
	})
}

// STOP-5: one more notification at the instant of FinishInput is either written whole or refused.
func TestFinishInputAgainstOneMoreWrite(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		for range 20 {
			p, w := dial(t, engine, host.Plain, roomy)
			notified := make(chan error, 1)
			go func() { notified <- p.NotifyRaw(t.Context(), "m", nil) }()
			if err := p.FinishInput(t.Context()); err != nil {
				t.Error(err)
			}
			want := `{"jsonrpc":"2.0","method":"m"}`
			if err := <-notified; err != nil {
				want = ""
				if !errors.Is(err, host.ErrClosed) {
					t.Error(err)
				}
			}
			w.expect(want)
			p.Close()
		}
	})
}

// trapAt is a machine whose engine fails at one place.
type trapAt struct {
	host.Machine
	place string // "commit", "take", "advance" or "next"
	armed *bool  // the machine fails from here on
	trap  error
}

// trips reports that the engine fails here.
func (m *trapAt) trips(place string) bool {
	if m.trap == nil && *m.armed && m.place == place {
		m.trap = errors.New("wasm: unreachable")
	}
	return m.trap != nil
}

func (m *trapAt) Commit(n int) error {
	if m.trips("commit") {
		return host.ErrClosed
	}
	return m.Machine.Commit(n)
}

func (m *trapAt) Take(spare []byte) []byte {
	if m.trips("take") {
		return nil
	}
	return m.Machine.Take(spare)
}

func (m *trapAt) Advance(now core.Time) {
	if !m.trips("advance") {
		m.Machine.Advance(now)
	}
}

func (m *trapAt) Next(ev *core.Event) bool { return !m.trips("next") && m.Machine.Next(ev) }

func (m *trapAt) Err() error { return m.trap }

// A trap wherever it comes fails every call at once: the one that waits for its answer, the one in
// the queue, and the one that waits for room.
func TestTrapDuringCalls(t *testing.T) {
	for _, place := range []string{"commit", "take", "advance", "next"} {
		t.Run(place, func(t *testing.T) {
			onEngines(t, func(t *testing.T, engine host.Engine) {
				armed := false
				options := withLimits(host.Plain, func(l *core.Limits) { l.OutBytesMax = 100 })
				p, w := dial(t, func(cfg core.Config) (host.Machine, error) {
					machine, err := engine(cfg)
					return &trapAt{Machine: machine, place: place, armed: &armed}, err
				}, options, 1)
				var calls sync.WaitGroup
				call := func(method string) {
					calls.Go(func() {
						_, err := p.CallRaw(t.Context(), method, nil)
						var session *host.SessionError
						if !errors.As(err, &session) || !session.Trapped || !strings.Contains(err.Error(), "wasm: unreachable") {
							t.Errorf("%.10s: %v", method, err)
						}
					})
					synctest.Wait()
				}
				call("begun")
				w.hear()
				synctest.Wait()
				call("in flight")
				call("queued, and more than half of the queue")
				call("waiting " + strings.Repeat("x", 100))
				armed = true // everybody is blocked: nobody looks
				w.hear()     // which lets the writer go on
				synctest.Wait()
				_, _ = io.WriteString(w, "\n") // the session may be over already
				calls.Wait()
				<-p.Done()
				var session *host.SessionError
				if err := p.NotifyRaw(t.Context(), "m", nil); !errors.As(err, &session) || !session.Trapped {
					t.Errorf("afterwards: %v", err)
				}
			})
		})
	}
}

// A trap inside Take, when nothing else will ever happen, ends the session all the same: goal, that a
// call without a deadline does not wait for ever.
func TestTrapInTakeAlone(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		armed := true
		p, _ := dial(t, func(cfg core.Config) (host.Machine, error) {
			machine, err := engine(cfg)
			return &trapAt{Machine: machine, place: "take", armed: &armed}, err
		}, host.Plain, 1)
		_, err := p.CallRaw(t.Context(), "m", nil)
		var ended *host.SessionError
		if !errors.As(err, &ended) || !ended.Trapped {
			t.Errorf("got %v", err)
		}
	})
}
