//go:build !race

package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// The race detector makes these take minutes; the same ways are gone with less in
// TestFloodsThatDoNotFitEndWithTheirBudgets.

// BACK-3: each side sends one frame of 64 MiB before it has read anything of the other's.
func TestGiantFramesCross(t *testing.T) {
	const giantBytes = 64 * core.MiB
	giant := textOf(giantBytes)
	onEngines(t, func(t *testing.T, engine host.Engine) {
		options := plainPeer(func(l *core.Limits) {
			l.FrameBytesMax, l.QueuedBytesMax, l.ParkedBytesMax = giantBytes+core.KiB, core.MiB, core.MiB
		})
		options.Mux = host.NewMux()
		options.Mux.HandleRaw("measure", core.ModeRead, func(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
			return json.Marshal(len(params))
		})
		a, b := facing(t, engine, options)
		both(a, b, func(p *host.Peer) {
			if size, err := p.CallRaw(t.Context(), "measure", giant); err != nil || string(size) != "67108864" {
				t.Errorf("measured %s, %v", size, err)
			}
		})
	})
}

// BACK-2: each application sends 64 MiB in messages before it fetches one, and the backlog holds
// them all.
func TestFloodsCross(t *testing.T) {
	const count, messageBytes = 64, core.MiB
	message := textOf(messageBytes)
	onEngines(t, func(t *testing.T, engine host.Engine) {
		a, b := facing(t, engine, plainPeer(func(l *core.Limits) { l.ParkedBytesMax = (count + 1) * messageBytes }))
		both(a, b, func(p *host.Peer) {
			for range count {
				if err := p.NotifyRaw(t.Context(), "tell", message); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.Flush(t.Context()); err != nil {
				t.Error(err)
			}
		})
		both(a, b, func(p *host.Peer) {
			fetched := 0
			for m, err := range p.Messages(t.Context()) {
				if err != nil || !bytes.Equal(m.Params, message) {
					t.Errorf("message %d: %d bytes, %v", fetched, len(m.Params), err)
				}
				if fetched++; fetched == count {
					return
				}
			}
		})
	})
}
