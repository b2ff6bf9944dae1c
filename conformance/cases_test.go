package conformance

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every reported defect of docs/cases.md has the vectors and tests that the table names, and every
// vector and test that is named after a report stands in the table.
func TestCasesAreHeld(t *testing.T) {
	table, err := os.ReadFile("../docs/cases.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	exist := map[string]bool{}
	for _, f := range files {
		if f.Name != caseVectors {
			continue
		}
		for _, v := range f.Vectors {
			id, _, _ := strings.Cut(strings.TrimPrefix(v.Name, "cases/"), "-")
			held := caseVectors + " " + strings.ToUpper(id)
			exist[held] = exist[held] || v.Gap == ""
		}
	}
	for _, dir := range []string{"host", "host/bridge", "host/child"} {
		source, err := os.ReadFile("../" + dir + "/cases_test.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range caseTest.FindAllSubmatch(source, -1) {
			exist[dir+"."+string(name[1])] = true
		}
	}
	source, err := os.ReadFile("../bindings/js/test/cases.test.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range scriptTest.FindAllSubmatch(source, -1) {
		exist["bindings/js."+string(id[1])] = true
	}
	for _, finding := range unheldCases(string(table), exist) {
		t.Error(finding)
	}
}

func TestUnheldCasesFindsThem(t *testing.T) {
	const table = "| id | what | where | held by |\n|---|---|---|---|\n" +
		"| B01 | held twice | a/b#1 | `cases.rpc`, `host.TestB01` |\n" +
		"| B02 | held by a gap | a/b#2 | `cases.rpc` |\n" +
		"| B03 | held by a test that is gone | a/b#3 | `host.TestB03` |\n" +
		"| B04 | named after another | a/b#4 | `host.TestB01` |\n" +
		"| B05 | waits | a/b#5 | not built: control |\n" +
		"| B06 | waits for nothing | a/b#6 | not built: |\n"
	exist := map[string]bool{
		"cases.rpc B01": true, "cases.rpc B02": false, "cases.rpc B07": true,
		"host.TestB01": true, "host.TestB08Twice": true,
	}
	var about []string
	for _, finding := range unheldCases(table, exist) {
		id, _, _ := strings.Cut(finding, ":")
		about = append(about, id)
	}
	want := []string{"B02", "B03", "B04", "B06", "cases.rpc B07", "host.TestB08Twice"}
	if !slices.Equal(about, want) {
		t.Errorf("findings about %q, want %q", about, want)
	}
	if len(unheldCases("", nil)) == 0 {
		t.Error("an empty table is no finding")
	}
}

const caseVectors = "cases.rpc"

var (
	caseTest   = regexp.MustCompile(`(?m)^func (TestB\d+\w*)\(t \*testing\.T\)`)
	scriptTest = regexp.MustCompile(`(?m)^test\('(B\d+) `)
	caseRow    = regexp.MustCompile(`(?m)^\| (B\d+) \| [^|]+ \| [^|]+ \| ([^|]+) \|$`)
)

// unheldCases lists what is wrong with the table. exist has a vector as its file and its id, and a
// Go test as its package and name; false is a vector that no home need satisfy yet.
func unheldCases(table string, exist map[string]bool) (findings []string) {
	rows := caseRow.FindAllStringSubmatch(table, -1)
	if len(rows) == 0 {
		return []string{"the table has no rows"}
	}
	named := map[string]bool{}
	for _, row := range rows {
		id, heldBy := row[1], row[2]
		if strings.HasPrefix(heldBy, "not built:") {
			if heldBy == "not built:" {
				findings = append(findings, id+": which part is not built?")
			}
			continue
		}
		for cell := range strings.SplitSeq(heldBy, ", ") {
			holder := strings.Trim(cell, "`")
			if holder == caseVectors {
				holder += " " + id
			}
			named[holder] = true
			if !exist[holder] || !strings.Contains(holder, id) {
				findings = append(findings, fmt.Sprintf("%s: no such vector or test: %s", id, holder))
			}
		}
	}
	for _, holder := range slices.Sorted(maps.Keys(exist)) {
		if !named[holder] {
			findings = append(findings, holder+": not in docs/cases.md")
		}
	}
	return findings
}
