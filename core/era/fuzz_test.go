package era

import (
	"testing"

	"github.com/parley-rpc/parley/core"
)

// callsMax is a probe, the same in another version, initialize, initialize to the child started once
// more, and the probe that its refusal calls for: each may happen once.
const callsMax = 5

// FuzzPeer lets a peer say anything in any order. Goal: nothing panics, there is exactly one
// decision, it comes within the connect budget, and at most callsMax calls lead there.
func FuzzPeer(f *testing.F) {
	f.Add(byte(0), []byte{0}, []byte(`{"supportedVersions":["2026-07-28"]}`))
	f.Add(byte(4), []byte{1, 0x21, 9}, []byte(`{"supported":["2025-11-25","2026-07-28"]}`))
	f.Add(byte(1), []byte{8, 3, 5, 0x1d, 0x15}, []byte(`{"protocolVersion":"2025-11-25"}`))
	f.Add(byte(4), []byte{5, 5, 5}, []byte(`[[[[{"a":"\ud800`))
	codes := []core.Code{CodeUnsupportedVersion, CodeHeaderMismatch, core.CodeMethodNotFound, core.CodeInvalidParams, 0}
	f.Fuzz(func(t *testing.T, config byte, script, body []byte) {
		cfg := Defaults(client)
		cfg.Known, cfg.Spawned = Era(config&3)%3, config&4 != 0
		if config&8 != 0 {
			cfg.Mode, cfg.Version = ModePinned, modernVersions[0]
		}
		n, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		const start = 100
		n.Advance(start)
		decisions, calls := 0, uint32(0)
		take := func() {
			var s Step
			for n.Next(&s) {
				switch s.Kind {
				case StepCall:
					calls = s.Call
					if s.Deadline != start+cfg.ConnectNs || !isObject(s.Params) {
						t.Fatalf("call %+v", s)
					}
				case StepModern, StepLegacy, StepFailed:
					decisions++
				}
			}
		}
		take()
		now := core.Time(start)
		for _, op := range script {
			if op&7 == 7 {
				now += core.Time(op>>3) * core.Second / 4
				n.Advance(now)
			} else {
				ev := core.Event{Kind: core.EventResult + core.EventKind(op&7)%6, Body: body, Text: body}
				ev.Code = codes[int(op>>3)%len(codes)]
				n.Settle(calls-min(calls, uint32(op>>6)), &ev)
			}
			take()
		}
		n.Advance(start + cfg.ConnectNs)
		take()
		if decisions != 1 || calls > callsMax || n.Deadline() != core.Never {
			t.Fatalf("%d decisions, %d calls, deadline %d", decisions, calls, n.Deadline())
		}
	})
}
