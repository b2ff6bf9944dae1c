package tidy

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
)

// module is the import path of the repository.
const module = "github.com/parley-rpc/parley"

// typed is one package with its types. Test files are left out.
type typed struct {
	sources []source
	info    *types.Info
	pkg     *types.Package
}

// exports maps every package of the module and of its imports to the compiler's export data.
var exports = sync.OnceValues(func() (map[string]string, error) {
	cmd := exec.Command("go", "list", "-e", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "./core/...", "./host/...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		importPath, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[importPath] = file
	}
	return files, nil
})

// packages type-checks the packages whose folder is wanted, as the machine at hand would build them.
func packages(t *testing.T, wanted func(folder string) bool) []typed {
	t.Helper()
	byFolder := map[string][]source{}
	for _, s := range goSources(t) {
		if !wanted(s.folder()) || s.isTest() {
			continue
		}
		if built, err := build.Default.MatchFile(path.Join(root, s.folder()), path.Base(s.path)); err != nil || !built {
			continue
		}
		byFolder[s.folder()] = append(byFolder[s.folder()], s)
	}
	if len(byFolder) == 0 {
		t.Fatal("no such package")
	}
	var all []typed
	for _, folder := range slices.Sorted(maps.Keys(byFolder)) {
		all = append(all, check(t, module+"/"+folder, byFolder[folder]))
	}
	return all
}

// check gives types to the sources of one package; all share one file set.
func check(t *testing.T, importPath string, sources []source) typed {
	t.Helper()
	lookup := func(importPath string) (io.ReadCloser, error) {
		files, err := exports()
		if err != nil {
			return nil, err
		}
		return os.Open(files[importPath])
	}
	files := make([]*ast.File, len(sources))
	for i, s := range sources {
		files[i] = s.file
	}
	fset := sources[0].fset
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", lookup)}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Defs:  map[*ast.Ident]types.Object{},
		Uses:  map[*ast.Ident]types.Object{},
	}
	pkg, err := config.Check(importPath, fset, files, info)
	if err != nil {
		t.Fatalf("%s: %v", importPath, err)
	}
	return typed{sources, info, pkg}
}

// sample gives types to one text that imports nothing.
func sample(t *testing.T, name, text string) typed {
	t.Helper()
	s := parseSample(t, name, text)
	return check(t, "sample", []source{s})
}
