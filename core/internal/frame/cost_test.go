package frame

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// stream is count frames of one body.
func stream(framing Framing, count int, body string) []byte {
	frame := body
	switch framing {
	case Header:
		frame = fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
	case Line:
		frame = body + "\n"
	case Length4:
		n := len(body)
		frame = string([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) + body
	}
	return []byte(strings.Repeat(frame, count))
}

var framingNames = map[Framing]string{Header: "header", Line: "line", Length4: "length4", Whole: "whole"}

// drainFrames returns how many frames d finds in buf.
func drainFrames(d *Decoder, buf []byte) (frames int) {
	for {
		step := d.Next(buf)
		if step.Status != Frame {
			return frames
		}
		frames++
		buf = buf[step.Size:]
	}
}

func TestFramesAllocateNothing(t *testing.T) {
	const count = 50
	for _, framing := range []Framing{Header, Line, Length4} {
		t.Run(framingNames[framing], func(t *testing.T) {
			var d Decoder
			d.Init(config(framing))
			buf := stream(framing, count, `{"jsonrpc":"2.0","method":"exit"}`)
			if frames := drainFrames(&d, buf); frames != count {
				t.Fatalf("%d frames, want %d", frames, count)
			}
			if n := testing.AllocsPerRun(20, func() { drainFrames(&d, buf) }); n != 0 {
				t.Errorf("%v allocations for %d frames", n, count)
			}
		})
	}
	t.Run("whole", func(t *testing.T) {
		var d Decoder
		d.Init(config(Whole))
		if n := testing.AllocsPerRun(20, func() { d.NextWhole([]byte("{}")) }); n != 0 {
			t.Errorf("%v allocations for a message", n)
		}
	})
	t.Run("header in any spelling", func(t *testing.T) {
		var d Decoder
		d.Init(config(Header))
		buf := []byte("\r\ncontent-type: a/b; charset=\"utf-8\"\r\ncontent-length:2\r\n\r\n{}")
		run := func() {
			blank := d.Next(buf)
			if step := d.Next(buf[blank.Size:]); step.Status != Frame || string(buf[blank.Size:][step.Start:step.End]) != "{}" {
				t.Fatalf("%+v", step)
			}
		}
		if n := testing.AllocsPerRun(20, run); n != 0 {
			t.Errorf("%v allocations for a frame", n)
		}
	})
}

// TestNoByteIsSearchedTwice holds that after every Partial the whole buffer has been searched, so
// that the next call starts where this one ended, however many chunks a message takes (FRAME-3).
func TestNoByteIsSearchedTwice(t *testing.T) {
	const chunkBytes = 8 << 10
	body := strings.Repeat("x", 9_000_000)
	noise := "a b" + strings.Repeat("x:", resyncBytesMax/2-2) + "Content-Length: 1\r\n\r\n1" // a chunk ends between colons
	for _, c := range []struct {
		name  string
		cfg   Config
		input string
		// searchedMax is where searching ends: a body of known length is not searched.
		searchedMax int
	}{
		{"line", Config{Framing: Line, BodyBytesMax: len(body)}, body + "\n", len(body)},
		{"resync", Config{Framing: Header, HeaderBytesMax: 8192, BodyBytesMax: 1, BlankBytesMax: 1, Resync: true}, noise, len(noise)},
		{
			"header block",
			Config{Framing: Header, HeaderBytesMax: 1 << 20, BodyBytesMax: 1, BlankBytesMax: 1},
			strings.Repeat("X: y\r\n", 100_000) + "Content-Length: 1\r\n\r\n1", 1 << 20,
		},
		{
			"header body",
			Config{Framing: Header, HeaderBytesMax: 8192, BodyBytesMax: len(body), BlankBytesMax: 1},
			"Content-Length: 9000000\r\n\r\n" + body, len("Content-Length: 9000000\r\n\r\n"),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d Decoder
			d.Init(c.cfg)
			input := []byte(c.input)
			for size := chunkBytes; size < len(input); size += chunkBytes {
				step := d.Next(input[:size])
				if step.Status != Partial {
					t.Fatalf("at %d bytes: %+v", size, step)
				}
				if want := min(size, c.searchedMax); d.searched != want {
					t.Fatalf("searched %d of %d bytes, want %d", d.searched, size, want)
				}
			}
			step := d.Next(input)
			if step.Status == Skipped {
				input = input[step.Size:]
				step = d.Next(input)
			}
			if step.Status != Frame || step.Size != len(input) {
				t.Fatalf("at the end: %+v", step)
			}
		})
	}
}

func BenchmarkFrames(b *testing.B) {
	for _, framing := range []Framing{Header, Line, Length4} {
		for _, bodyBytes := range []int{100, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", framingNames[framing], bodyBytes), func(b *testing.B) {
				var d Decoder
				d.Init(Config{Framing: framing, HeaderBytesMax: 8192, BodyBytesMax: bodyBytes, BlankBytesMax: 1024})
				buf := stream(framing, 1, "{"+strings.Repeat(" ", bodyBytes-2)+"}")
				b.SetBytes(int64(len(buf)))
				b.ReportAllocs()
				for b.Loop() {
					if step := d.Next(buf); step.Status != Frame {
						b.Fatalf("%+v", step)
					}
				}
			})
		}
	}
	b.Run("header in any spelling/100", func(b *testing.B) {
		var d Decoder
		d.Init(Config{Framing: Header, HeaderBytesMax: 8192, BodyBytesMax: 100, BlankBytesMax: 1024})
		buf := []byte("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 100\r\n\r\n" + strings.Repeat(" ", 100))
		b.SetBytes(int64(len(buf)))
		b.ReportAllocs()
		for b.Loop() {
			if step := d.Next(buf); step.Status != Frame {
				b.Fatalf("%+v", step)
			}
		}
	})
}

// TestLargestLimit holds that the largest limit a configuration accepts overflows no int of 32
// bits (FRAME-2); it means most under GOARCH=386.
func TestLargestLimit(t *testing.T) {
	for framing, input := range map[Framing]string{
		Header:  "Content-Length: 2147483647\r\n\r\n",
		Line:    "{",
		Length4: "\x7f\xff\xff\xff",
		Whole:   "{",
	} {
		var d Decoder
		d.Init(Config{Framing: framing, HeaderBytesMax: 8192, BodyBytesMax: math.MaxInt32, BlankBytesMax: 1024})
		step := d.Next([]byte(input))
		if step.Status != Partial {
			t.Errorf("%s: %+v", framingNames[framing], step)
		}
		if declared := framing == Header || framing == Length4; declared && step.Need != math.MaxInt32 {
			t.Errorf("%s: needs %d", framingNames[framing], step.Need)
		}
	}
}
