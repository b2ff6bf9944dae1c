package abigen

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"slices"
	"strings"
	"unicode"
)

// group is the constants of one named type, or those of package abi that have none.
type group struct {
	name    string // of the type; "" for package abi's own
	doc     string // what Go says of the type; its first paragraph
	members []member
}

type member struct {
	name  string // without the prefix that all members share
	full  string
	value int64
}

// crossing are the types of core whose numbers cross the boundary.
var crossing = []string{
	"Role", "Profile", "Framing", "Envelope", "Inbound", "SendPolicy", "PauseOn", "Mode", "Phase", "TimerKind",
	"EventKind", "Class", "Reason", "Invalid", "Hint", "Violation", "UsageError", "Code",
	"InputPhase", "OutputPhase", "Lifecycle",
}

// crossingBeside are those of the packages below core; what is made of them is named after those.
var crossingBeside = []struct {
	folder, prefix string
	types          []string
}{
	{"era", "Era", []string{"Era", "Mode", "StepKind", "FailureKind"}},
	{"resume", "Resume", []string{"FailureKind"}},
}

// groups reads the constants from the sources, so that none can be forgotten.
func groups() ([]group, error) {
	// A program that was built with -trimpath does not know where Go is.
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	build.Default.GOROOT = strings.TrimSpace(string(root))
	files := token.NewFileSet()
	load := importer.ForCompiler(files, "source", nil)
	core, err := load.Import("github.com/parley-rpc/parley/core")
	if err != nil {
		return nil, err
	}
	abi, err := load.Import("github.com/parley-rpc/parley/wasm/abi")
	if err != nil {
		return nil, err
	}
	all := []group{{members: membersOf(files, abi, "")}}
	add := func(pkg *types.Package, typeName, name string) error {
		doc, err := docOf(files, pkg, typeName)
		all = append(all, group{name, strings.Replace(doc, typeName, name, 1), membersOf(files, pkg, typeName)})
		return err
	}
	if err := add(abi, "Error", "BoundaryError"); err != nil {
		return nil, err
	}
	for _, name := range crossing {
		if err := add(core, name, name); err != nil {
			return nil, err
		}
	}
	for _, of := range crossingBeside {
		pkg, err := load.Import("github.com/parley-rpc/parley/core/" + of.folder)
		if err != nil {
			return nil, err
		}
		for _, name := range of.types {
			if err := add(pkg, name, of.prefix+strings.TrimPrefix(name, of.prefix)); err != nil {
				return nil, err
			}
		}
	}
	for _, g := range all[1:] {
		shorten(g.name, g.members)
	}
	return all, nil
}

// docOf is the first paragraph of a type's comment, on one line. Every type that crosses has one.
func docOf(files *token.FileSet, pkg *types.Package, typeName string) (string, error) {
	at := files.Position(pkg.Scope().Lookup(typeName).Pos())
	file, err := parser.ParseFile(token.NewFileSet(), at.Filename, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok || general.Tok != token.TYPE {
			continue
		}
		for _, spec := range general.Specs {
			if spec := spec.(*ast.TypeSpec); spec.Name.Name == typeName {
				doc, _, _ := strings.Cut(cmp.Or(spec.Doc.Text(), general.Doc.Text()), "\n\n")
				return strings.Join(strings.Fields(doc), " "), nil
			}
		}
	}
	return "", fmt.Errorf("%s declares no type %s", at.Filename, typeName)
}

// membersOf lists the exported whole constants of one type, "" being every basic one, in the order
// of the sources.
func membersOf(files *token.FileSet, pkg *types.Package, typeName string) []member {
	var objects []*types.Const
	for _, name := range pkg.Scope().Names() {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if !ok || !c.Exported() || c.Val().Kind() != constant.Int {
			continue
		}
		named, isNamed := c.Type().(*types.Named)
		if !isNamed && typeName == "" || isNamed && named.Obj().Name() == typeName {
			objects = append(objects, c)
		}
	}
	slices.SortFunc(objects, func(a, b *types.Const) int {
		at, bt := files.Position(a.Pos()), files.Position(b.Pos())
		return cmp.Or(cmp.Compare(at.Filename, bt.Filename), cmp.Compare(at.Offset, bt.Offset))
	})
	var members []member
	for _, c := range objects {
		value, _ := constant.Int64Val(c.Val())
		members = append(members, member{name: c.Name(), full: c.Name(), value: value})
	}
	return members
}

// shorten drops the words that all names of a type begin with: EventResult becomes Result.
func shorten(typeName string, members []member) {
	if len(members) == 0 {
		return
	}
	prefix := members[0].name
	if len(members) == 1 {
		prefix = typeName
	}
	for _, m := range members {
		for !strings.HasPrefix(m.name, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	for _, m := range members {
		for prefix != "" && (m.name == prefix || !unicode.IsUpper(rune(m.name[len(prefix)]))) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	for i := range members {
		members[i].name = strings.TrimPrefix(members[i].name, prefix)
	}
}
