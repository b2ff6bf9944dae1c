package chaos_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/chaos"
)

const (
	request      = `{"jsonrpc":"2.0","id":1,"method":"ask"}`
	notification = `{"jsonrpc":"2.0","method":"tell"}`
	result       = `{"jsonrpc":"2.0","id":1,"result":null}`
	failure      = `{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"no"}}`
)

// everything is one message of each kind.
var everything = []string{request, notification, result, failure}

// sink keeps what is written, write by write.
type sink struct {
	mu     sync.Mutex
	writes []string
	closed bool
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes = append(s.writes, string(p))
	return len(p), nil
}

func (s *sink) Close() error {
	s.closed = true
	return nil
}

func (s *sink) text() string { return strings.Join(s.writes, "") }

func config(framing core.Framing) core.Config {
	cfg := core.Defaults(core.ProfilePlain, core.RoleServer)
	cfg.Framing = framing
	return cfg
}

func frame(framing core.Framing, text string) string {
	switch framing {
	case core.FramingLine:
		return text + "\n"
	case core.FramingLength4:
		return string(binary.BigEndian.AppendUint32(nil, uint32(len(text)))) + text
	}
	return "Content-Length: " + strconv.Itoa(len(text)) + "\r\n\r\n" + text
}

func frames(framing core.Framing, texts ...string) string {
	var all strings.Builder
	for _, text := range texts {
		all.WriteString(frame(framing, text))
	}
	return all.String()
}

