//go:build !race && !verify

package core

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// Goal: whatever a peer does, and however little anybody else does about it, one session holds no
// more than Limits.Sum (BACK-4). Method: a flood a limit, with every other limit so small that the
// sum is about the one attacked; many sessions at once, so that the heap's own noise is small beside
// them; what they hold once the collector has run, against what was held before they were made.

const (
	floodSessions = 16 // flooded at once
	// What a session may hold beside what its limits count: the Conn, its scratch and the first page
	// of each table.
	noiseBytes = 48 * KiB
	pieceBytes = 64 * KiB // what one read brings at most: a pipe holds no more
	floodBytes = 2 * MiB  // what a peer sends that does not have to be stopped earlier
)

// flood is one way to misbehave.
type flood struct {
	name string
	cfg  Config
	play func(f *flooded)
	// reached reports that the limit was hit: the flood is no trickle.
	reached func(s State, st Stats) bool
	// alone floods one session: each holds megabytes, beside which noise is nothing.
	alone bool
}

// flooded is a session whose peer floods it, in a host that reads while it may and fetches facts.
type flooded struct {
	*Conn
	t       *testing.T
	now     Time
	reading bool // the peer reads what is written
}

// send lets text arrive, and reports whether all of it was taken: reading stops where it is to
// pause and where the session has ended.
func (f *flooded) send(text string) bool {
	for len(text) > 0 {
		if f.Paused() {
			return false
		}
		n := copy(f.Reserve(1), text[:min(len(text), pieceBytes)])
		err := f.Commit(n)
		f.turn()
		if err != nil {
			return false
		}
		text = text[n:]
	}
	return true
}

// pour sends text over and over, in large reads, until size bytes have been taken or none will be.
func (f *flooded) pour(text string, size int) {
	text = strings.Repeat(text, max(1, pieceBytes/len(text)))
	for sent := 0; sent < size && f.send(text); sent += len(text) {
	}
}

// turn is what a host does after every input.
func (f *flooded) turn() {
	f.now++
	f.Advance(f.now)
	for range f.Events() {
	}
	for f.reading {
		block := f.Take(nil)
		if block == nil {
			return
		}
		f.Wrote(len(block))
	}
}

// call makes one call that must be accepted.
func (f *flooded) call(params string, opts CallOptions) {
	f.t.Helper()
	if _, err := f.Call("a", []byte(params), opts); err != nil {
		f.t.Fatal(err)
	}
	f.turn()
}

// openCall leaves a call of ours without an answer: a full queue then parks what arrives (BACK-3).
func (f *flooded) openCall() {
	f.reading = true
	f.call("", CallOptions{})
}

// tight is a configuration whose limits are all small, changed as its flood needs it.
func tight(profile Profile, role Role, change func(c *Config, l *Limits)) Config {
	cfg := Defaults(profile, role)
	cfg.Limits = Limits{
		HeaderBytesMax: 512, FrameBytesMax: 4 * KiB, FrameBytesMin: cfg.Limits.FrameBytesMin,
		DepthMax: 64, IDBytesMax: 64, BlankBytesMax: 64,
		CallsMax: 4, AbandonedMax: 4, OutBytesMax: 4 * KiB,
		RunningMax: 4, BackgroundMax: 4, QueuedMax: 4, QueuedBytesMax: 4 * KiB,
		MessagesMax: 4, ParkedBytesMax: 4 * KiB, MalformedMax: 100, BatchMax: 16, ParkedMax: 4096,
	}
	change(&cfg, &cfg.Limits)
	return cfg
}

func TestFloods(t *testing.T) {
	for _, fl := range floods {
		t.Run(fl.name, func(t *testing.T) {
			before, count := heapBytes(), int64(floodSessions)
			if fl.alone {
				count = 1
			}
			sessions := make([]*flooded, count)
			for i := range sessions {
				f := &flooded{Conn: newConn(t, fl.cfg), t: t}
				if f.cfg.Inbound == InboundHandlers {
					f.Want(1<<31 - 1)
				}
				fl.play(f)
				if !fl.reached(f.State(), f.Stats()) {
					t.Fatalf("the flood reached no limit: %+v, %+v", f.State(), f.Stats())
				}
				sessions[i] = f
			}
			held := (heapBytes() - before) / count
			runtime.KeepAlive(sessions)
			most := fl.cfg.Limits.Sum() + noiseBytes
			t.Logf("a session holds %d KiB of %d KiB", held/KiB, most/KiB)
			if held > most {
				t.Errorf("a session holds %d bytes, at most %d by its limits", held, most)
			}
		})
	}
}

