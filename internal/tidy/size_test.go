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
	wantFindings(t, tooLong(parseSample(t, "host/a.go", "package p\n"+strings.Repeat("\n", coreFileLinesMax)+"var x int\n")))
	wantFindings(t, tooLong(parseSample(t, "core/a.go", "package p\n"+strings.Repeat("\n", coreFileLinesMax)+"var x int\n")), "lines")
}

// tooLong lists the functions and files over their limits. Lines are counted from func to the
// closing brace. Test files have no file limit.
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
		lines := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1
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
