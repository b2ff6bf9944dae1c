package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/parley-rpc/parley/core"
)

// Matching is how alike two messages have to be.
type Matching uint8

const (
	MatchIDs    Matching = iota // answered alike: a result for a result, an error for an error
	MatchShape                  // and the same members with the same types; errors have the same code
	MatchStrict                 // and the same values; the order of members does not count
)

var matchingNames = [...]string{"ids", "shape", "strict"}

// ParseMatching reads ids, shape or strict.
func ParseMatching(name string) (Matching, error) {
	if i := slices.Index(matchingNames[:], name); i >= 0 {
		return Matching(i), nil
	}
	return 0, fmt.Errorf("%q: want one of %v", name, matchingNames)
}

// compare says in which way an answer is not like the one wanted; "": in none.
func (m Matching) compare(want, got *Message) string {
	switch {
	case want == nil && got == nil:
		return ""
	case want == nil:
		return "answered, and was not in the capture"
	case got == nil:
		return "not answered"
	case want.Class != got.Class:
		return fmt.Sprintf("want %s, got %s", kindOf(want), kindOf(got))
	}
	part := "result"
	if want.Class == core.ClassError {
		part = "error"
	}
	return m.compareJSON(part, want.Body, got.Body)
}

// kindOf is what an answer is, with the beginning of it.
func kindOf(m *Message) string {
	name := "a result"
	if m.Class == core.ClassError {
		name = "an error"
	}
	return name + " " + short(m.Body)
}

// compareJSON compares two values, of which either may be absent.
func (m Matching) compareJSON(path string, want, got []byte) string {
	if m == MatchIDs || bytes.Equal(want, got) {
		return ""
	}
	return m.values(path, decode(want), decode(got))
}

// decode reads what was found to be valid. Numbers stay as they are spelled.
func decode(text []byte) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return nil // absent is null
	}
	return value
}

func (m Matching) values(path string, want, got any) string {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			return m.objects(path, w, g)
		}
	case []any:
		if g, ok := got.([]any); ok {
			return m.arrays(path, w, g)
		}
	default:
		if m == MatchStrict && want == got {
			return ""
		}
		if m == MatchShape && reflect.TypeOf(want) == reflect.TypeOf(got) && !isCode(path, want, got) {
			return ""
		}
	}
	return fmt.Sprintf("%s: want %s, got %s", path, shown(want), shown(got))
}

// isCode reports whether two different codes of errors are compared.
func isCode(path string, want, got any) bool { return path == "error.code" && want != got }

func (m Matching) objects(path string, want, got map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if _, has := got[name]; !has {
			return fmt.Sprintf("%s.%s: missing, want %s", path, name, shown(want[name]))
		}
		if found := m.values(path+"."+name, want[name], got[name]); found != "" {
			return found
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, has := want[name]; !has {
			return fmt.Sprintf("%s.%s: got %s, and it was not in the capture", path, name, shown(got[name]))
		}
	}
	return ""
}

// arrays compares entry by entry. Under MatchShape an entry beyond the wanted ones is to be like the
// last of them.
func (m Matching) arrays(path string, want, got []any) string {
	if m == MatchStrict && len(want) != len(got) {
		return fmt.Sprintf("%s: want %d entries, got %d", path, len(want), len(got))
	}
	for i := range got {
		if len(want) == 0 {
			return ""
		}
		if found := m.values(path+"."+strconv.Itoa(i), want[min(i, len(want)-1)], got[i]); found != "" {
			return found
		}
	}
	return ""
}

func shown(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return short(text)
}

// shortBytesMax is how much of a value a difference shows.
const shortBytesMax = 60

func short(text []byte) string {
	if len(text) <= shortBytesMax {
		return string(text)
	}
	return string(bytes.ToValidUTF8(text[:shortBytesMax], nil)) + "…"
}
