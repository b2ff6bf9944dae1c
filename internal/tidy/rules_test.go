package tidy

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/internal/transcript"
)

// rule is one numbered rule of docs/protocol.md.
type rule struct {
	id    string
	place string   // core, host or tool: where it is held
	tests []string // path/of/package.TestName
}

// rulebook is docs/protocol.md: its rules, and the numbers given out for behaviour to come.
type rulebook struct {
	rules    []rule
	reserved []string
}

func (b rulebook) knows(id string) bool {
	return slices.Contains(b.reserved, id) ||
		slices.ContainsFunc(b.rules, func(r rule) bool { return r.id == id })
}

func TestEveryRuleIsHeldAndEveryCitationKnown(t *testing.T) {
	text, err := os.ReadFile(root + "/docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	book, findings := parseRulebook(string(text))
	report(t, findings)

	cited := map[string][]string{} // by vector file
	for _, name := range treeFiles(t) {
		if path.Dir(name) != "conformance" || path.Ext(name) != ".rpc" {
			continue
		}
		text, err := os.ReadFile(root + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if cited[name], err = transcript.Rules(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	sources := goSources(t)
	report(t, unheld(book, cited, testNames(sources)))
	for _, s := range sources {
		report(t, unknownCitations(book, s))
	}
	for name, text := range typeScript(t) {
		report(t, unknownCitationsIn(book, text, name))
	}
}

const sampleBook = `# Rules
### HEAD-1 · core
Text.
### HEAD-2 · core
Text.
### API-1 · host
Text.
Tests: host.TestClaim, host.TestGone
### API-2 · tool
Text.
### API-2 · moon
## Reserved
- ERA-1, ERA-2: negotiation.
`

func TestParseRulebookReadsRulesAndFindsBadHeadings(t *testing.T) {
	book, findings := parseRulebook(sampleBook)
	wantFindings(t, findings, "API-2 · moon")
	if len(book.rules) != 4 || book.rules[2].place != "host" || len(book.rules[2].tests) != 2 {
		t.Errorf("rules: %+v", book.rules)
	}
	if !slices.Equal(book.reserved, []string{"ERA-1", "ERA-2"}) {
		t.Errorf("reserved: %v", book.reserved)
	}
	_, findings = parseRulebook("### HEAD-1 · core\n### HEAD-1 · core\n")
	wantFindings(t, findings, "HEAD-1 stands twice")
}

func TestUnheldFindsEachGap(t *testing.T) {
	book, _ := parseRulebook(sampleBook)
	cited := map[string][]string{"conformance/a.rpc": {"HEAD-1", "HEAD-9"}}
	wantFindings(t, unheld(book, cited, []string{"host.TestClaim"}),
		"HEAD-9", "HEAD-2 has no vector", "host.TestGone", "API-2 names no test")
}

func TestUnknownCitationsFindsThem(t *testing.T) {
	book, _ := parseRulebook(sampleBook)
	s := parseSample(t, "core/a.go", "package core\n\n// Held by HEAD-1, ERA-2 and HEAD-77. UTF-8 is no rule.\nvar x = 1 // (API-1)\n")
	wantFindings(t, unknownCitations(book, s), "HEAD-77")
	wantFindings(t, unknownCitationsIn(book, "/** As HEAD-1 and API-9 say. */", "a.ts"), "a.ts: cites API-9")
}

var (
	ruleID      = regexp.MustCompile(`\b[A-Z]+[0-9]?-[0-9]+\b`)
	ruleHeading = regexp.MustCompile(`^### ([A-Z]+[0-9]?-[0-9]+) · (core|host|tool)$`)
	reservation = regexp.MustCompile(`^- ([A-Z]+[0-9]?-[0-9]+(?:, [A-Z]+[0-9]?-[0-9]+)*): `)
)

// parseRulebook reads the headings, the Tests lines and the list of reserved numbers.
func parseRulebook(markdown string) (rulebook, []string) {
	var book rulebook
	var found []string
	for line := range strings.SplitSeq(markdown, "\n") {
		if m := ruleHeading.FindStringSubmatch(line); m != nil {
			if book.knows(m[1]) {
				found = append(found, "docs/protocol.md: "+m[1]+" stands twice")
			}
			book.rules = append(book.rules, rule{id: m[1], place: m[2]})
		} else if strings.HasPrefix(line, "### ") {
			found = append(found, "docs/protocol.md: no rule heading: "+line)
		}
		if names, ok := strings.CutPrefix(line, "Tests: "); ok && len(book.rules) > 0 {
			book.rules[len(book.rules)-1].tests = strings.Split(names, ", ")
		}
		if m := reservation.FindStringSubmatch(line); m != nil {
			book.reserved = append(book.reserved, strings.Split(m[1], ", ")...)
		}
	}
	return book, found
}

// unheld lists core rules without a vector, other rules without a test, tests that do not exist,
// and vectors that cite what no rule says. cited is by vector file; tests are path/of/package.Test.
func unheld(book rulebook, cited map[string][]string, tests []string) []string {
	var found []string
	held := map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(cited)) {
		for _, id := range cited[file] {
			held[id] = true
			if !book.knows(id) {
				found = append(found, fmt.Sprintf("%s cites %s, which docs/protocol.md does not know", file, id))
			}
		}
	}
	for _, r := range book.rules {
		switch {
		case r.place == "core" && !held[r.id]:
			found = append(found, r.id+" has no vector in conformance/*.rpc")
		case r.place != "core" && len(r.tests) == 0:
			found = append(found, r.id+" names no test")
		}
		for _, test := range r.tests {
			if !slices.Contains(tests, test) {
				found = append(found, fmt.Sprintf("%s names %s, which does not exist", r.id, test))
			}
		}
	}
	return found
}

// unknownCitations lists the ids in a file's comments that are of a family of the rulebook and not
// in it. Other words of the same shape (UTF-8) are none of its business.
func unknownCitations(book rulebook, s source) []string {
	var found []string
	for _, group := range s.file.Comments {
		found = append(found, unknownCitationsIn(book, group.Text(), s.at(group.Pos()))...)
	}
	return found
}

func unknownCitationsIn(book rulebook, text, where string) []string {
	var found []string
	for _, id := range ruleID.FindAllString(text, -1) {
		if book.hasFamily(id) && !book.knows(id) {
			found = append(found, fmt.Sprintf("%s: cites %s, which docs/protocol.md does not know", where, id))
		}
	}
	return found
}

// hasFamily reports whether a rule shares the word before the number of id.
func (b rulebook) hasFamily(id string) bool {
	family := id[:strings.IndexByte(id, '-')+1]
	return slices.ContainsFunc(b.rules, func(r rule) bool { return strings.HasPrefix(r.id, family) }) ||
		slices.ContainsFunc(b.reserved, func(r string) bool { return strings.HasPrefix(r, family) })
}

// testNames lists the test functions of the tree as path/of/package.TestName, and the fuzz targets, whose
// seeds are tests.
func testNames(sources []source) []string {
	var names []string
	for _, s := range sources {
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if ok && s.isTest() && f.Recv == nil && (strings.HasPrefix(f.Name.Name, "Test") || strings.HasPrefix(f.Name.Name, "Fuzz")) {
				names = append(names, s.folder()+"."+f.Name.Name)
			}
		}
	}
	return names
}
