package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// The tests of this file are named after the reports of docs/cases.md.

// dialPeers connects two sessions of role peer that serve the same methods.
func dialPeers(t *testing.T, engine host.Engine, mux func() *host.Mux) (a, b *host.Peer, there *stream) {
	t.Helper()
	there, back := connect(roomy)
	start := func(end *stream) *host.Peer {
		options := host.Options{Config: core.Defaults(core.ProfilePlain, core.RolePeer), Engine: engine, Mux: mux()}
		p, err := host.New(host.Duplex(end), options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		return p
	}
	return start(there), start(back), there
}

// LINE-7: garbage between two peers does not make them answer each other's errors.
func TestB24(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		a, b, there := dialPeers(t, engine, host.NewMux)
		garbage := "not json\n" +
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}` + "\n" +
			`{"jsonrpc":"2.0","error":{"code":-32600,"message":"bad"}}` + "\n"
		if _, err := io.WriteString(there, garbage); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if heard := b.Stats(); heard.Invalid != 1 || heard.PeerErrors != 2 {
			t.Errorf("b took %d lines for invalid and %d for errors, want 1 and 2", heard.Invalid, heard.PeerErrors)
		}
		if sent := a.Stats().FramesOut + b.Stats().FramesOut; sent > 1 {
			t.Errorf("%d messages were sent over garbage, want 1 at most", sent)
		}
	})
}

// REQ-5: what cannot be said in JSON is an internal error and no text.
func TestB65(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		mux := host.NewMux()
		host.Handle(mux, "nan", core.ModeRead, func(context.Context, any) (map[string]float64, error) {
			return map[string]float64{"v": math.NaN()}, nil
		})
		options := host.MCPServer
		options.Mux = mux
		_, w := dial(t, engine, options, roomy)
		for _, id := range []string{"11", "12"} { // the session lives
			w.say(`{"jsonrpc":"2.0","id":` + id + `,"method":"nan"}`)
			if line := w.hear(); !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32603,`) {
				t.Errorf("got %s", line)
			}
		}
	})
}

// API-9: a handler may call, and end another handler, on the connection that it serves.
func TestB75(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		ended := make(chan struct{})
		mux := host.NewMux()
		host.Handle(mux, "outer", core.ModeRead, func(ctx context.Context, _ any) (string, error) {
			inner, err := host.Call[string](ctx, host.PeerFrom(ctx), "inner", nil)
			return "outer:" + inner, err
		})
		host.Handle(mux, "wait", core.ModeRead, func(context.Context, any) (any, error) {
			<-ended
			return nil, &host.RPCError{Code: core.CodeCanceled, Message: "ended by a note"}
		})
		host.HandleNotification(mux, "note", core.ModeOrder, func(context.Context, any) error {
			close(ended)
			return nil
		})
		options := host.PlainServer
		options.Config.Role = core.RolePeer
		options.Mux = mux
		_, w := dial(t, engine, options, roomy)
		w.say(`{"jsonrpc":"2.0","id":7,"method":"outer"}`)
		w.expect(`{"jsonrpc":"2.0","id":1,"method":"inner"}`)
		w.say(`{"jsonrpc":"2.0","id":8,"method":"wait"}`)
		w.say(`{"jsonrpc":"2.0","method":"note"}`)
		w.expect(`{"jsonrpc":"2.0","id":8,"error":{"code":-32800,"message":"ended by a note"}}`)
		w.say(`{"jsonrpc":"2.0","id":1,"result":"deep"}`)
		w.expect(`{"jsonrpc":"2.0","id":7,"result":"outer:deep"}`)
	})
}

// API-9: fifty handlers deep, to and fro.
func TestB75Nested(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		a, _, _ := dialPeers(t, engine, func() *host.Mux {
			mux := host.NewMux()
			host.Handle(mux, "down", core.ModeRead, func(ctx context.Context, depth [1]int) (int, error) {
				if depth[0] == 0 {
					return 0, nil
				}
				below, err := host.Call[int](ctx, host.PeerFrom(ctx), "down", [1]int{depth[0] - 1})
				return below + 1, err
			})
			return mux
		})
		if depth, err := host.Call[int](t.Context(), a, "down", [1]int{50}); depth != 50 || err != nil {
			t.Errorf("depth %d, %v", depth, err)
		}
	})
}

