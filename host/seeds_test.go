package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// API-5: one codec spells every value of a session, in both directions and on both sides.
func TestSeedOneCodec(t *testing.T) {
	type boxed struct{ Box json.RawMessage }
	codec := host.Codec{
		Marshal: func(v any) ([]byte, error) {
			inner, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			return json.Marshal(boxed{inner})
		},
		Unmarshal: func(data []byte, v any) error {
			var outer boxed
			if err := json.Unmarshal(data, &outer); err != nil {
				return err
			}
			return json.Unmarshal(outer.Box, v)
		},
	}
	onEngines(t, func(t *testing.T, engine host.Engine) {
		mux := host.NewMux()
		host.Handle(mux, "sum", core.ModeRead, sum)
		noted := make(chan sumParams, 1)
		host.HandleNotification(mux, "note", core.ModeOrder, func(_ context.Context, p sumParams) error {
			noted <- p
			return nil
		})
		server := host.PlainServer
		server.Mux, server.Codec = mux, codec
		_, w := dial(t, engine, server, roomy)
		w.say(`{"jsonrpc":"2.0","method":"note","params":{"Box":{"A":3,"B":4}}}`)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"sum","params":{"Box":{"A":1,"B":2}}}`)
		w.expect(`{"jsonrpc":"2.0","id":1,"result":{"Box":3}}`)
		if got := <-noted; got != (sumParams{3, 4}) {
			t.Errorf("the notification said %+v", got)
		}

		client := host.Plain
		client.Codec = codec
		p, w := dial(t, engine, client, roomy)
		accepted(t, p.Notify(t.Context(), "note", sumParams{3, 4}))
		w.expect(`{"jsonrpc":"2.0","method":"note","params":{"Box":{"A":3,"B":4}}}`)
		go func() {
			w.expect(`{"jsonrpc":"2.0","id":1,"method":"sum","params":{"Box":{"A":1,"B":2}}}`)
			w.say(`{"jsonrpc":"2.0","id":1,"result":{"Box":3}}`)
		}()
		if got, err := host.Call[int](t.Context(), p, "sum", sumParams{1, 2}); got != 3 || err != nil {
			t.Errorf("sum: %d, %v", got, err)
		}
	})
}

// unread is a stream whose peer reads nothing.
type unread struct{ writes, closes int }

func (u *unread) Read([]byte) (int, error)    { return 0, io.EOF }
func (u *unread) Write(p []byte) (int, error) { u.writes++; return len(p), nil }
func (u *unread) Close() error                { u.closes++; return nil }

// STOP-8: a transport that no session has claimed holds no bytes of ours, so that closing it has
// nothing to drain and nothing to wait for.
func TestSeedTransportWithoutASession(t *testing.T) {
	stream := new(unread)
	transport := host.Duplex(stream)
	for range 2 {
		if err := transport.Close(); err != nil {
			t.Error(err)
		}
	}
	if *stream != (unread{closes: 1}) {
		t.Errorf("%d writes, %d closes; want one close alone", stream.writes, stream.closes)
	}
}

// hasty is a clock on which an hour passes in 3.6 s.
type hasty struct{ start time.Time }

func (c hasty) Now() core.Time { return core.Time(1000*time.Since(c.start)) + 1 }

func (c hasty) AfterFunc(d time.Duration, f func()) host.Timer {
	return hastyTimer{time.AfterFunc(d/1000, f)}
}

type hastyTimer struct{ *time.Timer }

func (t hastyTimer) Reset(d time.Duration) bool { return t.Timer.Reset(d / 1000) }

// CALL-4, STOP-2: every bound of a session, its own and its callers', runs on the clock it is given.
func TestSeedClockIsTheSessions(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		start := time.Now() // all times are the bubble's
		options := host.Plain
		options.Clock = hasty{start}
		options.Config.GraceNs, options.Config.ShutdownNs = 3600*core.Second, 3600*core.Second
		p, w := dial(t, engine, options, 16)
		if _, err := p.CallRaw(t.Context(), "m", nil, host.WithTimeout(time.Hour)); !errors.Is(err, host.ErrTimeout) {
			t.Errorf("the call: %v", err)
		}
		if passed := time.Since(start); passed < 3600*time.Millisecond || passed > 3700*time.Millisecond {
			t.Errorf("an hour took %v", passed)
		}
		notify(t, p, "unread", 100)
		start = time.Now()
		if err := p.Close(); !errors.Is(err, host.ErrClosed) {
			t.Errorf("a cut end: %v", err)
		}
		if passed := time.Since(start); passed > 7300*time.Millisecond {
			t.Errorf("the end took %v, its bounds are two hours", passed)
		}
		w.Close()
	})
}

// STOP-5: an end of input can be given up before it starts; from there on its caller's patience ends
// the waiting and not the closing.
func TestSeedFinishInputOnceBegun(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := dial(t, engine, host.Plain, 16)
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := p.FinishInput(cancelled); !errors.Is(err, host.ErrCanceled) {
			t.Errorf("before it starts: %v", err)
		}
		notify(t, p, "last", 100) // and it is accepted: nothing was closed
		impatient, done := context.WithTimeout(t.Context(), time.Second)
		defer done()
		if err := p.FinishInput(impatient); !errors.Is(err, host.ErrTimeout) {
			t.Errorf("while the peer does not read: %v", err)
		}
		if err := p.NotifyRaw(t.Context(), "m", nil); !errors.Is(err, host.ErrClosed) {
			t.Errorf("afterwards: %v", err)
		}
		rest, err := io.ReadAll(w.lines)
		if line, ok := strings.CutSuffix(string(rest), "\n"); err != nil || !ok || !json.Valid([]byte(line)) {
			t.Errorf("the peer read %q, %v; want one whole message and the end", rest, err)
		}
	})
}

// SEND-4, SEND-5: under policy end a call that times out in the middle of its frame ends the
// conversation: the others fail with it, later verbs say so, and nothing more is written, but what
// the peer says still arrives.
func TestSeedTornFrame(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		options := host.Plain
		options.Config.SendPolicy = core.SendEnd
		p, w := dial(t, engine, options, 64)
		other := make(chan error, 1)
		go func() {
			_, err := p.CallRaw(t.Context(), "other", nil)
			other <- err
		}()
		w.expect(`{"jsonrpc":"2.0","id":1,"method":"other"}`)
		const pieceBytes = 16 << 10 // what is written at once (SEND-6)
		large := json.RawMessage(`["` + strings.Repeat("x", 3*pieceBytes) + `"]`)
		if _, err := p.CallRaw(t.Context(), "torn", large, host.WithTimeout(time.Second)); !errors.Is(err, host.ErrTimeout) {
			t.Errorf("the call that was interrupted: %v", err)
		}
		for name, err := range map[string]error{"open": <-other, "later": p.NotifyRaw(t.Context(), "n", nil)} {
			var session *host.SessionError
			if !errors.As(err, &session) || session.Reason != core.ReasonTorn {
				t.Errorf("%s: %v", name, err)
			}
		}
		w.say(`{"jsonrpc":"2.0","method":"heard"}`)
		w.CloseWrite()
		var heard []string
		for m, err := range p.Messages(t.Context()) {
			if err == nil {
				heard = append(heard, m.Method)
			}
		}
		if fmt.Sprint(heard) != "[heard]" {
			t.Errorf("heard %v", heard)
		}
		rest, err := io.ReadAll(w.lines)
		if err != nil || len(rest) > pieceBytes || strings.Contains(string(rest), "\n") {
			t.Errorf("the peer read %d bytes more, %v; want at most the piece that was under way", len(rest), err)
		}
	})
}

// BACK-1, BACK-2: a backlog that may lose nothing ends its session as too large, and what it had
// retained is still delivered.
func TestSeedBacklogsEndAsTooLarge(t *testing.T) {
	request := func(i int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`, i) }
	for name, options := range map[string]host.Options{
		"only requests are left": withLimits(host.Plain, func(l *core.Limits) { l.MessagesMax = 2 }),
		"policy fail": func() host.Options {
			o := withLimits(host.PlainServer, func(l *core.Limits) { l.ParkedBytesMax = 2 * (len(request(1)) + 128) })
			o.Config.ParkFail = true
			return o
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			onEngines(t, func(t *testing.T, engine host.Engine) {
				p, w := dial(t, engine, options, roomy)
				for i := range 3 {
					w.say(request(i))
				}
				synctest.Wait()
				retained := 0
				var last error
				for _, err := range p.Messages(t.Context()) {
					if last = err; err == nil {
						retained++
					}
				}
				if !errors.Is(last, host.ErrTooLarge) || !errors.Is(last, host.ErrClosed) || retained != 2 {
					t.Errorf("%d messages, then %v", retained, last)
				}
			})
		})
	}
}

