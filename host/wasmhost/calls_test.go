package wasmhost

import (
	"testing"

	"github.com/parley-rpc/parley/core"
)

// A turn without events is drained without a call: every turn ends by finding none. Method: the
// instance looks an export up at its first call.
func TestNoEventCostsNoCall(t *testing.T) {
	cfg := core.Defaults(core.ProfileLSP, core.RoleClient)
	cfg.Inbound = core.InboundMessages
	m := newMachine(t, newEngine(t), cfg)
	called := func() bool { return m.in.functions[exportNext] != nil }
	var ev core.Event

	m.Advance(1)
	if m.Next(&ev) || called() {
		t.Error("looking for an event where there is none called the module")
	}
	m.Want(1)
	input := frame(`{"jsonrpc":"2.0","method":"m"}`)
	if err := m.Commit(copy(m.Reserve(len(input)), input)); err != nil {
		t.Fatal(err)
	}
	if !m.Next(&ev) || ev.Kind != core.EventNotification || !called() {
		t.Fatalf("the notification was not fetched: %v", ev.Kind)
	}
	m.in.functions[exportNext] = nil
	if m.Next(&ev) || called() {
		t.Error("looking behind the last event called the module")
	}
}
