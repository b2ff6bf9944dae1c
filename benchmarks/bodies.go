package main

import (
	"fmt"
	"strconv"
	"strings"
)

// notification is the body of 179 bytes, as an editor sends it on a keystroke. It is the text of
// notification-179 in core/internal/scan's benchmark, so that the bare scan scans the same bytes.
const notification = `{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":` +
	`{"uri":"file:///home/user/project/main.go","version":42},"contentChanges":[{"text":"package main\n"}]}}`

// completion is the body of about 1 MiB: an answer with some 4,000 completion items, the text of
// completion-1MiB in the same benchmark. Its id is completionID.
func completion() string {
	const bytesMin = 1 << 20
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0","id":` + completionID + `,"result":[`)
	for i := 0; b.Len() < bytesMin; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		n := strconv.Itoa(i)
		b.WriteString(`{"label":"Println` + n + `","kind":3,"detail":"func(a ...any) (n int, err error)","sortText":"0000` + n +
			`","insertTextFormat":2,"textEdit":{"range":{"start":{"line":10,"character":4},"end":{"line":10,"character":9}},` +
			`"newText":"Println(${1:})"},"data":null,"deprecated":false}`)
	}
	b.WriteString("]}")
	return b.String()
}

const completionID = "7"

// framed puts a Content-Length header before a body.
func framed(body string) []byte {
	return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
}
