package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// A bubble fails a test when everything in it waits for ever, so each test here also shows that
// its sessions are not deadlocked.

// pipeBytes is what a pipe of the system holds.
const pipeBytes = 64 * core.KiB

// facing connects two sessions of role peer over pipes of the usual size.
func facing(t *testing.T, engine host.Engine, options host.Options) (a, b *host.Peer) {
	t.Helper()
	there, back := connect(pipeBytes)
	options.Engine = engine
	start := func(end *stream) *host.Peer {
		p, err := host.New(host.Duplex(end), options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		return p
	}
	return start(there), start(back)
}

// plainPeer is a session of role peer whose frames are small, so that the sandbox has memory to
// spare for what change raises.
func plainPeer(change func(*core.Limits)) host.Options {
	options := host.Options{Config: core.Defaults(core.ProfilePlain, core.RolePeer)}
	options.Config.Limits.FrameBytesMax = 2 * core.MiB
	return withLimits(options, change)
}

// textOf is a JSON array of one string, sizeBytes long in all.
func textOf(sizeBytes int) json.RawMessage {
	return json.RawMessage(`["` + strings.Repeat("x", sizeBytes-len(`[""]`)) + `"]`)
}

// both runs f for each of two sessions at once.
func both(a, b *host.Peer, f func(p *host.Peer)) {
	var running sync.WaitGroup
	running.Go(func() { f(a) })
	running.Go(func() { f(b) })
	running.Wait()
}

// SEND-2: where the backlog does not hold them, both sides stand still, by their own doing. The
// budgets of those who wait end it, nothing else is harmed, and the first to fetch sets both free.
func TestFloodsThatDoNotFitEndWithTheirBudgets(t *testing.T) {
	const budget = 3 * time.Second
	message := textOf(128 * core.KiB)
	onEngines(t, func(t *testing.T, engine host.Engine) {
		a, b := facing(t, engine, plainPeer(func(l *core.Limits) {
			l.ParkedBytesMax, l.OutBytesMax = core.MiB, core.MiB
		}))
		start := time.Now()
		both(a, b, func(p *host.Peer) {
			ctx, cancel := context.WithTimeout(t.Context(), budget)
			defer cancel()
			var err error
			for err == nil {
				err = p.NotifyRaw(ctx, "tell", message)
			}
			if !errors.Is(err, host.ErrTimeout) {
				t.Errorf("got %v", err)
			}
		})
		if waited := time.Since(start); waited != budget { // of the bubble's time
			t.Errorf("stood still for %v, want %v", waited, budget)
		}
		both(a, b, func(p *host.Peer) {
			fetched := make(chan struct{})
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				defer close(fetched)
				for _, err := range p.Messages(ctx) {
					if err != nil {
						return // cancel
					}
				}
			}()
			if err := p.Flush(t.Context()); err != nil {
				t.Error(err)
			}
			cancel()
			<-fetched
		})
	})
}

// callingBack is served by both sides: outer calls inner on the other side once go is closed.
type callingBack struct {
	running chan struct{} // one token for each outer that runs
	call    chan struct{} // closed: outer calls
	release chan struct{} // closed: wait returns
	budget  time.Duration // of inner
}

func newCallingBack(budget time.Duration) *callingBack {
	return &callingBack{
		running: make(chan struct{}, 1024), call: make(chan struct{}), release: make(chan struct{}), budget: budget,
	}
}

func (c *callingBack) mux(inner core.Mode) *host.Mux {
	mux := host.NewMux()
	host.Handle(mux, "outer", core.ModeRead, func(ctx context.Context, _ any) (string, error) {
		c.running <- struct{}{}
		<-c.call
		return host.Call[string](ctx, host.PeerFrom(ctx), "inner", nil, host.WithTimeout(c.budget))
	})
	host.Handle(mux, "inner", inner, func(context.Context, any) (string, error) { return "deep", nil })
	host.Handle(mux, "wait", core.ModeRead, func(context.Context, any) (string, error) {
		<-c.release
		return "done", nil
	})
	return mux
}