// SCHED-1: notifications keep their order, and a request sees all that came before it.
func TestB76(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		const count = 3000
		var mu sync.Mutex
		var list []int
		mux := host.NewMux()
		host.HandleNotification(mux, "change", core.ModeDefault, func(_ context.Context, params [1]int) error {
			runtime.Gosched()
			mu.Lock()
			defer mu.Unlock()
			list = append(list, params[0])
			return nil
		})
		host.Handle(mux, "snapshot", core.ModeDefault, func(context.Context, any) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			return len(list), nil
		})
		options := host.PlainServer
		options.Mux = mux
		_, w := dial(t, engine, options, roomy)
		go func() {
			for n := range count {
				w.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"change","params":[%d]}`, n))
				w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"snapshot"}`, n))
			}
		}()
		for range count {
			var answer struct{ ID, Result int }
			if err := json.Unmarshal([]byte(w.hear()), &answer); err != nil {
				t.Fatal(err)
			}
			if answer.Result < answer.ID+1 {
				t.Fatalf("snapshot %d saw %d changes", answer.ID, answer.Result)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		for n, got := range list {
			if got != n {
				t.Fatalf("change %d was applied as number %d", got, n)
			}
		}
		if len(list) != count {
			t.Errorf("%d changes, want %d", len(list), count)
		}
	})
}

// countingStream counts what a session reads and writes, and keeps what it wrote.
type countingStream struct {
	*stream
	reads    atomic.Int64
	readsEOF atomic.Int64 // reads that found the end

	mu     sync.Mutex
	writes [][]byte
	gate   chan struct{} // nil, or what the first write waits for
}

func (s *countingStream) Read(p []byte) (int, error) {
	s.reads.Add(1)
	n, err := s.stream.Read(p)
	if err == io.EOF {
		s.readsEOF.Add(1)
	}
	return n, err
}

func (s *countingStream) Write(p []byte) (int, error) {
	s.mu.Lock()
	s.writes = append(s.writes, bytes.Clone(p))
	gate := s.gate
	s.gate = nil
	s.mu.Unlock()
	if gate != nil {
		<-gate
	}
	return s.stream.Write(p)
}

func (s *countingStream) written() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

func session(t *testing.T, engine host.Engine, s *countingStream, options host.Options, mux *host.Mux) *host.Peer {
	t.Helper()
	options.Engine, options.Mux = engine, mux
	p, err := host.New(host.Duplex(s), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// STOP-4: the end of the stream is read once, and ends the session.
func TestB81(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		length4 := host.PlainServer
		length4.Config.Framing = core.FramingLength4
		for name, options := range map[string]host.Options{
			"lsp": host.LSPServer, "mcp": host.MCPServer, "length4": length4,
		} {
			near, far := connect(roomy)
			s := &countingStream{stream: near}
			p := session(t, engine, s, options, host.NewMux())
			far.CloseWrite()
			<-p.Done()
			if ends := s.readsEOF.Load(); ends != 1 {
				t.Errorf("%s: the end was read %d times", name, ends)
			}
			far.Close()
		}

		near, far := connect(roomy)
		s := &countingStream{stream: near}
		p := session(t, engine, s, host.MCP, nil)
		lost := make(chan error, 1)
		go func() {
			_, err := p.CallRaw(context.Background(), "m", nil)
			lost <- err
		}()
		synctest.Wait()
		far.CloseWrite() // what was written to the peer could still be read
		var ended *host.SessionError
		if err := <-lost; !errors.As(err, &ended) || ended.Reason != core.ReasonEOF {
			t.Errorf("the call of a client: %v", err)
		}
		far.Close()
		<-p.Done()
		if ends := s.readsEOF.Load(); ends != 1 {
			t.Errorf("client: the end was read %d times", ends)
		}
	})
}

