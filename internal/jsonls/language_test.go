package jsonls

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestDiagnosticsMoveWithTheTextAbove(t *testing.T) {
	store := NewStore()
	document, err := store.Open("file:///a.json", 1, "{\r\n  \"😀\": nope\r\n}")
	if err != nil {
		t.Fatal(err)
	}
	want := Range{Position{1, 8}, Position{1, 12}} // the emoji is two units
	if got := Diagnose(document.Text); len(got) != 1 || got[0].Range != want {
		t.Fatalf("diagnostics = %+v, want one at %v", got, want)
	}

	document, err = store.Change(document.URI, 2, []Change{
		{Range: &Range{Position{0, 1}, Position{0, 1}}, Text: "\r\n  \"x\": 1,"},
		{Range: &Range{Position{2, 2}, Position{2, 2}}, Text: "/**/"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want = Range{Position{2, 12}, Position{2, 16}}
	got := Diagnose(document.Text)
	if len(got) != 2 || got[1].Range != want {
		t.Fatalf("diagnostics = %+v, want the second at %v", got, want)
	}
}

func TestDuplicateNamesCompareUnescaped(t *testing.T) {
	got := Diagnose(NewText("{\"a\": 1,\n \"b\": {\"a\": 2},\n \"\\u0061\": 3}"))
	want := []Diagnostic{{
		Range:    Range{Position{2, 1}, Position{2, 9}},
		Severity: SeverityWarning,
		Source:   "parley",
		Message:  `duplicate name "a": first on line 1, and most readers keep the last`,
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestHoverNamesPathAndValue(t *testing.T) {
	text := NewText(`{"a": [0, 1, "😀", {"b": 9007199254740993, "c d": {}}], "": 1.0e+2}`)
	for _, test := range []struct {
		character uint32
		want      string
	}{
		{0, "$\nobject, 2 members"},
		{2, "$.a\narray, 4 items"},
		{7, "$.a[0]\nnumber 0"},
		{14, "$.a[2]\nstring \"😀\""},
		{27, "$.a[3].b\nnumber 9007199254740993"},
		{50, "$.a[3][\"c d\"]\nobject, 0 members"},
		{60, "$[\"\"]\nnumber 1.0e+2"},
	} {
		hover := HoverAt(text, Position{0, test.character})
		if hover == nil || hover.Contents.Value != test.want {
			t.Errorf("at %d: %+v, want %q", test.character, hover, test.want)
		}
	}
	if hover := HoverAt(NewText(" \n"), Position{0, 0}); hover != nil {
		t.Errorf("hover over nothing = %+v", hover)
	}
}

func TestSymbolsAreATree(t *testing.T) {
	symbols := Symbols(NewText(`{"😀": [true, {"x": null}], "": 1}`))
	var lines []string
	var walk func(depth int, list []Symbol)
	walk = func(depth int, list []Symbol) {
		for _, s := range list {
			lines = append(lines, fmt.Sprintf("%s%s kind %d at %d-%d name %d-%d", strings.Repeat(" ", depth), s.Name,
				s.Kind, s.Range.Start.Character, s.Range.End.Character, s.SelectionRange.Start.Character, s.SelectionRange.End.Character))
			walk(depth+1, s.Children)
		}
	}
	walk(0, symbols)
	want := []string{
		"😀 kind 18 at 1-26 name 1-5",
		" 0 kind 17 at 8-12 name 8-12",
		" 1 kind 19 at 14-25 name 14-25",
		"  x kind 21 at 15-24 name 15-18",
		`"" kind 16 at 28-33 name 28-30`,
	}
	if !reflect.DeepEqual(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if list := Symbols(NewText("[" + strings.Repeat("1,", 2*symbolsMax) + "1]")); len(list) != symbolsMax {
		t.Errorf("%d symbols, want %d", len(list), symbolsMax)
	}
}

func TestFormattingTouchesOnlyWhiteSpace(t *testing.T) {
	spaces := FormatOptions{TabSize: 2, InsertSpaces: true}
	for _, test := range []struct {
		name, text, want string
		options          FormatOptions
	}{
		{
			"numbers, order, escapes", `{"z":9007199254740993,"a":[1.0e+2,-0,"\u00e9\/"],"e":{},"f":[ ]}`,
			"{\n  \"z\": 9007199254740993,\n  \"a\": [\n    1.0e+2,\n    -0,\n    \"\\u00e9\\/\"\n  ],\n  \"e\": {},\n  \"f\": []\n}", spaces,
		},
		{"CR LF", "{\"😀\":1,\r\n\"b\":2}\r\n\r\n", "{\r\n  \"😀\": 1,\r\n  \"b\": 2\r\n}\r\n", spaces},
		{"tabs", `[{"a":1}]`, "[\n\t{\n\t\t\"a\": 1\n\t}\n]", FormatOptions{TabSize: 4}},
		{"final newline", ` 1 `, "1\n", FormatOptions{InsertFinalNewline: true}},
		{"huge tab size", `[1]`, "[\n" + strings.Repeat(" ", tabSizeMax) + "1\n]", FormatOptions{TabSize: 1 << 31, InsertSpaces: true}},
	} {
		edits, err := Format(NewText(test.text), test.options)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := Apply(NewText(test.text), edits)
		if got != test.want {
			t.Errorf("%s: got\n%q\nwant\n%q", test.name, got, test.want)
		}
		if again, err := Format(NewText(got), test.options); err != nil || len(again) != 0 {
			t.Errorf("%s: formatting twice gives %v, %v", test.name, again, err)
		}
	}
}

func TestFormattingEditsAreMinimal(t *testing.T) {
	edits, err := Format(NewText("{\n  \"a\": 1,\n  \"b\":2\n}\n"), FormatOptions{TabSize: 2, InsertSpaces: true})
	want := []TextEdit{{Range{Position{2, 6}, Position{2, 6}}, " "}}
	if err != nil || !reflect.DeepEqual(edits, want) {
		t.Errorf("got %v, %v, want %v", edits, err, want)
	}
}

func TestFormattingRefusesWhatItCouldHarm(t *testing.T) {
	if _, err := Format(NewText(`{"a": 1,}`), FormatOptions{}); !errors.Is(err, ErrMalformed) {
		t.Errorf("malformed: %v", err)
	}
	deep := strings.Repeat("[", 500)
	wide := deep + strings.Repeat("1,", 20_000) + "1" + strings.Repeat("]", 500)
	if _, err := Format(NewText(wide), FormatOptions{}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("indentation bomb: %v", err)
	}
	flat := "[" + strings.Repeat("1,", 2*editsMax) + "1]"
	edits, err := Format(NewText(flat), FormatOptions{})
	if err != nil || len(edits) != 1 || strings.Count(edits[0].NewText, "\n") != 2*editsMax+2 {
		t.Errorf("many edits: %d, %v", len(edits), err)
	}
}

func TestStoreBounds(t *testing.T) {
	store := NewStore()
	if _, err := store.Open("big", 1, strings.Repeat("1", documentBytesMax+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("over the limit: %v", err)
	}
	if _, err := store.Open("full", 1, strings.Repeat("1", documentBytesMax)); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if _, err := store.Change("full", 2, []Change{{Range: &Range{}, Text: "1"}}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("grown over the limit: %v", err)
	}
	if store.Get("full") != nil || store.sizeBytes != 0 {
		t.Errorf("a document that cannot be followed stays open")
	}
	for i := range documentsMax {
		if _, err := store.Open(fmt.Sprint(i), 1, ""); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := store.Open("one more", 1, ""); !errors.Is(err, ErrTooMany) {
		t.Errorf("one document more: %v", err)
	}
	if _, err := store.Open("0", 2, "{}"); err != nil {
		t.Errorf("opened again: %v", err)
	}
}

func TestChangesApplyInOrder(t *testing.T) {
	store := NewStore()
	if _, err := store.Open("a", 1, "[1]"); err != nil {
		t.Fatal(err)
	}
	at := func(character uint32) *Range { return &Range{Position{0, character}, Position{0, character}} }
	document, err := store.Change("a", 2, []Change{{Text: "[😀]"}, {Range: at(3), Text: "x"}, {Range: at(1), Text: "y"}})
	if err != nil || document.Text.String() != "[y😀x]" || document.Version != 2 {
		t.Errorf("got %v, %v", document, err)
	}
	backwards := &Range{Position{0, 3}, Position{0, 1}}
	if _, err := store.Change("a", 3, []Change{{Range: backwards}}); !errors.Is(err, ErrBadRange) {
		t.Errorf("backwards: %v", err)
	}
	if _, err := store.Change("a", 4, nil); !errors.Is(err, ErrNotOpen) {
		t.Errorf("after the error: %v", err)
	}
}
