package scan

import (
	"encoding/binary"
	"testing"
)

// The names that nearly every message holds are recognised by their words; where a word were misspelled
// they would still be found, more slowly.
func TestFamiliarNames(t *testing.T) {
	for bit, name := range memberNames[:5] { // error, seq and type are rarer
		member, size := familiar(`"` + name + `":null   `)
		if member != 1<<bit || size != len(name)+len(`"":`) {
			t.Errorf("%s: member %b, size %d", name, member, size)
		}
		for _, other := range []string{`"` + name + `" :null   `, `"` + name + `s":null   `} {
			if member, size := familiar(other); member != 0 || size != 0 {
				t.Errorf("%s: member %b, size %d", other, member, size)
			}
		}
	}
}

func familiar(text string) (Members, int) {
	return familiarName(binary.LittleEndian.Uint64([]byte(text)), binary.LittleEndian.Uint16([]byte(text)[8:]))
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
