package scan

import (
	"regexp"
	"strings"
	"testing"
)

// Every text of ten zeros, ones, commas and others, at every place in a word: what integersEnd passes
// is numbers with a comma after each, and it passes all of them that lie in whole words.
func TestIntegersEnd(t *testing.T) {
	const alphabet, count = "01,-", 10
	numbers := regexp.MustCompile(`^((0|[1-9][0-9]*),)*`)
	text := make([]byte, count)
	for n := range 1 << (2 * count) {
		for i := range text {
			text[i] = alphabet[n>>(2*i)&3]
		}
		pad := n % 8
		whole := strings.Repeat("7,", 4)[:pad] + string(text) + strings.Repeat("8", 8)
		end := integersEnd([]byte(whole), 0)
		if passed := numbers.FindString(whole); !strings.HasPrefix(passed, whole[:end]) || end > 0 && whole[end-1] != ',' {
			t.Fatalf("%q: passes %q", whole, whole[:end])
		} else if last := len(passed) / 8 * 8; len(passed) > 0 && strings.LastIndexByte(whole[:last], ',') >= end {
			t.Fatalf("%q: passes %q of %q", whole, whole[:end], passed)
		}
	}
}