// callMany makes count calls at once and returns how many had each outcome: a result, an error the
// peer answered with, or what else went wrong.
func callMany(ctx context.Context, p *host.Peer, count int, method string) map[any]int {
	var mu sync.Mutex
	outcomes := map[any]int{}
	var calls sync.WaitGroup
	for range count {
		calls.Go(func() {
			result, err := host.Call[string](ctx, p, method, nil)
			outcome := any(result)
			var answer *host.RPCError
			if errors.As(err, &answer) {
				outcome = answer.Code
			} else if err != nil {
				outcome = err.Error()
			}
			mu.Lock()
			defer mu.Unlock()
			outcomes[outcome]++
		})
	}
	calls.Wait()
	return outcomes
}

// BACK-3: a handler's own call is answered while every other place is taken, as many wait as may,
// and more lie parked behind those.
func TestHandlerCallsBackWhileOthersWait(t *testing.T) {
	const waiting = 255 + 256 + 100
	onEngines(t, func(t *testing.T, engine host.Engine) {
		c := newCallingBack(time.Minute)
		options := plainPeer(func(*core.Limits) {})
		options.Mux = c.mux(core.ModeRead)
		a, b := facing(t, engine, options)
		var calls sync.WaitGroup
		calls.Go(func() {
			if result, err := host.Call[string](t.Context(), a, "outer", nil); err != nil || result != "deep" {
				t.Errorf("outer: %q, %v", result, err)
			}
			close(c.release)
		})
		<-c.running
		calls.Go(func() {
			if outcomes := callMany(t.Context(), a, waiting, "wait"); outcomes["done"] != waiting {
				t.Errorf("wait: %v", outcomes)
			}
		})
		synctest.Wait()
		if s := b.State(); s.Running != 256 || s.Waiting < 256 {
			t.Errorf("%d run and %d wait, so this shows nothing", s.Running, s.Waiting)
		}
		close(c.call)
		calls.Wait()
	})
}

// REQ-1: with every place on both sides taken by a handler that calls back, a method that is never
// queued still runs, and any other has to wait for a place: the calls' budgets end that.
func TestAllPlacesCallBack(t *testing.T) {
	const places = 256
	for _, test := range []struct {
		name  string
		inner core.Mode
		want  any
	}{
		{"bypass", core.ModeBypass, "deep"},
		{"read", core.ModeRead, host.InternalError},
	} {
		t.Run(test.name, func(t *testing.T) {
			onEngines(t, func(t *testing.T, engine host.Engine) {
				c := newCallingBack(2 * time.Second)
				options := plainPeer(func(*core.Limits) {})
				options.Mux = c.mux(test.inner)
				a, b := facing(t, engine, options)
				go func() {
					for range 2 * places {
						<-c.running
					}
					close(c.call)
				}()
				both(a, b, func(p *host.Peer) {
					if outcomes := callMany(t.Context(), p, places, "outer"); outcomes[test.want] != places {
						t.Errorf("outcomes: %v", outcomes)
					}
				})
			})
		})
	}
}

// stuck starts a client whose peer never reads, behind a full pipe and a full queue.
func stuck(t *testing.T, engine host.Engine, stallMax core.Time) (*host.Peer, *wire) {
	t.Helper()
	options := withLimits(host.Plain, func(l *core.Limits) { l.OutBytesMax = 256 * core.KiB })
	options.Config.StallMaxNs = stallMax
	p, w := dial(t, engine, options, pipeBytes)
	message := textOf(32 * core.KiB)
	for p.State().QueuedBytes+len(message) < options.Config.Limits.OutBytesMax {
		if err := p.NotifyRaw(t.Context(), "tell", message); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // the writer has taken what it can
	}
	return p, w
}

