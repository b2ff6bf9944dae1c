package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// CALL-9: one frame out, answers in any order and any grouping, an outcome for each call.
func TestBatch(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.Plain, roomy)
		go func() {
			w.expect(`[{"jsonrpc":"2.0","id":1,"method":"sum","params":{"A":1,"B":2}},{"jsonrpc":"2.0","method":"note","params":[7]},` +
				`{"jsonrpc":"2.0","id":"b","method":"raw"},{"jsonrpc":"2.0","id":2,"method":"busy"},{"jsonrpc":"2.0","id":3,"method":"dropped"}]`)
			w.say(`[{"jsonrpc":"2.0","id":3,"result":"whatever"},{"jsonrpc":"2.0","id":"b","result":null}]`)
			w.say(`[{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"busy"}}]`)
			w.say(`{"jsonrpc":"2.0","id":1,"result":3}`)
		}()
		var total int
		var raw json.RawMessage
		items := []*host.BatchItem{
			host.BatchCall("sum", sumParams{1, 2}, &total),
			host.BatchNotification("note", []int{7}),
			host.BatchCall("raw", nil, &raw, host.WithID([]byte(`"b"`))),
			host.BatchCall("busy", nil, nil),
			host.BatchCall("dropped", nil, nil),
		}
		err := p.Batch(t.Context(), items...)
		var answer *host.RPCError
		if !errors.As(err, &answer) || answer.Method != "busy" || err != items[3].Err {
			t.Errorf("got %v", err)
		}
		if total != 3 || string(raw) != "null" {
			t.Errorf("sum %d, raw %s", total, raw)
		}
		for i, it := range items {
			if (it.Err != nil) != (i == 3) {
				t.Errorf("item %d: %v", i, it.Err)
			}
		}
	})
}

// CALL-9, API-6: each call has a budget of its own, and a result that does not fit fails it alone.
func TestBatchFailsCallByCall(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.Plain, roomy)
		go func() {
			w.hear()
			w.say(`{"jsonrpc":"2.0","id":1,"result":null}`)
			synctest.Wait()
			<-time.After(2 * time.Second) // on the bubble's clock
			w.say(`{"jsonrpc":"2.0","id":3,"result":4}`)
		}()
		var number int
		misfit, late, slow := host.BatchCall("misfit", nil, &number), host.BatchCall("late", nil, nil, host.WithTimeout(time.Second)), host.BatchCall("slow", nil, &number)
		var parse *host.ParseError
		if err := p.Batch(t.Context(), misfit, late, slow); !errors.As(err, &parse) || parse.Method != "misfit" {
			t.Errorf("got %v", err)
		}
		if !errors.Is(late.Err, host.ErrTimeout) || slow.Err != nil || number != 4 {
			t.Errorf("late %v; slow %v, %d", late.Err, slow.Err, number)
		}

		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		one, other := host.BatchCall("m", nil, nil), host.BatchCall("m", nil, nil)
		if err := p.Batch(ctx, one, other); !errors.Is(err, host.ErrCanceled) || !errors.Is(other.Err, host.ErrCanceled) {
			t.Errorf("cancelled: %v, %v", err, other.Err)
		}
		if open := p.State().Calls; open != 0 {
			t.Errorf("%d calls are open", open)
		}
	})
}

// CALL-9: a batch that is refused writes nothing and fails every item.
func TestBatchIsRefusedWhole(t *testing.T) {
	tests := map[string]struct {
		options host.Options
		items   []*host.BatchItem
		want    error
	}{
		"profile":        {host.LSP, []*host.BatchItem{host.BatchCall("m", nil, nil)}, host.ErrUnsupported},
		"empty":          {host.Plain, nil, core.ErrBadCount},
		"no method":      {host.Plain, []*host.BatchItem{host.BatchCall("m", nil, nil), host.BatchCall("", nil, nil)}, core.ErrBadMethod},
		"params":         {host.Plain, []*host.BatchItem{host.BatchCall("m", nil, nil), host.BatchNotification("n", func() {})}, core.ErrBadParams},
		"a budget of 0":  {host.Plain, []*host.BatchItem{host.BatchCall("m", nil, nil), host.BatchCall("m", nil, nil, host.WithTimeout(0))}, host.ErrTimeout},
		"the same id":    {host.Plain, []*host.BatchItem{host.BatchCall("m", nil, nil, host.WithID([]byte("7"))), host.BatchCall("m", nil, nil, host.WithID([]byte("7.0")))}, core.ErrIDTaken},
		"over the frame": {withLimits(host.Plain, func(l *core.Limits) { l.FrameBytesMax = 64 }), []*host.BatchItem{host.BatchCall("m", nil, nil), host.BatchCall("m", nil, nil)}, host.ErrTooLarge},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			onEngines(t, func(t *testing.T, engine host.Engine) {
				p, _ := dial(t, engine, test.options, roomy)
				if err := p.Batch(t.Context(), test.items...); !errors.Is(err, test.want) {
					t.Errorf("got %v, want %v", err, test.want)
				}
				for i, it := range test.items {
					if !errors.Is(it.Err, test.want) {
						t.Errorf("item %d: %v", i, it.Err)
					}
				}
				if s := p.State(); s.AcceptedBytes != 0 || s.Calls != 0 {
					t.Errorf("%d bytes and %d calls accepted", s.AcceptedBytes, s.Calls)
				}
			})
		})
	}
	mustPanic(t, "no pointer", func() { host.BatchCall("m", nil, 3) })
}
