//go:build !race && !verify

package core

import (
	"fmt"
	"strings"
)

// floods are what TestFloods plays, each named by the limit or the rule that it attacks.
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
