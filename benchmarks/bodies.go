package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
)

// The bodies that are sent, as committed in data/. Larger sizes repeat what stands in the smaller.
var (
	//go:embed data/notification.json
	notification []byte // 179 bytes, what an editor sends on a keystroke
	//go:embed data/completion.json
	completionSeed []byte
	//go:embed data/tokens.json
	tokensSeed []byte
	//go:embed data/string.json
	stringSeed []byte
	//go:embed data/session.jsonl
	session []byte // what gopls sent in a session of an editor, one message a line
)

// answerID is the id in the bodies that are answers.
const answerID = "7"

// The kinds of body; each is an answer, {"jsonrpc":"2.0","id":7,"result":…}.
var (
	completions = kindOf("completion items", completionSeed)
	tokens      = kindOf("semantic tokens", tokensSeed)
	longString  = kindOf("one long string", stringSeed)
)

// kind is how a body grows: its items follow each other, over and over.
type kind struct {
	name                   string
	items                  [][]byte
	open, separator, close string
}

// kindOf takes a committed answer apart. A result that is a string is one item.
func kindOf(name string, seed []byte) kind {
	var answer struct{ Result json.RawMessage }
	if err := json.Unmarshal(seed, &answer); err != nil {
		panic("benchmarks: a committed body: " + err.Error())
	}
	if answer.Result[0] == '"' {
		return kind{name, [][]byte{answer.Result[1 : len(answer.Result)-1]}, `"`, "", `"`}
	}
	var items []json.RawMessage
	if err := json.Unmarshal(answer.Result, &items); err != nil {
		panic("benchmarks: a committed body: " + err.Error())
	}
	k := kind{name: name, open: "[", separator: ",", close: "]"}
	for _, item := range items {
		k.items = append(k.items, item)
	}
	return k
}

// body is an answer of about that many bytes: never less, and at most one item more.
func (k kind) body(bytesMin int) []byte {
	tail := k.close + "}"
	body := append([]byte(answerHead), k.open...)
	for i := 0; i == 0 || len(body)+len(tail) < bytesMin; i++ {
		if i > 0 {
			body = append(body, k.separator...)
		}
		body = append(body, k.items[i%len(k.items)]...)
	}
	return append(body, tail...)
}

const answerHead = `{"jsonrpc":"2.0","id":` + answerID + `,"result":`

// framed puts a Content-Length header before a body.
func framed(body []byte) []byte {
	return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

// lined ends a body with a newline, as MCP frames its messages.
func lined(body []byte) []byte {
	return append(bytes.Clone(body), '\n')
}
