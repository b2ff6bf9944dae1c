package host_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// stuffed is a session whose peer does not read and whose queue is full: the writer holds the first
// two notifications, the queue the third.
func stuffed(t *testing.T, engine host.Engine, options host.Options) (*host.Peer, *wire) {
	t.Helper()
	p, w := dial(t, engine, withLimits(options, func(l *core.Limits) { l.OutBytesMax = 100 }), 1)
	for i := range 2 {
		notify(t, p, fmt.Sprint("filler", i), 200)
		synctest.Wait()
	}
	return p, w
}

func notify(t *testing.T, p *host.Peer, method string, paramsBytes int) {
	t.Helper()
	if err := p.Notify(t.Context(), method, []string{strings.Repeat("x", paramsBytes)}); err != nil {
		t.Errorf("%s: %v", method, err)
	}
}

// SEND-2: whoever finds no room waits in line, and a small newcomer does not overtake.
func TestWaitersAreServedInOrder(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := stuffed(t, engine, host.Plain)
		var done sync.WaitGroup
		var order []string
		for i := range 8 {
			name := fmt.Sprint("waiter", i)
			order = append(order, name)
			done.Go(func() { notify(t, p, name, 10*(8-i)) })
			synctest.Wait() // it has joined the line
		}
		w.hear()
		w.hear()
		for _, name := range order {
			if line := w.hear(); !strings.Contains(line, name) {
				t.Errorf("got %s, want %s", line, name)
			}
		}
		done.Wait()
	})
}

// SEND-2: there is room for a small newcomer, but somebody waits before it.
func TestNewcomersDoNotOvertake(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, withLimits(host.Plain, func(l *core.Limits) { l.OutBytesMax = 100 }), 1)
		notify(t, p, "held by the writer", 1)
		synctest.Wait()
		notify(t, p, "queued", 1)
		var waiters sync.WaitGroup
		for _, waiter := range []struct {
			method      string
			paramsBytes int
		}{{"large", 80}, {"small", 1}} {
			waiters.Go(func() { notify(t, p, waiter.method, waiter.paramsBytes) })
			synctest.Wait()
		}
		for _, method := range []string{"held", "queued", "large", "small"} {
			if line := w.hear(); !strings.Contains(line, method) {
				t.Errorf("got %s, want %s", line, method)
			}
		}
		waiters.Wait()
	})
}

// SEND-2, CALL-4: waiting for room is inside the budget, and whoever gives up has written nothing.
func TestWaitersGiveUp(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := stuffed(t, engine, host.Plain)
		cause := errors.New("tab closed")
		cancelled, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		expiring, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()

		var waiters sync.WaitGroup
		waiters.Go(func() {
			if err := p.NotifyRaw(cancelled, "cancelled", nil); !errors.Is(err, host.ErrCanceled) || !errors.Is(err, cause) {
				t.Errorf("cancelled: %v", err)
			}
		})
		waiters.Go(func() {
			if err := p.NotifyRaw(expiring, "expiring", nil); !errors.Is(err, host.ErrTimeout) {
				t.Errorf("expiring: %v", err)
			}
		})
		waiters.Go(func() {
			if _, err := p.CallRaw(t.Context(), "budget", nil, host.WithTimeout(time.Second)); !errors.Is(err, host.ErrTimeout) {
				t.Errorf("budget: %v", err)
			}
		})
		waiters.Wait()

		waiters.Go(func() { notify(t, p, "last", 1) })
		w.hear()
		w.hear()
		w.expect(`{"jsonrpc":"2.0","method":"last","params":["x"]}`)
		waiters.Wait()
	})
}

func TestWaitersLearnOfTheEnd(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := stuffed(t, engine, host.Plain)
		var waiters sync.WaitGroup
		for range 3 {
			waiters.Go(func() {
				if err := p.NotifyRaw(t.Context(), "m", nil); !errors.Is(err, host.ErrClosed) {
					t.Errorf("got %v", err)
				}
			})
		}
		synctest.Wait()
		w.Close()
		waiters.Wait()
	})
}

// SEND-5: a failed write ends the waiting although the peer may still speak.
func TestWaitersLearnOfAFailedWrite(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := stuffed(t, engine, host.Plain)
		refused := make(chan error, 1)
		go func() { refused <- p.NotifyRaw(t.Context(), "m", nil) }()
		synctest.Wait()
		w.in.close(false, true)
		if err := <-refused; !errors.Is(err, host.ErrClosed) {
			t.Errorf("got %v", err)
		}
		if state := p.State(); state.Input != core.InputOpen {
			t.Errorf("input is %v", state.Input)
		}
	})
}

// SEND-2, policy fail.
func TestFullQueueFailsFast(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		options := host.Plain
		options.Config.OutFailFast = true
		p, _ := stuffed(t, engine, options)
		if err := p.NotifyRaw(t.Context(), "m", nil); !errors.Is(err, host.ErrTooLarge) {
			t.Errorf("got %v", err)
		}
	})
}

// API-8: Flush returns when what was accepted has been written, and says when it never will be.
func TestFlush(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := stuffed(t, engine, host.Plain)
		flushed := make(chan error, 1)
		go func() { flushed <- p.Flush(t.Context()) }()
		synctest.Wait()
		select {
		case err := <-flushed:
			t.Fatalf("returned %v with a full queue", err)
		default:
		}
		w.hear()
		w.hear()
		if err := <-flushed; err != nil {
			t.Error(err)
		}
		if state := p.State(); state.WrittenBytes != state.AcceptedBytes {
			t.Errorf("written %d of %d bytes", state.WrittenBytes, state.AcceptedBytes)
		}
	})
}

func TestFlushFails(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := stuffed(t, engine, host.Plain)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.Flush(ctx); !errors.Is(err, host.ErrTimeout) {
			t.Errorf("nobody reads: %v", err)
		}
		flushed := make(chan error, 1)
		go func() { flushed <- p.Flush(t.Context()) }()
		synctest.Wait()
		w.Close()
		if err := <-flushed; !errors.Is(err, host.ErrClosed) {
			t.Errorf("the peer is gone: %v", err)
		}
	})
}