// CALL-1, CALL-2, SEND-1: calls made at once have ids of their own, their frames do not mix, and each
// gets the answer to its own, in whatever order these come.
func TestSeedCallsAtOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		const calls = 64
		p, w := dial(t, engine, host.Plain, 16) // less than a frame
		type call struct {
			ID     int
			Params [1]int
		}
		go func() {
			var heard []call
			for range calls {
				var c call
				if err := json.Unmarshal([]byte(w.hear()), &c); err != nil {
					t.Errorf("a frame in pieces: %v", err)
				}
				heard = append(heard, c)
			}
			for i := range heard {
				c := heard[calls-1-i]
				w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":[%d,%d]}`, c.ID, c.ID, c.Params[0]))
			}
		}()
		var all sync.WaitGroup
		var ids sync.Map
		for i := range calls {
			all.Go(func() {
				got, err := host.Call[[2]int](t.Context(), p, "m", [1]int{i})
				if err != nil || got[1] != i {
					t.Errorf("call %d got the answer to %d, %v", i, got[1], err)
				}
				if _, taken := ids.LoadOrStore(got[0], i); taken {
					t.Errorf("id %d twice", got[0])
				}
			})
		}
		all.Wait()
	})
}

// API-5: what is given as JSON text is written as it is, and no codec sees it.
func TestSeedNotifyRaw(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		options := host.Plain
		options.Codec.Marshal = func(any) ([]byte, error) { return nil, errors.New("a codec was asked") }
		p, w := dial(t, engine, options, roomy)
		accepted(t, p.NotifyRaw(t.Context(), "n", json.RawMessage(`{"b":1.50, "a":"\u0061"}`)))
		accepted(t, p.NotifyRaw(t.Context(), "n", nil))
		w.expect(`{"jsonrpc":"2.0","method":"n","params":{"b":1.50, "a":"\u0061"}}`)
		w.expect(`{"jsonrpc":"2.0","method":"n"}`)
	})
}

