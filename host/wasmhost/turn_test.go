package wasmhost

import (
	"fmt"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// A turn in one call is the same as its parts, whatever comes between it and its events. Method: the
// native machine makes the parts.
func TestTurnIsItsParts(t *testing.T) {
	cfg := core.Defaults(core.ProfileLSP, core.RoleClient)
	cfg.Seed, cfg.Inbound = 7, core.InboundMessages
	w := newTwins(t, cfg)
	turn := func(text string, now core.Time) {
		t.Helper()
		w.do("turn", func(m host.Machine) string {
			return fmt.Sprint(host.Turn(m, copy(m.Reserve(len(text)), text), now))
		})
	}
	one := func() string {
		t.Helper()
		return w.do("next", func(m host.Machine) string {
			var ev core.Event
			found := m.Next(&ev)
			return fmt.Sprintf("%v %v %q %q %q", found, ev.Kind, ev.Method, ev.Body, ev.ID)
		})
	}
	note := func(n int) string { return frame(fmt.Sprintf(`{"jsonrpc":"2.0","method":"n%d","params":[%d]}`, n, n)) }
	w.do("want", func(m host.Machine) string { m.Want(1000); return "" })
	turn(note(1)+note(2)+note(3)[:9], 1)
	contains(t, one(), "n1")
	turn(note(3)[9:]+note(4), 2) // overtakes 2, and is fetched behind it
	w.bytes(note(5))
	turn("", 3)
	for i := 2; i <= 5; i++ {
		contains(t, one(), fmt.Sprintf("n%d", i))
	}
	contains(t, one(), "false")

	many := ""
	for i := range 300 { // more than the records of one turn
		many += note(i)
	}
	turn(many, 4)
	contains(t, w.drain(), "n0", "n255", "n256", "n299")
	w.do("call", func(m host.Machine) string {
		id, err := m.Call("slow", nil, core.CallOptions{Deadline: 9})
		return fmt.Sprint(id, err)
	})
	w.take()
	turn(frame(`{"jsonrpc":"2.0","id":1,"result":0}`), 9) // bytes beat time
	contains(t, w.drain(), "result")
	w.do("too many", func(m host.Machine) string { return fmt.Sprint(host.Turn(m, 1<<30, 10)) })
	turn(note(6)+"boom\r\n\r\n", 11)
	w.do("finish", func(m host.Machine) string { return fmt.Sprint(m.FinishInput()) })
	contains(t, w.drain(), "n6", "ending", "closed")
	turn(note(7), 12)
}

// A small read and its events are one call.
func TestTurnIsOneCall(t *testing.T) {
	cfg := core.Defaults(core.ProfileLSP, core.RoleClient)
	cfg.Inbound = core.InboundMessages
	m := newMachine(t, newEngine(t), cfg)
	m.Want(2)
	input := frame(`{"jsonrpc":"2.0","method":"m"}`)
	var ev core.Event
	for range 2 {
		if err := m.Turn(copy(m.Reserve(len(input)), input), 1); err != nil {
			t.Fatal(err)
		}
		if !m.Next(&ev) || ev.Kind != core.EventNotification || m.Next(&ev) {
			t.Fatalf("the notification was not fetched, or more: %v", ev.Kind)
		}
	}
	if m.in.functions[exportReserve] != nil || m.in.functions[exportNext] != nil {
		t.Error("a turn took more than one call")
	}
}
