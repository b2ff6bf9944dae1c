package scan

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestKind(t *testing.T) {
	for token, want := range map[string]byte{
		`{}`: 'o', `[]`: 'a', `""`: 's', `0`: 'n', `-1`: 'n', `9`: 'n', `true`: 't', `false`: 'f',
		`null`: '0', ``: 0, `}`: 0, `x`: 0, ` 1`: 0,
	} {
		if got := Kind([]byte(token)); got != want {
			t.Errorf("Kind(%q) = %q, want %q", token, got, want)
		}
	}
}

func TestUnquoted(t *testing.T) {
	for _, test := range []struct {
		token, want string
		copied      bool
	}{
		{`""`, "", false},
		{`"abc"`, "abc", false},
		{`"é"`, "é", false},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t", true},
		{`"a\u0041b"`, "aAb", true},
		{`"\u00e9\u20AC\uD834\uDD1E"`, "é€\U0001D11E", true},
		{`"\ud7ff\ue000"`, "\uD7FF\uE000", true},
		{`"\ud800\udc00\udbff\udfff"`, "\U00010000\U0010FFFF", true},
		{`"\ud800"`, "\uFFFD", true},
		{`"\udc00x"`, "\uFFFDx", true},
		{`"\ud800\ud834\udd1e"`, "\uFFFD\U0001D11E", true},
		{`"\ud800\n"`, "\uFFFD\n", true},
		{`"\ud800A"`, "\uFFFDA", true},
		{`"\u0000"`, "\x00", true},
	} {
		token := []byte(test.token)
		if got := AppendUnquoted([]byte("<"), token); string(got) != "<"+test.want {
			t.Errorf("AppendUnquoted(%s) = %q, want %q", token, got[1:], test.want)
		}
		got, ok := Unquoted(token)
		if ok == test.copied || ok && string(got) != test.want {
			t.Errorf("Unquoted(%s) = %q, %v", token, got, ok)
		}
		if !unquotedIs(token, test.want) || unquotedIs(token, test.want+"x") || unquotedIs(token, "x"+test.want) {
			t.Errorf("unquotedIs(%s) is wrong about %q", token, test.want)
		}
	}
	if text, ok := Unquoted(nil); text != nil || !ok {
		t.Errorf("nothing is the text %q, %v", text, ok)
	}
}

func TestAppendQuoted(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", `""`},
		{"abc/<&>", `"abc/<&>"`},
		{"\"\\\b\f\n\r\t", `"\"\\\b\f\n\r\t"`},
		{"\x00\x1f\x7f", `"\u0000\u001f` + "\x7f" + `"`},
		{"\u2028\u2029é\U0001D11E", "\"\u2028\u2029é\U0001D11E\""},
		{"a\xffb\xc3", "\"a\uFFFDb\uFFFD\""},
		{"\xed\xa0\x80", "\"\uFFFD\uFFFD\uFFFD\""},
		{"\uFFFD", "\"\uFFFD\""},
	} {
		if got := AppendQuoted([]byte("<"), test.text); string(got) != "<"+test.want {
			t.Errorf("AppendQuoted(%q) = %s, want %s", test.text, got[1:], test.want)
		}
		if got := AppendQuoted(nil, []byte(test.text)); string(got) != test.want {
			t.Errorf("AppendQuoted([]byte(%q)) = %s, want %s", test.text, got, test.want)
		}
	}
}

func FuzzQuote(f *testing.F) {
	f.Add("a\"\\\x00\xff\u2028é\U0001D11E\xed\xa0\x80")
	f.Fuzz(func(t *testing.T, text string) {
		token := AppendQuoted(nil, text)
		var decoded string
		if err := json.Unmarshal(token, &decoded); err != nil {
			t.Fatalf("%q: %v", token, err)
		}
		if want := strings.ToValidUTF8(text, ""); decoded != text && utf8.ValidString(text) || !utf8.ValidString(decoded) ||
			len(strings.ReplaceAll(decoded, "\uFFFD", "")) != len(strings.ReplaceAll(want, "\uFFFD", "")) {
			t.Fatalf("AppendQuoted(%q) reads as %q", text, decoded)
		}
		theirs, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range [][]byte{token, theirs} {
			if got := AppendUnquoted(nil, token); string(got) != decoded {
				t.Fatalf("AppendUnquoted(%s) = %q, want %q", token, got, decoded)
			}
			if plain, ok := Unquoted(token); ok && string(plain) != decoded {
				t.Fatalf("Unquoted(%s) = %q, want %q", token, plain, decoded)
			}
		}
		// Any bytes between quotes that are a string to encoding/json read the same here.
		raw := []byte(`"` + text + `"`)
		got := AppendUnquoted(nil, raw)
		if utf8.Valid(raw) && json.Unmarshal(raw, &decoded) == nil && string(got) != decoded {
			t.Fatalf("AppendUnquoted(%s) = %q, want %q", raw, got, decoded)
		}
	})
}

