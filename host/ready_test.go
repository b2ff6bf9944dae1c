package host_test

import (
	"bufio"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-rpc/parley/host"
)

// laterStream is a stream that takes bytes only once somebody else is through with it.
type laterStream struct {
	*stream
	ready chan struct{}
}

func (s *laterStream) Ready() <-chan struct{} { return s.ready }

func dialLater(t *testing.T, engine host.Engine, options host.Options) (*host.Peer, *wire, chan struct{}) {
	t.Helper()
	near, far := connect(roomy)
	later := &laterStream{near, make(chan struct{})}
	options.Engine = engine
	p, err := host.New(host.Duplex(later), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		far.Close()
		p.Close()
	})
	return p, &wire{stream: far, t: t, lines: bufio.NewReader(far)}, later.ready
}

// SEND-3, API-3: what is given up before the writer is ready has not begun: it fails alone, and not
// a byte of it is written, nor a cancel notice.
func TestNothingBeginsBeforeTheWriterIsReady(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w, ready := dialLater(t, engine, host.MCP)
		if _, err := p.CallRaw(t.Context(), "late", nil, host.WithTimeout(time.Second)); !errors.Is(err, host.ErrTimeout) {
			t.Errorf("late: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			synctest.Wait()
			cancel()
		}()
		if _, err := p.CallRaw(ctx, "cancelled", nil); !errors.Is(err, host.ErrCanceled) {
			t.Errorf("cancelled: %v", err)
		}
		if err := p.NotifyRaw(t.Context(), "kept", nil); err != nil {
			t.Error(err)
		}
		answered := make(chan error)
		go func() {
			_, err := p.CallRaw(t.Context(), "kept/too", nil)
			answered <- err
		}()
		synctest.Wait()
		if written := p.State().WrittenBytes; written != 0 {
			t.Errorf("%d bytes written", written)
		}
		close(ready)
		w.expect(`{"jsonrpc":"2.0","method":"kept"}`)
		w.expect(`{"jsonrpc":"2.0","id":3,"method":"kept/too"}`)
		w.say(`{"jsonrpc":"2.0","id":3,"result":{}}`)
		if err := <-answered; err != nil {
			t.Errorf("the session did not live: %v", err)
		}
	})
}

// STOP-2, STOP-5: a writer that is never ready holds up neither an empty end nor a bounded one.
func TestWriterThatIsNeverReadyEnds(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w, _ := dialLater(t, engine, host.MCP)
		if err := p.FinishInput(t.Context()); err != nil {
			t.Errorf("finish input: %v", err)
		}
		w.expect("")

		p, _, _ = dialLater(t, engine, host.MCP)
		if err := p.NotifyRaw(t.Context(), "owed", nil); err != nil {
			t.Error(err)
		}
		if err := p.Close(); !errors.Is(err, host.ErrClosed) {
			t.Errorf("close with something owed: %v", err)
		}
	})
}
