package tidy

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"testing"
)

// The core is a pure function of its inputs: nothing in it runs beside it, blocks, starts by
// itself, remembers across connections, or depends on the order of a map.
func TestCoreIsPure(t *testing.T) {
	inCore := func(folder string) bool { return within(folder, "core") }
	for _, p := range packages(t, inCore) {
		report(t, impure(p))
	}
}

func TestImpureFindsEachConstruct(t *testing.T) {
	const text = `package core

var counter int
var table = [...]string{"a"}
var rows = [...]struct{ n int }{{1}}

func init() {}

func f(c chan int, m map[string]int) {
	go f(c, m)
	select {}
	for range m {
	}
	counter++
	rows[0].n = 2
	row := &rows[0]
	_ = row
	_ = table[0]
}
`
	wantFindings(t, impure(sample(t, "core/a.go", text)),
		"init", "chan", "go statement", "select", "map", "counter", "rows")
}

// impure lists what a package does that a pure one cannot. Package variables are tables: they may
// be read, also through a pointer to a row, but no statement may assign to one.
func impure(p typed) []string {
	var found []string
	for _, s := range p.sources {
		add := func(node ast.Node, what string) {
			found = append(found, fmt.Sprintf("%s: core is pure: %s", s.at(node.Pos()), what))
		}
		ast.Inspect(s.file, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.GoStmt:
				add(n, "go statement")
			case *ast.SelectStmt:
				add(n, "select statement")
			case *ast.ChanType:
				add(n, "chan type")
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					add(n, "init function")
				}
			case *ast.RangeStmt:
				if _, ok := p.info.TypeOf(n.X).Underlying().(*types.Map); ok {
					add(n, "iteration over a map")
				}
			case *ast.AssignStmt:
				for _, target := range n.Lhs {
					if name := p.packageVariable(target); n.Tok != token.DEFINE && name != "" {
						add(n, "assignment to package variable "+name)
					}
				}
			case *ast.IncDecStmt:
				if name := p.packageVariable(n.X); name != "" {
					add(n, "assignment to package variable "+name)
				}
			}
			return true
		})
	}
	return found
}

// packageVariable names the package-level variable that an assignment to expr would change, or "".
func (p typed) packageVariable(expr ast.Expr) string {
	for {
		switch e := expr.(type) {
		case *ast.ParenExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.SelectorExpr:
			expr = e.X
		case *ast.StarExpr:
			expr = e.X
		case *ast.Ident:
			if v, ok := p.info.ObjectOf(e).(*types.Var); ok && v.Parent() == p.pkg.Scope() {
				return v.Name()
			}
			return ""
		default:
			return ""
		}
	}
}
