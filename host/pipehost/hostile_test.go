package pipehost_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host/pipehost"
	"github.com/parley-rpc/parley/internal/machinetest"
	"github.com/parley-rpc/parley/internal/transcript"
)

// spelled is a value with all that it points to, for comparison.
func spelled(v any) string {
	if state, ok := v.(core.State); ok {
		broken := state.Err
		state.Err = nil
		return fmt.Sprintf("%+v %v", state, broken)
	}
	return fmt.Sprintf("%+v", v)
}

// lines are records in the binary spelling.
func lines(t *testing.T, text ...string) []byte {
	t.Helper()
	var to []byte
	for _, line := range text {
		r, err := transcript.ParseRecord([]byte(line))
		if err == nil {
			to, err = r.AppendBinary(to)
		}
		if err != nil {
			t.Fatal(line, err)
		}
	}
	return to
}

// liar answers as a command does until it has opened a connection, and then the next input with bytes
// of its own; then it hangs until its stdin ends, or leaves. It calls asked before.
func liar(answer []byte, hangs bool, asked func()) func(io.Reader, io.Writer) error {
	return func(stdin io.Reader, stdout io.Writer) error {
		reader := transcript.NewReader(stdin, 0)
		ready, err := (&transcript.Record{Op: transcript.OpReady, Time: core.Never}).AppendBinary(nil)
		for err == nil {
			var r transcript.Record
			if err = reader.Next(&r); err != nil {
				break
			}
			if r.Op == transcript.OpOpen || r.Op == transcript.OpHold {
				_, err = stdout.Write(ready)
				continue
			}
			asked()
			if _, err = stdout.Write(answer); err != nil || !hangs {
				break
			}
		}
		if hangs {
			_, _ = io.Copy(io.Discard, stdin) // how the conversation ended is what the host says
		}
		return io.EOF
	}
}

// Goal: whatever a command does instead of answering, the machine says what it was and acts as a
// closed one, at once or at the limit for an answer. Method: one liar a way.
func TestCommandsThatFail(t *testing.T) {
	const ready = "< ready never none 0"
	note := lines(t, `< notification #1 a ["`+strings.Repeat("x", 1000)+`"]`)
	size := func(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
	for _, c := range []struct {
		name   string
		answer []byte
		hangs  bool
		want   error
	}{
		{"ends at once", nil, false, pipehost.ErrEnded},
		{"ends inside a length", []byte{0, 0}, false, pipehost.ErrEnded},
		{"ends inside a record", append(size(100), 0x81), false, pipehost.ErrEnded},
		{"ends between records", lines(t, "< accepted c1"), false, pipehost.ErrEnded},
		{"says nothing", nil, true, pipehost.ErrNoAnswer},
		{"stops inside a record", append(size(100), 0x81), true, pipehost.ErrNoAnswer},
		{"claims a record of four gigabytes", size(1<<32 - 1), true, pipehost.ErrGarbled},
		{"claims a record of no bytes", size(0), true, pipehost.ErrGarbled},
		{"prints text", []byte("panic: of a runtime\n"), true, pipehost.ErrGarbled},
		{"answers an op that is unknown", append(size(5), 0x81, 0xa2, 'o', 'p', 0x7f), true, pipehost.ErrGarbled},
		{"answers with an input", lines(t, "> call a", ready), true, pipehost.ErrGarbled},
		{"accepts nothing", lines(t, ready), true, pipehost.ErrGarbled},
		{"accepts too much", lines(t, "< accepted c1", "< accepted c2", ready), true, pipehost.ErrGarbled},
		{"answers with a record for another question", lines(t, "< state open", ready), true, pipehost.ErrGarbled},
		{"goes on for ever with events", []byte(strings.Repeat(string(note), 2000)), true, pipehost.ErrGarbled},
		{"goes on for ever with nothing", []byte(strings.Repeat(string(lines(t, "< more")), 2000)), true, pipehost.ErrGarbled},
	} {
		t.Run(c.name, func(t *testing.T) {
			limit := time.Hour
			if c.want == pipehost.ErrNoAnswer {
				limit = 50 * time.Millisecond
			}
			e := inProcess(t, liar(c.answer, c.hangs, func() {}), pipehost.Answer(limit))
			m := newMachine(t, e, client())
			if _, err := m.Call("a", nil, core.CallOptions{}); err != core.ErrClosed {
				t.Errorf("the call: %v", err)
			}
			if !errors.Is(m.Err(), c.want) {
				t.Errorf("%v, want %v", m.Err(), c.want)
			}
			failure := new(pipehost.Error)
			if !errors.As(m.Err(), &failure) || strings.Contains(failure.Error(), "\n") {
				t.Errorf("%q", m.Err())
			}
			machinetest.ActsClosed(t, m)
			if _, err := e.Machine(client()); !errors.Is(err, pipehost.ErrBusy) && !errors.Is(err, c.want) {
				t.Errorf("the next machine: %v", err)
			}
		})
	}
}

// A command that does not read is not waited for either: this one writes meanwhile, and nobody reads.
func TestCommandThatStopsReading(t *testing.T) {
	e := inProcess(t, func(stdin io.Reader, stdout io.Writer) error {
		if _, err := io.ReadFull(stdin, make([]byte, 3)); err != nil {
			return err
		}
		_, err := stdout.Write([]byte("x"))
		return err
	}, pipehost.Answer(50*time.Millisecond))
	if _, err := e.Machine(client()); !errors.Is(err, pipehost.ErrNoAnswer) {
		t.Error(err)
	}
}

// A process that is killed ends its machine, and is gone.
func TestProcessThatIsKilled(t *testing.T) {
	cmd := process(t)
	e, err := pipehost.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	m := newMachine(t, e, client())
	if _, err := m.Call("a", nil, core.CallOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for m.Err() == nil {
		m.Advance(1)
	}
	if !errors.Is(m.Err(), pipehost.ErrEnded) {
		t.Error(m.Err())
	}
	machinetest.ActsClosed(t, m)
}

// Close of an engine ends whatever its machine waits for, from another goroutine.
func TestCloseEndsWhatWaits(t *testing.T) {
	asked := make(chan struct{})
	e := inProcess(t, liar(nil, true, func() { close(asked) }))
	m := newMachine(t, e, client())
	done := make(chan error)
	go func() {
		_, err := m.Call("a", nil, core.CallOptions{})
		done <- err
	}()
	<-asked
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != core.ErrClosed || !errors.Is(m.Err(), pipehost.ErrEngineClosed) {
		t.Errorf("%v, %v", err, m.Err())
	}
}
