//go:build unix

package capture

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/transcript"
)

// Goal: what a slow disk does not take is counted to the byte, and what follows it is understood again.
// Method: a pipe that is read once the queue has run over.
func TestRecorderCountsWhatItLoses(t *testing.T) {
	defer goleak.VerifyNone(t)
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	disk, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	file, err := Create(path, Header{Framing: FramingHeader, Session: "s"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := NewRecorder(file, redaction(t, true))
	message := []byte(header(`{"jsonrpc":"2.0","method":"a","params":"` + string(bytes.Repeat([]byte("x"), 60_000)) + `"}`))
	total := uint64(0)
	for at := core.Time(1); total < 3*QueueBytesMax; at++ {
		r.Bytes(transcript.OpServer, at, message)
		r.Flush()
		total += uint64(len(message))
	}
	written := make(chan []byte)
	go func() {
		text, err := io.ReadAll(disk) // to its end: the Recorder closes the pipe
		if err != nil {
			t.Error(err)
		}
		written <- text
	}()
	// Pieces are taken again once there is room: one that is follows the gap.
	for lost := uint64(0); ; {
		r.mu.Lock()
		before := r.lostBytes
		r.mu.Unlock()
		r.Bytes(transcript.OpServer, 1, message)
		r.Flush()
		total += uint64(len(message))
		r.mu.Lock()
		lost = r.lostBytes
		r.mu.Unlock()
		if lost == before {
			break
		}
	}
	r.Mark(transcript.OpExit, 2, "", 0)
	out := r.Close(time.Minute)
	text := <-written
	if out.Err != nil || out.LostBytes == 0 {
		t.Errorf("%+v", out)
	}
	passed, gaps, messages := tally(t, text)
	if gaps != out.LostBytes || passed+gaps != total || messages != int(passed)/len(message) {
		t.Errorf("%d bytes passed: %d recorded in %d messages, %d in gaps, %d said to be lost", total, passed, messages, gaps, out.LostBytes)
	}
}

// tally sums up what a capture holds of the server.
func tally(t *testing.T, text []byte) (passed, gaps uint64, messages int) {
	t.Helper()
	records, err := read(t, text)
	if err != nil {
		t.Fatal(err)
	}
	follower := NewFollower()
	for i := range records {
		switch rec := &records[i]; rec.Op {
		case transcript.OpServer:
			passed += uint64(len(rec.Text))
		case transcript.OpServerGap:
			gaps += rec.Count
		}
		if err := follower.Take(&records[i], func(seen *Seen) {
			if seen.Found != nil && seen.Found.Message != nil {
				messages++
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	return passed, gaps, messages
}

// Goal: every part has one header, also where a session begins with a file that is full.
func TestEveryPartHasOneHeader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cap")
	exit := transcript.Record{Op: transcript.OpExit}
	record, err := exit.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	parts := []string{}
	for _, session := range []string{"one", "two"} {
		file, err := Create(path, Header{Session: session}, 1)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := file.write(record); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			records, err := read(t, text)
			if err != nil || len(records) != 2 {
				t.Fatalf("%d records, %v", len(records), err)
			}
			h, err := parseHeader(&records[0])
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, h.Session+string(rune('0'+h.Part)))
		}
		file.file.Close()
	}
	if got := strings.Join(parts, " "); got != "one1 one2 two1 two2" {
		t.Error(got)
	}
}
