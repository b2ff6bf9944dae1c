package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/internal/chaos"
)

// faults are what "parley peer" does wrong, on purpose and as often as it is told.
type faults struct {
	Delay time.Duration `placeholder:"TIME" help:"Wait before each write."`
	Split int           `placeholder:"N" help:"Write in pieces of 1 to N bytes."`

	Drop        float64 `placeholder:"P" help:"Lose each message with probability P, 0 to 1."`
	Junk        float64 `placeholder:"P" help:"Print a line on stdout before a message."`
	WrongLength float64 `placeholder:"P" help:"Announce a length that is off by 1 to 16 bytes."`
	AnswerTwice float64 `placeholder:"P" help:"Repeat an answer."`
	NeverAnswer bool    `help:"Lose every answer; notifications pass."`
	OutOfOrder  bool    `help:"Answer last first what is asked together; --delay is 20ms, unless given."`

	Preface  string `placeholder:"TEXT" help:"Write TEXT first; escapes as in Go: 'ready\\n', '\\x1b[1m', '\\ufeff'."`
	FrameAs  string `enum:",header,line,length4" default:"" help:"Frame messages in another way than the client does: header, line or length4."`
	Pretty   bool   `help:"Print each message over several lines."`
	TextMode bool   `help:"Write CR LF for LF, as a stdout in text mode does."`
	BareLF   bool   `name:"bare-lf" help:"Write LF for CR LF."`
	UTF16    bool   `name:"utf16" help:"Write UTF-16 with a byte order mark."`
	Buffer   int    `placeholder:"N" help:"Hold back what is written until it is N bytes, or the end."`

	Fail      string `placeholder:"TEXT" help:"Print TEXT on stderr, and end with exit code 1 at once."`
	NeedStdio bool   `help:"Print how to use this and end with exit code 2, unless --stdio is given too."`
	Stdio     bool   `hidden:""`

	NeverRead bool `help:"Never read stdin."`
	IgnoreEOF bool `name:"ignore-eof" help:"Stay when stdin ends."`

	Flood       int    `placeholder:"N" help:"Write N notifications unasked, at once."`
	StderrFlood int64  `placeholder:"N" help:"Write N bytes to stderr, at once."`
	DieAtByte   *int64 `placeholder:"N" help:"Kill this process when N bytes are on stdout."`

	HoldStdout time.Duration `placeholder:"TIME" help:"Start a process that keeps stdout open that long."`

	Seed uint64 `default:"1" help:"What all chances are drawn from."`
}

// Validate is called by kong.
func (f *faults) Validate() error {
	for name, p := range map[string]float64{
		"drop": f.Drop, "junk": f.Junk, "wrong-length": f.WrongLength, "answer-twice": f.AnswerTwice,
	} {
		if !(p >= 0 && p <= 1) { // NaN is neither
			return fmt.Errorf("--%s is a probability, 0 to 1", name)
		}
	}
	for name, n := range map[string]int64{
		"delay": int64(f.Delay), "split": int64(f.Split), "flood": int64(f.Flood), "buffer": int64(f.Buffer),
		"stderr-flood": f.StderrFlood, "hold-stdout": int64(f.HoldStdout),
	} {
		if n < 0 {
			return fmt.Errorf("--%s is not negative", name)
		}
	}
	if f.Preface != "" && unescape(f.Preface) == "" {
		return errors.New(`--preface: an escape is wrong; as in Go: \n, \x1b, \ufeff`)
	}
	if f.DieAtByte != nil && *f.DieAtByte < 0 {
		return errors.New("--die-at-byte is not negative")
	}
	return nil
}

