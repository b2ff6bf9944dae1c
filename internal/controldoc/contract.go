package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
)

// contract is what the sources say, in their order.
type contract struct {
	methods []method
	codes   []code
	shapes  []shape
}

// method is a variable of type Method[P, R].
type method struct {
	name, doc, params, result string
	mutates                   bool
}

// code is a constant whose name begins with Code.
type code struct{ value, doc string }

// shape is a struct, as an object of JSON.
type shape struct {
	name, doc string
	members   []member
}

type member struct{ name, kind, doc string }

// read adds what one file declares.
func (c *contract) read(name string, text []byte) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				err = c.readValue(s)
			case *ast.TypeSpec:
				err = c.readType(s, general.Doc)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *contract) readValue(s *ast.ValueSpec) error {
	if len(s.Values) != 1 {
		return nil
	}
	if strings.HasPrefix(s.Names[0].Name, "Code") {
		value, err := negative(s.Values[0])
		c.codes = append(c.codes, code{value, inLine(s.Comment)})
		return err
	}
	literal, ok := s.Values[0].(*ast.CompositeLit)
	if !ok {
		return nil
	}
	types, ok := literal.Type.(*ast.IndexListExpr)
	if !ok {
		return nil
	}
	m := method{doc: inLine(s.Doc), params: typeName(types.Indices[0]), result: typeName(types.Indices[1])}
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			return fmt.Errorf("%s: its fields have no names", s.Names[0].Name)
		}
		switch value := pair.Value.(type) {
		case *ast.BasicLit:
			m.name, _ = strconv.Unquote(value.Value) // it compiles
		case *ast.Ident:
			m.mutates = value.Name == "true"
		}
	}
	_, doc, found := strings.Cut(m.doc, " ") // the variable's name is Go's business
	if m.name == "" || !found {
		return fmt.Errorf("%s has no name or no comment", s.Names[0].Name)
	}
	m.doc = capital(doc)
	c.methods = append(c.methods, m)
	return nil
}

// negative is a constant like -32001.
func negative(value ast.Expr) (string, error) {
	unary, ok := value.(*ast.UnaryExpr)
	if ok {
		if literal, ok := unary.X.(*ast.BasicLit); ok {
			return unary.Op.String() + literal.Value, nil
		}
	}
	return "", fmt.Errorf("a code that is no negative number: %T", value)
}

// readType takes structs whose fields are members of JSON. Method itself is none.
func (c *contract) readType(s *ast.TypeSpec, doc *ast.CommentGroup) error {
	fields, ok := s.Type.(*ast.StructType)
	if !ok || s.TypeParams != nil {
		return nil
	}
	one := shape{name: s.Name.Name, doc: inLine(doc)}
	for _, field := range fields.Fields.List {
		if field.Tag == nil {
			return fmt.Errorf("%s has a field without a name in JSON", one.name)
		}
		tag, _ := strconv.Unquote(field.Tag.Value) // it compiles
		name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		m := member{name: name, kind: kindOf(field.Type), doc: inLine(field.Comment)}
		if options == "omitempty" {
			m.kind += ", or absent"
		}
		one.members = append(one.members, m)
	}
	c.shapes = append(c.shapes, one)
	return nil
}

// kindOf spells a Go type as one of JSON.
func kindOf(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.ArrayType:
		return "array of " + kindOf(t.Elt)
	case *ast.StarExpr:
		return kindOf(t.X) + " or null"
	}
	switch name := typeName(t); name {
	case "int", "int64", "uint64", "float64":
		return "number"
	case "bool":
		return "boolean"
	case "string":
		return name
	default:
		return link(name)
	}
}

func typeName(t ast.Expr) string {
	if name, ok := t.(*ast.Ident); ok {
		return name.Name
	}
	return fmt.Sprintf("%T", t) // render does not know it, and says so
}

// inLine is a comment as one line.
func inLine(comment *ast.CommentGroup) string {
	return strings.Join(strings.Fields(comment.Text()), " ")
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
