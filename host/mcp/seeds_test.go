package mcp_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host/mcp"
)

// stubborn is a cache that knows one era, whatever time it is and whatever it is told.
type stubborn struct {
	era     era.Era
	lessons []era.Era
}

func (c *stubborn) Lookup(string) era.Era          { return c.era }
func (c *stubborn) Teach(_ string, taught era.Era) { c.lessons = append(c.lessons, taught) }
func (c *stubborn) Forget(string)                  {}

// ERA-4: a cache of the caller's own decides alone how long it believes what it was taught.
func TestSeedCacheOfTheCallersOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := &stubborn{era: era.EraUnknown}
		options := mcp.NewOptions("t", "1")
		options.Eras = mcp.NewEras(cache)
		rejects := func(w *wire) {
			w.refuse("server/discover", -32601, "")
			w.shakeHands()
		}
		server := script(t, rejects, rejects, (*wire).shakeHands)
		connect(t, server.Endpoint, options)
		connect(t, server.Endpoint, options) // it believes nothing: probed again at once
		if !slices.Equal(cache.lessons, []era.Era{era.EraLegacy, era.EraLegacy}) {
			t.Errorf("the cache was told %v", cache.lessons)
		}
		cache.era = era.EraLegacy
		connect(t, server.Endpoint, options) // it believes for ever: not probed
	})
}

// ERA-1: the three budgets are options, and the probe's is what a silent server costs.
func TestSeedBudgetsAreOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options, _ := clientOptions()
		if options.ProbeTimeout != 5*time.Second || options.StartupAllowance != 10*time.Second || options.ConnectTimeout != 30*time.Second {
			t.Errorf("defaults: %v, %v, %v", options.ProbeTimeout, options.StartupAllowance, options.ConnectTimeout)
		}
		options.ProbeTimeout = 7 * time.Second
		var fellBack atomic.Int64
		start := time.Now()
		connect(t, script(t, func(w *wire) {
			w.hearCall("server/discover")
			w.shakeHands()
			fellBack.Store(int64(time.Since(start)))
		}).Endpoint, options)
		synctest.Wait()
		if after := time.Duration(fellBack.Load()); after < 7*time.Second || after > 7*time.Second+20*time.Millisecond {
			t.Errorf("the fallback came after %v", after)
		}
	})
}

// ERA-4: the cache in memory takes a clock, and a lifetime for legacy entries.
func TestSeedCacheLifetime(t *testing.T) {
	clock := &handClock{}
	cache := mcp.NewCache(clock, time.Minute)
	cache.Teach("old", era.EraLegacy)
	cache.Teach("new", era.EraModern)
	for _, test := range []struct {
		at       time.Duration
		old, new era.Era
	}{
		{time.Minute - 1, era.EraLegacy, era.EraModern},
		{time.Minute, era.EraUnknown, era.EraModern},
		{1000 * time.Hour, era.EraUnknown, era.EraModern},
	} {
		clock.now.Store(int64(test.at))
		if got := cache.Lookup("old"); got != test.old {
			t.Errorf("after %v the legacy entry is %v", test.at, got)
		}
		if got := cache.Lookup("new"); got != test.new {
			t.Errorf("after %v the modern entry is %v", test.at, got)
		}
	}
}
