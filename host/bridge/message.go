package bridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/parley-rpc/parley/core"
)

// message is a text on its way.
type message struct {
	to      *port // nil: nowhere
	text    []byte
	splices []core.Splice
}

func (m message) clone() message {
	m.text = bytes.Clone(m.text)
	return m
}

// judge says where a message goes: on to the other side, byte for byte but for what is spliced in; or
// back to where it came from, as an error; or nowhere, counted and logged (BRIDGE-2, BRIDGE-3).
func (r *relay) judge(from *port, ev *core.Event) message {
	if isNoMessage(ev.Invalid) {
		return r.refuseNoMessage(from, ev)
	}
	paired := r.watch.Saw(from.side, ev, r.clock.Now())
	r.life.saw(from.side, ev, &paired)
	if r.passage != nil {
		r.passage.Saw(from.side, ev)
	}
	if from == &r.server && r.isUnheard() {
		return message{}
	}
	if len(ev.Frame) > r.messageBytesMax {
		return r.refuseLarge(from, ev, &paired)
	}
	m := message{to: from.other, text: ev.Frame}
	if from == &r.page && r.processID != nil && ev.Class == core.ClassRequest && string(ev.Method) == "initialize" {
		m.splices = spliceProcessID(ev.Frame, r.processID)
	}
	return m
}

// isNoMessage tells texts that no reader can make anything of from messages with a fault, which are
// handed on: their reader says what it thinks of them.
func isNoMessage(invalid core.Invalid) bool {
	switch invalid {
	case core.InvalidEmpty, core.InvalidJSON, core.InvalidUTF8, core.InvalidDepth, core.InvalidCharset, core.InvalidScalar:
		return true
	}
	return false
}

// refuseNoMessage answers the page as a server would, and skips what a server's output holds besides
// messages.
func (r *relay) refuseNoMessage(from *port, ev *core.Event) message {
	if from == &r.server {
		r.dropped(from, ev, "what is no message")
		return message{}
	}
	code := core.CodeParse
	if ev.Invalid == core.InvalidScalar {
		code = core.CodeInvalidRequest
	}
	r.note("refused what is no message", "invalid", ev.Invalid.String(), "offset", ev.Offset, "sample", sample(ev.Frame))
	return message{to: from, text: errorText([]byte("null"), code, "not a message: invalid "+ev.Invalid.String())}
}

// refuseLarge answers on the id of what is too large to be handed on: an answer becomes an error for
// whoever waits for it, a request is refused. What has no id cannot be answered. A server's
// notification is dropped and said so in the log; a page's would leave the server with another
// document than the page has, and ends the session (BRIDGE-3).
func (r *relay) refuseLarge(from *port, ev *core.Event, paired *core.Paired) message {
	switch ev.Class {
	case core.ClassResult, core.ClassError:
		why := fmt.Sprintf("the answer to %.64s has %d bytes, at most %d are handed on", paired.Method, len(ev.Frame), r.messageBytesMax)
		return message{to: from.other, text: errorText(ev.ID, core.CodeInternal, why)}
	case core.ClassRequest:
		why := fmt.Sprintf("the request has %d bytes, at most %d are handed on", len(ev.Frame), r.messageBytesMax)
		return message{to: from, text: errorText(ev.ID, core.CodeInvalidRequest, why)}
	}
	if from == &r.page {
		r.finish(tooLarge(fmt.Sprintf("%.64s of %d bytes, at most %d", ev.Method, len(ev.Frame), r.messageBytesMax)))
		return message{}
	}
	r.dropped(from, ev, "a notification that is too large")
	return message{}
}

// dropped says what the other side will never see.
func (r *relay) dropped(from *port, ev *core.Event, what string) {
	text := ev.Frame
	if text == nil {
		text = ev.Text
	}
	r.note("dropped "+what, "method", string(ev.Method), "invalid", ev.Invalid.String(), "hint", ev.Hint.String(),
		"offset", ev.Offset, "bytes", max(len(ev.Frame), int(ev.Count)), "sample", sample(text))
}

func (r *relay) note(text string, args ...any) {
	if len(r.notes) < notesMax { // of one turn
		r.notes = append(r.notes, note{text, args})
	}
}

const notesMax = 64

// sample is the start of a text, escaped.
func sample(text []byte) string {
	return strconv.QuoteToASCII(string(text[:min(len(text), core.SampleBytesMax)]))
}

// errorText is an error answer of the bridge's own.
func errorText(id []byte, code core.Code, why string) []byte {
	message, err := json.Marshal("parley bridge: " + why)
	if err != nil {
		panic(err) // a string has a JSON text
	}
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"error":{"code":`),
		strconv.AppendInt(nil, int64(code), 10), []byte(`,"message":`), message, []byte(`}}`))
}