// SEND-6: with StallMaxNs a peer that never reads ends the session, and all who wait for it.
func TestPeerThatNeverReadsIsGivenUp(t *testing.T) {
	const stallMax = 5 * time.Second
	onEngines(t, func(t *testing.T, engine host.Engine) {
		start := time.Now()
		p, _ := stuck(t, engine, core.Time(stallMax))
		var waiting sync.WaitGroup
		for _, wait := range []func() error{
			func() error { _, err := p.CallRaw(t.Context(), "queued", nil); return err },
			func() error { _, err := p.CallRaw(t.Context(), "waits for room", textOf(core.MiB)); return err },
			func() error { return p.NotifyRaw(t.Context(), "waits behind it", nil) },
			func() error { return p.Flush(t.Context()) },
		} {
			waiting.Go(func() {
				err := wait()
				var session *host.SessionError
				if !errors.Is(err, host.ErrClosed) || !errors.As(err, &session) || session.Reason != core.ReasonStalled {
					t.Errorf("got %v", err)
				}
			})
			synctest.Wait() // they wait in this order
		}
		waiting.Wait()
		// Of the bubble's time. Calls in the pipe may be answered for another 5 s (SEND-5).
		if waited := time.Since(start); waited < stallMax || waited > 2*stallMax {
			t.Errorf("gave up after %v", waited)
		}
		var session *host.SessionError
		if err := p.Close(); !errors.As(err, &session) || session.Reason != core.ReasonStalled {
			t.Errorf("closed: %v", err)
		}
	})
}

// CALL-4: without StallMaxNs it is the budgets that end, each alone; the session goes on once the
// peer reads again.
func TestPeerThatNeverReadsCostsBudgets(t *testing.T) {
	const budget = 2 * time.Second
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := stuck(t, engine, 0)
		start := time.Now()
		var calls sync.WaitGroup
		for _, params := range []json.RawMessage{nil, textOf(core.MiB), nil} { // the middle one finds no room
			calls.Go(func() {
				if _, err := p.CallRaw(t.Context(), "call", params, host.WithTimeout(budget)); !errors.Is(err, host.ErrTimeout) {
					t.Errorf("got %v", err)
				}
			})
		}
		calls.Wait()
		if waited := time.Since(start); waited < budget || waited > budget+10*time.Millisecond { // of the bubble's time; CALL-3
			t.Errorf("waited %v, want %v", waited, budget)
		}
		go func() {
			for line := w.hear(); line != ""; line = w.hear() {
				if !strings.Contains(line, `"again"`) {
					continue
				}
				var request struct{ ID json.RawMessage }
				if err := json.Unmarshal([]byte(line), &request); err != nil {
					t.Error(err)
				}
				w.say(`{"jsonrpc":"2.0","id":` + string(request.ID) + `,"result":"heard"}`)
				return
			}
		}()
		if result, err := host.Call[string](t.Context(), p, "again", nil, host.WithTimeout(budget)); err != nil || result != "heard" {
			t.Errorf("again: %q, %v", result, err)
		}
	})
}

// BACK-3, STOP-2: a client that asks without end and reads no answer makes a server stop reading,
// and keeps it neither from closing nor from giving up.
func TestClientThatNeverReads(t *testing.T) {
	for _, test := range []struct {
		name     string
		stallMax time.Duration
	}{{"given up", 5 * time.Second}, {"closed", 0}} {
		t.Run(test.name, func(t *testing.T) {
			onEngines(t, func(t *testing.T, engine host.Engine) {
				options := withLimits(host.PlainServer, func(l *core.Limits) {
					l.OutBytesMax, l.QueuedBytesMax, l.ParkedBytesMax = core.MiB, core.MiB, core.MiB
				})
				options.Config.StallMaxNs = core.Time(test.stallMax)
				options.Mux = host.NewMux()
				options.Mux.HandleRaw("echo", core.ModeRead, func(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
					return params, nil
				})
				p, w := dial(t, engine, options, pipeBytes)
				line := `{"jsonrpc":"2.0","id":1,"method":"echo","params":` + string(textOf(8*core.KiB)) + "}\n"
				asked := make(chan error)
				askedBytes := 0
				go func() {
					for {
						n, err := io.WriteString(w.stream, line)
						if askedBytes += n; err != nil {
							asked <- err
							return
						}
					}
				}()
				if test.stallMax == 0 {
					synctest.Wait() // everything is full
					if !p.State().Paused {
						t.Error("the server reads on")
					}
					if err := p.Close(); !errors.Is(err, host.ErrClosed) {
						t.Errorf("a cut end: %v", err)
					}
				}
				<-p.Done()
				if err := <-asked; !errors.Is(err, io.ErrClosedPipe) {
					t.Errorf("the client wrote %d bytes, then: %v", askedBytes, err)
				}
				if limit := int(options.Config.Limits.Sum()); askedBytes > limit {
					t.Errorf("the server took %d bytes, more than the %d it may hold", askedBytes, limit)
				}
			})
		})
	}
}
