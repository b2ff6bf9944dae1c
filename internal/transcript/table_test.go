package transcript

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of docs/capture.md from the spellings")

const (
	tableFile  = "../../docs/capture.md"
	tableBegin = "<!-- records: go test ./internal/transcript -update -->\n"
	tableEnd   = "<!-- end of records -->\n"
)

// Goal: the numbers on disk are written down, so that a change of one shows in a review.
func TestRecordsAreAsDocumented(t *testing.T) {
	page, err := os.ReadFile(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(page), tableBegin)
	table, tail, ended := strings.Cut(rest, tableEnd)
	if !found || !ended {
		t.Fatalf("%s has no table between %q and %q", tableFile, tableBegin, tableEnd)
	}
	if *update {
		if err := os.WriteFile(tableFile, []byte(head+tableBegin+recordTable()+tableEnd+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := Diff([]byte(recordTable()), []byte(table)); diff != "" {
		t.Errorf("%s (go test ./internal/transcript -update)\n%s", tableFile, diff)
	}
}

func recordTable() string {
	var b strings.Builder
	b.WriteString("| op | in text | members |\n|---|---|---|\n")
	for op := OpNone + 1; op < opEnd; op++ {
		row := &spellings[op]
		keys := slices.DeleteFunc(slices.Clone(memberKeys), func(key string) bool { return key == "op" || !row.defines(key) })
		fmt.Fprintf(&b, "| %d | `%s` | %s |\n", op, row.verb, strings.Join(keys, " "))
	}
	return b.String()
}
