package scan

import "testing"

// The names that nearly every message holds are recognised by their words; where a word were misspelled
// they would still be found, more slowly.
func TestFamiliarNames(t *testing.T) {
	for bit, name := range memberNames[:5] { // error, seq and type are rarer
		text := []byte(`"` + name + `":null   `)
		member, end := familiarName(text, 0)
		if member != 1<<bit || end != len(name)+len(`"":`) {
			t.Errorf("%s: member %b, end %d", text, member, end)
		}
		for _, other := range []string{`"` + name + `" :null   `, `"` + name + `s":null   `, `"` + name} {
			if member, end := familiarName([]byte(other), 0); member != 0 || end != 0 {
				t.Errorf("%s: member %b, end %d", other, member, end)
			}
		}
	}
}

func TestFamiliarLiterals(t *testing.T) {
	for text, word := range map[string]uint32{"null": wordNull, "true": wordTrue, "false": wordFals} {
		if got := uint32(text[0]) | uint32(text[1])<<8 | uint32(text[2])<<16 | uint32(text[3])<<24; got != word {
			t.Errorf("%s is %#X, not %#X", text, got, word)
		}
		if end, fault := literalEnd([]byte(text), 0); end != len(text) || fault != FaultNone {
			t.Errorf("%s: end %d, fault %d", text, end, fault)
		}
	}
}