// REQ-2: an answer that found no room in its time does not count, and may be given again.
func TestSeedAnswerAgainAfterNoRoom(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		p, w := stuffed(t, engine, host.PlainServer)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		for m, err := range p.Messages(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			impatient, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := m.Reply(impatient, 1); !errors.Is(err, host.ErrTimeout) {
				t.Errorf("without room: %v", err)
			}
			go func() { accepted(t, m.Reply(t.Context(), 2)) }()
			for range 2 {
				w.hear() // what stuffed the session
			}
			w.expect(`{"jsonrpc":"2.0","id":1,"result":2}`)
			break
		}
	})
}

// STOP-3: a transport that fails while handlers run leaves them no grace.
func TestSeedTransportFaultSkipsTheGrace(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		cancelled := make(chan time.Time, 1)
		options := host.PlainServer
		options.Engine, options.Mux = engine, host.NewMux()
		host.Handle(options.Mux, "wait", core.ModeRead, func(ctx context.Context, _ any) (any, error) {
			<-ctx.Done()
			cancelled <- time.Now()
			return nil, ctx.Err()
		})
		near, far := connect(roomy)
		p, err := host.New(host.Duplex(failing{near}), options)
		if err != nil {
			t.Fatal(err)
		}
		defer far.Close()
		w := &wire{stream: far, t: t}
		w.say(`{"jsonrpc":"2.0","id":1,"method":"wait"}`)
		synctest.Wait()
		start := time.Now() // all times are the bubble's
		w.CloseWrite()
		if at := (<-cancelled).Sub(start); at != 0 {
			t.Errorf("the handler was cancelled after %v", at)
		}
		<-p.Done()
		if ended := time.Since(start); ended != 0 || !errors.Is(p.Err(), errReset) {
			t.Errorf("ended after %v: %v", ended, p.Err())
		}
	})
}
