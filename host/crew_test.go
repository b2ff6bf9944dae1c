package host_test

import (
	"context"
	"encoding/json"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// API-9: each of many handlers waits until all of them run, which none would live to see if it had to wait for
// another one's return. Then nearly all of their goroutines go.
func TestHandlersWaitForNoOther(t *testing.T) {
	const handlers, keptMax = 100, 2
	onEngines(t, func(t *testing.T, engine host.Engine) {
		var all sync.WaitGroup
		mux := host.NewMux()
		mux.HandleRaw("meet", core.ModeRead, func(context.Context, json.RawMessage) (json.RawMessage, error) {
			all.Done()
			all.Wait()
			return nil, nil
		})
		client, server := pair(t, engine, mux)
		for range 2 {
			all.Add(handlers)
			var calls sync.WaitGroup
			for range handlers {
				calls.Go(func() {
					if _, err := client.CallRaw(t.Context(), "meet", nil); err != nil {
						t.Error(err)
					}
				})
			}
			calls.Wait()
			synctest.Wait()
			if kept := serving(); kept > keptMax {
				t.Errorf("%d goroutines are kept, want %d at most", kept, keptMax)
			}
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if kept := serving(); kept > 0 {
			t.Errorf("%d goroutines outlive their session", kept)
		}
	})
}

// serving counts the goroutines that run handlers, or wait to.
func serving() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "created by github.com/parley-rpc/parley/host.(*Peer).summon")
}

// lastWords is a peer that says all it has to say, and that nothing will follow, in one read.
type lastWords struct {
	said string
	io.Writer
}

func (w *lastWords) Read(p []byte) (int, error) { return copy(p, w.said), io.EOF }
func (*lastWords) Close() error                 { return nil }

// STOP-1: what came before the end of the peer's output is handled, though the end is known by then.
func TestHandlersFollowTheEndOfInput(t *testing.T) {
	const notifications = 20
	onEngines(t, func(t *testing.T, engine host.Engine) {
		handled := 0
		mux := host.NewMux()
		mux.HandleNotificationRaw("note", core.ModeDefault, func(context.Context, json.RawMessage) error {
			handled++
			return nil
		})
		options := host.PlainServer
		options.Engine, options.Mux = engine, mux
		note := `{"jsonrpc":"2.0","method":"note"}` + "\n"
		server, err := host.New(host.Duplex(&lastWords{strings.Repeat(note, notifications), io.Discard}), options)
		if err != nil {
			t.Fatal(err)
		}
		<-server.Done()
		synctest.Wait()
		if handled != notifications {
			t.Errorf("%d of %d notifications were handled", handled, notifications)
		}
	})
}
