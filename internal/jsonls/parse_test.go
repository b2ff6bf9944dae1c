package jsonls

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestEachFaultIsOneProblemAtItsPlace(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{``, ``},
		{" \n\t", ``},
		{`{"a":[1,2,{"b":null}],"c":true}`, ``},
		{`[1,2,]`, `4-5 a comma may not stand before the end`},
		{`{"a":1,}`, `6-7 a comma may not stand before the end`},
		{`[1 2]`, `3-4 a comma is missing before this`},
		{`[,1]`, `1-2 nothing stands before this comma`},
		{`{"a" 1}`, `1-4 a colon is missing after this name`},
		{`{"a" "b":1}`, `1-4 a colon and a value are missing after this name; 5-8 a comma is missing before this`},
		{`{a:1}`, `1-2 not a JSON value; strings need double quotes`},
		{`{1:2}`, `1-2 expected a name in double quotes`},
		{`{"a":}`, `4-5 a value is missing after this colon`},
		{`{"a":[1,2}`, `5-6 array is not closed`},
		{`[{"a":1]`, `1-2 object is not closed`},
		{`[1]]`, `3-4 expected the end of the document: a JSON text is one value`},
		{`[1}]`, `2-3 unexpected }`},
		{`[01]`, `1-3 not a JSON number`},
		{`[1.,-,1e,+1]`, `1-3 not a JSON number; 4-5 not a JSON number; 6-8 not a JSON number; 9-11 not a JSON number`},
		{`[NaN]`, `1-4 not a JSON value; strings need double quotes`},
		{`['a']`, `1-4 strings need double quotes`},
		{`["a` + "\n" + `,1]`, `1-3 the string is not closed on its line`},
		{`["a`, `1-3 the string is not closed; 0-1 array is not closed`},
		{`["\x"]`, `2-4 unknown escape; JSON knows \" \\ \/ \b \f \n \r \t \uXXXX`},
		{`["\u12"]`, `2-6 \u needs four hexadecimal digits`},
		{`["` + "\t" + `"]`, `2-3 a control character in a string must be escaped`},
		{"[1 // one\n,/*two*/2]", `3-9 JSON has no comments; 11-18 JSON has no comments`},
	} {
		_, problems := Parse(test.text)
		var got []string
		for _, p := range problems {
			got = append(got, fmt.Sprintf("%d-%d %s", p.Start, p.End, p.Message))
		}
		if strings.Join(got, "; ") != test.want {
			t.Errorf("Parse(%q)\n got %s\nwant %s", test.text, strings.Join(got, "; "), test.want)
		}
	}
}

func TestWhatFollowsAFaultIsStillRead(t *testing.T) {
	text := `{"a": [1, oops, 3], "b": {"c": }, "d": 4}`
	root, problems := Parse(text)
	if len(problems) != 2 {
		t.Errorf("problems = %v, want two", problems)
	}
	d := root.Children[2]
	if d.Key.Name != "d" || d.Kind != KindNumber || text[d.Start:d.End] != "4" {
		t.Errorf("last member = %+v, want d: 4", d)
	}
}

func TestHostileDocumentsAreBounded(t *testing.T) {
	for name, text := range map[string]string{
		"depth":    strings.Repeat("[", 1<<20),
		"objects":  strings.Repeat(`{"a":`, 1<<18),
		"values":   "[" + strings.Repeat("1,", 1<<20),
		"problems": strings.Repeat("}", 1<<20),
		"words":    "[" + strings.Repeat("x,", 1<<18),
	} {
		root, problems := Parse(text)
		if count := countNodes(root); count > nodesMax+1 {
			t.Errorf("%s: %d nodes", name, count)
		}
		if len(problems) == 0 || len(problems) > problemsMax {
			t.Errorf("%s: %d problems", name, len(problems))
		}
		checkNesting(t, root, 0, len(text))
	}
}

func countNodes(node *Node) int {
	count := 1
	for _, child := range node.Children {
		count += countNodes(child)
	}
	return count
}

// The standard library is the oracle: no problem exactly where it accepts the text.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5e-3,"\u00e9"],"b":null}`, `[1,]`, `{"a" 1}`, `"`, `/*`, `-`, "\"\\", `{"a":{`, "[\"\x01\"]", `1e5 2`, "{\"a\":\n/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		root, problems := Parse(content)
		blank := strings.Trim(content, " \t\r\n") == ""
		if valid := json.Valid([]byte(content)); valid != (len(problems) == 0) && !blank {
			t.Fatalf("valid %v, problems %v", valid, problems)
		}
		for _, p := range problems {
			if p.Start < 0 || p.End < p.Start || p.End > len(content) {
				t.Fatalf("problem out of the text: %+v", p)
			}
		}
		checkNesting(t, root, 0, len(content))
	})
}

func checkNesting(t *testing.T, node *Node, start, end int) {
	if node == nil {
		return
	}
	if node.start() < start || node.End < node.Start || node.End > end {
		t.Fatalf("node %+v outside %d-%d", node, start, end)
	}
	for _, child := range node.Children {
		checkNesting(t, child, node.Start, node.End)
	}
}
