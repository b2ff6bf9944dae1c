package jsonls

import (
	"strings"
	"testing"
	"unicode/utf16"
)

func TestPositionsCountUTF16Units(t *testing.T) {
	text := NewText("a😀b\r\nüx\rlast\n")
	for _, test := range []struct {
		offset int
		want   Position
	}{
		{0, Position{0, 0}},
		{1, Position{0, 1}}, // before the emoji
		{5, Position{0, 3}}, // behind it: four bytes, two units
		{6, Position{0, 4}},
		{8, Position{1, 0}},
		{10, Position{1, 1}},
		{12, Position{2, 0}}, // behind a lone CR
		{17, Position{3, 0}},
		{99, Position{3, 0}},
	} {
		if got := text.Position(test.offset); got != test.want {
			t.Errorf("Position(%d) = %v, want %v", test.offset, got, test.want)
		}
	}
}

func TestOffsetsAreClamped(t *testing.T) {
	text := NewText("a😀b\r\nüx\n")
	for _, test := range []struct {
		position Position
		want     int
	}{
		{Position{0, 2}, 1},  // the middle of a surrogate pair is its start
		{Position{0, 3}, 5},  // behind it
		{Position{0, 4}, 6},  // the end of the line
		{Position{0, 99}, 6}, // beyond it, but not into the CR LF
		{Position{0, 1<<32 - 1}, 6},
		{Position{1, 1}, 10},
		{Position{2, 0}, 12},
		{Position{7, 3}, 12},
	} {
		if got := text.Offset(test.position); got != test.want {
			t.Errorf("Offset(%v) = %d, want %d", test.position, got, test.want)
		}
	}
}

// A line of several index blocks, with characters of every width across the boundaries.
func TestLongLinesRoundTrip(t *testing.T) {
	content := strings.Repeat("aü€😀", 1000)
	text := NewText("first\n" + content)
	for offset := range content {
		want := uint32(len(utf16.Encode([]rune(content[:offset]))))
		got := text.Position(offset + len("first\n"))
		if got != (Position{1, want}) {
			t.Fatalf("Position(%d) = %v, want character %d", offset, got, want)
		}
		if back := text.Offset(got); back != offset+len("first\n") {
			t.Fatalf("Offset(%v) = %d, want %d", got, back, offset+len("first\n"))
		}
	}
}
