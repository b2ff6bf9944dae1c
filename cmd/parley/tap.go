package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/internal/capture"
	"github.com/parley-rpc/parley/internal/tap"
	"github.com/parley-rpc/parley/internal/transcript"
)

type tapCmd struct {
	Record    string   `placeholder:"FILE" help:"Write what passes to FILE; {pid} in it becomes the process id. A capture that is there is added to."`
	Redact    []string `placeholder:"PATH" help:"Mask the values at PATH, such as params.arguments.licence or **.email, in what is recorded."`
	NoSecrets bool     `help:"Record members named like secrets as they are (see above)."`
	Rotate    byteSize `placeholder:"SIZE" help:"Once FILE has SIZE (64MiB), name it FILE.1, in place of the one before, and begin another."`
	Framing   string   `default:"guess" enum:"guess,header,line,length4" help:"How messages are told apart: guess, header, line, length4."`

	wasiFlags    `embed:"" group:"Sandbox, for a server that nobody trusts."`
	controlFlags `embed:"" group:"Control connection, for parley sessions, requests, top and others."`
}

// Help is the part of the help below the flags' summary.
func (tapCmd) Help() string {
	return `Put it in front of the server in your editor's settings; nothing else changes. Then look at what it recorded: parley
cat, stats, lint, replay, diff.

What passes is the same to the byte, and so are signals and the ends of the streams. When the disk is full or slow, the
recording loses bytes, never the session: they are counted, and named at the end on stderr.

In what is recorded, values of members whose names end in these words are masked with asterisks of the same
size, in any case and whatever - and _ stand in them, and so is what looks like them on stderr:
` + capture.SecretNames() + `.

Examples:

  parley tap --record gopls.cap -- gopls
  parley tap --record 'fs-{pid}.cap' --rotate 64MiB -- npx -y @modelcontextprotocol/server-filesystem .

Exit codes:

  The server's own; 128 and the signal's number where a signal ended it.`
}

// Run is as transparent as two more pipes can be.
func (c *tapCmd) Run(_ context.Context, e *env, server serverCommand) error {
	server, err := c.wasiFlags.command(e, server)
	if err != nil {
		return err
	}
	if len(server) == 0 {
		return usageError{"which server? Give its command behind --"}
	}
	stdin, stdout, stderr, err := e.files()
	if err != nil {
		return err
	}
	shown, err := c.controlFlags.open(e, "parley tap")
	if err != nil {
		return err
	}
	defer shown.close()
	recording, err := c.begin(e, server)
	if err != nil {
		return err
	}
	framing, err := capture.ParseFraming(c.Framing)
	if err != nil {
		return usageError{"--framing " + err.Error()}
	}
	observer, over := shown.watch(recording, framing, e.clock, c.wasiFlags.title(server))
	defer over()
	onOneProcessor()
	signals := make(chan os.Signal, 16)
	tap.Notify(signals)
	t := tap.Tap{
		Command: server, Stdin: stdin, Stdout: stdout, Stderr: stderr,
		Signals: signals, Observer: observer,
	}
	exit, err := t.Run()
	recording.end(e, exit)
	if err != nil {
		return startError{err}
	}
	if exit.Code != 0 {
		return serverExit(exit.Code)
	}
	return nil
}

// onOneProcessor keeps the runtime from looking for work on a second processor each time bytes come:
// that would be taken from the server, and a tap has work for one (docs/capture.md has the figures).
func onOneProcessor() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
}

// begin opens the recording; without --record it is nil, and records nothing.
func (c *tapCmd) begin(e *env, server serverCommand) (*recording, error) {
	redaction, err := capture.NewRedaction(!c.NoSecrets, c.Redact)
	if err != nil {
		return nil, usageError{"--redact " + err.Error()}
	}
	if c.Record == "" {
		return nil, nil
	}
	framing, err := capture.ParseFraming(c.Framing)
	if err != nil {
		return nil, usageError{"--framing " + err.Error()}
	}
	path := strings.ReplaceAll(c.Record, "{pid}", strconv.Itoa(os.Getpid()))
	header := capture.Header{
		Framing: framing, Session: rand.Text(), Started: time.Now().Add(-time.Duration(e.clock.Now())),
		Command: redaction.Command(server), Redacted: redaction.Names(),
	}
	file, err := capture.Create(path, header, int64(c.Rotate))
	if err != nil {
		return nil, usageError{"--record: " + err.Error()}
	}
	if file.Path() != path {
		fmt.Fprintf(e.stderr, "parley: %s is being written by another process; recording to %s\n", oneLine(path), oneLine(file.Path()))
	}
	return &recording{capture.NewRecorder(file, redaction), e.clock}, nil
}

// recording tells a Recorder what passes a tap. A nil one records nothing.
type recording struct {
	recorder *capture.Recorder
	clock    host.Clock
}

func (r *recording) FromClient(bytes []byte) { r.bytes(transcript.OpClient, bytes) }
func (r *recording) FromServer(bytes []byte) { r.bytes(transcript.OpServer, bytes) }
func (r *recording) FromStderr(bytes []byte) { r.bytes(transcript.OpStderr, bytes) }
func (r *recording) ClientEnded()            { r.mark(transcript.OpClientEOF, "", 0) }
func (r *recording) ServerEnded()            { r.mark(transcript.OpServerEOF, "", 0) }

func (r *recording) Signalled(signal syscall.Signal) {
	r.mark(transcript.OpSignal, signal.String(), 0)
}

// Passed wakes the writer only now, so that nobody has waited for that.
func (r *recording) Passed() {
	if r != nil {
		r.recorder.Flush()
	}
}

func (r *recording) bytes(op transcript.Op, bytes []byte) {
	if r != nil {
		r.recorder.Bytes(op, r.clock.Now(), bytes)
	}
}

func (r *recording) mark(op transcript.Op, text string, code core.Code) {
	if r != nil {
		r.recorder.Mark(op, r.clock.Now(), text, code)
	}
}

// recordingLinger is how long the disk may take for what is left when the session has ended.
const recordingLinger = 2 * time.Second

// end closes the recording and says what is missing in it.
func (r *recording) end(e *env, exit tap.Exit) {
	if r == nil {
		return
	}
	signal := ""
	if exit.Signal != 0 {
		signal = exit.Signal.String()
	}
	r.mark(transcript.OpExit, signal, core.Code(exit.Code))
	switch out := r.recorder.Close(recordingLinger); {
	case out.Err != nil:
		fmt.Fprintf(e.stderr, "parley: the recording is incomplete, %d bytes are missing: %s\n", out.LostBytes, oneLine(out.Err.Error()))
	case out.LostBytes > 0:
		fmt.Fprintf(e.stderr, "parley: the recording is incomplete, %d bytes are missing: the disk was slower than the session\n", out.LostBytes)
	}
}

// files are the process's own streams: a tap hands over descriptors, not copies.
func (e *env) files() (stdin, stdout, stderr *os.File, err error) {
	stdin, isFile := e.stdin.(*os.File)
	stdout, isOutput := e.stdout.(*os.File)
	stderr, isError := e.stderr.(*os.File)
	if !isFile || !isOutput || !isError {
		return nil, nil, nil, errors.New("a tap needs the streams of a process")
	}
	return stdin, stdout, stderr, nil
}
