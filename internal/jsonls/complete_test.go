package jsonls

import (
	"fmt"
	"strings"
	"testing"
)

// complete runs Complete where the text has a caret, and returns the labels and the replaced text.
func complete(t *testing.T, marked string) (labels, replaced string) {
	t.Helper()
	offset := strings.Index(marked, "^")
	if offset < 0 {
		t.Fatal("no caret")
	}
	text := NewText(marked[:offset] + marked[offset+1:])
	var list []string
	for _, item := range Complete(text, text.Position(offset)) {
		if item.FilterText != item.TextEdit.NewText {
			t.Errorf("%q filters by %q and writes %q", item.Label, item.FilterText, item.TextEdit.NewText)
		}
		list = append(list, item.Label)
		replaced = text.content[text.Offset(item.TextEdit.Range.Start):text.Offset(item.TextEdit.Range.End)]
	}
	return strings.Join(list, " "), replaced
}

func TestComplete(t *testing.T) {
	for _, test := range []struct{ marked, labels, replaced string }{
		{`[{"a": 1, "b": 2}, {^}]`, "a b", ""},
		{`[{"a": 1, "b": 2}, {"^}]`, "a b", `"}]`}, // an open string takes the rest of the line
		{"[{\"a\": 1, \"b\": 2}, {\"^\n}]", "a b", `"`},
		{`[{"a": 1, "b": 2}, {"a": 3, "^"}]`, "b", `""`},
		{`[{"a": 1, "b": 2}, {"a": 3, ^}]`, "b", ""},
		{`[{"a": 1, "b": 2}, {x^}]`, "a b", "x"},
		{`{"outer": {"inner": {}}, ^}`, "inner", ""},
		{`{"k": "one", "x": {"k": "two", "y": {"k": ^}}}`, `"one" "two"`, ""},
		{`{"k": "one", "x": {"k": "t^"}}`, `"one"`, `"t"`},
		{`{"k": 1, "x": {"k": true, "y": {"k": 1, "z": {"k": n^}}}}`, `1 true`, "n"},
		{`{"k": {"a": 1}, "x": {"k": ^}}`, "", ""}, // only simple values
		{`{"\u006b": 1, "x": {"k": ^}}`, "1", ""},
		{`{"k": [1, ^]}`, "", ""},
		{`{"k": 1^ }`, "", ""}, // nothing else has this name
		{`{"k" ^: 1}`, "", ""},
		{`{"k": 1 ^, "l": 2}`, "", ""},
		{`^`, "", ""},
		{`^{"k": 1}`, "", ""},
		{`{"k": 1}^`, "", ""},
		{`{"k": 1, "x": {/* ^ */}}`, "", ""},
		{`{"😀": 1, "x": {"^"}}`, "😀 x", `""`},
		{`{"": 1, "x": {^}}`, " x", ""},
	} {
		labels, replaced := complete(t, test.marked)
		if labels != test.labels || replaced != test.replaced {
			t.Errorf("%s: %q for %q, want %q for %q", test.marked, labels, replaced, test.labels, test.replaced)
		}
	}
}

func TestCompletionsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 2 * completionsMax {
		fmt.Fprintf(&b, `"name%d": 1, `, i)
	}
	long := `"` + strings.Repeat("x", 2*offeredBytesMax) + `": 1, `
	text := NewText("{" + long + b.String() + `"x": {`)
	list := Complete(text, text.Position(len(text.content)))
	if len(list) != completionsMax || list[0].Label != "name0" {
		t.Errorf("%d completions, first %+v", len(list), list[0])
	}
}

func FuzzComplete(f *testing.F) {
	f.Add(`{"a": [{"b": 1}, {"`, 19)
	f.Add("{\"a\":\n/* ", 9)
	f.Fuzz(func(t *testing.T, content string, offset int) {
		text := NewText(content)
		for _, item := range Complete(text, text.Position(offset)) {
			r := item.TextEdit.Range
			if start, end := text.Offset(r.Start), text.Offset(r.End); start > end || r.Start.Line != r.End.Line {
				t.Errorf("%q at %d: replaces %v", content, offset, r)
			}
		}
	})
}
