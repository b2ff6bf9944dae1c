package bridge

import (
	"context"

	"github.com/parley-rpc/parley/core"
)

// life is where the conversation stands, as far as its end needs it: what passed is enough to know.
type life struct {
	farewell   farewell      // what is due; zero: nothing, the server was not greeted yet
	isShutDown bool          // the page's own shutdown was answered
	isExiting  bool          // the page has sent exit
	asked      bool          // our shutdown was sent
	answered   chan struct{} // closed once it was answered
}

// farewell is what a server expects to hear before its stdin is closed (STOP-10).
type farewell struct{ shutdown, exit string }

// farewells are keyed by the handshake after which they are due: LSP's, and BSP's.
var farewells = map[string]farewell{
	"initialize":       {"shutdown", "exit"},
	"build/initialize": {"build/shutdown", "build/exit"},
}

// farewellID is the id of the bridge's own shutdown. It is sent once the page is gone, so that it can
// only meet an id of the same spelling that nobody waits for any more.
const farewellID = `"parley-bridge-farewell"`

// saw follows one message.
func (l *life) saw(from core.Side, ev *core.Event, paired *core.Paired) {
	switch {
	case from == core.SideClient:
		if ev.Class == core.ClassNotification && string(ev.Method) == l.farewell.exit {
			l.isExiting = true
		}
	case l.asked && string(ev.ID) == farewellID && !isClosed(l.answered):
		close(l.answered)
	case ev.Class == core.ClassResult && paired.Pairing == core.PairingAnswer:
		if due, isHandshake := farewells[string(paired.Method)]; isHandshake {
			l.farewell = due
		}
		if string(paired.Method) == l.farewell.shutdown {
			l.isShutDown = true
		}
	}
}

// sayFarewell tells a language server that its page has left, with shutdown and, once that is answered,
// exit; then it ends the server's input. It waits until ctx ends.
func (r *relay) sayFarewell(ctx context.Context) {
	wait := false
	r.update(func() {
		if wait = r.owesShutdown(); wait {
			r.life.asked = r.server.machine.Forward([]byte(`{"jsonrpc":"2.0","id":`+farewellID+`,"method":"`+r.life.farewell.shutdown+`"}`)) == nil
			wait = r.life.asked
		}
	})
	if wait {
		select {
		case <-r.life.answered:
		case <-r.end.serverOver:
		case <-ctx.Done():
		}
	}
	r.update(func() {
		if (r.life.isShutDown || isClosed(r.life.answered)) && !r.life.isExiting {
			// Without room it goes without saying: the ladder follows.
			_ = r.server.machine.Forward([]byte(`{"jsonrpc":"2.0","method":"` + r.life.farewell.exit + `"}`))
		}
		_ = r.server.machine.FinishInput() // closed already, where it fails
	})
}

func (r *relay) owesShutdown() bool {
	return r.hasFarewell && r.life.farewell.shutdown != "" && !r.life.isShutDown && r.page.held.text == nil
}