func TestInt32(t *testing.T) {
	for _, test := range []struct {
		token string
		want  int32
		ok    bool
	}{
		{"0", 0, true},
		{"-0", 0, true},
		{"0.000e99999999999999999999", 0, true},
		{"-32700", -32700, true},
		{"1.0", 1, true},
		{"1e2", 100, true},
		{"10e-1", 1, true},
		{"2147483647", 2147483647, true},
		{"-2147483648", -2147483648, true},
		{"2147483648", 0, false},
		{"-2147483649", 0, false},
		{"0.00012E+4", 0, false},
		{"0.00012e5", 12, true},
		{"1.5", 0, false},
		{"1e-1", 0, false},
		{"15e-1", 0, false},
		{"1e10", 0, false},
		{"1e99999999999999999999", 0, false},
		{"1e-99999999999999999999", 0, false},
		{"1e000000000000000000000000002", 100, true},
		{"4294967296", 0, false},
		{"18446744073709551617", 0, false},
		{"10000000000000000000000e-22", 1, true},
		{"0." + strings.Repeat("0", 300) + "7e301", 7, true},
		{"7" + strings.Repeat("0", 300) + "e-300", 7, true},
		{"null", 0, false},
		{`"1"`, 0, false},
		{"", 0, false},
	} {
		got, ok := Int32([]byte(test.token))
		if ok != test.ok || ok && got != test.want {
			t.Errorf("Int32(%.40s) = %d, %v, want %d, %v", test.token, got, ok, test.want, test.ok)
		}
	}
}

func TestInt64Ends(t *testing.T) {
	for _, test := range []struct {
		token string
		want  int64
		ok    bool
	}{
		{"9223372036854775807", 1<<63 - 1, true},
		{"9223372036854775808", 0, false},
		{"-9223372036854775808", -1 << 63, true},
		{"-9223372036854775809", 0, false},
		{"9999999999999999999", 0, false},
		{"-9999999999999999999", 0, false},
		{"9223372036854775807.000", 1<<63 - 1, true},
		{"922337203685477580700e-2", 1<<63 - 1, true},
		{"9007199254740993", 1<<53 + 1, true},
		{"1e18", 1e18, true},
		{"1e19", 0, false},
	} {
		d := ParseDecimal([]byte(test.token))
		if got, ok := d.Int64(); ok != test.ok || ok && got != test.want {
			t.Errorf("%s: %d, %v, want %d, %v", test.token, got, ok, test.want, test.ok)
		}
	}
}

func TestCursors(t *testing.T) {
	array := []byte(` [ 1 , "a,]" ,[2,[3]],{"a":[4]} , null]`)
	var elements []string
	for cursor := Elements(array); ; {
		span, ok := cursor.Next()
		if !ok {
			break
		}
		elements = append(elements, string(span.Of(array)))
	}
	if got, want := strings.Join(elements, "|"), `1|"a,]"|[2,[3]]|{"a":[4]}|null`; got != want {
		t.Errorf("elements %s, want %s", got, want)
	}
	object := []byte(`{ "a" : 1 ,"b":{"a":2},"\u0063":"}","a":3, "":[] }`)
	var pairs []string
	for cursor := Pairs(object); ; {
		name, value, ok := cursor.Next()
		if !ok {
			break
		}
		pairs = append(pairs, string(name.Of(object))+"="+string(value.Of(object)))
	}
	if got, want := strings.Join(pairs, "|"), `"a"=1|"b"={"a":2}|"\u0063"="}"|"a"=3|""=[]`; got != want {
		t.Errorf("pairs %s, want %s", got, want)
	}
	for name, want := range map[string]string{"a": "1", "b": `{"a":2}`, "c": `"}"`, "": "[]", "d": "", "A": ""} {
		if got := string(Member(object, name).Of(object)); got != want {
			t.Errorf("Member %q = %s, want %s", name, got, want)
		}
	}
	for _, none := range []string{"", "{}", "[]", " [ ] ", "1", `"a"`} {
		elements, pairs := Elements([]byte(none)), Pairs([]byte(none))
		if span, ok := elements.Next(); ok {
			t.Errorf("%q has element %v", none, span)
		}
		if name, _, ok := pairs.Next(); ok {
			t.Errorf("%q has member %v", none, name)
		}
	}
}

// FuzzMember walks arbitrary bytes, and holds what it finds in valid ones to encoding/json.
func FuzzMember(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":[{"a":2}],"\u0061":3}`), "a")
	f.Add([]byte(`{"a"`), "a")
	f.Add([]byte(`{"":}]"`), "")
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		value := Member(text, name).Of(text)
		elementCount, lastEnd := 0, 0
		for cursor := Elements(text); ; elementCount++ {
			span, ok := cursor.Next()
			if !ok {
				break
			}
			if span.Start < lastEnd || span.End <= span.Start {
				t.Fatalf("element %v after %d", span, lastEnd)
			}
			lastEnd = span.End
		}
		pairs := map[string]string{}
		for cursor := Pairs(text); ; {
			key, value, ok := cursor.Next()
			if !ok {
				break
			}
			pairs[string(AppendUnquoted(nil, key.Of(text)))] = string(value.Of(text))
		}
		Unquoted(text)
		Int32(text)
		if !json.Valid(text) || !utf8.Valid(text) {
			return
		}
		switch Kind(bytes.TrimLeft(text, " \t\r\n")) {
		case 'o':
			var object map[string]json.RawMessage
			if err := json.Unmarshal(text, &object); err != nil {
				t.Fatal(err)
			}
			if len(object) != len(pairs) {
				t.Fatalf("%d members, want %d", len(pairs), len(object))
			}
			for key, value := range object { // both keep the last of repeated members
				if pairs[key] != string(value) {
					t.Fatalf("member %q = %q, want %q", key, pairs[key], value)
				}
			}
			if _, present := object[name]; present != (value != nil) {
				t.Fatalf("Member(%q, %q) = %q", text, name, value)
			}
		case 'a':
			var array []json.RawMessage
			if err := json.Unmarshal(text, &array); err != nil {
				t.Fatal(err)
			}
			if len(array) != elementCount {
				t.Fatalf("%d elements, want %d", elementCount, len(array))
			}
		}
	})
}
