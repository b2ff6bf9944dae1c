package era

import (
	"strconv"
	"testing"

	"github.com/parley-rpc/parley/core"
)

func TestERA4LegacyEntriesExpireAndModernOnesStay(t *testing.T) {
	key := []byte("server")
	tests := []struct {
		says string
		do   func(c *Cache)
		at   core.Time
		want Era
	}{
		{"nothing is known at first", func(*Cache) {}, 0, EraUnknown},
		{"legacy, for five minutes", func(c *Cache) { c.Teach(key, EraLegacy, 0) }, 300*core.Second - 1, EraLegacy},
		{"and no longer", func(c *Cache) { c.Teach(key, EraLegacy, 0) }, 300 * core.Second, EraUnknown},
		{"from the probe that taught it, whatever succeeds meanwhile", func(c *Cache) {
			c.Teach(key, EraLegacy, 0)
			for minute := range core.Time(5) {
				c.Lookup(key, minute*60*core.Second)
			}
		}, 300 * core.Second, EraUnknown},
		{"modern stays", func(c *Cache) { c.Teach(key, EraModern, 0) }, core.Never - 1, EraModern},
		{"until forgotten", func(c *Cache) { c.Teach(key, EraModern, 0); c.Forget(key) }, 0, EraUnknown},
		{"the newest lesson counts", func(c *Cache) { c.Teach(key, EraLegacy, 0); c.Teach(key, EraModern, 1) }, core.Never - 1, EraModern},
		{"unknown teaches nothing", func(c *Cache) { c.Teach(key, EraModern, 0); c.Teach(key, EraUnknown, 1) }, 1, EraModern},
		{"another server is another entry", func(c *Cache) { c.Teach([]byte("other"), EraModern, 0) }, 0, EraUnknown},
	}
	for _, test := range tests {
		c := NewCache(0)
		test.do(c)
		if got := c.Lookup(key, test.at); got != test.want {
			t.Errorf("%s: got %v, want %v", test.says, got, test.want)
		}
	}
}

func TestCacheIsBoundedOldestFirstOut(t *testing.T) {
	c := NewCache(core.Second)
	name := func(i int) []byte { return strconv.AppendInt(nil, int64(i), 10) }
	for i := range EntriesMax {
		c.Teach(name(i), EraModern, 0)
	}
	c.Teach(name(0), EraModern, 0) // taught anew: 1 is the oldest now
	c.Teach([]byte("one more"), EraModern, 0)
	if len(c.entries) != EntriesMax || c.Lookup(name(0), 0) != EraModern || c.Lookup(name(1), 0) != EraUnknown {
		t.Errorf("%d entries, 0 is %v, 1 is %v", len(c.entries), c.Lookup(name(0), 0), c.Lookup(name(1), 0))
	}
}

func TestERA4ConcurrentConnectsShareOneProbe(t *testing.T) {
	var p Probes
	key := []byte("server")
	advice, probe := p.Ask(key, EraUnknown)
	if advice != AdviceProbe || probe == 0 {
		t.Fatalf("the first one: %v, %d", advice, probe)
	}
	if advice, waited := p.Ask(key, EraUnknown); advice != AdviceWait || waited != probe {
		t.Errorf("the second one: %v, %d", advice, waited)
	}
	if advice, _ := p.Ask([]byte("other"), EraUnknown); advice != AdviceProbe {
		t.Errorf("another server: %v", advice)
	}
	if advice, _ := p.Ask(key, EraModern); advice != AdviceModern {
		t.Errorf("known modern: %v", advice)
	}
	if advice, _ := p.Ask(key, EraLegacy); advice != AdviceLegacy {
		t.Errorf("known legacy: %v", advice)
	}
	p.End(probe)
	p.End(probe)
	if advice := AskAlone(EraUnknown); advice != AdviceProbe {
		t.Errorf("whoever waited for nothing probes for itself: %v", advice)
	}
	if advice, next := p.Ask(key, EraUnknown); advice != AdviceProbe || next == probe {
		t.Errorf("a newcomer after that: %v, %d", advice, next)
	}
}

func TestProbesAreBounded(t *testing.T) {
	var p Probes
	for i := range ProbesMax + 1 {
		advice, probe := p.Ask(strconv.AppendInt(nil, int64(i), 10), EraUnknown)
		if advice != AdviceProbe || (probe == 0) != (i == ProbesMax) {
			t.Fatalf("%d: %v, %d", i, advice, probe)
		}
	}
}
