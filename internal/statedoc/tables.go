package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// table is one variable xTable [states][signals]State of core/phase.go. Its columns are the
// constants of the type xSignal.
type table struct {
	name    string // x
	doc     string
	signals []constant
	rows    []row
}

type row struct {
	from string
	to   []string // by signal
}

type constant struct{ name, doc string }

// impossible marks what panics instead of being a transition.
const impossible = "impossible"

// readTables finds every transition table of one Go file, in the order of the file.
func readTables(text []byte) ([]table, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "phase.go", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	constants := constantsByType(file)
	var tables []table
	for _, decl := range file.Decls {
		vars, ok := decl.(*ast.GenDecl)
		if !ok || vars.Tok != token.VAR {
			continue
		}
		for _, spec := range vars.Specs {
			v := spec.(*ast.ValueSpec)
			name, isTable := strings.CutSuffix(v.Names[0].Name, "Table")
			if !isTable || len(v.Values) != 1 {
				continue
			}
			t := table{name: name, doc: sentence(vars.Doc), signals: constants[name+"Signal"]}
			if err := t.readRows(v.Values[0]); err != nil {
				return nil, fmt.Errorf("%sTable: %w", name, err)
			}
			tables = append(tables, t)
		}
	}
	if len(tables) == 0 {
		return nil, fmt.Errorf("no variable xTable")
	}
	return tables, nil
}

// constantsByType lists the constants of each type declared in groups that count up from iota.
func constantsByType(file *ast.File) map[string][]constant {
	constants := map[string][]constant{}
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		typeName := ""
		for _, spec := range group.Specs {
			c := spec.(*ast.ValueSpec)
			if ident, ok := c.Type.(*ast.Ident); ok {
				typeName = ident.Name
			}
			constants[typeName] = append(constants[typeName], constant{c.Names[0].Name, sentence(c.Comment)})
		}
	}
	return constants
}

func (t *table) readRows(value ast.Expr) error {
	outer, ok := value.(*ast.CompositeLit)
	if !ok {
		return fmt.Errorf("not a literal")
	}
	for _, element := range outer.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			return fmt.Errorf("a row without its state")
		}
		cells, ok := pair.Value.(*ast.CompositeLit)
		if !ok {
			return fmt.Errorf("row %s is not a literal", exprName(pair.Key))
		}
		r := row{from: exprName(pair.Key), to: make([]string, len(t.signals))}
		for i, cell := range cells.Elts {
			column, to := i, cell
			if keyed, ok := cell.(*ast.KeyValueExpr); ok {
				column, to = t.column(exprName(keyed.Key)), keyed.Value
			}
			if column < 0 || column >= len(t.signals) {
				return fmt.Errorf("row %s has a column that is no %sSignal", r.from, t.name)
			}
			r.to[column] = exprName(to)
		}
		for i, to := range r.to {
			if to == "" {
				return fmt.Errorf("row %s says nothing for %s", r.from, t.signals[i].name)
			}
		}
		t.rows = append(t.rows, r)
	}
	return nil
}

// column is the index of a signal, -1 for none.
func (t *table) column(signal string) int {
	for i, s := range t.signals {
		if s.name == signal {
			return i
		}
	}
	return -1
}

func exprName(e ast.Expr) string {
	if ident, ok := e.(*ast.Ident); ok {
		return ident.Name
	}
	return ""
}

// sentence is a comment on one line.
func sentence(c *ast.CommentGroup) string {
	return strings.Join(strings.Fields(c.Text()), " ")
}
