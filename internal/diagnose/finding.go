package diagnose

import (
	"bytes"
	"fmt"
	"strconv"
)

// Finding is one thing that is wrong with a server, or with how it is started.
type Finding struct {
	ID       string `json:"finding"`  // stable, one of Kinds
	Evidence string `json:"evidence"` // what was seen; the server's bytes in it are escaped
	Remedy   string `json:"remedy"`
}

// Kind is what a finding can be.
type Kind struct {
	ID     string `json:"finding"`
	Remedy string `json:"remedy"`
}

// Kinds lists every finding there is.
func Kinds() []Kind { return append([]Kind(nil), kinds...) }

// kinds are in the order in which things go wrong.
var kinds = []Kind{
	{"not-found", "install it, or give its whole path: an editor started from a desktop has another PATH than a shell"},
	{"one-word", "put the program and each of its arguments in a word, or a list element, of its own"},
	{"not-executable", "chmod +x, the build for this machine, or its interpreter in front of it"},
	{"wants-arguments", "add what it asks for to the command line"},
	{"exits", "run the command in a terminal, in the same folder and with the same environment"},
	{"dies", "look for its crash report, or run it under a debugger"},
	{"closes-stdout", "see whether it went to the background: a server stays the process that was started"},
	{"dies-on-discover", "answer what is unknown with an error: clients start it a second time for each session"},

	{"wrong-protocol", "configure it as a server of the other protocol"},
	{"debug-adapter", "configure it as a debug adapter: no language client can use it"},
	{"wrong-framing", "choose the transport that the protocol has on stdio, or put parley frame and unframe around it"},
	{"line-ends", "write stdout in binary mode: a header line ends with CR LF, and nothing may translate either"},
	{"utf-16", "write stdout in UTF-8; PowerShell pipes re-encode what passes"},
	{"byte-order-mark", "open stdout as UTF-8 without a signature"},
	{"terminal-codes", "send colours to stderr only, or switch them off (NO_COLOR, --no-color)"},
	{"echoes", "start it without a terminal (docker run -i and not -it, ssh -T), or without a wrapper that copies"},
	{"prompt", "find the switch that makes it a server: it waits for somebody at a keyboard"},
	{"banner", "send what greets people to stderr: stdout is the protocol's alone"},
	{"stdout-noise", "send logs and prints to stderr: stdout is the protocol's alone"},
	{"wrong-length", "count the bytes of the UTF-8 text for Content-Length, not its characters"},
	{"bad-header", "write Content-Length: N, an empty line, and N bytes"},
	{"half-message", "flush after each message, and end it as its framing asks: a line feed, or all the bytes announced"},
	{"pretty-printed", "print each message on one line"},
	{"bad-json", "build messages with a JSON library"},
	{"no-message", `send objects with "jsonrpc": "2.0", and answer with the id of the request`},

	{"buffered", "flush stdout after each message (python -u, stdbuf -oL, setvbuf): a pipe is buffered in blocks"},
	{"silent", "see whether it is at work or waits for other input; --timeout gives it longer"},
	{"slow-start", "give clients a longer time-out, or have it load its files after the handshake"},
	{"refused", "read the server's own words"},
	{"bad-answer", "answer the handshake with the result that the protocol asks for"},
	{"no-version", "update the older of server and client"},

	{"never-refuses", "answer every request, with error -32601 where the method is unknown: clients wait for ever"},
	{"accepts-unknown", "answer an unknown method with error -32601: clients ask that way what there is"},
	{"answers-twice", "answer a request once"},
	{"answers-nobody", "answer with the id of the request, as it is spelled"},
	{"stays", "end when stdin ends, and after exit: whoever is left behind keeps files and ports"},
	{"leaves-badly", "end with exit code 0 after an orderly shutdown: clients report a crash and restart it"},
}

func newFinding(id, evidence string, args ...any) Finding {
	for _, kind := range kinds {
		if kind.ID == id {
			return Finding{ID: id, Evidence: fmt.Sprintf(evidence, args...), Remedy: kind.Remedy}
		}
	}
	panic("diagnose: no such kind: " + id)
}

// shown is the beginning of what a server wrote, escaped.
func shown(text []byte) string {
	const bytesMax = 64
	if len(text) > bytesMax {
		return strconv.QuoteToASCII(string(text[:bytesMax])) + "…"
	}
	return strconv.QuoteToASCII(string(text))
}

// shownEnd is the end of what a server wrote, escaped.
func shownEnd(text []byte) string {
	const bytesMax = 300
	text = bytes.TrimSpace(text)
	if len(text) > bytesMax {
		return "…" + strconv.QuoteToASCII(string(text[len(text)-bytesMax:]))
	}
	return strconv.QuoteToASCII(string(text))
}
