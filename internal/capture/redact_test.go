package capture

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/internal/transcript"
)

func redaction(t testing.TB, secrets bool, paths ...string) *Redaction {
	t.Helper()
	r, err := NewRedaction(secrets, paths)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMask(t *testing.T) {
	for _, test := range []struct{ paths, in, want string }{
		{"", `{"params":{"password":"x1"}}`, `{"params":{"password":"**"}}`},
		{"", `{"a":{"API-Key" : [1, "]"]}}`, `{"a":{"API-Key" : "******"}}`},
		{"", `{"a":{"git_hub_TOKEN":"\"x"}}`, `{"a":{"git_hub_TOKEN":"***"}}`},
		{"", `{"a":{"\u0073ecret":null,"b":1}}`, `{"a":{"\u0073ecret":"**","b":1}}`},
		{"", `{"secret":7}`, `{"secret":0}`},
		{"", `{"params":{"token":"p","maxTokens":12,"workDoneToken":3,"arguments":{"token":"t"}}}`, `{"params":{"token":"p","maxTokens":12,"workDoneToken":3,"arguments":{"token":"*"}}}`},
		{"result.*.data", `{"result":[{"data":"abc"},{"data":{"x":1}},{"date":1}]}`, `{"result":[{"data":"***"},{"data":"*****"},{"date":1}]}`},
		{"result.1", `{"result":[11,22,33]}`, `{"result":[11,"",33]}`},
		{"**.email", `{"email":"a","b":{"c":[{"email":"bc"}]}}`, `{"email":"*","b":{"c":[{"email":"**"}]}}`},
		{"params", `{"id":1,"params":{ }}`, `{"id":1,"params":"*"}`},
		{"params.**", `{"id":1,"params":[1,2]}`, `{"id":1,"params":"***"}`},
	} {
		r := redaction(t, true)
		if test.paths != "" {
			r = redaction(t, true, test.paths)
		}
		got := []byte(test.in)
		r.mask(got)
		if string(got) != test.want {
			t.Errorf("%s of %s: %s, want %s", test.paths, test.in, got, test.want)
		}
	}
}

func TestMaskLoose(t *testing.T) {
	r := redaction(t, true)
	for in, want := range map[string]string{
		"login with password=abc, then": "login with password=***, then",
		`{"api_key": "abc" is bad json`: `{"api_key": "***" is bad json`,
		"Authorization: Basic eDp5\nok": "Authorization: **********\nok",
		"sent Bearer abc.def":           "sent Bearer *******",
		"12 tokens in all":              "12 tokens in all",
	} {
		got := []byte(in)
		r.maskLoose(got)
		if string(got) != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	command := r.Command([]string{"srv", "--token", "abc", "--api-key=def", "x"})
	if got := strings.Join(command, " "); got != "srv --token *** --api-key=*** x" {
		t.Error(got)
	}
}

// Goal: a secret is masked wherever reads cut its message: no byte of it is in a record, and none before
// its message is complete. Method: a message before and behind it, three reads.
func TestSecretsAreMaskedWhereverReadsCut(t *testing.T) {
	const secret = "correct-horse"
	stream := header(ping) + header(`{"jsonrpc":"2.0","method":"login","params":{"password":"`+secret+`","n":1}}`) + header(ping)
	want := strings.Replace(stream, secret, strings.Repeat("*", len(secret)), 1)
	for first := 1; first < len(stream)-1; first++ {
		for _, second := range []int{first + 1, first + (len(stream)-first)/2 + 1, len(stream) - 1} {
			h := &held{op: transcript.OpClient, framer: NewFramer(FramingHeader), redaction: redaction(t, true)}
			recorded := ""
			for _, text := range []string{stream[:first], stream[first:second], stream[second:]} {
				records, err := h.feed(nil, &piece{text: []byte(text)})
				if err != nil {
					t.Fatal(err)
				}
				recorded += texts(t, records)
			}
			if recorded != want {
				t.Fatalf("cut at %d and %d: %q, want %q", first, second, recorded, want)
			}
		}
	}
}

// texts is what records hold, one after the other.
func texts(t *testing.T, records []byte) (text string) {
	t.Helper()
	for reader := transcript.NewReader(bytes.NewReader(records), 0); ; {
		var r transcript.Record
		err := reader.Next(&r)
		if errors.Is(err, io.EOF) {
			return text
		}
		if err != nil {
			t.Fatal(err)
		}
		text += string(r.Text)
	}
}

func TestRedactionRefuses(t *testing.T) {
	for _, path := range []string{"", "a..b", ".a", "id", "method", "jsonrpc.x"} {
		if _, err := NewRedaction(true, []string{path}); err == nil {
			t.Errorf("%q was taken", path)
		}
	}
}

// Whatever is masked stays JSON of the same size, and is masked no further the second time.
func FuzzMask(f *testing.F) {
	f.Add(`{"params":{"password":"x","list":[{"email":1.5e3},true,null,"\\\"]"]}}`, "**.email")
	f.Add(` [ { "a" : {} } , [] ] `, "*.a")
	f.Fuzz(func(t *testing.T, text, path string) {
		r, err := NewRedaction(true, []string{path})
		if err != nil || !json.Valid([]byte(text)) {
			return
		}
		once := []byte(text)
		r.mask(once)
		if len(once) != len(text) || !json.Valid(once) {
			t.Fatalf("%q became %q", text, once)
		}
		twice := append([]byte(nil), once...)
		r.mask(twice)
		if string(once) != string(twice) {
			t.Fatalf("%q, then %q", once, twice)
		}
	})
}