// transport is the process's own stdin and stdout with the faults on them, for a session with cfg.
// Without faults it is what any server has: both moved out of the way of stray prints (FRAME-8).
func (f *faults) transport(e *env, cfg core.Config) (*host.Transport, error) {
	if err := f.refuseToStart(e); err != nil {
		return nil, err
	}
	if *f == (faults{Seed: f.Seed, Stdio: f.Stdio, NeedStdio: f.NeedStdio}) {
		return host.Stdio()
	}
	if f.WrongLength > 0 && cfg.Framing == core.FramingLine {
		return nil, usageError{"--wrong-length: lines announce no length; use lsp or echo --framing header"}
	}
	// Descriptor 1 stays the wire, for the process that is to hold it: a client that has left must
	// not end us by a signal.
	signal.Ignore(syscall.SIGPIPE)
	if f.HoldStdout > 0 {
		if err := hold(e, f.HoldStdout); err != nil {
			return nil, err
		}
	}
	wire := f.bytesOut(os.Stdout)
	if preface := unescape(f.Preface); preface != "" {
		if _, err := io.WriteString(wire, preface); err != nil {
			return nil, err
		}
	}
	out, err := chaos.NewMessages(wire, cfg, f.filters()...)
	if err != nil {
		return nil, err
	}
	if f.FrameAs != "" {
		out.FrameAs(framings[f.FrameAs].framing)
	}
	go func() {
		// An error is the end of the client, or ours: nobody is left to be told.
		_ = chaos.Flood(out, f.Flood)
	}()
	begun := make(chan struct{})
	go func() {
		_ = chaos.FloodText(e.stderr, f.StderrFlood, begun) // likewise
	}()
	<-begun
	return host.Pipes(f.bytesIn(os.Stdin), out), nil
}

// unescape resolves Go's escapes; it is empty where one is wrong.
func unescape(text string) string {
	plain, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
	if err != nil {
		return ""
	}
	return plain
}

// refuseToStart ends a server that cannot, or does not want to, start.
func (f *faults) refuseToStart(e *env) error {
	if f.NeedStdio && !f.Stdio {
		fmt.Fprintln(e.stderr, "Usage: server --stdio | --socket=PORT")
		return codeError(exitUsage)
	}
	if f.Fail != "" {
		fmt.Fprintln(e.stderr, f.Fail)
		return codeError(1)
	}
	return nil
}

// random is a generator of a fault's own, so that turning another on leaves its choices alone.
func (f *faults) random(fault uint64) *rand.Rand { return rand.New(rand.NewPCG(f.Seed, fault)) }

func (f *faults) filters() []chaos.Filter {
	var filters []chaos.Filter
	add := func(wanted bool, filter chaos.Filter) {
		if wanted {
			filters = append(filters, filter)
		}
	}
	add(f.NeverAnswer, chaos.NeverAnswer())
	add(f.OutOfOrder, chaos.OutOfOrder())
	add(f.Drop > 0, chaos.Drop(f.random(1), f.Drop))
	add(f.AnswerTwice > 0, chaos.AnswerTwice(f.random(2), f.AnswerTwice))
	add(f.WrongLength > 0, chaos.WrongLength(f.random(3), f.WrongLength))
	add(f.Pretty, chaos.Pretty())
	add(f.Junk > 0, chaos.Junk(f.random(4), f.Junk))
	return filters
}

func (f *faults) bytesOut(out io.WriteCloser) io.WriteCloser {
	if f.DieAtByte != nil {
		out = chaos.DieAtByte(out, *f.DieAtByte, killSelf)
	}
	if f.Buffer > 0 {
		out = chaos.Buffer(out, f.Buffer)
	}
	if f.UTF16 {
		out = chaos.UTF16(out)
	}
	if f.TextMode {
		out = chaos.TextMode(out)
	}
	if f.BareLF {
		out = chaos.BareLF(out)
	}
	wait := f.Delay
	if f.OutOfOrder && wait == 0 {
		wait = 20 * time.Millisecond
	}
	if wait > 0 {
		out = chaos.Delay(out, wait)
	}
	if f.Split > 0 {
		out = chaos.Split(out, f.random(5), f.Split)
	}
	return out
}

func (f *faults) bytesIn(in io.ReadCloser) io.ReadCloser {
	switch {
	case f.NeverRead:
		return chaos.NeverRead(in)
	case f.IgnoreEOF:
		return chaos.IgnoreEOF(in)
	}
	return in
}

// hold starts the process that keeps stdout open, and does not wait for it: it ends by itself.
func hold(e *env, lasting time.Duration) error {
	program, err := e.executable()
	if err != nil {
		return err
	}
	holder := exec.Command(program, "peer", "hold", lasting.String())
	holder.Stdout = os.Stdout
	if err := holder.Start(); err != nil {
		return err
	}
	return holder.Process.Release()
}

// killSelf does not return: no deferred call runs and nothing is flushed, as in a crash.
func killSelf() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err) // as good a crash as any
	}
	select {}
}
