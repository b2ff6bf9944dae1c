package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// The names of parley's contenders, as the targets use them.
const (
	nativeName = "parley"
	wazeroName = "parley, wazero"
)

const (
	blockFrames = 64        // frames that one read brings at once in decodeBlock
	creditMax   = 1<<31 - 1 // granted once, as whoever serves with handlers does
)

// work is one input to decode: that many frames around bodies.
type work struct {
	input  []byte // with Content-Length headers
	lines  []byte // the same, one body a line
	frames int
	// isAnswer: the one body answers the call answerID, which parley makes in each operation.
	isAnswer bool
}

func workOf(body []byte, isAnswer bool) work {
	line := body
	if isAnswer { // MCP knows only objects as results
		line = fmt.Appendf(nil, `%s{"items":%s}}`, answerHead, itemsOf(body))
	}
	return work{framed(body), lined(line), 1, isAnswer}
}

// decodeSmall is (a) at 179 bytes.
func decodeSmall(t *tools) contest {
	return contest{"decode-179B", "Decode, a notification of 179 B, one a turn", append(
		decoders(t, workOf(notification, false)),
		t.bareScan(notification), validate(notification), memcpy(framed(notification)),
	)}
}

// decodeBlock is what one read brings from a peer that is ahead.
func decodeBlock(t *tools) contest {
	return contest{"decode-block", fmt.Sprintf("Decode, %d notifications of 179 B a turn (ns/op is for all)", blockFrames), decoders(t, blockWork())}
}

func blockWork() work {
	input, lines := framed(notification), lined(notification)
	return work{bytes.Repeat(input, blockFrames), bytes.Repeat(lines, blockFrames), blockFrames, false}
}

// decodeSession is what gopls said in a session of an editor.
func decodeSession(t *tools) contest {
	var w work
	for body := range bytes.Lines(session) {
		body = bytes.TrimSpace(body)
		w.input, w.lines = append(w.input, framed(body)...), append(w.lines, lined(body)...)
		w.frames++
	}
	// A relay hands on answers that nobody here has asked for.
	contenders := []contender{relayTurn("parley, as a relay", host.Native, w), relayTurn("parley, as a relay, wazero", t.sandboxed, w)}
	for _, l := range libraries() {
		if l.name == xexpName || l.name == "go.lsp.dev/jsonrpc2" { // whose decoders take both kinds of message in any order
			contenders = append(contenders, decodeWith(l, w))
		}
	}
	return contest{"decode-session", fmt.Sprintf("Decode, a recorded session of gopls, %d messages (ns/op is for all)", w.frames), contenders}
}

// decodeAnswer is (a) for one kind of body at one size.
func decodeAnswer(t *tools, k kind, bytesMin int, label string) contest {
	body := k.body(bytesMin)
	contenders := append(decoders(t, workOf(body, true)), t.bareScan(body), validate(body), memcpy(framed(body)))
	return contest{"decode-" + label, fmt.Sprintf("Decode, an answer of %s, %d B", k.name, len(body)), contenders}
}

// decoders are parley on both engines, and every library that can do the work.
func decoders(t *tools, w work) []contender {
	contenders := []contender{decode(nativeName, host.Native, w), decode(wazeroName, t.sandboxed, w)}
	for _, l := range libraries() {
		if l.decoder(bytes.NewReader(nil), w.isAnswer) != nil {
			contenders = append(contenders, decodeWith(l, w))
		}
	}
	return append(contenders, readFrames(jrpc2Name+framingSuffix, w.input, w.frames, jrpc2Framing))
}

func decodeWith(l library, w work) contender {
	input := w.input
	if l.isLined {
		input = w.lines
	}
	return readFrames(l.name, input, w.frames, func(r io.Reader) func() error { return l.decoder(r, w.isAnswer) })
}

