package tidy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// root is the repository, seen from this package's folder, in which go test runs.
const root = "../.."

// source is one Go file, parsed with its comments.
type source struct {
	path string // from the root, with slashes
	fset *token.FileSet
	file *ast.File
}

func (s source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

// folder is the package's path inside the module.
func (s source) folder() string { return path.Dir(s.path) }

// at renders a position as path:line.
func (s source) at(pos token.Pos) string { return s.fset.Position(pos).String() }

// skipped are what Git ignores, things built, fetched or measured, and Git's own: a folder, or in a
// second work tree a file.
var skipped = []string{".git", "build", "node_modules"}

// treeFiles lists every file of the checkout, from the root, in order. It reads the folders itself,
// so that go test notices a new file and does not answer from its cache.
func treeFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch ignored := slices.Contains(skipped, entry.Name()); {
		case err != nil:
			return err
		case ignored && entry.IsDir():
			return fs.SkipDir
		case !ignored && !entry.IsDir():
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// goSources parses every Go file of this module, without those of the modules below it.
func goSources(t *testing.T) []source {
	t.Helper()
	var sources []source
	fset := token.NewFileSet()
	for _, name := range treeFiles(t) {
		if !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "benchmarks/") ||
			strings.HasPrefix(name, "tools/") || strings.Contains(name, "/testdata/") {
			continue
		}
		text, err := os.ReadFile(root + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, parse(t, fset, name, string(text)))
	}
	if len(sources) == 0 {
		t.Fatal("the tree has no Go file")
	}
	return sources
}

// typeScript reads every file of the bindings that somebody wrote, by its name.
func typeScript(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, name := range treeFiles(t) {
		if !strings.HasPrefix(name, "bindings/js/") || strings.HasPrefix(name, "bindings/js/dist/") ||
			path.Ext(name) != ".ts" || strings.HasSuffix(name, ".gen.ts") {
			continue
		}
		text, err := os.ReadFile(root + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	if len(texts) == 0 {
		t.Fatal("the tree has no TypeScript file")
	}
	return texts
}

func parse(t *testing.T, fset *token.FileSet, name, text string) source {
	t.Helper()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return source{path: name, fset: fset, file: file}
}

// parseSample parses a text that stands for a file of that name.
func parseSample(t *testing.T, name, text string) source {
	t.Helper()
	return parse(t, token.NewFileSet(), name, text)
}

// report fails the test once for each finding.
func report(t *testing.T, findings []string) {
	t.Helper()
	for _, finding := range findings {
		t.Error(finding)
	}
}

// wantFindings proves a checker on a bad sample: it must find exactly these, compared by substring.
func wantFindings(t *testing.T, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("found %d on the bad sample, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
		return
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("finding %q does not mention %q", got[i], want[i])
		}
	}
}
