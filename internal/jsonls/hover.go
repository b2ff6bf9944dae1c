package jsonls

import (
	"fmt"
	"strconv"
	"strings"
)

// Hover is LSP's Hover.
type Hover struct {
	Contents Markup `json:"contents"`
	Range    Range  `json:"range"`
}

// Markup is LSP's MarkupContent, always plain text here: a document's bytes are not to be read as
// Markdown.
type Markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// shownBytesMax bounds a value shown to people.
const shownBytesMax = 256

// HoverAt says which value stands at a position: its path, such as $.a[3].b, its type and its text
// as it is written. It is nil where no value stands.
func HoverAt(text *Text, position Position) *Hover {
	root, _ := Parse(text.content)
	node, path := find(root, text.Offset(position))
	if node == nil {
		return nil
	}
	value := path + "\n" + describe(text, node)
	return &Hover{
		Contents: Markup{Kind: "plaintext", Value: value},
		Range:    text.Range(node.start(), node.End),
	}
}

// find returns the innermost node at offset and its path. A position just behind a value is still
// on it, as editors put the caret there.
func find(root *Node, offset int) (*Node, string) {
	if root == nil || offset < root.Start || offset > root.End {
		return nil, ""
	}
	path := "$"
	node := root
	for {
		index, child := childAt(node, offset)
		if child == nil {
			return node, path
		}
		path += step(index, child)
		node = child
	}
}

// childAt prefers, of two values that meet at offset, the one that starts there.
func childAt(node *Node, offset int) (index int, child *Node) {
	for i, c := range node.Children {
		if c.start() > offset {
			break
		}
		if offset <= c.End {
			index, child = i, c
		}
	}
	return index, child
}

func step(index int, node *Node) string {
	switch {
	case node.Key == nil:
		return "[" + strconv.Itoa(index) + "]"
	case isIdentifier(node.Key.Name):
		return "." + node.Key.Name
	}
	return "[" + strconv.Quote(cut(node.Key.Name, shownBytesMax)) + "]"
}

func isIdentifier(name string) bool {
	for i := range len(name) {
		b := name[i]
		letter := b == '_' || b == '$' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
		if !letter && (i == 0 || b < '0' || b > '9') {
			return false
		}
	}
	return name != "" && len(name) <= shownBytesMax
}

func describe(text *Text, node *Node) string {
	switch node.Kind {
	case KindMissing:
		return "no value"
	case KindObject:
		return count("object", len(node.Children), "member")
	case KindArray:
		return count("array", len(node.Children), "item")
	}
	raw := text.content[node.Start:node.End]
	return node.Kind.String() + " " + cut(strings.ToValidUTF8(raw, "\uFFFD"), shownBytesMax)
}

func count(kind string, size int, noun string) string {
	if size != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%s, %d %s", kind, size, noun)
}
