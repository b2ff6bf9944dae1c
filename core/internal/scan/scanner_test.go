package scan

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

const depthMax = 1024

func TestRefuses(t *testing.T) {
	for _, test := range []struct {
		text  string
		fault Fault
		at    int
	}{
		{"", FaultEmpty, 0},
		{" \t\r\n", FaultEmpty, 4},
		{"\v1", FaultSyntax, 0},
		{"\xef\xbb\xbf{}", FaultSyntax, 0},
		{"\x00", FaultSyntax, 0},
		{"{}\x00", FaultSyntax, 2},
		{"{} {}", FaultSyntax, 3},
		{"1 2", FaultSyntax, 2},

		// numbers and literal names
		{"01", FaultSyntax, 1},
		{"-", FaultSyntax, 1},
		{"-a", FaultSyntax, 1},
		{"+1", FaultSyntax, 0},
		{".5", FaultSyntax, 0},
		{"1.", FaultSyntax, 2},
		{"1.e5", FaultSyntax, 2},
		{"1e", FaultSyntax, 2},
		{"1e+", FaultSyntax, 3},
		{"1e+x", FaultSyntax, 3},
		{"-01", FaultSyntax, 2},
		{"[-01]", FaultSyntax, 3},
		{"[01]", FaultSyntax, 2},
		{"[1.]", FaultSyntax, 3},
		{"[12e]", FaultSyntax, 4},
		{"0x10", FaultSyntax, 1},
		{"NaN", FaultSyntax, 0},
		{"Infinity", FaultSyntax, 0},
		{"-Infinity", FaultSyntax, 1},
		{"tru", FaultSyntax, 3},
		{"trux", FaultSyntax, 3},
		{"truex", FaultSyntax, 4},
		{"nul", FaultSyntax, 3},
		{"falsy", FaultSyntax, 4},
		{"True", FaultSyntax, 0},

		// structure
		{"[", FaultSyntax, 1},
		{"[1", FaultSyntax, 2},
		{"[1,", FaultSyntax, 3},
		{"[1,]", FaultSyntax, 3},
		{"[,1]", FaultSyntax, 1},
		{"[1 2]", FaultSyntax, 3},
		{"[1}", FaultSyntax, 2},
		{"[}", FaultSyntax, 1},
		{"]", FaultSyntax, 0},
		{"{", FaultSyntax, 1},
		{"{]", FaultSyntax, 1},
		{"{1:2}", FaultSyntax, 1},
		{`{"a"}`, FaultSyntax, 4},
		{`{"a" 1}`, FaultSyntax, 5},
		{`{"a":}`, FaultSyntax, 5},
		{`{"a":1`, FaultSyntax, 6},
		{`{"a":1,}`, FaultSyntax, 7},
		{`{"a":1]`, FaultSyntax, 6},
		{`{"a":1:2}`, FaultSyntax, 6},
		{`{'a':1}`, FaultSyntax, 1},
		{`{"a":{"b":1]}`, FaultSyntax, 11},
		{`[{"b":1,}]`, FaultSyntax, 8},
		{`[{"b" 1}]`, FaultSyntax, 6},
		{`[{b:1}]`, FaultSyntax, 2},
		{`[{"b":1 "c":2}]`, FaultSyntax, 8},
		{`[[1],[2}`, FaultSyntax, 7},
		{"[1]/**/", FaultSyntax, 3},

		// strings
		{`"`, FaultSyntax, 1},
		{`"abcdefghijk`, FaultSyntax, 12},
		{`"a` + "\n" + `"`, FaultSyntax, 2},
		{`"abcdefgh` + "\x1f" + `abcdefgh"`, FaultSyntax, 9},
		{`"a` + "\x00" + `b"`, FaultSyntax, 2},
		{`"\`, FaultSyntax, 2},
		{`"\x"`, FaultSyntax, 2},
		{`"\u12"`, FaultSyntax, 5},
		{`"\u12g4"`, FaultSyntax, 5},
		{`"\u123`, FaultSyntax, 6},
		{`"\U0041"`, FaultSyntax, 2},

		// UTF-8
		{"\"\x80\"", FaultUTF8, 1},
		{"\"\xc0\x80\"", FaultUTF8, 1},
		{"\"\xc1\xbf\"", FaultUTF8, 1},
		{"\"\xc3(\"", FaultUTF8, 2},
		{"\"\xe0\x9f\xbf\"", FaultUTF8, 2},
		{"\"\xe2\x82(\"", FaultUTF8, 3},
		{"\"\xed\xa0\x80\"", FaultUTF8, 2},
		{"\"\xf0\x8f\xbf\xbf\"", FaultUTF8, 2},
		{"\"\xf4\x90\x80\x80\"", FaultUTF8, 2},
		{"\"\xf5\x80\x80\x80\"", FaultUTF8, 1},
		{"\"\xff\"", FaultUTF8, 1},
		{"\"\xe2\x82\x00\"", FaultUTF8, 3},
		{"\"\xe2\x82", FaultSyntax, 3},
		{"\"\u20ac\u20ac\xe2\x82\"", FaultUTF8, 9},
		{"{\"\xff\":1}", FaultUTF8, 2},
		{"{\"a\":{\"\xff\":1}}", FaultUTF8, 7},
		{"[\"\xff\"]", FaultUTF8, 2},
		{"\u00e9", FaultSyntax, 0},
		{"[1,\u00a0 2]", FaultSyntax, 3},

		// depth
		{strings.Repeat("[", depthMax+1), FaultDepth, depthMax},
		{`{"a":` + strings.Repeat("[", depthMax), FaultDepth, depthMax + 4},
	} {
		s := Scanner{DepthMax: depthMax}
		m := Message{Seen: 0xFFFF, ID: Span{1, 2}}
		if fault, at := s.Message([]byte(test.text), &m); fault != test.fault || at != test.at {
			t.Errorf("Message(%.40q) = %d at %d, want %d at %d", test.text, fault, at, test.fault, test.at)
		}
		if m != (Message{}) {
			t.Errorf("Message(%.40q) left %+v behind", test.text, m)
		}
		if fault, at := s.Valid([]byte(test.text)); fault != test.fault || at != test.at {
			t.Errorf("Valid(%.40q) = %d at %d, want %d at %d", test.text, fault, at, test.fault, test.at)
		}
	}
}

func TestAccepts(t *testing.T) {
	for _, test := range []struct {
		text string
		form Form
	}{
		{"{}", FormObject},
		{" { } ", FormObject},
		{"[]", FormArray},
		{"\t[ ]\r\n", FormArray},
		{"0", FormScalar},
		{"-0", FormScalar},
		{"-0.0e-0", FormScalar},
		{"1E+9", FormScalar},
		{"[0,-1,10,1.5,1e5,1E-05,0.1,0e1]", FormArray},
		{"123456789012345678901234567890", FormScalar},
		{"true", FormScalar},
		{"[true,false,null]", FormArray},
		{`""`, FormScalar},
		{`"\"\\\/\b\f\n\r\t\u00e9\uD834\udd1e"`, FormScalar},
		{`"\ud800 \udc00"`, FormScalar},
		{"\"\u007f\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff\"", FormScalar},
		{"\"12345678\u00e9\u00e91234567\"", FormScalar},
		{`{"":{"":[{}]}}`, FormObject},
		{"{ \"a\" : [ 1 , 2 ] , \"b\" : { } , \"c\" : [ ] }", FormObject},
		{`[[[]],[{"a":[]},{}],{"b":{"c":{}},"d":0}]`, FormArray},
		{strings.Repeat("[", depthMax) + strings.Repeat("]", depthMax), FormArray},
		{`{"a":` + strings.Repeat("[", depthMax-1) + strings.Repeat("]", depthMax-1) + "}", FormObject},
	} {
		s := Scanner{DepthMax: depthMax}
		var m Message
		if fault, at := s.Message([]byte(test.text), &m); fault != FaultNone || at != len(test.text) {
			t.Errorf("Message(%.40q) = %d at %d", test.text, fault, at)
		}
		if m.Form != test.form {
			t.Errorf("Message(%.40q) has form %d, want %d", test.text, m.Form, test.form)
		}
		if fault, at := s.Valid([]byte(test.text)); fault != FaultNone || at != len(test.text) {
			t.Errorf("Valid(%.40q) = %d at %d", test.text, fault, at)
		}
	}
}

// TestDeepMixed closes each bracket with the wrong one in turn, across the words of the stack.
func TestDeepMixed(t *testing.T) {
	const depth = 200
	var opening strings.Builder
	closing := make([]byte, depth)
	for i := range depth {
		if i%3 == 0 || i%7 == 0 {
			opening.WriteString(`{"a":`)
			closing[depth-1-i] = '}'
		} else {
			opening.WriteString("[")
			closing[depth-1-i] = ']'
		}
	}
	opening.WriteString("0")
	text := append([]byte(opening.String()), closing...)
	s := Scanner{DepthMax: depth}
	if fault, at := s.Valid(text); fault != FaultNone {
		t.Fatalf("fault %d at %d", fault, at)
	}
	for i := opening.Len(); i < len(text); i++ {
		text[i] ^= '}' ^ ']'
		if fault, at := s.Valid(text); fault != FaultSyntax || at != i {
			t.Errorf("wrong bracket at %d: fault %d at %d", i, fault, at)
		}
		text[i] ^= '}' ^ ']'
	}
	s.DepthMax = depth - 1
	if fault, _ := s.Valid(text); fault != FaultDepth {
		t.Errorf("depth %d under limit %d: fault %d", depth, s.DepthMax, fault)
	}
}

// TestStringEveryPosition puts every byte at every place of a string, so that each is met both
// eight at a time and alone.
func TestStringEveryPosition(t *testing.T) {
	s := Scanner{DepthMax: 1}
	for size := range 20 {
		for at := range size {
			for c := range 256 {
				text := []byte(`"` + strings.Repeat("a", size) + `"`)
				text[at+1] = byte(c)
				checkValid(t, &s, text)
			}
		}
	}
}

// TestNameEveryPosition does the same with names, at the end of a text and before it.
func TestNameEveryPosition(t *testing.T) {
	s := Scanner{DepthMax: 1}
	for size := range 20 {
		for at := range size + 2 {
			for c := range 256 {
				for _, rest := range []string{":1}", ` :"a text behind it that takes some words"}`} {
					text := []byte(`{"` + strings.Repeat("a", size) + `"` + rest)
					text[at+1] = byte(c)
					checkValid(t, &s, text)
				}
			}
		}
	}
}

// TestNumberEveryShape puts every short text in the place of a number, behind digits that fill words.
func TestNumberEveryShape(t *testing.T) {
	const alphabet, count = "01.e-,]}", 4
	s := Scanner{DepthMax: 2}
	var shape [count]byte
	for n := range 1 << (3 * count) {
		for i := range shape {
			shape[i] = alphabet[n>>(3*i)&7]
		}
		for digits := range 10 {
			number := "123456789"[:digits] + string(shape[:])
			for _, rest := range []string{"", "       "} {
				checkValid(t, &s, []byte(`[{"a":`+number+rest))
				checkValid(t, &s, []byte(`[`+number+rest))
			}
		}
	}
}

func checkValid(t *testing.T, s *Scanner, text []byte) {
	want := json.Valid(text) && utf8.Valid(text)
	if fault, where := s.Valid(text); (fault == FaultNone) != want {
		t.Fatalf("%q: fault %d at %d", text, fault, where)
	}
}

func TestMembers(t *testing.T) {
	text := []byte(` { "jsonrpc" : "2.0", "\u0069d":7 , "ID":8, "m\u0065thod":"a\"b","params":{"id":1},` +
		`"result" :null,"error":{},"id":[2],"type":1,"seq" :2,"extra":[{}],"idx":3,"\u0069\u0064x":4,"method":""}`)
	s := Scanner{DepthMax: depthMax}
	m := Message{Form: FormScalar}
	if fault, at := s.Message(text, &m); fault != FaultNone {
		t.Fatalf("fault %d at %d", fault, at)
	}
	if want := MemberVersion | MemberID | MemberMethod | MemberParams | MemberResult | MemberError |
		MemberSeq | MemberType; m.Seen != want {
		t.Errorf("Seen = %b, want %b", m.Seen, want)
	}
	if want := MemberID | MemberMethod; m.Repeated != want {
		t.Errorf("Repeated = %b, want %b", m.Repeated, want)
	}
	for _, test := range []struct {
		span Span
		want string
	}{
		{m.Version, `"2.0"`},
		{m.ID, "7"},
		{m.Method, `"a\"b"`},
		{m.Params, `{"id":1}`},
		{m.Result, "null"},
		{m.Error, "{}"},
	} {
		if got := string(test.span.Of(text)); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
	if fault, _ := s.Message([]byte("{}"), &m); fault != FaultNone || m != (Message{}) {
		t.Errorf("after {}: fault %d, %+v", fault, m)
	}
	if m.ID.Of(text) != nil {
		t.Error("an absent span is not nil")
	}
}

func TestZeroScannerNestsNothing(t *testing.T) {
	var s Scanner
	var m Message
	if fault, at := s.Message([]byte(" {}"), &m); fault != FaultDepth || at != 1 {
		t.Errorf("{}: fault %d at %d", fault, at)
	}
	if fault, at := s.Message([]byte("1"), &m); fault != FaultNone {
		t.Errorf("1: fault %d at %d", fault, at)
	}
}

// FuzzScan holds the scanner to encoding/json, which accepts what is not UTF-8 and knows another
// depth, and checks that the deciding byte is the first one with which no text can begin.
func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"a","params":[1.5e3,"\u00e9\ud800",true,null,{}]}`))
	f.Add([]byte("[\"\xed\xa0\x80\"]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := Scanner{DepthMax: 8}
		var m Message
		fault, at := s.Message(text, &m)
		if validFault, validAt := s.Valid(text); validFault != fault || validAt != at {
			t.Fatalf("Message says %d at %d, Valid %d at %d", fault, at, validFault, validAt)
		}
		if at < 0 || at > len(text) {
			t.Fatalf("offset %d of %d", at, len(text))
		}
		strict := json.Valid(text) && utf8.Valid(text)
		switch fault {
		case FaultNone:
			if !strict {
				t.Fatalf("accepts %q", text)
			}
			if m.Form == FormObject {
				checkMembers(t, text, &m)
			}
		case FaultDepth:
			if c := text[at]; c != '{' && c != '[' {
				t.Fatalf("depth decided by %q", c)
			}
		default:
			if strict {
				t.Fatalf("refuses %q: %d at %d", text, fault, at)
			}
			if cut, cutAt := s.Valid(text[:at]); at < len(text) && cut != FaultNone && cutAt != at {
				t.Fatalf("%q: decided at %d, but without that byte at %d", text, at, cutAt)
			}
		}
	})
}

func checkMembers(t *testing.T, text []byte, m *Message) {
	// A map keeps the last of repeated members, so only single ones can be compared.
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	for i, span := range []Span{m.Version, m.ID, m.Method, m.Params, m.Result, m.Error} {
		name := memberNames[i]
		want, present := members[name]
		if present != span.Present() || present != (m.Seen&(1<<i) != 0) {
			t.Fatalf("%s of %q: %v, want %v", name, text, span.Present(), present)
		}
		if m.Repeated&(1<<i) == 0 && !bytes.Equal(span.Of(text), want) {
			t.Fatalf("%s of %q = %q, want %q", name, text, span.Of(text), want)
		}
	}
}
