package host_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// blocking serves wait, which ends with release or with its context, whichever comes first.
func blocking(release <-chan struct{}) *host.Mux {
	mux := host.NewMux()
	host.Handle(mux, "wait", core.ModeWrite, func(ctx context.Context, _ any) (bool, error) {
		select {
		case <-release:
			return true, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	})
	return mux
}

// SCHED-3, SCHED-5: a snapshot shows what runs and waits, for how long, and what has become of it.
func TestSnapshotShowsTheWork(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		release := make(chan struct{})
		options := host.PlainServer
		options.Mux = blocking(release)
		options.Config.SessionID = "s"
		p, w := dial(t, engine, options, roomy)
		if err := p.TraceStart(); err != nil {
			t.Fatal(err)
		}
		if err := p.TraceStart(); !errors.Is(err, core.ErrTracing) {
			t.Errorf("started twice: %v", err)
		}
		w.say(`{"jsonrpc":"2.0","id":1,"method":"wait"}`)
		w.say(`{"jsonrpc":"2.0","id":2,"method":"wait"}`)
		synctest.Wait()
		<-time.After(time.Second) // on the bubble's clock
		s, err := p.Snapshot()
		if err != nil || len(s.Items) != 2 {
			t.Fatalf("%+v, %v", s, err)
		}
		running, waiting := s.Items[0], s.Items[1]
		if !running.Running || running.Mode != core.ModeWrite || s.Now-running.StartedAt != core.Second || waiting.Running || waiting.Ordinal != 2 {
			t.Errorf("items %+v at %d", s.Items, s.Now)
		}
		if s.Limits.RunningMax != 256 || s.Stats.Requests != 2 || s.State.Running != 1 {
			t.Errorf("limits %+v, stats %+v, state %+v", s.Limits, s.Stats, s.State)
		}
		if name := p.CorrelationID(waiting.Ordinal); name != "s-2" {
			t.Errorf("correlation id %q", name)
		}
		close(release)
		w.hear()
		w.hear()
		synctest.Wait()
		s, err = p.Snapshot()
		if err != nil || s.Generation != 2 || len(s.Items) != 0 || s.Methods[0].Count != 2 || s.Methods[0].MaxNs != core.Second {
			t.Errorf("after both: %+v, %v", s, err)
		}
		if len(s.Trace) != 6 || !s.Tracing { // each queued, running, succeeded
			t.Errorf("trace %+v", s.Trace)
		}
		if err := p.TraceStop(); err != nil {
			t.Error(err)
		}
		if err := p.TraceStop(); !errors.Is(err, core.ErrTracing) {
			t.Errorf("stopped twice: %v", err)
		}
		p.Close()
		if _, err := p.Snapshot(); !errors.Is(err, host.ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// SCHED-4: a queued message is cancelled at once, a running one once it has retired, and neither
// twice.
func TestCancelRequestIsTrueOnceItRetired(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		leave := make(chan struct{})
		mux := host.NewMux()
		host.Handle(mux, "wait", core.ModeWrite, func(ctx context.Context, _ any) (any, error) {
			<-ctx.Done()
			<-leave
			return nil, ctx.Err()
		})
		options := host.PlainServer
		options.Mux = mux
		p, w := dial(t, engine, options, roomy)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"wait"}`)
		w.say(`{"jsonrpc":"2.0","id":2,"method":"wait"}`)
		synctest.Wait()
		if ended, err := p.CancelRequest(t.Context(), 2); !ended || err != nil {
			t.Errorf("queued: %v, %v", ended, err)
		}
		w.expect(`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Request cancelled by the server"}}`)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if ended, err := p.CancelRequest(ctx, 1); ended || !errors.Is(err, host.ErrTimeout) {
			t.Errorf("one that does not leave: %v, %v", ended, err)
		}
		done := make(chan bool)
		for range 2 { // whoever asks while it retires waits for the same
			go func() {
				ended, err := p.CancelRequest(t.Context(), 1)
				if err != nil {
					t.Error(err)
				}
				done <- ended
			}()
		}
		synctest.Wait()
		select {
		case <-done:
			t.Error("cancelled before it retired")
		default:
		}
		close(leave)
		if a, b := <-done, <-done; !a || !b {
			t.Errorf("running: %v, %v", a, b)
		}
		w.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Request cancelled by the server"}}`)
		for _, ordinal := range []uint64{0, 1, 2, 3} {
			if ended, err := p.CancelRequest(t.Context(), ordinal); ended || err != nil {
				t.Errorf("ordinal %d, finished or unknown: %v, %v", ordinal, ended, err)
			}
		}
	})
}

// SCHED-4: who waits for a handler that never leaves learns of the session's end.
func TestCancelRequestEndsWithTheSession(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		leave := make(chan struct{})
		defer close(leave)
		mux := host.NewMux()
		host.Handle(mux, "stay", core.ModeRead, func(context.Context, any) (any, error) {
			<-leave
			return nil, nil
		})
		options := host.PlainServer
		options.Mux = mux
		p, w := dial(t, engine, options, roomy)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"stay"}`)
		synctest.Wait()
		go p.Close()
		if ended, err := p.CancelRequest(t.Context(), 1); ended || !errors.Is(err, host.ErrClosed) {
			t.Errorf("got %v, %v", ended, err)
		}
	})
}

func TestStartedIsToldOfTheSession(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		options := host.PlainServer
		options.Mux, options.Config.SessionID = host.NewMux(), "7.1"
		var told *host.Peer
		options.Started = func(p *host.Peer) { told = p }
		p, _ := dial(t, engine, options, roomy)
		if told != p {
			t.Errorf("told of %p, made %p", told, p)
		}
		s, err := told.Snapshot()
		if err != nil || s.SessionID != "7.1" || s.Profile != core.ProfilePlain || s.Role != core.RoleServer {
			t.Errorf("%+v, %v", s, err)
		}
	})
}
