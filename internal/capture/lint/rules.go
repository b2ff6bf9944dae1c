// Package lint says what is wrong with the traffic in a capture: what breaks JSON-RPC, LSP or MCP, and
// what makes a client and a server misunderstand each other.
package lint

import "github.com/parley-rpc/parley/core"

// Severity is how much a finding matters.
type Severity string

const (
	Error   Severity = "error"   // a protocol says must not
	Warning Severity = "warning" // it works, by luck
)

// Rule is one thing that is looked for. Its ID is stable.
type Rule struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Text     string   `json:"text"` // what is wrong and, after a colon, what to do
}

// The rules. docs/capture.md lists them.
var (
	noiseOnStdout    = rule("noise-on-stdout", Error, "The server's stdout carries something else than messages: its logs belong on stderr.")
	noiseOnStdin     = rule("noise-on-stdin", Error, "The client writes something else than messages.")
	badFraming       = rule("bad-framing", Error, "A header or a length is malformed: the hint names the usual cause.")
	truncated        = rule("truncated", Error, "A stream ends inside a message.")
	invalidJSON      = rule("invalid-json", Error, "A frame is not one strict JSON text in UTF-8.")
	wrongVersion     = rule("wrong-jsonrpc", Error, "The member jsonrpc is not \"2.0\".")
	invalidMessage   = rule("invalid-message", Error, "A frame is JSON and no JSON-RPC message.")
	duplicateID      = rule("duplicate-id", Error, "A request has the id of one that is still open: which of them is answered is luck.")
	reusedID         = rule("reused-id", Warning, "A request has the id of one that was answered: MCP forbids it, and a late answer would be taken for this one's.")
	unknownAnswer    = rule("unknown-answer", Error, "An answer's id is that of no request: compare its type and value, 7 is not \"7\".")
	doubleAnswer     = rule("double-answer", Error, "A request is answered a second time.")
	answerAfterStop  = rule("answer-after-cancel", Warning, "A request that was cancelled is answered: MCP says that nothing further is sent for it, and the client may have forgotten the id.")
	missingAnswer    = rule("missing-answer", Error, "A request is never answered, by a side that had not ended before it came.")
	cancelUnknown    = rule("cancel-unknown", Warning, "A cancellation names a request that is not open.")
	cancelInitialize = rule("cancel-initialize", Error, "The client cancels initialize, which MCP forbids.")
	beforeInitialize = rule("before-initialize", Error, "The client sends something before initialize, or before its answer.")
	serverTooEarly   = rule("server-before-initialized", Warning, "The server asks or tells something before it has answered initialize.")
	initializeTwice  = rule("initialize-twice", Error, "The client sends initialize again.")
	noInitialized    = rule("no-initialized", Warning, "The client goes on without the notification initialized.")
	afterShutdown    = rule("after-shutdown", Error, "The client asks for something after shutdown: only exit may follow.")
	noShutdown       = rule("exit-without-shutdown", Warning, "exit comes without shutdown before it: the server has to report failure.")
	notOpened        = rule("document-not-open", Error, "A change, save or close names a document that is not open.")
	openedTwice      = rule("document-open-twice", Error, "A document is opened that is open.")
	versionFalls     = rule("document-version", Error, "The version of a document does not rise with its change.")
	outOfRange       = rule("position-out-of-range", Warning, "A position lies behind the end of its line or document, or inside a character: the sides may differ about the text, or count in other units than UTF-16.")
	unknownProgress  = rule("unknown-progress", Warning, "Progress is reported for a token that no request and no create named.")
	serverFailed     = rule("server-failed", Error, "The server was ended by a signal, or with an exit code other than 0, while requests were open.")
	incomplete       = rule("incomplete-capture", Warning, "Bytes passed that were not recorded: what depends on them is not judged.")
)

var rules []*Rule

func rule(id string, severity Severity, text string) *Rule {
	r := &Rule{id, severity, text}
	rules = append(rules, r)
	return r
}

// Rules lists the rules in the order of the documentation.
func Rules() []*Rule { return rules }

// Finding is one breach of a rule. Names in JSON are stable.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Ms       float64  `json:"ms"`     // since the session began
	From     string   `json:"from"`   // client, server or tap
	Offset   uint64   `json:"offset"` // bytes from the start of what that side sent; 0 where it is not about bytes
	Method   string   `json:"method,omitempty"`
	ID       string   `json:"id,omitempty"` // as on the wire
	Detail   string   `json:"detail"`       // what was seen; foreign text, to be escaped before it is shown
}

// isEarly reports whether a client may send a method before initialize.
func isEarly(method string) bool {
	switch method {
	case "initialize", "server/discover", "ping", "exit", "$/parley/debugInfo":
		return true
	}
	return false
}

// isEarlyServer reports whether a server may send a method before it has answered initialize.
func isEarlyServer(method string) bool {
	switch method {
	case "window/showMessage", "window/logMessage", "telemetry/event", "window/showMessageRequest", "$/progress",
		"ping", "notifications/message", "$/logTrace":
		return true
	}
	return false
}

// cancelField is the member of a cancellation's params that names the request; "": the method is no
// cancellation.
func cancelField(method string) string {
	switch method {
	case "$/cancelRequest":
		return "id"
	case "notifications/cancelled":
		return "requestId"
	}
	return ""
}

var hintTexts = [...]string{
	core.HintNone:        "",
	core.HintTextMode:    "stdout is in text mode: line ends are changed",
	core.HintBareJSON:    "JSON without a header: the peer frames by lines",
	core.HintStdoutNoise: "something else writes to the stream",
	core.HintHeader:      "a header: the peer frames with Content-Length",
	core.HintPretty:      "JSON over several lines",
	core.HintTerminal:    "output for a terminal",
	core.HintText:        "text where a length is expected",
	core.HintLittle:      "a little-endian length",
	core.HintDAP:         "the Debug Adapter Protocol",
	core.HintCharset:     "a charset other than UTF-8",
	core.HintOverLimit:   "over the size limit",
}