func newMessages(t *testing.T, out io.WriteCloser, framing core.Framing, filters ...chaos.Filter) *chaos.Messages {
	t.Helper()
	m, err := chaos.NewMessages(out, config(framing), filters...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustWrite(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if n, err := io.WriteString(w, text); n != len(text) || err != nil {
		t.Fatalf("wrote %d of %d bytes: %v", n, len(text), err)
	}
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// Without filters everything passes as it is, however it is cut, and filters see every message once.
func TestMessagesAreCutOut(t *testing.T) {
	for _, framing := range []core.Framing{core.FramingHeader, core.FramingLine, core.FramingLength4} {
		whole := frames(framing, everything...)
		for _, bytesEach := range []int{1, 7, len(whole)} {
			var out sink
			var seen []string
			m := newMessages(t, &out, framing, func(messages []chaos.Message) []chaos.Message {
				for _, message := range messages {
					seen = append(seen, fmt.Sprint(string(message.Text), message.Answer))
				}
				return messages
			})
			for piece := range slices.Chunk([]byte(whole), bytesEach) {
				mustWrite(t, m, string(piece))
			}
			if out.text() != whole {
				t.Errorf("framing %d, %d bytes each: %q", framing, bytesEach, out.text())
			}
			want := []string{request + "false", notification + "false", result + "true", failure + "true"}
			if !slices.Equal(seen, want) {
				t.Errorf("framing %d, %d bytes each: seen %q", framing, bytesEach, seen)
			}
		}
	}
}

func TestManyMessagesInOneWrite(t *testing.T) {
	var out sink
	m := newMessages(t, &out, core.FramingLine)
	whole := strings.Repeat(frame(core.FramingLine, notification), 5000)
	mustWrite(t, m, whole)
	if out.text() != whole {
		t.Errorf("%d of %d bytes came through", len(out.text()), len(whole))
	}
}

func TestFilters(t *testing.T) {
	const line = core.FramingLine
	junk := func(n int) string { return fmt.Sprintf("junk on stdout, line %d", n) }
	for _, test := range []struct {
		name   string
		filter chaos.Filter
		want   []string
	}{
		{"drop", chaos.Drop(random(1), 1), nil},
		{"drop nothing", chaos.Drop(random(1), 0), everything},
		{"never answer", chaos.NeverAnswer(), []string{request, notification}},
		{"answer twice", chaos.AnswerTwice(random(1), 1), []string{request, notification, result, result, failure, failure}},
		{"out of order", chaos.OutOfOrder(), []string{request, notification, failure, result}},
		{"junk", chaos.Junk(random(1), 1), []string{junk(1), request, junk(2), notification, junk(3), result, junk(4), failure}},
	} {
		var out sink
		m := newMessages(t, &out, line, test.filter)
		mustWrite(t, m, frames(line, everything...))
		if want := frames(line, test.want...); out.text() != want {
			t.Errorf("%s\n got %q\nwant %q", test.name, out.text(), want)
		}
	}
}

func TestFiltersAreAppliedInOrder(t *testing.T) {
	var out sink
	m := newMessages(t, &out, core.FramingLine, chaos.NeverAnswer(), chaos.Junk(random(1), 1))
	mustWrite(t, m, frames(core.FramingLine, result, notification))
	if want := "junk on stdout, line 1\n" + notification + "\n"; out.text() != want {
		t.Errorf("got %q", out.text())
	}
}

// A wrong length is wrong every time, in both directions, and never negative.
func TestWrongLength(t *testing.T) {
	var tooSmall, tooLarge bool
	for seed := range uint64(200) {
		filter := chaos.WrongLength(random(seed), 1)
		for _, text := range []string{"{}", result} {
			changed := filter([]chaos.Message{{Text: []byte(text)}})
			off := changed[0].LengthError
			if off == 0 || off > 16 || len(text)+off < 0 {
				t.Fatalf("seed %d: off by %d of %d", seed, off, len(text))
			}
			tooSmall, tooLarge = tooSmall || off < 0, tooLarge || off > 0
		}
	}
	if !tooSmall || !tooLarge {
		t.Errorf("too small %v, too large %v", tooSmall, tooLarge)
	}

	var header, length4 sink
	longer := func(messages []chaos.Message) []chaos.Message {
		messages[0].LengthError = 3
		return messages
	}
	mustWrite(t, newMessages(t, &header, core.FramingHeader, longer), frame(core.FramingHeader, "{}"))
	mustWrite(t, newMessages(t, &length4, core.FramingLength4, longer), frame(core.FramingLength4, "{}"))
	if header.text() != "Content-Length: 5\r\n\r\n{}" || length4.text() != "\x00\x00\x00\x05{}" {
		t.Errorf("got %q and %q", header.text(), length4.text())
	}
}

func TestASeedRepeatsItsChoices(t *testing.T) {
	run := func(seed uint64) string {
		var out sink
		r := random(seed)
		m := newMessages(t, chaos.Split(&out, r, 9), core.FramingLine, chaos.Drop(r, 0.5), chaos.Junk(r, 0.5))
		for range 50 {
			mustWrite(t, m, frames(core.FramingLine, everything...))
		}
		return strings.Join(out.writes, "|")
	}
	first, again, other := run(1), run(1), run(2)
	if first != again {
		t.Error("the same seed made different choices")
	}
	if first == other {
		t.Error("two seeds made the same choices")
	}
}

// What is not framed as the session says is the caller's mistake, and is said.
func TestAPeerThatIsBadAlready(t *testing.T) {
	m := newMessages(t, &sink{}, core.FramingHeader)
	_, err := io.WriteString(m, "hello\r\n")
	if violation := new(core.ProtocolError); !errors.As(err, &violation) || violation.Kind != core.ViolationNoise {
		t.Errorf("got %v", err)
	}
	var config core.Config
	if _, err := chaos.NewMessages(&sink{}, config); !errors.As(err, new(*core.ConfigError)) {
		t.Errorf("an empty configuration: %v", err)
	}
}

func TestFloodTearsNoMessage(t *testing.T) {
	const count = 1000
	var out sink
	m := newMessages(t, &out, core.FramingLine)
	var flood sync.WaitGroup
	flood.Go(func() {
		if err := chaos.Flood(m, count); err != nil {
			t.Error(err)
		}
	})
	for range count {
		mustWrite(t, m, request[:10])
		mustWrite(t, m, request[10:]+"\n")
	}
	flood.Wait()
	flooded, asked := 0, 0
	for line := range strings.Lines(out.text()) {
		flooded++
		if line == request+"\n" {
			flooded, asked = flooded-1, asked+1
		} else if want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"%s","params":[%d]}`+"\n", chaos.FloodMethod, flooded); line != want {
			t.Fatalf("got %q, want %q", line, want)
		}
	}
	if flooded != count || asked != count {
		t.Errorf("%d flooded, %d asked, want %d of each", flooded, asked, count)
	}
}

func TestFloodText(t *testing.T) {
	var out bytes.Buffer
	begun := make(chan struct{})
	if err := chaos.FloodText(&out, 100, begun); err != nil || out.Len() != 100 {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
	<-begun
	if want := "flood on stderr, line 1\nflood on stderr, line 2\n"; !strings.HasPrefix(out.String(), want) {
		t.Errorf("got %q", out.String())
	}
}

func TestSplit(t *testing.T) {
	var out sink
	text := strings.Repeat("x", 1000)
	mustWrite(t, chaos.Split(&out, random(1), 3), text)
	sizes := map[int]bool{}
	for _, piece := range out.writes {
		sizes[len(piece)] = true
	}
	if out.text() != text || len(sizes) != 3 || !sizes[1] || !sizes[2] || !sizes[3] {
		t.Errorf("%d bytes in pieces of %v", len(out.text()), sizes)
	}
}

func TestDieAtByte(t *testing.T) {
	for _, offset := range []int64{0, 1, 5, 6} {
		var out sink
		deaths := 0
		w := chaos.DieAtByte(&out, offset, func() { deaths++ })
		_, first := io.WriteString(w, "abc")
		_, second := io.WriteString(w, "def")
		if out.text() != "abcdef"[:offset] {
			t.Errorf("at %d: wrote %q", offset, out.text())
		}
		if alive := offset == 6; alive != (deaths == 0) || alive != (second == nil) {
			t.Errorf("at %d: %d deaths, %v and %v", offset, deaths, first, second)
		}
	}
}

func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		w := chaos.Delay(&out, time.Hour)
		start := time.Now()
		mustWrite(t, w, "late")
		if waited := time.Since(start); waited != time.Hour || out.text() != "late" { // of the bubble's time
			t.Errorf("wrote %q after %v", out.text(), waited)
		}
		failed := make(chan error)
		go func() {
			_, err := io.WriteString(w, "never")
			failed <- err
		}()
		synctest.Wait()
		if err := w.Close(); err != nil || !out.closed {
			t.Errorf("closed %v, %v", out.closed, err)
		}
		if err := <-failed; !errors.Is(err, os.ErrClosed) || out.text() != "late" {
			t.Errorf("after Close: %v, %q", err, out.text())
		}
	})
}

// counting is an input that knows how often it is read and closed.
type counting struct {
	io.Reader
	reads, closes int
}

func (c *counting) Read(p []byte) (int, error) {
	c.reads++
	return c.Reader.Read(p)
}

func (c *counting) Close() error {
	c.closes++
	return nil
}

func TestInputsThatWait(t *testing.T) {
	for _, test := range []struct {
		name string
		wrap func(io.ReadCloser) io.ReadCloser
		want string
		read bool
	}{
		{"never read", chaos.NeverRead, "", false},
		{"ignore EOF", chaos.IgnoreEOF, "all of it", true},
	} {
		synctest.Test(t, func(t *testing.T) {
			source := &counting{Reader: strings.NewReader("all of it")}
			in := test.wrap(source)
			var got []byte
			failed := make(chan error, 1)
			go func() {
				var err error
				got, err = io.ReadAll(in)
				failed <- err
			}()
			synctest.Wait()
			select {
			case err := <-failed:
				t.Fatalf("%s: ended with %v", test.name, err)
			default:
			}
			if err := in.Close(); err != nil || source.closes != 1 {
				t.Errorf("%s: %d times closed, %v", test.name, source.closes, err)
			}
			if err := <-failed; !errors.Is(err, os.ErrClosed) || string(got) != test.want {
				t.Errorf("%s: read %q, %v", test.name, got, err)
			}
			if (source.reads > 0) != test.read {
				t.Errorf("%s: read %d times", test.name, source.reads)
			}
		})
	}
}
