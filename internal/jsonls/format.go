package jsonls

import (
	"errors"
	"fmt"
	"strings"
)

// Bounds of one formatting.
const (
	tabSizeMax        = 16
	formattedBytesMax = 8 << 20 // indentation can multiply a document
	editsMax          = 10_000  // more are sent as one edit of the whole document
)

// ErrMalformed is returned for a document with syntax errors: re-indenting a guess loses text.
var ErrMalformed = errors.New("the document has syntax errors")

// FormatOptions is LSP's FormattingOptions.
type FormatOptions struct {
	TabSize            uint32 `json:"tabSize"`
	InsertSpaces       bool   `json:"insertSpaces"`
	InsertFinalNewline bool   `json:"insertFinalNewline"`
}

// TextEdit is LSP's TextEdit.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// Format returns the edits that re-indent a document. Only white space between tokens is touched:
// numbers such as 9007199254740993 and 1.0e+2, escapes and the order of names stay byte for byte.
// White space that is already right is in no edit. It is never nil when err is.
func Format(text *Text, options FormatOptions) ([]TextEdit, error) {
	if _, problems := Parse(text.content); len(problems) > 0 {
		return nil, fmt.Errorf("%w: line %d: %s", ErrMalformed,
			text.Position(problems[0].Start).Line+1, problems[0].Message)
	}
	f := formatter{text: text, layout: newLayout(text.content, options), edits: []TextEdit{}}
	if err := f.run(options.InsertFinalNewline); err != nil {
		return nil, err
	}
	if len(f.edits) > editsMax {
		return []TextEdit{{Range: text.Range(0, len(text.content)), NewText: f.formatted.String()}}, nil
	}
	return f.edits, nil
}

type layout struct {
	newline string // as the document's first line ends
	indent  string
}

func newLayout(content string, options FormatOptions) layout {
	l := layout{newline: "\n", indent: "\t"}
	if first := strings.IndexByte(content, '\n'); first > 0 && content[first-1] == '\r' {
		l.newline = "\r\n"
	}
	if options.InsertSpaces {
		l.indent = strings.Repeat(" ", int(max(1, min(options.TabSize, tabSizeMax))))
	}
	return l
}

// line returns the white space that starts a line at a depth.
func (l layout) line(depth int) string { return l.newline + strings.Repeat(l.indent, depth) }

type formatter struct {
	text      *Text
	layout    layout
	formatted strings.Builder // the whole document, for when the edits are too many
	edits     []TextEdit      // at most editsMax + 1
}

func (f *formatter) run(finalNewline bool) error {
	content := f.text.content
	scan := scanner{text: content, problem: func(int, int, string) {}}
	previous, depth := token{}, 0
	for {
		next := scan.next()
		if isCloser(next.kind) {
			depth--
		}
		space := f.between(previous.kind, next.kind, depth)
		found := content[previous.end:next.start]
		if next.kind == tokenEnd && (finalNewline || strings.ContainsAny(found, "\r\n")) {
			space = f.layout.newline
		}
		f.write(previous.end, next, space)
		if f.formatted.Len() > formattedBytesMax {
			return fmt.Errorf("%w: formatted it would be over %d bytes", ErrTooLarge, formattedBytesMax)
		}
		if next.kind == tokenEnd {
			return nil
		}
		if isOpener(next.kind) {
			depth++
		}
		previous = next
	}
}

// write emits a token behind the white space that belongs before it; gap is the byte offset where
// the white space found there starts.
func (f *formatter) write(gap int, next token, space string) {
	content := f.text.content
	f.formatted.WriteString(space)
	f.formatted.WriteString(content[next.start:next.end])
	if content[gap:next.start] != space && len(f.edits) <= editsMax {
		f.edits = append(f.edits, TextEdit{f.text.Range(gap, next.start), space})
	}
}

// between returns the white space that belongs between two tokens of a well-formed text.
func (f *formatter) between(previous, next tokenKind, depth int) string {
	switch {
	case isOpener(previous) && isCloser(next):
		return ""
	case isOpener(previous) || isCloser(next) || previous == tokenComma:
		return f.layout.line(depth)
	case previous == tokenColon:
		return " "
	}
	return ""
}

// Apply returns the text after edits that are in order and do not overlap, as Format returns them.
func Apply(text *Text, edits []TextEdit) string {
	var out strings.Builder
	offset := 0
	for _, edit := range edits {
		out.WriteString(text.content[offset:text.Offset(edit.Range.Start)])
		out.WriteString(edit.NewText)
		offset = text.Offset(edit.Range.End)
	}
	out.WriteString(text.content[offset:])
	return out.String()
}
