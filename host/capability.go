package host

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Capability declares what a method lets its server advertise: one JSON object, for example
// {"hoverProvider":true}. Capabilities merges it with those of the other methods. Text that is no
// JSON object panics (REQ-8).
func Capability(object string) MethodOption {
	return func(r *route) {
		decoder := json.NewDecoder(strings.NewReader(object))
		decoder.UseNumber()
		if err := decoder.Decode(&r.capability); err != nil {
			panic(fmt.Sprintf("host: the capability %s is no JSON object: %v", object, err))
		}
	}
}

// Capabilities returns what the registered methods declared, merged into one JSON object: the
// member capabilities of a result of initialize or server/discover. A server that declares with
// each method what it serves advertises nothing else (REQ-8).
func (m *Mux) Capabilities() json.RawMessage {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, err := json.Marshal(m.capabilities)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return text
}

// merge adds part to all, objects member by member. It returns the path of the first value that
// both have and that differs; "" where they agree.
func merge(all, part map[string]any) (conflict string) {
	for name, value := range part {
		old, taken := all[name]
		oldObject, wasObject := old.(map[string]any)
		object, isObject := value.(map[string]any)
		switch {
		case !taken:
			all[name] = value
		case wasObject && isObject:
			if inner := merge(oldObject, object); inner != "" {
				return name + "." + inner
			}
		case !reflect.DeepEqual(old, value):
			return name
		}
	}
	return ""
}
