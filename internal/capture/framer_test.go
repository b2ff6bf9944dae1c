package capture

import (
	"fmt"
	"strings"
	"testing"
)

// frames runs a stream through a Framer in pieces of size and tells what it found.
func frames(t testing.TB, framing Framing, stream string, size int) string {
	t.Helper()
	f := NewFramer(framing)
	var told strings.Builder
	last := uint64(0)
	found := func(found Found) {
		if found.Start < last || found.Start > found.End || found.End > uint64(len(stream)) {
			t.Fatalf("found %d to %d in %d bytes, after %d", found.Start, found.End, len(stream), last)
		}
		last = found.End
		text := stream[found.Start:found.End]
		if found.Message == nil {
			return
		}
		if text != string(found.Message.Frame) {
			t.Errorf("message at %d: %q, and there stands %q", found.Start, found.Message.Frame, text)
		}
		fmt.Fprintf(&told, "%d:%s\n", found.Start, text)
	}
	for rest := []byte(stream); len(rest) > 0; {
		piece := rest[:min(len(rest), size)]
		rest = rest[len(piece):]
		f.Feed(piece, found)
	}
	f.End(found)
	if f.Offset() != uint64(len(stream)) {
		t.Errorf("offset %d after %d bytes", f.Offset(), len(stream))
	}
	return told.String()
}

func header(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// Goal: messages are found behind whatever is no message, and wherever reads cut. Method: streams
// with one fault each, in pieces of every size.
func TestFramerGoesOnAfterNoise(t *testing.T) {
	long := strings.Repeat("x", 9000)
	for _, test := range []struct {
		name    string
		framing Framing
		stream  string
		bodies  []string
	}{
		{"clean", FramingHeader, header(ping) + header("{}"), []string{ping, "{}"}},
		{"a log line", FramingHeader, header(ping) + "INFO started\n" + header("{}"), []string{ping, "{}"}},
		{"a log line without end", FramingHeader, "started" + header("{}"), []string{"{}"}},
		{"a bad length", FramingHeader, "Content-Length: x\r\n\r\n" + header("{}"), []string{"{}"}},
		{"a name begun twice", FramingHeader, "!Content-Content-Length: 2\r\n\r\n{}", []string{"{}"}},
		{"a page of text", FramingHeader, "#" + long + "\n" + header("{}"), []string{"{}"}},
		{"a body broken off", FramingHeader, header(ping) + "Content-Length: 99\r\n\r\n{", []string{ping}},
		{"guess a header", FramingGuess, "Starting Contents:\n" + header(ping) + "{x\n" + header("{}"), []string{ping, "{}"}},
		{"guess lines", FramingGuess, "[info] {started}\n{}\n" + ping + "\nContent-Length: 2\n", []string{"{}", ping, "Content-Length: 2"}},
		{"lines", FramingLine, "{}\nnoise\r\n[1]\n\n{}", []string{"{}", "noise", "[1]", "{}"}},
		{"lengths", FramingLength4, "\x00\x00\x00\x02{}\xff\xff\xff\xff\x00\x00\x00\x02{}", []string{"{}"}},
	} {
		var want strings.Builder
		at := 0
		for _, body := range test.bodies {
			at += strings.Index(test.stream[at:], body)
			fmt.Fprintf(&want, "%d:%s\n", at, body)
			at += len(body)
		}
		for size := 1; size <= len(test.stream); size += 1 + size/20 {
			if got := frames(t, test.framing, test.stream, size); got != want.String() {
				t.Fatalf("%s, %d bytes at once: %q, want %q", test.name, size, got, want.String())
			}
		}
	}
}

// Goal: after missing bytes, what is left of a message is not taken for one.
func TestFramerSeeksAfterAGap(t *testing.T) {
	for framing, tail := range map[Framing]string{
		FramingHeader: `"a":1}` + header("{}"),
		FramingLine:   `"a":1}` + "\n{}\n",
	} {
		f := NewFramer(framing)
		f.Lost(100)
		var bodies []string
		f.Feed([]byte(tail), func(found Found) {
			if found.Message != nil {
				bodies = append(bodies, string(found.Message.Frame))
				if want := uint64(100 + strings.Index(tail, "{}")); found.Start != want {
					t.Errorf("message at %d, want %d", found.Start, want)
				}
			}
		})
		if len(bodies) != 1 || bodies[0] != "{}" {
			t.Errorf("framing %d: %q", framing, bodies)
		}
	}
}

// Any stream in any pieces: every message stands where it is said to stand, and nothing is lost.
func FuzzFramer(f *testing.F) {
	f.Add(header(ping)+"noise\n"+header("{}"), uint8(0), uint8(3))
	f.Add("x\n{}\nx\n", uint8(0), uint8(1))
	f.Add("{}\nx\n", uint8(2), uint8(1))
	f.Add("\x00\x00\x00\x02{}", uint8(3), uint8(1))
	f.Fuzz(func(t *testing.T, stream string, framing, size uint8) {
		frames(t, Framing(framing%4), stream, int(size)+1)
	})
}
