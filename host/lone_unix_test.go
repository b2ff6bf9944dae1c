//go:build unix

package host

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// watchedPipe counts the writes of the writer: those at once pass it by.
type watchedPipe struct {
	*os.File
	writes atomic.Int64
}

func (w *watchedPipe) Write(p []byte) (int, error) {
	w.writes.Add(1)
	return w.File.Write(p)
}

// overPipes starts a session over two pipes of which far is the other end.
func overPipes(t *testing.T, options Options) (p *Peer, writer *watchedPipe, farReader, farWriter *os.File) {
	t.Helper()
	nearReader, farWriter, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	farReader, nearWriter, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	transport := Pipes(nearReader, nearWriter)
	writer = &watchedPipe{File: nearWriter}
	transport.writer = writer
	p, err = New(transport, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		farWriter.Close()
		farReader.Close()
		p.Close()
	})
	return p, writer, farReader, farWriter
}

// SEND-1: a lone call, and a lone answer, leave without the writer; notifications wait for those behind them.
func TestLoneMessageLeavesAtOnce(t *testing.T) {
	mux := NewMux()
	mux.HandleRaw("echo", 0, func(_ context.Context, params json.RawMessage) (json.RawMessage, error) { return params, nil })
	options := Plain
	options.Mux = mux
	p, writer, farReader, farWriter := overPipes(t, options)
	lines := bufio.NewReader(farReader)
	result := make(chan error, 1)
	go func() {
		_, err := p.CallRaw(t.Context(), "m", nil)
		result <- err
	}()
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, `"m"`) {
		t.Fatalf("the call came as %q, %v", line, err)
	}
	io.WriteString(farWriter, `{"jsonrpc":"2.0","id":1,"result":1}`+"\n")
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	io.WriteString(farWriter, `{"jsonrpc":"2.0","id":"x","method":"echo","params":[7]}`+"\n")
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, `[7]`) {
		t.Fatalf("the answer came as %q, %v", line, err)
	}
	if n := writer.writes.Load(); n != 0 {
		t.Errorf("the writer made %d writes, want none", n)
	}
	if err := p.NotifyRaw(t.Context(), "n", nil); err != nil {
		t.Fatal(err)
	}
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := writer.writes.Load(); n != 1 {
		t.Errorf("a notification made %d writes of the writer, want 1", n)
	}
}

// SEND-1: a pipe that is full, or takes a part: the caller does not wait for it, and no byte is lost or sent twice.
func TestFullPipeIsLeftToTheWriter(t *testing.T) {
	const pageBytes = 4096
	for name, roomBytes := range map[string]int{"full": 0, "a page is left": pageBytes} {
		t.Run(name, func(t *testing.T) {
			p, writer, farReader, _ := overPipes(t, Plain)
			fillerBytes := fill(t, writer.File)
			if _, err := io.ReadFull(farReader, make([]byte, roomBytes)); err != nil {
				t.Fatal(err)
			}
			params := json.RawMessage(`["` + strings.Repeat("x", 10_000) + `"]`)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			result := make(chan error, 1)
			go func() {
				_, err := p.CallRaw(ctx, "m", params)
				result <- err
			}()
			for p.State().AcceptedBytes == 0 {
				runtime.Gosched()
			}
			cancel()
			if err := <-result; !errors.Is(err, ErrCanceled) {
				t.Errorf("a call that was cancelled while its frame lay before a pipe: %v", err)
			}
			if _, err := io.ReadFull(farReader, make([]byte, fillerBytes-roomBytes)); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(farReader).ReadBytes('\n')
			if err != nil || !json.Valid(line) || !bytes.Contains(line, params) {
				t.Errorf("the call came as %d bytes, %v: %.60q", len(line), err, line)
			}
		})
	}
}

// fill writes to a pipe until it takes no more, and returns how much that was.
func fill(t *testing.T, pipe *os.File) (fillerBytes int) {
	t.Helper()
	raw, err := pipe.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	page := make([]byte, 4096)
	err = raw.Control(func(fd uintptr) {
		for {
			n, err := unix.Write(int(fd), page)
			if err != nil {
				return
			}
			fillerBytes += n
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return fillerBytes
}

// The peer is gone: the writer finds out, and says so as it always does.
func TestBrokenPipeIsLeftToTheWriter(t *testing.T) {
	p, writer, farReader, _ := overPipes(t, Plain)
	farReader.Close()
	_, err := p.CallRaw(t.Context(), "m", nil)
	if !errors.Is(err, ErrClosed) {
		t.Errorf("a call into a broken pipe: %v", err)
	}
	if n := writer.writes.Load(); n != 1 {
		t.Errorf("the writer made %d writes, want 1", n)
	}
}

// What embeds a file may do more than it when it writes; a descriptor in blocking mode may wait.
func TestWriteAtOnceIsForBareDescriptors(t *testing.T) {
	reader, file, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer file.Close()
	if newAtOnce(file) == nil {
		t.Error("a pipe is not written to at once")
	}
	if newAtOnce(&watchedPipe{File: file}) != nil {
		t.Error("what embeds a pipe is passed by")
	}
	file.Fd() // puts it into blocking mode
	if newAtOnce(file) != nil {
		t.Error("a write that waits in the kernel is made by the caller")
	}
}
