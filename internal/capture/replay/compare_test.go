package replay

import (
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
)

// answer is an answer with a body; one that begins with ! is an error.
func answer(body string) *Message {
	if body == "" {
		return nil
	}
	class := core.ClassResult
	body, isError := strings.CutPrefix(body, "!")
	if isError {
		class = core.ClassError
	}
	return &Message{Class: class, Body: []byte(body)}
}

// Goal: each matching sees what it is there for, and nothing else. Method: pairs of answers, with what
// ids, shape and strict say of each: "" is that they are alike.
func TestCompare(t *testing.T) {
	const same, number = "", "result: want 1, got 2"
	for _, test := range []struct {
		name, want, got    string
		ids, shape, strict string
	}{
		{"nothing", "", "", same, same, same},
		{"no answer", "1", "", "not answered", "not answered", "not answered"},
		{"an answer too many", "", "1", "answered, and was not in the capture", "answered, and was not in the capture", "answered, and was not in the capture"},
		{"an error for a result", "1", `!{"code":1}`, `want a result 1, got an error {"code":1}`, `want a result 1, got an error {"code":1}`, `want a result 1, got an error {"code":1}`},
		{"the same text", `{"a":[1]}`, `{"a":[1]}`, same, same, same},
		{"white space, order and escapes", `{"a":1,"b":"\u0041"}`, `{ "b":"A", "a":1 }`, same, same, same},
		{"another value", "1", "2", same, same, number},
		{"another type", "1", `"1"`, same, `result: want 1, got "1"`, `result: want 1, got "1"`},
		{"null for a value", `{"a":null}`, `{"a":1}`, same, "result.a: want null, got 1", "result.a: want null, got 1"},
		{"an object for an array", "[]", "{}", same, "result: want [], got {}", "result: want [], got {}"},
		{"a large number", "12345678901234567890", "12345678901234567891", same, same, "result: want 12345678901234567890, got 12345678901234567891"},
		{"another spelling of a number", "1.0", "1", same, same, "result: want 1.0, got 1"},
		{"a member less", `{"a":1,"b":{"c":1}}`, `{"a":1,"b":{}}`, same, "result.b.c: missing, want 1", "result.b.c: missing, want 1"},
		{"a member more", `{}`, `{"a":1}`, same, "result.a: got 1, and it was not in the capture", "result.a: got 1, and it was not in the capture"},
		{"an entry more", "[1]", "[1,2]", same, same, "result: want 1 entries, got 2"},
		{"an entry less", "[1,2]", "[1]", same, same, "result: want 2 entries, got 1"},
		{"an entry of another type", "[1]", `[1,"x"]`, same, `result.1: want 1, got "x"`, "result: want 1 entries, got 2"},
		{"entries where none were", "[]", "[1]", same, same, "result: want 0 entries, got 1"},
		{"another code", `!{"code":1,"message":"a"}`, `!{"code":2,"message":"b"}`, same, "error.code: want 1, got 2", "error.code: want 1, got 2"},
		{"another message", `!{"code":1,"message":"a"}`, `!{"code":1,"message":"b"}`, same, same, `error.message: want "a", got "b"`},
		{"a code in a result", `{"code":1}`, `{"code":2}`, same, same, "result.code: want 1, got 2"},
	} {
		for matching, want := range []string{test.ids, test.shape, test.strict} {
			if got := Matching(matching).compare(answer(test.want), answer(test.got)); got != want {
				t.Errorf("%s, %s: %q, want %q", test.name, matchingNames[matching], got, want)
			}
		}
	}
}

// Goal: a difference stays short and valid UTF-8, however large the values are.
func TestDifferencesAreShort(t *testing.T) {
	long := `"` + strings.Repeat("ä", 4000) + `"`
	got := MatchStrict.compare(answer("1"), answer(long))
	if len(got) > 200 || !strings.HasSuffix(got, "ä…") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

func TestParseMatching(t *testing.T) {
	for i, name := range matchingNames {
		if got, err := ParseMatching(name); err != nil || got != Matching(i) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "id", "Strict"} {
		if _, err := ParseMatching(name); err == nil || !strings.Contains(err.Error(), "[ids shape strict]") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
