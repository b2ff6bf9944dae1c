package core

import (
	"bytes"

	"github.com/parley-rpc/parley/core/internal/scan"
)

// refusal is one frame that is no message: why, and what may be said about it.
type refusal struct {
	invalid Invalid
	hint    Hint
	at      int  // offset of the deciding byte in the body
	decided bool // at is known
	offset  uint64
	sample  []byte
	id      []byte // for the answer; nil is null
	detail  []byte // what the answer names: at most SampleBytesMax of it
	answer  bool   // it may be answered at all
}

// refuse refuses the frame that holds body: the sample ends with the byte that decided, or shows
// how the body begins.
func (c *Conn) refuse(body []byte, offset uint64, r refusal) {
	end := min(len(body), SampleBytesMax)
	if r.decided {
		end = min(len(body), r.at+1)
		offset += uint64(r.at)
	}
	r.sample = body[max(0, end-SampleBytesMax):end]
	r.offset = offset
	if r.invalid == InvalidDAP {
		r.hint = HintDAP
	}
	if c.cfg.Role == RolePeer && c.message.Seen&scan.MemberMethod == 0 {
		r.answer = false // MSG-6
	}
	c.refuseFrame(r)
}

// refuseFrame applies the malformed policy to a frame that is no message (MSG-6).
func (c *Conn) refuseFrame(r refusal) {
	c.stats.Invalid++
	c.invalids++
	policy := c.malformed
	if r.invalid == InvalidDAP && c.cfg.Role == RoleClient {
		policy = malformedEnd // MSG-7
	}
	if policy == malformedEnd {
		c.violate(&ProtocolError{
			Kind: ViolationParse, Invalid: r.invalid, Offset: r.offset, Hint: r.hint, Sample: clone(r.sample),
		})
		return
	}
	kind := EventInvalid
	if c.noise(r) {
		kind = EventNoise
		if r.hint == HintNone {
			r.hint = HintStdoutNoise
		}
		c.stats.Noise++
	}
	c.push(fact{
		kind: kind, invalid: r.invalid, hint: r.hint, offset: r.offset,
		count: uint64(c.invalids), bytes: clone(r.sample),
	})
	if policy == malformedAnswer {
		if r.answer {
			text := invalidTexts[r.invalid]
			if len(r.detail) > 0 {
				text += ", not " + string(r.detail[:min(len(r.detail), SampleBytesMax)])
			}
			c.reject(r.id, r.invalid.code(), text)
		}
		return
	}
	if c.invalids >= c.cfg.Limits.MalformedMax {
		c.violate(&ProtocolError{
			Kind: ViolationNoise, Invalid: r.invalid, Offset: r.offset, Hint: r.hint, Sample: clone(r.sample),
		})
	}
}

// refuseNullID answers a request whose id is null, in every role: it is a request all the same, and
// no reason to end anything (MSG-4).
func (c *Conn) refuseNullID(body []byte) {
	c.stats.Invalid++
	c.push(fact{
		kind: EventInvalid, invalid: InvalidNullID, offset: c.frame.offset, count: 1,
		bytes: clone(body[:min(len(body), SampleBytesMax)]),
	})
	c.reject(nil, CodeInvalidRequest, invalidTexts[InvalidNullID])
}

// noise reports a line that a client skips without calling it a message at all (LINE-7).
func (c *Conn) noise(r refusal) bool {
	if c.cfg.Role != RoleClient || c.cfg.Framing != FramingLine {
		return false
	}
	first := firstByte(r.sample)
	return first != '{' && first != '['
}

// guess names the likely cause of a body that is not JSON; at is the deciding byte, framed is what
// the framing made of it (LINE-7, FRAME-9).
func (c *Conn) guess(body []byte, fault scan.Fault, at int, framed Hint) Hint {
	const header = "Content-Length:"
	switch {
	case fault == scan.FaultDepth:
		return HintOverLimit
	case len(body)-at >= len(header) && bytes.EqualFold(body[at:at+len(header)], []byte(header)):
		return HintHeader
	case c.cfg.Framing != FramingLine || c.cfg.Role != RoleClient:
		return framed
	}
	inRow := c.fragment > 0 && c.fragment == c.invalids
	c.fragment = 0
	if fragment(body, at) {
		if c.fragment = c.invalids + 1; inRow {
			return HintPretty
		}
	}
	return framed
}

// fragment reports a line that could be part of one pretty-printed text: it begins like one and
// ends too early, or begins like the middle or the end of one.
func fragment(body []byte, at int) bool {
	switch firstByte(body) {
	case '{', '[':
		return at == len(body)
	case '"', '}', ']':
		return true
	}
	return false
}

func firstByte(text []byte) byte {
	if text = bytes.TrimLeft(text, " \t\r\n"); len(text) > 0 {
		return text[0]
	}
	return 0
}

// code is what the peer is told about a frame that is no message (MSG-6).
func (i Invalid) code() Code {
	switch i {
	case InvalidEmpty, InvalidJSON, InvalidUTF8, InvalidDepth, InvalidCharset:
		return CodeParse
	}
	return CodeInvalidRequest
}

var invalidTexts = [invalidEnd]string{
	InvalidEmpty:     "Parse error: empty body",
	InvalidJSON:      "Parse error",
	InvalidUTF8:      "Parse error: not UTF-8",
	InvalidDepth:     "Parse error: nested too deeply",
	InvalidCharset:   "Parse error: charset must be utf-8",
	InvalidScalar:    "Invalid Request: neither object nor array",
	InvalidBatch:     "Invalid Request: batches are not accepted",
	InvalidVersion:   `Invalid Request: jsonrpc must be "2.0"`,
	InvalidMethod:    "Invalid Request: method must be a string",
	InvalidParams:    "Invalid Request: params must be an object or an array",
	InvalidID:        "Invalid Request: id must be a string or a number",
	InvalidNullID:    "Invalid Request: id must not be null",
	InvalidError:     "Invalid Request: misshapen error",
	InvalidShape:     "Invalid Request: neither request nor response",
	InvalidDuplicate: "Invalid Request: repeated member",
	InvalidDAP:       "Invalid Request: Debug Adapter Protocol traffic",
	InvalidLineSize:  "Invalid Request: line too long",
	InvalidBatchSize: "Invalid Request: the batch is empty or too long",
}
