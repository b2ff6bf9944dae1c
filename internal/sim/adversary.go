package sim

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-rpc/parley/core"
)

// adversary is a peer without a machine: it knows every id on the wire and keeps no rule.
type adversary struct {
	d      draw
	victim *end
}

// speaks puts one more thing on the victim's way.
func (a *adversary) speaks() {
	d := a.d
	switch d.IntN(10) {
	case 0:
		a.frame(pick(d, nonsense...))
	case 1:
		if !a.victim.in.isWhole && d.oneIn(3) {
			a.victim.in.send([]byte(pick(d, rawBytes...)))
		}
	case 2:
		list := make([]string, d.IntN(5))
		for i := range list {
			list[i] = a.message()
		}
		a.frame("[" + strings.Join(list, ",") + "]")
	case 3, 4:
		a.frame(a.answer())
	case 5:
		text := a.message()
		for range 1 + d.IntN(20) {
			a.frame(text)
		}
	default:
		a.frame(a.message())
	}
}

// frame puts a body on the victim's way, framed as it should be.
func (a *adversary) frame(body string) {
	in := a.victim.in
	switch a.victim.cfg.Framing {
	case core.FramingHeader:
		in.send([]byte("Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n"))
	case core.FramingLength4:
		in.send(binary.BigEndian.AppendUint32(nil, uint32(len(body))))
	}
	in.send([]byte(body))
	if a.victim.cfg.Framing == core.FramingLine {
		in.send([]byte("\n"))
	}
}

func (a *adversary) message() string {
	switch a.d.IntN(8) {
	case 0, 1:
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}`, a.id(), pick(a.d, requestMethods...), a.victim.params(60))
	case 2:
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"%s","params":%s}`, pick(a.d, notificationMethods...), a.victim.params(60))
	case 3:
		return a.cancel()
	case 4:
		return a.progress()
	}
	return a.answer()
}

// id draws few values in many spellings, so that ids collide.
func (a *adversary) id() string {
	if a.d.oneIn(3) {
		*a.victim.serial++
		return strconv.Itoa(*a.victim.serial)
	}
	return pick(a.d, `1`, `2`, `3`, `1.0`, `2e0`, `-0`, `0`, `"1"`, `"a"`, `"\u0061"`, `null`, `1.5`, `9007199254740993`)
}

func (a *adversary) cancel() string {
	id := a.id()
	name := "number"
	switch {
	case a.victim.cfg.Profile == core.ProfileLSP:
		name = "id"
	case a.victim.cfg.Profile == core.ProfileMCP:
		name = "requestId"
	case id[0] == '"':
		name = "text"
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"%s","params":{"%s":%s}}`, cancelMethods[a.victim.cfg.Profile], name, id)
}

func (a *adversary) progress() string {
	token := pick(a.d, `"t"`, `1`, `2`, `"none"`)
	if a.victim.cfg.Profile == core.ProfileMCP {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s}}`, token)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/progress","params":{"token":%s}}`, token)
}

// answer answers a call on the wire, again or wrongly too, or one that never was.
func (a *adversary) answer() string {
	id := a.id()
	calls := &a.victim.model.calls
	if begun := calls.begun; len(begun) > 0 && !a.d.oneIn(8) {
		id = a.respelled(begun[len(begun)-1-a.d.wild(len(begun)-1)].key)
	}
	isOwed := func(c *call) bool { return c.isAbandoned() && !c.noticed }
	if at := slices.IndexFunc(calls.begun, isOwed); at >= 0 && a.d.oneIn(2) {
		id = a.respelled(calls.begun[at].key)
	}
	value := a.victim.params(60)
	switch a.d.IntN(8) {
	case 0:
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"m\u0061","data":%s}}`, id, a.d.IntN(1000), value)
	case 1:
		return fmt.Sprintf(pick(a.d, misshapen...), id)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, value)
}

// respelled spells the id with this key, not always as it was sent.
func (a *adversary) respelled(key string) string {
	if key[0] == 's' {
		return strconv.Quote(key[1:])
	}
	number := strings.TrimLeft(key, "n?")
	if a.d.oneIn(4) {
		return number + ".0"
	}
	return number
}

// misshapen are answers that are none; each names an id.
var misshapen = []string{
	`{"jsonrpc":"2.0","id":%s}`,
	`{"jsonrpc":"2.0","id":%s,"result":1,"error":{"code":1,"message":""}}`,
	`{"jsonrpc":"2.0","id":%s,"error":{"code":"1"}}`,
	`{"jsonrpc":"1.0","id":%s,"result":1}`,
	`{"jsonrpc":"2.0","id":%s,"error":7}`,
	`{"jsonrpc":"2.0","id":%s,"error":null}`,
	`{"jsonrpc":"2.0","id":%s,"result":1,"result":2}`,
}

// nonsense are bodies that are no messages.
var nonsense = []string{
	``, `{`, `nul`, `1`, `"text"`, `[]`, `[1]`, `[[]]`, `{}`, "\x00", "\xff\xfe", `{"jsonrpc":"2.0"}`,
	`{"seq":1,"type":"event"}`, `{"jsonrpc":"2.0","method":1}`, `{"jsonrpc":"2.0","method":"m","params":3}`,
	`{"jsonrpc":"2.0","id":true,"method":"read"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`,
	"\uFEFF" + `{"jsonrpc":"2.0","method":"note"}`, `[[[[[[[[[[]]]]]]]]]]`, "\x1b[31mred",
	`{"jsonrpc":"2.0","method":"$/cancelRequest"}`, `{"jsonrpc":"2.0","id":7,"method":"$/cancelRequest","params":{"id":1}}`,
}

// rawBytes are no frames, or parts of some.
var rawBytes = []string{
	"\r\n", "\n", " ", "Content-Length: 5\r\n", "content-length:2\r\nX: y\r\n\r\n{}", "Content-Length: -1\r\n\r\n",
	"Content-Length: 2\n\n{}", "Content-Length: 99999999999\r\n\r\n", "{\"a\":", "\x00\x00\x00\x02", "\xff\xff\xff\xff", "warning: x\n",
}
