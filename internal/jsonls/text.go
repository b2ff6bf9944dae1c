// Package jsonls is a language server for JSON documents: diagnostics, hover, document symbols and
// formatting, with positions in UTF-16 code units as LSP counts them. Everything below Serve is a
// function of a text; nothing here holds a connection, a clock or a goroutine.
package jsonls

import (
	"sort"
	"strings"
)

// Position is a place in a document as LSP names it.
type Position struct {
	Line      uint32 `json:"line"`      // from 0
	Character uint32 `json:"character"` // UTF-16 code units from the start of the line
}

// Range is a part of a document; End is not part of it.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// blockBytes is how far apart the counted places of a Text are. It bounds what one conversion
// reads, so that a document that is a single line of megabytes is not quadratic.
const blockBytes = 1024

// Text is an immutable document with an index from byte offsets to positions and back.
type Text struct {
	content    string
	lineStarts []int32  // byte offset of each line's first byte
	blockUnits []uint32 // UTF-16 units before each block of blockBytes
}

// NewText indexes content, which must be shorter than 2 GiB. Lines end with LF, CR LF or CR.
func NewText(content string) *Text {
	t := &Text{content: content, lineStarts: []int32{0}}
	units := uint32(0)
	for offset := range len(content) {
		if offset%blockBytes == 0 {
			t.blockUnits = append(t.blockUnits, units)
		}
		b := content[offset]
		units += unitsOf(b)
		loneCR := b == '\r' && (offset+1 == len(content) || content[offset+1] != '\n')
		if b == '\n' || loneCR {
			t.lineStarts = append(t.lineStarts, int32(offset+1))
		}
	}
	t.blockUnits = append(t.blockUnits, units)
	return t
}

// unitsOf counts a character at its leading byte: one unit, or two outside the basic plane.
func unitsOf(b byte) uint32 {
	switch {
	case b >= 0xF0:
		return 2
	case b&0xC0 == 0x80:
		return 0
	}
	return 1
}

// String returns the whole document.
func (t *Text) String() string { return t.content }

// Position returns the place of a byte offset; offsets outside the document are clamped.
func (t *Text) Position(offset int) Position {
	offset = max(0, min(offset, len(t.content)))
	line := sort.Search(len(t.lineStarts), func(i int) bool { return int(t.lineStarts[i]) > offset }) - 1
	start := int(t.lineStarts[line])
	return Position{Line: uint32(line), Character: t.units(offset) - t.units(start)}
}

// Range returns the places of two byte offsets.
func (t *Text) Range(start, end int) Range {
	return Range{Start: t.Position(start), End: t.Position(end)}
}

// Offset returns the byte offset of a position. As LSP demands, a character beyond the line's end
// is the line's end; a line beyond the document is its end; the middle of a surrogate pair is the
// start of its character.
func (t *Text) Offset(p Position) int {
	if int64(p.Line) >= int64(len(t.lineStarts)) {
		return len(t.content)
	}
	start, end := t.line(int(p.Line))
	target := uint64(t.units(start)) + uint64(p.Character)
	return start + sort.Search(end-start, func(i int) bool { return uint64(t.units(start+i+1)) > target })
}

// line returns the byte offsets of a line without its line ending.
func (t *Text) line(line int) (start, end int) {
	start, end = int(t.lineStarts[line]), len(t.content)
	if line+1 == len(t.lineStarts) {
		return start, end
	}
	end = int(t.lineStarts[line+1])
	content := strings.TrimSuffix(t.content[start:end], "\n")
	content = strings.TrimSuffix(content, "\r")
	return start, start + len(content)
}

// units returns how many UTF-16 units lie before offset.
func (t *Text) units(offset int) uint32 {
	block := offset / blockBytes
	if block >= len(t.blockUnits) {
		block = len(t.blockUnits) - 1
	}
	units := t.blockUnits[block]
	for i := block * blockBytes; i < offset; i++ {
		units += unitsOf(t.content[i])
	}
	return units
}
