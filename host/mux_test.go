package host_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// A method's own limit holds its handlers back and nothing else; a cancel reaches who waits.
func TestRunningMaxBoundsOneMethod(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		release := make(chan struct{})
		started := make(chan struct{}, 8)
		mux := host.NewMux()
		host.Handle(mux, "heavy", core.ModeRead, func(context.Context, any) (any, error) {
			started <- struct{}{}
			<-release
			return nil, nil
		}, host.RunningMax(2))
		host.Handle(mux, "sum", core.ModeRead, sum)
		options := host.PlainServer
		options.Mux = mux
		p, w := dial(t, engine, options, roomy)
		for id := range 4 {
			w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"heavy"}`, id))
		}
		w.say(`{"jsonrpc":"2.0","id":"s","method":"sum","params":{"A":1,"B":2}}`)
		w.expect(`{"jsonrpc":"2.0","id":"s","result":3}`)
		synctest.Wait()
		if running := len(started); running != 2 {
			t.Errorf("%d handlers run, want 2", running)
		}
		for ordinal := uint64(1); ordinal <= 4; ordinal++ {
			go p.CancelRequest(t.Context(), ordinal) // two wait for a turn and end, two ignore it
		}
		w.hear()
		w.hear()
		synctest.Wait()
		if running := p.State().Running; running != 2 {
			t.Errorf("%d items left, want the 2 that ignore their cancel", running)
		}
		close(release)
		w.hear()
		w.hear()
		if begun := len(started); begun != 2 {
			t.Errorf("%d handlers ran, want 2", begun)
		}
	})
}

// SCHED-8: a newer request replaces a waiting one for the same key, and no other.
func TestSupersedeReplacesWhatWaits(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		release := make(chan struct{})
		mux := blocking(release)
		mux.HandleRaw("tokens", core.ModeRead, echoRaw, host.Supersede("document", "uri"))
		options := host.PlainServer
		options.Mux = mux
		_, w := dial(t, engine, options, roomy)
		w.say(`{"jsonrpc":"2.0","id":0,"method":"wait"}`)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"tokens","params":{"document":{"uri":"a"}}}`)
		w.say(`{"jsonrpc":"2.0","id":2,"method":"tokens","params":{"document":{"uri":"b"}}}`)
		w.say(`{"jsonrpc":"2.0","id":3,"method":"tokens","params":{"document":{"uri":"a"}}}`)
		w.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Replaced by a newer request"}}`)
		close(release)
		w.expect(`{"jsonrpc":"2.0","id":0,"result":true}`)
		left := map[string]bool{w.hear(): true, w.hear(): true}
		for id, uri := range map[int]string{2: "b", 3: "a"} {
			if line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"document":{"uri":%q}}}`, id, uri); !left[line] {
				t.Errorf("no answer %s", line)
			}
		}
	})
}
