package jsonls

import (
	"fmt"
	"slices"
)

// Severity is LSP's DiagnosticSeverity.
type Severity int

// The severities in use.
const (
	SeverityError   Severity = 1
	SeverityWarning Severity = 2
)

// Diagnostic is LSP's Diagnostic.
type Diagnostic struct {
	Range    Range    `json:"range"`
	Severity Severity `json:"severity"`
	Source   string   `json:"source"`
	Message  string   `json:"message"`
}

// Diagnose returns what is wrong with a text, in document order: syntax errors, and names that
// appear twice in one object. It is never nil, so that it clears what was published before.
func Diagnose(text *Text) []Diagnostic {
	root, problems := Parse(text.content)
	diagnostics := make([]Diagnostic, 0, len(problems))
	for _, p := range problems {
		diagnostics = append(diagnostics, diagnostic(text, p, SeverityError))
	}
	for _, p := range duplicates(text, root, nil) {
		diagnostics = append(diagnostics, diagnostic(text, p, SeverityWarning))
	}
	slices.SortStableFunc(diagnostics, func(a, b Diagnostic) int { return compare(a.Range.Start, b.Range.Start) })
	return diagnostics
}

func diagnostic(text *Text, p Problem, severity Severity) Diagnostic {
	return Diagnostic{Range: text.Range(p.Start, p.End), Severity: severity, Source: "parley", Message: p.Message}
}

// duplicates appends one problem for each name that its object already has.
func duplicates(text *Text, node *Node, problems []Problem) []Problem {
	if node == nil || len(node.Children) == 0 {
		return problems
	}
	first := make(map[string]*Key, len(node.Children))
	for _, child := range node.Children {
		if key := child.Key; key != nil && len(problems) < problemsMax {
			if earlier := first[key.Name]; earlier != nil {
				line := text.Position(earlier.Start).Line + 1
				message := fmt.Sprintf("duplicate name %q: first on line %d, and most readers keep the last", cut(key.Name, 64), line)
				problems = append(problems, Problem{key.Start, key.End, message})
			} else {
				first[key.Name] = key
			}
		}
		problems = duplicates(text, child, problems)
	}
	return problems
}

func compare(a, b Position) int {
	if a.Line != b.Line {
		return int(int64(a.Line) - int64(b.Line))
	}
	return int(int64(a.Character) - int64(b.Character))
}
