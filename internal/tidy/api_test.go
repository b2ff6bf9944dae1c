package tidy

import (
	"flag"
	"fmt"
	"go/types"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/api.txt from the sources")

// apiFile lists every exported name of the packages that others import. A change of it in a review
// is a change of the public surface.
const apiFile = root + "/docs/api.txt"

func TestPublicSurfaceIsAsListed(t *testing.T) {
	var lines []string
	isPublic := func(folder string) bool {
		return (within(folder, "core") || within(folder, "host")) && !strings.Contains(folder, "internal")
	}
	for _, p := range packages(t, isPublic) {
		lines = append(lines, exported(p.pkg)...)
	}
	if *update {
		if err := os.WriteFile(apiFile, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	listed, err := os.ReadFile(apiFile)
	if err != nil {
		t.Fatal(err)
	}
	report(t, difference(strings.Split(strings.TrimSuffix(string(listed), "\n"), "\n"), lines))
}

func TestExportedAndDifferenceSeeEveryKindOfName(t *testing.T) {
	const text = `package p

type Kind uint8

const KindA Kind = 1

var Table [2]int

type Conn struct {
	Size int
	size int
}

func (c *Conn) Commit(n int) error { return nil }
func (c *Conn) commit()            {}

type Machine interface{ Turn() }

func New() *Conn { return nil }
func hidden()    {}
`
	was := []string{
		"p.Conn struct",
		"p.Conn.Commit func(n int) error",
		"p.Conn.Size int",
		"p.Kind uint8",
		"p.KindA p.Kind = 1",
		"p.Machine interface",
		"p.Machine.Turn func()",
		"p.New func() *p.Conn",
		"p.Table [2]int",
	}
	wantFindings(t, difference(was, exported(sample(t, "p/p.go", text).pkg)))
	wider := strings.Replace(text, "size int", "Limit int64", 1)
	wantFindings(t, difference(was, exported(sample(t, "p/p.go", wider).pkg)), "+ p.Conn.Limit int64")
	narrower := strings.Replace(text, "Turn()", "", 1)
	wantFindings(t, difference(was, exported(sample(t, "p/p.go", narrower).pkg)), "- p.Machine.Turn")
}

// exported lists the exported names of a package, one a line, sorted: constants with their value,
// types with their exported fields and methods.
func exported(pkg *types.Package) []string {
	byName := func(p *types.Package) string { return p.Name() }
	var lines []string
	add := func(name string, t types.Type, suffix string) {
		lines = append(lines, pkg.Name()+"."+name+" "+types.TypeString(t, byName)+suffix)
	}
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		switch o := object.(type) {
		case *types.Const:
			add(name, o.Type(), " = "+o.Val().ExactString())
		case *types.TypeName:
			lines = append(lines, pkg.Name()+"."+name+" "+shape(o.Type(), byName))
			eachMember(o.Type(), func(member string, t types.Type) { add(name+"."+member, t, "") })
		default:
			add(name, o.Type(), "")
		}
	}
	slices.Sort(lines)
	return lines
}

// shape is the underlying type of a named one; structs and interfaces list their members instead.
func shape(t types.Type, qualifier types.Qualifier) string {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return "struct"
	case *types.Interface:
		return "interface"
	default:
		return types.TypeString(u, qualifier)
	}
}

// eachMember yields the exported fields, methods of its own, and interface methods of a type.
func eachMember(t types.Type, yield func(name string, t types.Type)) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for field := range u.Fields() {
			if field.Exported() {
				yield(field.Name(), field.Type())
			}
		}
	case *types.Interface:
		for method := range u.Methods() {
			yield(method.Name(), method.Type())
		}
	}
	if named, ok := t.(*types.Named); ok {
		for method := range named.Methods() {
			if method.Exported() {
				yield(method.Name(), method.Type())
			}
		}
	}
}

// difference lists what only one side has, in the manner of a diff.
func difference(was, is []string) []string {
	var found []string
	for _, line := range was {
		if !slices.Contains(is, line) {
			found = append(found, fmt.Sprintf("- %s  (docs/api.txt: go test ./internal/tidy -update)", line))
		}
	}
	for _, line := range is {
		if !slices.Contains(was, line) {
			found = append(found, fmt.Sprintf("+ %s  (docs/api.txt: go test ./internal/tidy -update)", line))
		}
	}
	return found
}