// SEND-3, SEND-4: a call that ends while its frame is half written does not tear the stream, and
// one that waits behind it is never written.
func TestB85(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		const wireBytes = 1 << 10
		p, w := dial(t, engine, host.MCP, wireBytes)
		params := `["` + strings.Repeat("x", 1<<20) + `"]`
		tooSlow := make(chan error, 1)
		go func() {
			_, err := p.CallRaw(context.Background(), "a", json.RawMessage(params), host.WithTimeout(500*time.Millisecond))
			tooSlow <- err
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := p.CallRaw(ctx, "b", nil); !errors.Is(err, host.ErrTimeout) {
			t.Errorf("the call that waits: %v", err)
		}
		if err := <-tooSlow; !errors.Is(err, host.ErrTimeout) {
			t.Errorf("the call that is half written: %v", err)
		}
		go func() {
			if err := p.Notify(context.Background(), "n", nil); err != nil {
				t.Errorf("notify: %v", err)
			}
		}()
		w.expect(`{"jsonrpc":"2.0","id":1,"method":"a","params":` + params + `}`)
		w.expect(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		w.expect(`{"jsonrpc":"2.0","method":"n"}`)
	})
}

// FRAME-6: reads take what there is, never a byte at a time.
func TestB96(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		const count, bodyBytes = 1000, 1000
		near, far := connect(2 * count * bodyBytes)
		var sent int
		for id := range count {
			head := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m","params":["`, id)
			body := head + strings.Repeat("x", bodyBytes-len(head)-3) + `"]}`
			n, err := fmt.Fprintf(far, "Content-Length: %d\r\n\r\n%s", len(body), body)
			if err != nil {
				t.Fatal(err)
			}
			sent += n
		}
		far.CloseWrite()
		mux := host.NewMux()
		host.Handle(mux, "m", core.ModeRead, func(context.Context, any) (any, error) { return nil, nil })
		s := &countingStream{stream: near}
		p := session(t, engine, s, host.LSPServer, mux)
		<-p.Done()
		if served := p.Stats().Requests; served != count {
			t.Errorf("%d requests were served, want %d", served, count)
		}
		if reads, most := s.reads.Load(), int64(sent/4096*2+50); reads > most {
			t.Errorf("%d reads for %d bytes, want %d at most", reads, sent, most)
		}
		far.Close()
	})
}

// FRAME-6: one message is one write.
func TestB97(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		const count = 100
		for _, c := range []struct {
			name           string
			client, server host.Options
		}{{"lsp", host.LSP, host.LSPServer}, {"line", host.Plain, host.PlainServer}} {
			near, far := connect(roomy)
			ours, theirs := &countingStream{stream: near}, &countingStream{stream: far}
			mux := host.NewMux()
			host.Handle(mux, "m", core.ModeRead, func(context.Context, any) (any, error) { return nil, nil })
			session(t, engine, theirs, c.server, mux)
			p := session(t, engine, ours, c.client, nil)
			for range count {
				if _, err := p.CallRaw(t.Context(), "m", nil); err != nil {
					t.Fatal(err)
				}
			}
			if calls, answers := len(ours.written()), len(theirs.written()); calls != count || answers != count {
				t.Errorf("%s: %d writes for the calls and %d for the answers, want %d each", c.name, calls, answers, count)
			}
		}
	})
}

// FRAME-6, SEND-1: what queues while the writer is busy leaves together, in order.
func TestB97Burst(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		const count, pieceBytes = 10_000, 16 << 10
		near, far := connect(roomy)
		gate := make(chan struct{})
		s := &countingStream{stream: near, gate: gate}
		p := session(t, engine, s, host.Plain, nil)
		var want bytes.Buffer
		for range count {
			want.WriteString(`{"jsonrpc":"2.0","method":"n"}` + "\n")
			if err := p.Notify(t.Context(), "n", nil); err != nil {
				t.Fatal(err)
			}
		}
		close(gate)
		if err := p.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		writes := s.written()
		if got := bytes.Join(writes, nil); !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%d bytes were written, want %d and the same", len(got), want.Len())
		}
		if most := 2 * (want.Len()/pieceBytes + 1); len(writes) > most {
			t.Errorf("%d writes for %d bytes, want %d at most", len(writes), want.Len(), most)
		}
		far.Close()
	})
}