// heapBytes is what is reachable.
func heapBytes() int64 {
	runtime.GC()
	runtime.GC() // what the first one found unreachable is swept
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A peer that announces a giant costs what it has sent, not what it announces (FRAME-2).
func TestHostileBytesAreCheap(t *testing.T) {
	const (
		connections  = 100
		allocatedMax = 16 * KiB // two small receive buffers, a violation
	)
	for _, hostile := range []struct {
		framing Framing
		text    string
	}{
		{FramingHeader, "Content-Length: 67108864\r\n\r\n{"},
		{FramingHeader, "Content-Length: 67108865\r\n\r\n{"},
		{FramingHeader, "Content-Length: 999999999999999999999"},
		{FramingLength4, "\x04\x00\x00\x00{"},
		{FramingLength4, "\x7f\xff\xff\xff{"},
		{FramingLength4, "\xff\xff\xff\xff{"},
		{FramingLine, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["},
		{FramingLine, "{\n[\n1\n{}\n[]\n[{}]\n[1,1,1,1]\n\"\n"},
	} {
		cfg := Defaults(ProfilePlain, RoleServer)
		cfg.Framing, cfg.Limits.FrameBytesMax = hostile.framing, 64*MiB
		conns := make([]*Conn, connections)
		for i := range conns {
			conns[i] = newConn(t, cfg)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, c := range conns {
			// A violation is as good as any other outcome: the cost is what counts.
			_ = c.Commit(copy(c.Reserve(4*KiB), hostile.text))
			c.Reserve(4 * KiB)
		}
		runtime.ReadMemStats(&after)
		if cost := (after.TotalAlloc - before.TotalAlloc) / connections; cost > allocatedMax {
			t.Errorf("%q costs %d bytes, at most %d", hostile.text, cost, allocatedMax)
		}
	}
}

// A buffer that has grown for a giant is given up once small frames follow (FRAME-3).
func TestBuffersShrinkBack(t *testing.T) {
	cfg := tight(ProfileLSP, RoleServer, func(_ *Config, l *Limits) { l.FrameBytesMax = 4 * MiB })
	before := heapBytes()
	sessions := make([]*flooded, floodSessions)
	for i := range sessions {
		f := &flooded{Conn: newConn(t, cfg), t: t, reading: true}
		f.send(headed(`{"jsonrpc":"2.0","result":"` + strings.Repeat("x", 3*MiB) + `"}`))
		for range 2 * idleFramesMax {
			f.send(headed(`{"jsonrpc":"2.0","result":1}`))
		}
		if frames := f.Stats().FramesIn; frames != 1+2*idleFramesMax {
			t.Fatalf("%d frames", frames)
		}
		sessions[i] = f
	}
	held := (heapBytes() - before) / floodSessions
	runtime.KeepAlive(sessions)
	if most := int64(receiveBytesSmall + noiseBytes); held > most {
		t.Errorf("a session holds %d bytes after a giant, at most %d", held, most)
	}
}

// So do those in which the answers of an array are collected.
func TestAnswersOfABatchShrinkBack(t *testing.T) {
	cfg := tight(ProfilePlain, RoleServer, func(_ *Config, l *Limits) { l.BatchMax, l.FrameBytesMax = 1024, 128*KiB })
	sessions := make([]*flooded, floodSessions)
	for i := range sessions {
		sessions[i] = &flooded{Conn: newConn(t, cfg), t: t, reading: true}
		sessions[i].send(strings.Repeat("1\n", 1001)) // as many events
	}
	before := heapBytes()
	for _, f := range sessions {
		if f.send("[" + strings.Repeat("1,", 1000) + "1]\n"); f.Stats().OutBytesMax < segmentBytesMax {
			t.Fatalf("the answers are %d bytes", f.Stats().OutBytesMax)
		}
	}
	held := (heapBytes() - before) / floodSessions
	runtime.KeepAlive(sessions)
	if most := int64(noiseBytes); held > most {
		t.Errorf("a session holds %d bytes after a giant array, at most %d", held, most)
	}
}

// A request and a notification, as short as they come.
const (
	shortRequest = `{"jsonrpc":"2.0","id":%d,"method":"a"}`
	shortNote    = `{"jsonrpc":"2.0","method":"a"}` + "\n"
)

// askings is a run of requests with ids from first on.
func askings(first, count int, separator string) string {
	list := make([]string, count)
	for i := range list {
		list[i] = fmt.Sprintf(shortRequest, first+i)
	}
	return strings.Join(list, separator)
}

// largeNote is a notification of about this size.
func largeNote(size int) string {
	return `{"jsonrpc":"2.0","method":"a","params":["` + strings.Repeat("x", size) + "\"]}\n"
}

func headed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func broke(kind Violation) func(State, Stats) bool {
	return func(s State, _ Stats) bool { return s.Err != nil && s.Err.Kind == kind }
}

func pauses(s State, _ Stats) bool { return s.Paused }
