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

var floods = []flood{
	{
		name:    "HeaderBytesMax: a header that never ends",
		cfg:     tight(ProfileLSP, RoleServer, func(_ *Config, l *Limits) { l.HeaderBytesMax = 256 * KiB }),
		play:    func(f *flooded) { f.pour("X: y\r\n", floodBytes) },
		reached: broke(ViolationHeaderSize),
	},
	{
		name: "FrameBytesMax: a body whose last byte never comes",
		cfg:  tight(ProfileLSP, RoleServer, func(_ *Config, l *Limits) { l.FrameBytesMax = MiB }),
		play: func(f *flooded) {
			f.send("Content-Length: 1048576\r\n\r\n" + strings.Repeat("x", MiB-1))
		},
		reached: func(_ State, st Stats) bool { return st.BytesIn > MiB && st.FramesIn == 0 },
	},
	{
		name:    "FrameBytesMax: a line that never ends",
		cfg:     tight(ProfileMCP, RoleServer, func(_ *Config, l *Limits) { l.FrameBytesMax = MiB }),
		play:    func(f *flooded) { f.pour("x", 8*MiB) },
		reached: func(_ State, st Stats) bool { return st.BytesIn >= 8*MiB && st.Rejected == 1 },
	},
	{
		name: "FrameBytesMax: escaped method names of the largest size",
		cfg: tight(ProfileMCP, RoleServer, func(c *Config, l *Limits) {
			l.FrameBytesMax, c.Methods = MiB, []Method{{Name: "a"}}
		}),
		play: func(f *flooded) {
			f.pour(`{"jsonrpc":"2.0","method":"`+strings.Repeat(`\u0061`, 170_000)+"\"}\n", 4*MiB)
		},
		reached: func(_ State, st Stats) bool { return st.Dropped >= 4 },
	},
	{
		name:    "FrameBytesMin: frames that are too small",
		cfg:     tight(ProfileControl, RoleServer, func(*Config, *Limits) {}),
		play:    func(f *flooded) { f.pour("\x00\x00\x00\x00", floodBytes) },
		reached: broke(ViolationLength),
	},
	{
		name:    "BlankBytesMax: blank lines",
		cfg:     tight(ProfileLSP, RoleServer, func(_ *Config, l *Limits) { l.BlankBytesMax = 64 * KiB }),
		play:    func(f *flooded) { f.pour("\r\n", floodBytes) },
		reached: broke(ViolationNoise),
	},
	{
		name: "DepthMax: nesting without end, and nobody reads the refusals",
		cfg: tight(ProfilePlain, RoleServer, func(_ *Config, l *Limits) {
			l.DepthMax, l.FrameBytesMax = 1<<16, 128*KiB
		}),
		play:    func(f *flooded) { f.pour(strings.Repeat("[", 128*KiB)+"\n", 8*MiB) },
		reached: pauses,
	},
	{
		name: "IDBytesMax: long ids of requests that nobody answers",
		cfg: tight(ProfilePlain, RoleServer, func(_ *Config, l *Limits) {
			l.IDBytesMax, l.RunningMax, l.QueuedMax, l.QueuedBytesMax, l.ParkedBytesMax = 2*KiB, 256, 256, MiB, MiB
		}),
		play: func(f *flooded) {
			for i := 0; f.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%02000d","method":"a"}`+"\n", i)); i++ {
			}
		},
		reached: pauses,
	},
	{
		name: "CallsMax: calls that nobody answers",
		cfg:  tight(ProfilePlain, RoleClient, func(_ *Config, l *Limits) { l.CallsMax = 5000 }),
		play: func(f *flooded) {
			f.reading = true
			for range 5000 {
				f.call("", CallOptions{Deadline: Second})
			}
		},
		reached: func(s State, _ Stats) bool { return s.Calls == 5000 },
	},
	{
		name: "CallsMax: calls that time out at once while nobody reads, so that every notice is owed",
		cfg:  tight(ProfileMCP, RoleClient, func(_ *Config, l *Limits) { l.CallsMax = 5000 }),
		play: func(f *flooded) {
			f.reading = true
			for range 5000 {
				f.call("", CallOptions{Deadline: Second})
			}
			f.reading = false
			for f.Notify("a", nil) == nil {
			}
			f.now = Second
			f.turn()
		},
		reached: func(s State, st Stats) bool { return s.Calls == 0 && st.FramesOut < 5500 },
	},
	{
		name: "AbandonedMax: calls that time out, under ids of the largest size",
		cfg:  tight(ProfileMCP, RoleClient, func(_ *Config, l *Limits) { l.AbandonedMax = 4000 }),
		play: func(f *flooded) {
			f.reading = true
			for i := range 10_000 {
				f.call("", CallOptions{ID: fmt.Appendf(nil, `"%060d"`, i), Deadline: f.now + 1})
			}
		},
		reached: func(s State, st Stats) bool { return st.Calls == 10_000 && s.Calls == 0 },
	},
	{
		name: "OutBytesMax: notifications that nobody reads",
		cfg:  tight(ProfilePlain, RoleClient, func(_ *Config, l *Limits) { l.OutBytesMax = MiB }),
		play: func(f *flooded) {
			for f.Notify("a", nil) == nil {
			}
		},
		reached: func(s State, _ Stats) bool { return s.QueuedBytes > MiB-64 },
	},
	{
		name: "OutBytesMax: calls that time out before they begin, since nobody reads",
		cfg:  tight(ProfilePlain, RoleClient, func(_ *Config, l *Limits) { l.OutBytesMax = 64 * KiB }),
		play: func(f *flooded) {
			f.call("", CallOptions{Deadline: 1})
			f.call("", CallOptions{Deadline: Second})
			f.Take(nil) // and it is never written
			for range 2000 {
				f.call(`["`+strings.Repeat("x", 2000)+`"]`, CallOptions{Deadline: f.now + 1})
			}
		},
		reached: func(s State, st Stats) bool { return st.Calls == 2002 && s.Calls == 1 },
	},
	{
		name: "OutBytesMax: requests to refuse, and nobody reads the refusals",
		cfg: tight(ProfilePlain, RoleServer, func(c *Config, l *Limits) {
			c.Methods, l.OutBytesMax, l.ParkedBytesMax = []Method{{Name: "b"}}, MiB, MiB
		}),
		play:    func(f *flooded) { f.pour(askings(1, 1000, "\n")+"\n", floodBytes) },
		reached: pauses,
	},
	{
		name:    "OutBytesMax: one id over and over, and nobody reads the refusals",
		cfg:     tight(ProfilePlain, RoleServer, func(_ *Config, l *Limits) { l.OutBytesMax, l.ParkedBytesMax = MiB, MiB }),
		play:    func(f *flooded) { f.pour(fmt.Sprintf(shortRequest+"\n", 1), floodBytes) },
		reached: pauses,
	},
	{
		name:    "OutBytesMax: the shortest lines that are no message, and nobody reads the refusals",
		cfg:     tight(ProfilePlain, RoleServer, func(_ *Config, l *Limits) { l.OutBytesMax, l.ParkedBytesMax = MiB, MiB }),
		play:    func(f *flooded) { f.pour("1\n", floodBytes) },
		reached: pauses,
	},
	{
		name: "OutBytesMax: requests to refuse while a call of ours is open, and nobody reads the refusals",
		cfg: tight(ProfilePlain, RolePeer, func(c *Config, l *Limits) {
			c.Methods, l.OutBytesMax = []Method{{Name: "b"}}, MiB
		}),
		play: func(f *flooded) {
			f.openCall()
			f.reading = false
			f.pour(askings(1, 1000, "\n")+"\n", floodBytes)
		},
		reached: func(s State, st Stats) bool { return s.Paused && st.Rejected > 1000 },
	},
	{
		name: "RunningMax: requests that nobody answers",
		cfg: tight(ProfilePlain, RoleServer, func(_ *Config, l *Limits) {
			l.RunningMax, l.QueuedBytesMax, l.ParkedBytesMax = 10_000, MiB, MiB
		}),
		play:    func(f *flooded) { f.send(askings(1, 20_000, "\n")) },
		reached: pauses,
	},
	{
		name: "BackgroundMax: background work that nobody ends",
		cfg: tight(ProfilePlain, RoleServer, func(c *Config, l *Limits) {
			c.Methods = []Method{{Name: "a", Mode: ModeBackground}}
			l.RunningMax, l.BackgroundMax, l.QueuedBytesMax, l.ParkedBytesMax = 10_000, 10_000, MiB, MiB
		}),
		play:    func(f *flooded) { f.send(askings(1, 20_000, "\n")) },
		reached: pauses,
	},
	{
		name: "QueuedMax: notifications that nobody ends",
		cfg: tight(ProfilePlain, RoleServer, func(_ *Config, l *Limits) {
			l.QueuedMax, l.QueuedBytesMax, l.ParkedBytesMax = 5000, MiB, 2*MiB
		}),
		play:    func(f *flooded) { f.pour(shortNote, floodBytes) },
		reached: pauses,
	},
	{
		name: "QueuedBytesMax: large notifications that nobody ends",
		cfg: tight(ProfilePlain, RoleServer, func(_ *Config, l *Limits) {
			l.QueuedMax, l.QueuedBytesMax, l.ParkedBytesMax = 5000, MiB, 2*MiB
		}),
		play:    func(f *flooded) { f.pour(largeNote(4000), 2*floodBytes) },
		reached: pauses,
	},
	{
		name: "MessagesMax: notifications of a server that nobody fetches",
		cfg: tight(ProfileMCP, RoleClient, func(c *Config, l *Limits) {
			c.Inbound, l.MessagesMax, l.ParkedBytesMax = InboundMessages, 1000, 4*MiB
		}),
		play:    func(f *flooded) { f.pour(largeNote(2000), 2*floodBytes) },
		reached: func(s State, st Stats) bool { return s.Waiting == 1000 && st.Dropped > 1000 },
	},
	{
		name: "MessagesMax: notifications of a client that nobody fetches",
		cfg: tight(ProfileMCP, RoleServer, func(c *Config, l *Limits) {
			c.Inbound, l.MessagesMax, l.ParkedBytesMax = InboundMessages, 5000, 2*MiB
		}),
		play:    func(f *flooded) { f.pour(shortNote, floodBytes) },
		reached: pauses,
	},
	{
		name: "ParkedBytesMax: the shortest requests while a call of ours is open",
		cfg: tight(ProfilePlain, RolePeer, func(_ *Config, l *Limits) {
			l.ParkedBytesMax, l.FrameBytesMax = 4*MiB, 512*KiB
		}),
		play: func(f *flooded) {
			f.openCall()
			f.send(askings(1, 40_000, "\n"))
		},
		reached: func(s State, st Stats) bool { return s.Waiting >= 4096 && st.Rejected > 0 },
	},
	{
		name: "ParkedBytesMax: the shortest notifications while a call of ours is open",
		cfg: tight(ProfilePlain, RolePeer, func(_ *Config, l *Limits) {
			l.ParkedBytesMax, l.FrameBytesMax = 4*MiB, 512*KiB
		}),
		play: func(f *flooded) {
			f.openCall()
			f.pour(shortNote, 2*floodBytes)
		},
		reached: pauses,
	},
	{
		name: "ParkedBytesMax: the shortest frames through a relay that nobody fetches from",
		cfg: tight(ProfilePlain, RoleRelay, func(c *Config, l *Limits) {
			c.Inbound, l.ParkedBytesMax, l.FrameBytesMax = InboundMessages, 4*MiB, 512*KiB
		}),
		play:    func(f *flooded) { f.pour(shortNote, 2*floodBytes) },
		reached: pauses,
	},
	{
		name: "MalformedMax: garbage in the longest lines",
		cfg: tight(ProfileMCP, RoleClient, func(_ *Config, l *Limits) {
			l.MalformedMax, l.FrameBytesMax = 1000, 16*KiB
		}),
		play:    func(f *flooded) { f.pour(strings.Repeat("x", 16*KiB)+"\n", 32*MiB) },
		reached: broke(ViolationNoise),
	},
	{
		name: "BatchMax: arrays whose requests nobody answers",
		cfg: tight(ProfilePlain, RoleServer, func(_ *Config, l *Limits) {
			l.RunningMax, l.QueuedMax, l.QueuedBytesMax, l.ParkedBytesMax = 2000, 2000, MiB, MiB
		}),
		play: func(f *flooded) {
			for i := 1; f.send("[" + askings(i, 16, ",") + "]\n"); i += 16 {
			}
		},
		reached: pauses,
	},
	{
		name: "BatchMax: arrays of what is no message, each with a request that nobody answers",
		cfg: tight(ProfilePlain, RoleServer, func(_ *Config, l *Limits) {
			l.RunningMax, l.QueuedBytesMax, l.FrameBytesMax, l.BatchMax = 200, 64*KiB, 128*KiB, 1024
		}),
		alone: true,
		play: func(f *flooded) {
			f.reading = true
			for i := range 200 {
				f.send("[" + strings.Repeat("1,", 1000) + fmt.Sprintf(shortRequest, i) + "]\n")
			}
		},
		reached: pauses,
	},
	{
		name:    "BatchMax: an array of nothing that is a message",
		cfg:     tight(ProfilePlain, RoleServer, func(_ *Config, l *Limits) { l.FrameBytesMax = 64 * KiB }),
		play:    func(f *flooded) { f.send("[" + strings.Repeat("1,", 30*KiB) + "1]\n") },
		reached: func(_ State, st Stats) bool { return st.Invalid == 1 && st.Rejected == 1 },
	},
	{
		name: "SCHED-4: requests, each cancelled while it waits",
		cfg:  tight(ProfileLSP, RoleServer, func(*Config, *Limits) {}),
		play: func(f *flooded) {
			f.reading = true
			for i := range 10_000 {
				f.send(headed(fmt.Sprintf(shortRequest, i)))
				if i >= 4 {
					f.send(headed(fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}`, i)))
				}
			}
		},
		reached: func(s State, st Stats) bool { return st.Requests == 10_000 && s.Running == 4 },
	},
	{
		name: "CALL-5, CALL-10: answers, errors and progress for nobody",
		cfg:  tight(ProfileMCP, RoleClient, func(c *Config, _ *Limits) { c.Inbound = InboundMessages }),
		play: func(f *flooded) {
			f.pour(`{"jsonrpc":"2.0","id":1,"result":1}`+"\n"+
				`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`+"\n"+
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}`+"\n", floodBytes)
		},
		reached: func(_ State, st Stats) bool { return min(st.Unknown, st.PeerErrors, st.Progress) > 10_000 },
	},
	{
		name: "BACK-1: dropped notifications, each of another method",
		cfg:  tight(ProfilePlain, RoleServer, func(c *Config, _ *Limits) { c.Methods = []Method{{Name: "b"}} }),
		play: func(f *flooded) {
			for i := range 5000 {
				f.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"%0100d"}`+"\n", i))
			}
		},
		reached: func(_ State, st Stats) bool { return st.Dropped == 5000 },
	},
}
