package jsonls

import "encoding/json"

const (
	completionsMax  = 200 // in one answer
	offeredBytesMax = 256 // a longer name or value is not offered
)

// CompletionKind is LSP's CompletionItemKind.
type CompletionKind int

const (
	completionProperty CompletionKind = 10
	completionValue    CompletionKind = 12
)

// Completion is LSP's CompletionItem. FilterText starts as what TextEdit replaces does, quotes included.
type Completion struct {
	Label      string         `json:"label"`
	Kind       CompletionKind `json:"kind"`
	FilterText string         `json:"filterText"`
	TextEdit   TextEdit       `json:"textEdit"`
}

// Complete offers, where the name of a member goes, the names that the document has elsewhere and this
// object lacks; where its value goes, the simple values that members of that name have elsewhere. Each
// comes once, in the order of the document. It is never nil.
func Complete(text *Text, position Position) []Completion {
	at := gapAt(text.content, text.Offset(position))
	c := completer{text: text, gap: at, offered: map[string]bool{}, list: []Completion{}}
	root, _ := Parse(text.content)
	switch {
	case root == nil || at.goes == nothing:
		return c.list
	case at.goes == name:
		for _, member := range objectAt(text.content, root, at.start).Children {
			if member.Key != nil && member.Key.Start != at.start {
				c.offered[member.Key.Name] = true
			}
		}
	}
	c.collect(root)
	return c.list
}

// objectAt returns the innermost object around an offset; an empty one where there is none.
func objectAt(content string, root *Node, offset int) *Node {
	object := &Node{}
	for node := root; node != nil; {
		if node.Kind == KindObject {
			object = node
		}
		inside := (*Node)(nil)
		for _, child := range node.Children {
			isOpen := content[child.End-1] != '}' && content[child.End-1] != ']' // it ends with the text
			if !child.isSimple() && child.Start < offset && (offset < child.End || offset == child.End && isOpen) {
				inside = child
			}
		}
		node = inside
	}
	return object
}

func (n *Node) isSimple() bool { return n.Kind != KindObject && n.Kind != KindArray }

type completer struct {
	text    *Text
	gap     gap
	offered map[string]bool
	list    []Completion
}

// collect walks the document in order.
func (c *completer) collect(node *Node) {
	for _, child := range node.Children {
		if len(c.list) == completionsMax {
			return
		}
		if key := child.Key; key != nil && c.gap.goes == name && key.Start != c.gap.start {
			c.offer(key.Name, key.Start, key.End, completionProperty)
		}
		if key := child.Key; key != nil && c.gap.goes == value && key.Name == c.gap.key && child.isSimple() && child.Start != c.gap.start {
			c.offer(c.text.content[child.Start:child.End], child.Start, child.End, completionValue)
		}
		c.collect(child)
	}
}

// offer adds what stands between two byte offsets, once, if it is JSON.
func (c *completer) offer(identity string, start, end int, kind CompletionKind) {
	raw := c.text.content[start:end]
	if c.offered[identity] || len(raw) > offeredBytesMax || !json.Valid([]byte(raw)) {
		return
	}
	c.offered[identity] = true
	label := raw
	if kind == completionProperty {
		label = identity
	}
	c.list = append(c.list, Completion{
		Label: label, Kind: kind, FilterText: raw,
		TextEdit: TextEdit{Range: c.text.Range(c.gap.start, c.gap.end), NewText: raw},
	})
}
