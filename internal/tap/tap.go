// Package tap stands between a client and the server that it started: it starts the server in its
// own place, and passes on bytes, signals, ends of streams and the exit code, as they come. It looks
// at nothing and decides nothing; who wants to know what passed is told afterwards, a copy each.
//
// It is no part of package host because it holds no session: host.Peer speaks a protocol, a tap must
// not (API-1).
package tap

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/polled"
)

// Observer is told what passes, from several goroutines. It is told before the bytes are passed on, so
// that a question is known before its answer can be; the server and the client wait while it runs.
type Observer interface {
	FromClient(bytes []byte) // valid during the call, as those below
	FromServer(bytes []byte)
	FromStderr(bytes []byte)
	Passed()      // what was told last by this goroutine has been passed on: nobody waits for what it takes
	ClientEnded() // the client closed its output
	ServerEnded() // the server closed its output
	Signalled(signal syscall.Signal)
}

// Tap is a server to be started, and the streams of who starts it.
type Tap struct {
	Command  []string // program and arguments
	Stdin    *os.File // closed when the server closes its input
	Stdout   *os.File // closed when the server closes its output
	Stderr   *os.File
	Signals  <-chan os.Signal // passed on to the server's process group
	Observer Observer
}

// Exit is how the server ended.
type Exit struct {
	Code   int            // its exit code, or 128 and the number of the signal that ended it
	Signal syscall.Signal // 0: none
}

// lastWords is how long output is waited for after the server has exited and while somebody it
// started holds its output open (STOP-4).
const lastWords = 500 * time.Millisecond

// readBytesMax is how much is read at once: what a pipe of Linux holds.
const readBytesMax = 64 * core.KiB

// Run starts the server and returns once it has exited and what it wrote has been passed on. The
// error is that it cannot be started. What Stdin still held stays unread.
func (t *Tap) Run() (Exit, error) {
	cmd := exec.Command(t.Command[0], t.Command[1:]...)
	ownGroup(cmd)
	var pipes pipes
	input, output, stderr, err := pipes.open(cmd)
	if err != nil {
		return Exit{}, err
	}
	err = cmd.Start()
	pipes.closeTheirs()
	if err != nil {
		pipes.closeOurs()
		return Exit{}, err
	}
	stdin := polled.Open(t.Stdin)
	defer stdin.Close()
	exited := make(chan struct{})
	fromServer := &flow{from: output, to: t.Stdout, saw: t.Observer.FromServer, passed: t.Observer.Passed, exited: exited}
	fromStderr := &flow{from: stderr, to: t.Stderr, saw: t.Observer.FromStderr, passed: t.Observer.Passed, exited: exited}
	fromClient := &flow{from: stdin.File, to: input, saw: t.Observer.FromClient, passed: t.Observer.Passed}
	go func() {
		if fromClient.run() {
			t.Observer.ClientEnded()
		}
		input.Close()
		stdin.Close()
	}()
	outputDone, stderrDone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(outputDone)
		if fromServer.run() {
			t.Observer.ServerEnded()
		}
		t.Stdout.Close()
		output.Close()
	}()
	go func() {
		defer close(stderrDone)
		fromStderr.run()
		stderr.Close()
	}()
	go t.passSignals(cmd.Process, exited)
	// The error repeats the exit status, which is ours to return.
	_ = cmd.Wait()
	close(exited)
	fromServer.hurry()
	fromStderr.hurry()
	<-outputDone
	<-stderrDone
	return exitOf(cmd.ProcessState), nil
}

func (t *Tap) passSignals(server *os.Process, exited <-chan struct{}) {
	for {
		select {
		case caught := <-t.Signals:
			if signal, ok := caught.(syscall.Signal); ok {
				signalGroup(server, signal)
				t.Observer.Signalled(signal)
			}
		case <-exited:
			return
		}
	}
}

// pipes are the three pipes of a server.
type pipes struct{ ours, theirs []*os.File }

func (p *pipes) open(cmd *exec.Cmd) (input, output, stderr *os.File, err error) {
	stdin, input, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	p.theirs, p.ours = append(p.theirs, stdin), append(p.ours, input)
	output, stdout, err := os.Pipe()
	if err != nil {
		p.closeTheirs()
		p.closeOurs()
		return nil, nil, nil, err
	}
	p.theirs, p.ours = append(p.theirs, stdout), append(p.ours, output)
	stderr, theirStderr, err := os.Pipe()
	if err != nil {
		p.closeTheirs()
		p.closeOurs()
		return nil, nil, nil, err
	}
	p.theirs, p.ours = append(p.theirs, theirStderr), append(p.ours, stderr)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, theirStderr
	return input, output, stderr, nil
}

func (p *pipes) closeTheirs() { closeAll(p.theirs) }
func (p *pipes) closeOurs()   { closeAll(p.ours) }

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// flow passes on one direction.
type flow struct {
	from, to *os.File
	saw      func([]byte)
	passed   func()
	exited   <-chan struct{} // nil: from is not the server's
}

// run passes bytes on until there are no more, or nobody takes them, and reports whether the stream
// ended by itself.
func (f *flow) run() bool {
	buffer := make([]byte, readBytesMax)
	for {
		n, err := f.from.Read(buffer)
		if n > 0 {
			f.saw(buffer[:n])
			if _, writeErr := f.to.Write(buffer[:n]); writeErr != nil {
				return false
			}
			f.passed()
			f.hurryAfterExit()
		}
		if err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

// hurry bounds the wait for more output.
func (f *flow) hurry() {
	// A pipe that cannot be bounded ends when the last process that holds it does.
	_ = f.from.SetReadDeadline(time.Now().Add(lastWords))
}

func (f *flow) hurryAfterExit() {
	if f.exited == nil {
		return
	}
	select {
	case <-f.exited:
		f.hurry()
	default:
	}
}
