package tidy

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/internal/transcript"
)

func TestEverySeedPromiseIsShown(t *testing.T) {
	page, err := os.ReadFile(root + "/docs/seeds.md")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := os.ReadFile(root + "/docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	book, _ := parseRulebook(string(rules)) // its findings are another test's
	shows := vectorTitles(t)
	for _, test := range testNames(goSources(t)) {
		shows[test] = true
	}
	rows, findings := parseSeeds(string(page))
	report(t, findings)
	report(t, openPromises(rows, book, shows))
}

func TestParseSeedsFindsBadRows(t *testing.T) {
	rows, findings := parseSeeds("# Page\n| | promise | rule | shown by |\n|---|---|---|---|\n" +
		"| A1 | kept | HEAD-1 | `a.rpc: One, with commas.`, `host.TestClaim` |\n" +
		"| A3 | one is missing before | HEAD-1 | `host.TestClaim` |\n" +
		"| B1 | no cell for what shows it | HEAD-1 |\n" +
		"| B1 | prose instead of names | HEAD-1 | `host.TestClaim` and more |\n")
	wantFindings(t, findings, "A3 follows A1", "B1 | no cell", "and more")
	want := seedRow{"A1", []string{"HEAD-1"}, []string{"a.rpc: One, with commas.", "host.TestClaim"}}
	if len(rows) != 2 || fmt.Sprint(rows[0]) != fmt.Sprint(want) {
		t.Errorf("rows %q, want first %q", rows, want)
	}
	_, findings = parseSeeds("# Page\n")
	wantFindings(t, findings, "no rows")
}

func TestOpenPromisesFindsEachGap(t *testing.T) {
	book, _ := parseRulebook(sampleBook)
	shows := map[string]bool{"a.rpc: There.": true, "host.TestClaim": true}
	wantFindings(t, openPromises([]seedRow{
		{"A1", []string{"HEAD-1", "API-1"}, []string{"a.rpc: There.", "host.TestClaim"}},
		{"A2", []string{"HEAD-1"}, []string{"a.rpc: Gone.", "host.TestGone"}},
		{"A3", []string{"HEAD-9"}, []string{"host.TestClaim"}},
		{"A4", []string{"ERA-1"}, []string{"host.TestClaim"}},
	}, book, shows), "A2 names a.rpc: Gone.", "A2 names host.TestGone", "A3 names HEAD-9", "A4 names ERA-1")
}

// seedRow is one promise of docs/seeds.md.
type seedRow struct {
	id      string // A1
	rules   []string
	shownBy []string // vectors as file: title, tests as path/of/package.TestName
}

var (
	seedLine = regexp.MustCompile(`^\| ([A-Z])([0-9]+) \|`)
	seedCell = regexp.MustCompile("^`[^`]+`(, `[^`]+`)*$")
)

// parseSeeds reads the tables. Rows are numbered without a gap, so that none goes missing.
func parseSeeds(markdown string) ([]seedRow, []string) {
	var rows []seedRow
	var found []string
	last := map[string]int{}
	for line := range strings.SplitSeq(markdown, "\n") {
		m := seedLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 4 {
			found = append(found, "docs/seeds.md: not four cells: "+line)
			continue
		}
		number, _ := strconv.Atoi(m[2]) // digits, as the pattern has it
		if number != last[m[1]]+1 {
			found = append(found, fmt.Sprintf("docs/seeds.md: %s follows %s%d", cells[0], m[1], last[m[1]]))
		}
		last[m[1]] = number
		row := seedRow{id: cells[0], rules: strings.Split(cells[2], ", ")}
		if !seedCell.MatchString(cells[3]) {
			found = append(found, fmt.Sprintf("docs/seeds.md: %s is not shown by names alone: %s", row.id, cells[3]))
			continue
		}
		row.shownBy = strings.Split(strings.Trim(cells[3], "`"), "`, `")
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		found = append(found, "docs/seeds.md has no rows")
	}
	return rows, found
}

// openPromises lists the rows that name a rule that is not built, or a vector or test that does not
// exist.
func openPromises(rows []seedRow, book rulebook, shows map[string]bool) []string {
	var found []string
	for _, row := range rows {
		for _, id := range row.rules {
			if !book.knows(id) || slices.Contains(book.reserved, id) {
				found = append(found, fmt.Sprintf("docs/seeds.md: %s names %s, which docs/protocol.md does not hold", row.id, id))
			}
		}
		for _, name := range row.shownBy {
			if !shows[name] {
				found = append(found, fmt.Sprintf("docs/seeds.md: %s names %s, which does not exist", row.id, name))
			}
		}
	}
	return found
}

// vectorTitles has every vector of the tree as file: title.
func vectorTitles(t *testing.T) map[string]bool {
	t.Helper()
	titles := map[string]bool{}
	for _, name := range treeFiles(t) {
		if path.Dir(name) != "conformance" || path.Ext(name) != ".rpc" {
			continue
		}
		text, err := os.ReadFile(root + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		vectors, err := transcript.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, v := range vectors {
			titles[path.Base(name)+": "+v.Title] = true
		}
	}
	return titles
}
