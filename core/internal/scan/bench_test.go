package scan

import (
	"strconv"
	"strings"
	"testing"
)

const notification = `{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":` +
	`{"uri":"file:///home/user/project/main.go","version":42},"contentChanges":[{"text":"package main\n"}]}}`

// wrapped puts items into the array of a result of at least size bytes.
func wrapped(size int, item func(i int) string) string {
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0","id":7,"result":[`)
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(item(i))
	}
	b.WriteString("]}")
	return b.String()
}

type body struct{ name, text string }

// bodies are what is measured; the large ones have about size bytes, and label in their names.
func bodies(size int, label string) []body {
	return []body{
		{"notification-" + strconv.Itoa(len(notification)), notification},
		{"call", `{"jsonrpc":"2.0","id":1234,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///a.go"},"position":{"line":10,"character":4}}}`},
		{"completion-" + label, wrapped(size, func(i int) string {
			n := strconv.Itoa(i)
			return `{"label":"Println` + n + `","kind":3,"detail":"func(a ...any) (n int, err error)","sortText":"0000` + n +
				`","insertTextFormat":2,"textEdit":{"range":{"start":{"line":10,"character":4},"end":{"line":10,"character":9}},"newText":"Println(${1:})"},"data":null,"deprecated":false}`
		})},
		{"integers-" + label, wrapped(size, func(i int) string { return strconv.Itoa(i * 7919 % 61 * (i % 5)) })},
		{"string-" + label, `{"jsonrpc":"2.0","id":7,"result":"` + strings.Repeat("the quick brown fox jumps over it; ", size/35) + `"}`},
		{"cjk-" + label, `{"jsonrpc":"2.0","id":7,"result":"` + strings.Repeat("\u65e5\u672c\u8a9e\u306e", size/12) + `"}`},
		{"indented-" + label, wrapped(size, func(i int) string {
			return "\n    {\n      \"line\": " + strconv.Itoa(i) + ",\n      \"character\": 4\n    }"
		})},
	}
}

func BenchmarkMessage(b *testing.B) {
	for _, body := range bodies(1<<20, "1MiB") {
		b.Run(body.name, func(b *testing.B) {
			text := []byte(body.text)
			s := Scanner{DepthMax: depthMax}
			var m Message
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if fault, at := s.Message(text, &m); fault != FaultNone {
					b.Fatalf("fault %d at %d", fault, at)
				}
			}
		})
	}
}

func TestNoAllocation(t *testing.T) {
	s := Scanner{DepthMax: depthMax}
	var m Message
	for _, body := range append(bodies(1<<20, "1MiB"), body{
		"deep", strings.Repeat("[", depthMax) + strings.Repeat("]", depthMax),
	}) {
		text := []byte(body.text)
		if got := testing.AllocsPerRun(10, func() { s.Message(text, &m) }); got != 0 {
			t.Errorf("%s: %v allocations", body.name, got)
		}
	}
	dst := make([]byte, 0, 1024)
	params := []byte(`{"a":[1,"\u00e9"],"\u0062":"x","c":1.50e3}`)
	if got := testing.AllocsPerRun(10, func() {
		elements := Elements(Member(params, "a").Of(params))
		elements.Next()
		AppendQuoted(AppendUnquoted(dst, Member(params, "b").Of(params)), "x\xffé")
		Int32(Member(params, "c").Of(params))
	}); got != 0 {
		t.Errorf("readers: %v allocations", got)
	}
}
