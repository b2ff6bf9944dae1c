package jsonls

import "strconv"

// symbolsMax bounds one answer; what lies beyond it is left out.
const symbolsMax = 5000

// SymbolKind is LSP's SymbolKind.
type SymbolKind int

// symbolKinds maps a JSON type to the kind with the fitting icon.
var symbolKinds = [...]SymbolKind{
	KindMissing: 21, // Null
	KindObject:  19,
	KindArray:   18,
	KindString:  15,
	KindNumber:  16,
	KindBoolean: 17,
	KindNull:    21,
}

// Symbol is LSP's DocumentSymbol.
type Symbol struct {
	Name           string     `json:"name"`
	Detail         string     `json:"detail"`
	Kind           SymbolKind `json:"kind"`
	Range          Range      `json:"range"`
	SelectionRange Range      `json:"selectionRange"`
	Children       []Symbol   `json:"children,omitempty"`
}

// Symbols returns the members and items of a document as a tree. It is never nil.
func Symbols(text *Text) []Symbol {
	root, _ := Parse(text.content)
	if root == nil {
		return []Symbol{}
	}
	left := symbolsMax
	return symbols(text, root, &left)
}

func symbols(text *Text, parent *Node, left *int) []Symbol {
	list := []Symbol{}
	for index, node := range parent.Children {
		if *left == 0 {
			break
		}
		*left--
		symbol := Symbol{
			Name:           strconv.Itoa(index),
			Detail:         describe(text, node),
			Kind:           symbolKinds[node.Kind],
			Range:          text.Range(node.start(), node.End),
			SelectionRange: text.Range(node.Start, node.End),
		}
		if key := node.Key; key != nil {
			symbol.Name = cut(key.Name, shownBytesMax)
			symbol.SelectionRange = text.Range(key.Start, key.End)
		}
		if symbol.Name == "" { // LSP forbids an empty name, JSON does not
			symbol.Name = `""`
		}
		symbol.Children = symbols(text, node, left)
		list = append(list, symbol)
	}
	return list
}
