package host_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/parley-rpc/parley/host"
)

// CALL-10: progress reaches the call whose token it carries, in order and before its result.
func TestProgressReachesItsCall(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.MCP, roomy)
		go func() {
			w.hear()
			for i := range 3 {
				w.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":%d}}`, i))
			}
			w.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"other","progress":9}}`)
			w.say(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		}()
		var got []string
		_, err := p.CallRaw(t.Context(), "tools/call", json.RawMessage(`{"_meta":{"progressToken":"t"}}`),
			host.WithProgress(json.RawMessage(`"t"`), func(params json.RawMessage) {
				p.Stats() // API-9: no lock is held
				got = append(got, string(params))
			}))
		if err != nil {
			t.Error(err)
		}
		want := `{"progressToken":"t","progress":0} {"progressToken":"t","progress":1} {"progressToken":"t","progress":2}`
		if strings.Join(got, " ") != want {
			t.Errorf("got %v, want %s", got, want)
		}
	})
}

// CALL-4: progress restarts the budget, up to the maximum.
func TestProgressExtendsTheBudget(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.MCP, roomy)
		for i := 1; i <= 10; i++ {
			time.AfterFunc(time.Duration(i)*800*time.Millisecond, func() {
				w.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0}}`)
			})
		}
		start := time.Now()
		_, err := p.CallRaw(t.Context(), "tools/call", json.RawMessage(`{"_meta":{"progressToken":1}}`), host.WithTimeout(time.Second),
			host.WithProgress(json.RawMessage(`1`), func(json.RawMessage) {}), host.WithExtension(time.Second, 5*time.Second))
		if waited := time.Since(start); !errors.Is(err, host.ErrTimeout) || waited < 5*time.Second || waited > 5*time.Second+20*time.Millisecond {
			t.Errorf("after %v: %v", waited, err)
		}
	})
}
