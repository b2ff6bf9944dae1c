package child

import (
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	// TailBytesMax is how much of a child's stderr is kept, and how much may wait for a sink
	// (STOP-7).
	TailBytesMax = 64 << 10
	// lastLineBytesMax is how much of it an error shows.
	lastLineBytesMax = 400
	// stderrReadBytes is how much is read at once.
	stderrReadBytes = 4 << 10
)

// Tail keeps the end of what a child wrote to stderr. Every method may be called from any
// goroutine.
type Tail struct {
	pipe  *os.File
	sink  *sink // nil: none
	ended chan struct{}

	mu         sync.Mutex
	ring       []byte // grows to TailBytesMax, then wraps
	oldest     int    // offset of the oldest byte in a full ring
	bytesTotal int64
}

func newTail(pipe *os.File, w io.Writer) *Tail {
	t := &Tail{pipe: pipe, ended: make(chan struct{})}
	if w != nil {
		t.sink = newSink(w)
	}
	go t.drain()
	return t
}

// Bytes returns a copy of the last TailBytesMax bytes, as the child wrote them.
func (t *Tail) Bytes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append(append([]byte(nil), t.ring[t.oldest:]...), t.ring[:t.oldest]...)
}

// BytesTotal is how many bytes the child has written to stderr.
func (t *Tail) BytesTotal() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytesTotal
}

// BytesLost is how many of them the sink did not get: it was too slow, or it failed.
func (t *Tail) BytesLost() int64 {
	if t.sink == nil {
		return 0
	}
	return t.sink.bytesLost()
}

func (t *Tail) drain() {
	defer close(t.ended)
	if t.sink != nil {
		defer t.sink.finish()
	}
	buf := make([]byte, stderrReadBytes)
	for {
		n, err := t.pipe.Read(buf)
		t.add(buf[:n])
		if t.sink != nil {
			t.sink.add(buf[:n])
		}
		if err != nil { // the end, or finish
			return
		}
	}
}

func (t *Tail) add(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bytesTotal += int64(len(p))
	if room := TailBytesMax - len(t.ring); room > 0 {
		n := min(room, len(p))
		t.ring = append(t.ring, p[:n]...)
		p = p[n:]
	}
	for len(p) > 0 {
		n := copy(t.ring[t.oldest:], p)
		t.oldest = (t.oldest + n) % TailBytesMax
		p = p[n:]
	}
}

// finish ends the draining, when stderr ends or after limit, and gives the sink as long to take
// the rest.
func (t *Tail) finish(limit time.Duration) {
	within(limit, t.ended)
	closeAll(t.pipe)
	<-t.ended
	if t.sink != nil {
		within(limit, t.sink.ended)
	}
}

// lastLine returns the end of the text, quoted into one printable line, or "" if there is none.
func (t *Tail) lastLine() string {
	text := strings.TrimSpace(string(t.Bytes()))
	if text == "" {
		return ""
	}
	cut := max(0, len(text)-lastLineBytesMax)
	if cut == 0 {
		return strconv.Quote(text)
	}
	for cut < len(text) && !utf8.RuneStart(text[cut]) {
		cut++
	}
	return "…" + strconv.Quote(text[cut:])
}
