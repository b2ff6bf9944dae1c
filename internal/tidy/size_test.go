package tidy

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"
)

const (
	functionLinesMax = 70
	scanLinesMax     = 130 // the scanner's main loop: a split at the wrong place costs 15 % and more
	coreFileLinesMax = 450
)

// scanLoop is the one function allowed scanLinesMax.
const scanLoop = "core/internal/scan/"

func TestFunctionsAndFilesStaySmall(t *testing.T) {
	for _, s := range goSources(t) {
		report(t, tooLong(s))
	}
}

func TestTooLongFindsLongFunctionsAndFiles(t *testing.T) {
	body := strings.Repeat("\t_ = 0\n", functionLinesMax)
	long := "package p\n\nfunc long() {\n" + body + "}\n"
	wantFindings(t, tooLong(parseSample(t, "host/a.go", long)), "long")
	wantFindings(t, tooLong(parseSample(t, scanLoop+"a.go", long+long[len("package p"):])), "second")
	table := "package p\n\nfunc long() {\n\t_ = []int{" + strings.Repeat("\n0,", functionLinesMax) + "\n}\n}\n"
	wantFindings(t, tooLong(parseSample(t, "host/a.go", table)), "long")
	wantFindings(t, tooLong(parseSample(t, "host/a_test.go", table)))
	wantFindings(t, tooLong(parseSample(t, "host/a.go", "package p\n"+strings.Repeat("\n", coreFileLinesMax)+"var x int\n")))
	wantFindings(t, tooLong(parseSample(t, "core/a.go", "package p\n"+strings.Repeat("\n", coreFileLinesMax)+"var x int\n")), "lines")
}

// tooLong lists the functions and files over their limits. Lines are counted from func to the
// closing brace; a table of cases in a test is data and not counted. Test files have no limit.
func tooLong(s source) []string {
	var found []string
	if lines := s.fset.Position(s.file.FileEnd).Line - 1; lines > coreFileLinesMax && !s.isTest() && strings.HasPrefix(s.path, "core/") {
		found = append(found, fmt.Sprintf("%s has %d lines, at most %d", s.path, lines, coreFileLinesMax))
	}
	scanLoops := 0
	for _, decl := range s.file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		lines := s.lines(f) + 1
		if s.isTest() {
			lines -= s.tableLines(f)
		}
		if lines <= functionLinesMax {
			continue
		}
		if strings.HasPrefix(s.path, scanLoop) && !s.isTest() && lines <= scanLinesMax {
			if scanLoops++; scanLoops == 1 {
				continue
			}
			found = append(found, fmt.Sprintf("%s: %s is a second long function beside the scanner's main loop", s.at(f.Pos()), f.Name.Name))
			continue
		}
		found = append(found, fmt.Sprintf("%s: %s has %d lines, at most %d", s.at(f.Pos()), f.Name.Name, lines, functionLinesMax))
	}
	return found
}

// lines is how many line ends a node spans.
func (s source) lines(node ast.Node) int {
	return s.fset.Position(node.End()).Line - s.fset.Position(node.Pos()).Line
}

// tableLines sums the lines of the outermost composite literals of a function.
func (s source) tableLines(f *ast.FuncDecl) int {
	sum := 0
	ast.Inspect(f, func(node ast.Node) bool {
		literal, ok := node.(*ast.CompositeLit)
		if ok {
			sum += s.lines(literal)
		}
		return !ok
	})
	return sum
}