// machine is a bare native machine for tests that count what it allocates.
func machine(t *testing.T, cfg core.Config) host.Machine {
	t.Helper()
	cfg.Limits.FrameBytesMax, cfg.Limits.ParkedBytesMax = 64<<20, 256<<20
	m, err := host.Native(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// feed commits data in chunks and ends the turn, so that every chunk is drained by drain.
func feed(t *testing.T, m host.Machine, data []byte, chunkBytes int, drain func(ev *core.Event)) {
	t.Helper()
	var ev core.Event
	for len(data) > 0 {
		n := min(chunkBytes, len(data))
		copy(m.Reserve(n), data[:n])
		if err := m.Commit(n); err != nil {
			t.Fatal(err)
		}
		data = data[n:]
		m.Advance(1)
		for m.Next(&ev) {
			drain(&ev)
		}
	}
}

// FRAME-3: a large message in small pieces costs memory in proportion to its size, and leaves none
// of it behind.
func TestB94(t *testing.T) {
	for _, framing := range []core.Framing{core.FramingHeader, core.FramingLine, core.FramingLength4} {
		for _, mebibytes := range []int{2, 4} {
			cfg := core.Defaults(core.ProfilePlain, core.RoleClient)
			cfg.Framing, cfg.Inbound = framing, core.InboundMessages
			m := machine(t, cfg)
			large := frameOf(framing, `{"jsonrpc":"2.0","method":"m","params":["`+strings.Repeat("r", mebibytes<<20)+`"]}`)
			small := frameOf(framing, `{"jsonrpc":"2.0","method":"m"}`)
			m.Want(math.MaxInt32)
			messages := 0
			count := func(*core.Event) { messages++ }

			before := memory()
			feed(t, m, large, 4096, count)
			filled := memory()
			// A buffer that doubles costs at most four times what it holds in the end.
			if cost := filled.TotalAlloc - before.TotalAlloc; cost > 5*uint64(len(large)) {
				t.Errorf("framing %d: %d bytes were allocated for a message of %d", framing, cost, len(large))
			}
			const keptFor = 16 // small messages for which a large buffer is kept
			for range keptFor + 1 {
				feed(t, m, small, 4096, count)
			}
			runtime.GC()
			after := memory()
			if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 1<<20 {
				t.Errorf("framing %d: %d bytes are kept after a message of %d", framing, kept, len(large))
			}
			if messages != keptFor+2 {
				t.Errorf("framing %d: %d messages, want %d", framing, messages, keptFor+2)
			}
			runtime.KeepAlive(m)
			runtime.KeepAlive(large)
		}
	}
}

// FRAME-3: many small messages cost nothing a message, however many come in one read.
func TestB95(t *testing.T) {
	const count, bytesAtOnce = 20_000, 64 << 10
	for _, framing := range []core.Framing{core.FramingHeader, core.FramingLine, core.FramingLength4} {
		var all []byte
		for i := range count {
			all = append(all, frameOf(framing, fmt.Sprintf(`{"jsonrpc":"2.0","method":"n","params":[%d]}`, i))...)
		}
		for _, chunkBytes := range []int{len(all), bytesAtOnce} {
			cfg := core.Defaults(core.ProfilePlain, core.RoleClient)
			cfg.Framing, cfg.Inbound = framing, core.InboundMessages
			m := machine(t, cfg)
			m.Want(math.MaxInt32)
			next := 0
			before := memory()
			feed(t, m, all, chunkBytes, func(ev *core.Event) {
				number := 0
				for _, digit := range ev.Body[1 : len(ev.Body)-1] {
					number = 10*number + int(digit-'0')
				}
				if number != next {
					t.Fatalf("message %d came as number %d", number, next)
				}
				next++
			})
			if objects := memory().Mallocs - before.Mallocs; objects > count/10 {
				t.Errorf("framing %d, %d bytes at once: %d allocations for %d messages", framing, chunkBytes, objects, count)
			}
			if next != count {
				t.Errorf("framing %d, %d bytes at once: %d messages, want %d", framing, chunkBytes, next, count)
			}
		}
	}
}

func frameOf(framing core.Framing, body string) []byte {
	switch framing {
	case core.FramingHeader:
		return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
	case core.FramingLength4:
		n := len(body)
		return append([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, body...)
	}
	return []byte(body + "\n")
}

func memory() runtime.MemStats {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats
}
