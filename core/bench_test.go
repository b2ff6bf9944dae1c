package core

import (
	"strconv"
	"strings"
	"testing"
)

// BenchmarkDecode is one frame a turn: reserve, commit, next, done.
func BenchmarkDecode(b *testing.B) {
	body := `{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///home/user/project/main.go","version":17},"contentChanges":[{"text":"package main\n"}]}}`
	frame := "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	for _, count := range []int{1, 64} {
		b.Run(strconv.Itoa(count), func(b *testing.B) {
			text := strings.Repeat(frame, count)
			cfg := Defaults(ProfileLSP, RoleServer)
			cfg.Inbound = InboundMessages
			c, err := New(cfg)
			if err != nil {
				b.Fatal(err)
			}
			c.Want(1<<31 - 1)
			var ev Event
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				copy(c.Reserve(len(text)), text)
				if err := c.Commit(len(text)); err != nil {
					b.Fatal(err)
				}
				for c.Next(&ev) {
				}
				c.Want(count)
			}
		})
	}
}
