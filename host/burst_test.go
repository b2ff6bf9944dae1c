package host_test

import (
	"bytes"
	"encoding/json"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// counted counts the writes to a pipe that nobody reads: the first one waits until it is let go.
type counted struct {
	entered chan struct{} // one token for each write
	leave   chan struct{} // closed: writes return
	written bytes.Buffer  // read after the session's end
	gone    chan struct{}
}

func newCounted() *counted {
	return &counted{entered: make(chan struct{}, 1000), leave: make(chan struct{}), gone: make(chan struct{})}
}

func (c *counted) Write(p []byte) (int, error) {
	c.entered <- struct{}{}
	<-c.leave
	return c.written.Write(p)
}

func (c *counted) Read([]byte) (int, error) {
	<-c.gone
	return 0, io.EOF
}

func (c *counted) Close() error {
	close(c.gone)
	return nil
}

// SEND-1: what is queued while a write goes on leaves in one write.
func TestBurstLeavesInOneWrite(t *testing.T) {
	const burst = 64
	stream := newCounted()
	p, err := host.New(host.Duplex(stream), host.Plain)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	notify := func() {
		if err := p.NotifyRaw(t.Context(), "m", json.RawMessage(`[1]`)); err != nil {
			t.Fatal(err)
		}
	}
	notify()
	<-stream.entered
	for range burst {
		notify()
	}
	close(stream.leave)
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if more := len(stream.entered); more != 1 {
		t.Errorf("%d notifications left in %d writes, want 1", burst, more)
	}
}

// countedClock counts how often its timers are moved.
type countedClock struct {
	host.Clock
	moved atomic.Int64
}

func (c *countedClock) AfterFunc(d time.Duration, f func()) host.Timer {
	return &countedTimer{c.Clock.AfterFunc(d, f), c}
}

type countedTimer struct {
	host.Timer
	clock *countedClock
}

func (t *countedTimer) Reset(d time.Duration) bool {
	t.clock.moved.Add(1)
	return t.Timer.Reset(d)
}

// A deadline that a write sets and its end takes back moves the timer once, not with every message.
func TestMessagesLeaveTheTimerAlone(t *testing.T) {
	clock := &countedClock{Clock: host.SystemClock()}
	options := host.Plain
	options.Clock = clock
	options.Config.StallNs = 3600 * core.Second
	p, err := host.New(host.Duplex(newParrot()), options)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for range 100 {
		if _, err := p.CallRaw(t.Context(), "m", json.RawMessage(`[1]`)); err != nil {
			t.Fatal(err)
		}
	}
	if moved := clock.moved.Load(); moved > 1 {
		t.Errorf("100 calls moved the timer %d times, want once", moved)
	}
}