// readFrames reads the input over and over as one stream that never ends.
func readFrames(name string, input []byte, frames int, open func(io.Reader) func() error) contender {
	return contender{name, len(input), func() (worker, error) {
		read := open(&endless{input: input, chunkBytes: len(input)})
		return loop(func() error {
			for range frames {
				if err := read(); err != nil {
					return err
				}
			}
			return nil
		}, nil), nil
	}}
}

// endless yields its input over and over, in chunks of at most chunkBytes.
type endless struct {
	input      []byte
	chunkBytes int
	at         int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p[:min(len(p), e.chunkBytes)], e.input[e.at:])
	e.at = (e.at + n) % len(e.input)
	return n, nil
}

// memcpy is the floor: the bytes are moved once.
func memcpy(input []byte) contender {
	space := make([]byte, len(input))
	return repeat("memcpy", len(input), func() error {
		copy(space, input)
		return nil
	})
}

// validate is what the standard library asks for the verdict alone.
func validate(body []byte) contender {
	return repeat("json.Valid", len(body), func() error {
		if !json.Valid(body) {
			return errors.New("the body is not JSON")
		}
		return nil
	})
}

// decode is a whole turn of the core for each operation: space, copy as a read would, commit,
// advance, and every event fetched.
func decode(name string, engine host.Engine, w work) contender {
	return decodeIn(name, engine, w, len(w.input))
}

// decodeIn commits the input in chunks, each of them a turn.
func decodeIn(name string, engine host.Engine, w work, chunkBytes int) contender {
	return contender{name, len(w.input), func() (worker, error) {
		cfg := core.Defaults(core.ProfileLSP, core.RoleClient)
		cfg.Inbound = core.InboundMessages
		cfg.Limits.FrameBytesMax = max(cfg.Limits.FrameBytesMax, len(w.input))
		machine, err := engine(cfg)
		if err != nil {
			return worker{}, err
		}
		machine.Want(creditMax)
		ev := new(core.Event) // one for all turns: behind an interface it would be an allocation each
		op := func() error {
			if w.isAnswer {
				if err := callAnswered(machine); err != nil {
					return err
				}
			}
			return turns(machine, ev, w.input, chunkBytes, w.frames)
		}
		return loop(op, machine.Close), nil
	}}
}

// relayTurn decodes in the role that hands on whatever comes.
func relayTurn(name string, engine host.Engine, w work) contender {
	return contender{name, len(w.input), func() (worker, error) {
		cfg := core.Defaults(core.ProfileLSP, core.RoleRelay)
		machine, err := engine(cfg)
		if err != nil {
			return worker{}, err
		}
		machine.Want(creditMax)
		ev := new(core.Event)
		return loop(func() error { return turns(machine, ev, w.input, len(w.input), w.frames) }, machine.Close), nil
	}}
}

func turns(machine host.Machine, ev *core.Event, input []byte, chunkBytes, frames int) error {
	found := 0
	for len(input) > 0 {
		n := copy(machine.Reserve(min(len(input), chunkBytes)), input[:min(len(input), chunkBytes)])
		input = input[n:]
		if err := host.Turn(machine, n, 1); err != nil {
			return err
		}
		for machine.Next(ev) {
			if ev.Kind == core.EventNotification || ev.Kind == core.EventResult || ev.Kind == core.EventMessage {
				found++
			}
		}
	}
	if found != frames {
		return fmt.Errorf("decoded %d messages, want %d", found, frames)
	}
	return nil
}

// callAnswered makes the call that the body answers, and writes it to nowhere.
func callAnswered(machine host.Machine) error {
	_, err := machine.Call("textDocument/completion", nil, core.CallOptions{ID: []byte(answerID)})
	if err != nil {
		return err
	}
	return discard(machine)
}

// discard takes what is to be written and says that it was.
func discard(machine host.Machine) error {
	for block := machine.Take(nil); block != nil; block = machine.Take(block[:0]) {
		machine.Wrote(len(block))
	}
	return machine.Err()
}
