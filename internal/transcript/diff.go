package transcript

import (
	"bytes"
	"strings"
)

// Context lines shown before the first line that differs.
const diffContext = 6

// Diff shows where two spellings of one vector part: "-" is what was expected, "+" what happened.
// It is empty when they are equal.
func Diff(want, got []byte) string {
	if bytes.Equal(want, got) {
		return ""
	}
	a := strings.SplitAfter(string(want), "\n")
	b := strings.SplitAfter(string(got), "\n")
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	tail := 0
	for tail < len(a)-same && tail < len(b)-same && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out strings.Builder
	writeLines(&out, "  ", a[max(same-diffContext, 0):same])
	writeLines(&out, "- ", a[same:len(a)-tail])
	writeLines(&out, "+ ", b[same:len(b)-tail])
	return out.String()
}

func writeLines(out *strings.Builder, mark string, lines []string) {
	for _, line := range lines {
		out.WriteString(mark)
		out.WriteString(strings.TrimSuffix(line, "\n"))
		out.WriteByte('\n')
	}
}
