package main

import (
	"sync/atomic"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/control"
	"github.com/parley-rpc/parley/internal/capture"
	"github.com/parley-rpc/parley/internal/tap"
)

// tapSession shows on the control connection what passes a tap: how many bytes, and which requests have no
// answer. It is told behind the recording, and finds the messages in bytes of each direction by itself.
type tapSession struct {
	tap.Observer
	passage *control.Passage
	sides   [2]struct {
		framer *capture.Framer // used by the goroutine of its direction alone
		bytes  atomic.Uint64
	}
}

// watch has what observer is told shown as well; without a control connection it is observer itself.
func (c *controlled) watch(observer tap.Observer, framing capture.Framing, clock host.Clock, name string) (tap.Observer, func()) {
	if c == nil {
		return observer, func() {}
	}
	t := &tapSession{Observer: observer}
	for side := range t.sides {
		t.sides[side].framer = capture.NewFramer(framing)
	}
	id := c.server.NewSessionID()
	t.passage = control.NewPassage(clock, func() host.Snapshot {
		s := host.Snapshot{SessionID: id, Profile: core.ProfilePlain}
		s.Stats.BytesIn, s.Stats.BytesOut = t.sides[core.SideClient].bytes.Load(), t.sides[core.SideServer].bytes.Load()
		return s
	})
	if err := c.server.Register(t.passage, name); err != nil {
		c.log.Warn("the session is not shown", "error", oneLine(err.Error()))
	}
	return t, t.passage.End
}

func (t *tapSession) FromClient(bytes []byte) {
	t.Observer.FromClient(bytes)
	t.take(core.SideClient, bytes)
}

func (t *tapSession) FromServer(bytes []byte) {
	t.Observer.FromServer(bytes)
	t.take(core.SideServer, bytes)
}

func (t *tapSession) take(side core.Side, bytes []byte) {
	t.sides[side].bytes.Add(uint64(len(bytes)))
	t.sides[side].framer.Feed(bytes, func(found capture.Found) {
		if found.Message != nil {
			t.passage.Saw(side, found.Message)
		}
	})
}
