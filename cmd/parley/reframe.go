package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parley-rpc/parley/core"
)

// framingNames are the values of --from and --to, beside what else they are called.
var framingNames = map[string]core.Framing{
	"header": core.FramingHeader, "lsp": core.FramingHeader,
	"line": core.FramingLine, "mcp": core.FramingLine,
	"length4": core.FramingLength4, "len4": core.FramingLength4,
	"whole": core.FramingWhole,
}

// reframer is a filter: it reads messages in one framing and writes their bytes in another. Between
// the two lies one message and one read, however fast either side is.
type reframer struct {
	from, to *core.Conn // relays
	fromName string
	toWhole  bool

	out     io.Writer
	block   []byte // the last one written, to be used again
	count   uint64 // messages written
	judging core.Event
}

func newReframer(out io.Writer, from, to string, frameBytesMax byteSize) (*reframer, error) {
	if frameBytesMax > core.FrameBytesCeiling {
		return nil, usageError{fmt.Sprintf("--frame-max is %d bytes, want at most %d", frameBytesMax, core.FrameBytesCeiling)}
	}
	relays := [2]*core.Conn{}
	for i, name := range []string{from, to} {
		cfg := core.Defaults(core.ProfilePlain, core.RoleRelay)
		cfg.SetFraming(framingNames[name])
		cfg.Limits.FrameBytesMax = int(frameBytesMax)
		relay, err := core.New(cfg)
		if err != nil {
			return nil, err
		}
		relay.Advance(1)
		relays[i] = relay
	}
	return &reframer{
		from: relays[0], to: relays[1], fromName: from, toWhole: framingNames[to] == core.FramingWhole, out: out,
	}, nil
}

// run filters until in ends. What is read is written before more is read.
func (r *reframer) run(in io.Reader) error {
	const readBytes = 64 * core.KiB
	for {
		n, err := in.Read(r.from.Reserve(readBytes)[:readBytes])
		broken := r.from.Commit(n)
		if err == io.EOF && broken == nil {
			broken = r.finish()
		}
		// What is whole before the place where the input breaks is passed on.
		if err := r.pass(); err != nil {
			return err
		}
		switch {
		case broken != nil:
			return fmt.Errorf("stdin, as --from %s: %w", r.fromName, broken)
		case err == io.EOF:
			return nil
		case err != nil:
			return usageError{"stdin: " + err.Error()}
		}
	}
}

// finish says that nothing follows. In framing whole that ends the one message.
func (r *reframer) finish() error {
	if framingNames[r.fromName] == core.FramingWhole {
		if err := r.from.CommitMessage(0); err != nil {
			return err
		}
	}
	return r.from.CommitEOF()
}

// pass writes the messages that are complete.
func (r *reframer) pass() error {
	const all = 1<<31 - 1
	r.from.Want(all)
	for r.from.Next(&r.judging) {
		if r.judging.Kind != core.EventMessage {
			continue
		}
		if err := r.forward(&r.judging); err != nil {
			return errors.Join(err, r.flush())
		}
	}
	return r.flush()
}

// noText are what makes a frame's bytes no JSON text, so that another framing could tear them.
var noText = []core.Invalid{
	core.InvalidEmpty, core.InvalidJSON, core.InvalidUTF8, core.InvalidDepth, core.InvalidCharset, core.InvalidLineSize,
}

func (r *reframer) forward(message *core.Event) error {
	if slices.Contains(noText, message.Invalid) {
		text := fmt.Sprintf("stdin, as --from %s: message %d, at byte %d, is no JSON text (%v): %q",
			r.fromName, r.count+1, message.Offset, message.Invalid, sample(message.Frame))
		if hint := message.Hint.String(); hint != "" {
			text += " (" + hint + ")"
		}
		return protocolError{text}
	}
	if r.toWhole && r.count > 0 {
		return usageError{fmt.Sprintf("--to whole: stdout holds one message, and another is at byte %d of stdin", message.Offset)}
	}
	err := r.to.Forward(message.Frame)
	if err == core.ErrOutputFull {
		if err = r.flush(); err == nil {
			err = r.to.Forward(message.Frame)
		}
	}
	if err != nil {
		return fmt.Errorf("message at byte %d of stdin: %w", message.Offset, err)
	}
	r.count++
	return nil
}

func (r *reframer) flush() error {
	for {
		r.block = r.to.Take(r.block)
		if len(r.block) == 0 {
			return nil
		}
		n, err := r.out.Write(r.block)
		r.to.Wrote(n)
		if err != nil {
			return fmt.Errorf("stdout: %w", err)
		}
	}
}

// sample is what an error shows of a message.
func sample(text []byte) []byte { return text[:min(len(text), core.SampleBytesMax)] }
