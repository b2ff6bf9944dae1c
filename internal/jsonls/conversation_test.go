package jsonls

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/host"
)

// conversation is one of testdata/conversations.json. The server of the TypeScript bindings' tests
// holds the same ones: bindings/js/test/json-server.test.ts. Each ends with shutdown and exit, and
// with nothing said that no step hears.
type conversation struct {
	Name  string
	Steps []exchange
}

// exchange is a call, a notification of ours, or one of theirs. Result, Error and the Params of what is
// heard are patterns: see unlike.
type exchange struct {
	Call, Notify, Hear    string
	Params, Result, Error json.RawMessage
}

func TestConversations(t *testing.T) {
	text, err := os.ReadFile("testdata/conversations.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []conversation
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, talk := range all {
		t.Run(talk.Name, func(t *testing.T) {
			c := serve(t)
			for i, s := range talk.Steps {
				if err := c.play(t, s); err != nil {
					t.Fatalf("step %d, %s: %v", i+1, s.Call+s.Notify+s.Hear, err)
				}
			}
			c.call(t, "shutdown", `null`)
			c.notify(t, "exit", `null`)
			if code := <-c.exitCode; code != 0 {
				t.Errorf("exit code %d", code)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			close(c.heard)
			for unheard := range c.heard {
				t.Errorf("unasked: %s %s", unheard.method, unheard.params)
			}
		})
	}
}

func (c *client) play(t *testing.T, s exchange) error {
	switch {
	case s.Call != "":
		result, err := c.CallRaw(t.Context(), s.Call, s.Params)
		var answer *host.RPCError
		if s.Error != nil && errors.As(err, &answer) {
			return match(s.Error, fmt.Appendf(nil, `{"code":%d,"message":%q}`, answer.Code, answer.Message))
		}
		if err != nil || s.Error != nil {
			return fmt.Errorf("answered %s, error %v, want error %s", result, err, s.Error)
		}
		if s.Result == nil {
			return nil // any will do
		}
		return match(s.Result, result)
	case s.Notify != "":
		return c.NotifyRaw(t.Context(), s.Notify, s.Params)
	}
	said := <-c.heard
	if said.method != s.Hear {
		return fmt.Errorf("heard %s %s", said.method, said.params)
	}
	return match(s.Params, said.params)
}

func match(pattern, text json.RawMessage) error {
	var want, got any
	if err := json.Unmarshal(pattern, &want); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &got); err != nil {
		return err
	}
	if where := unlike(want, got); where != "" {
		return fmt.Errorf("%s in %s", where, text)
	}
	return nil
}

// unlike says where a value differs from a pattern, "" where it does not. Of an object only the
// members that the pattern names count; null is an absent member as well, and {"contains": "x"} any
// string with x in it. Everything else is equal.
func unlike(want, got any) string {
	switch want := want.(type) {
	case map[string]any:
		if text, ok := got.(string); ok && want["contains"] != nil && strings.Contains(text, want["contains"].(string)) {
			return ""
		}
		members, ok := got.(map[string]any)
		if !ok {
			break
		}
		for name, value := range want {
			if where := unlike(value, members[name]); where != "" {
				return "." + name + where
			}
		}
		return ""
	case []any:
		items, ok := got.([]any)
		if !ok || len(items) != len(want) {
			break
		}
		for i, value := range want {
			if where := unlike(value, items[i]); where != "" {
				return fmt.Sprintf("[%d]%s", i, where)
			}
		}
		return ""
	}
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return fmt.Sprintf(": want %v, got %v", want, got)
}

func TestUnlikeFindsDifferences(t *testing.T) {
	for _, c := range []struct{ pattern, text, want string }{
		{`{"a":1,"b":null}`, `{"a":1,"c":2}`, ""},
		{`{"a":{"contains":"bc"}}`, `{"a":"abcd"}`, ""},
		{`{"a":{"contains":"bd"}}`, `{"a":"abcd"}`, ".a: want"},
		{`{"a":[1,{"b":2}]}`, `{"a":[1,{"b":3}]}`, ".a[1].b: want 2, got 3"},
		{`[]`, `[1]`, ": want"},
		{`[]`, `null`, ": want"},
		{`{}`, `null`, ": want"},
		{`null`, `{}`, ": want"},
		{`{"a":null}`, `{"a":0}`, ".a: want"},
	} {
		err := match(json.RawMessage(c.pattern), json.RawMessage(c.text))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s against %s: %v, want %q", c.pattern, c.text, err, c.want)
		}
	}
}
