package jsonls

import (
	"encoding/json"
	"strings"
)

// Bounds of one parse. Whoever reaches nodesMax or depthMax is told so and the rest of the text is
// not looked at; problems past problemsMax are not listed.
const (
	depthMax    = 512
	nodesMax    = 200_000
	problemsMax = 100
)

// Kind is the JSON type of a Node.
type Kind uint8

// The kinds. KindMissing stands where a value should be and is not, or is no JSON.
const (
	KindMissing Kind = iota
	KindObject
	KindArray
	KindString
	KindNumber
	KindBoolean
	KindNull
)

var kindNames = [...]string{"missing", "object", "array", "string", "number", "boolean", "null"}

func (k Kind) String() string { return kindNames[k] }

// Node is one value of a document. Start and End are byte offsets.
type Node struct {
	Kind       Kind
	Start, End int
	Children   []*Node // of an object or array, in document order
	Key        *Key    // of a member of an object, else nil
}

// Key is the name of a member.
type Key struct {
	Start, End int    // byte offsets, quotes included
	Name       string // unescaped
}

// start returns where a node begins, its name included.
func (n *Node) start() int {
	if n.Key != nil {
		return n.Key.Start
	}
	return n.Start
}

// Problem is one fault in a text. Start and End are byte offsets.
type Problem struct {
	Start, End int
	Message    string
}

// Parse reads text as far as it makes sense and says what does not. It never fails: the tree holds
// what could be understood. Root is nil for a blank document, which has no problems.
func Parse(text string) (root *Node, problems []Problem) {
	p := &parser{text: text}
	p.scanner = scanner{text: text, problem: p.problem}
	p.take()
	if p.token.kind == tokenEnd {
		return nil, p.problems
	}
	root = p.value()
	if p.token.kind != tokenEnd {
		p.problem(p.token.start, p.token.end, "expected the end of the document: a JSON text is one value")
	}
	return root, p.problems
}

type parser struct {
	text     string
	scanner  scanner
	token    token // the next one, not yet taken
	lastEnd  int   // where the token before it ended
	open     [tokenUnknown + 1]int
	depth    int
	nodes    int
	halted   bool
	problems []Problem
}

func (p *parser) problem(start, end int, message string) {
	if !p.halted && len(p.problems) < problemsMax {
		p.problems = append(p.problems, Problem{start, end, message})
	}
}

// halt gives up on the rest of the text: every container ends here, behind the token that was too
// much, silently.
func (p *parser) halt(message string) {
	p.problem(p.token.start, p.token.end, message)
	p.halted = true
	p.lastEnd = p.token.end
	p.scanner.offset = len(p.text)
	p.token = p.scanner.next()
}

func (p *parser) take() token {
	taken := p.token
	p.lastEnd = taken.end
	p.token = p.scanner.next()
	return taken
}

func (p *parser) value() *Node {
	node := &Node{Start: p.token.start, End: p.token.end}
	if p.nodes++; p.nodes > nodesMax {
		p.halt("the document has more values than this server reads")
		return node
	}
	switch p.token.kind {
	case tokenOpenBrace:
		node.Kind = KindObject
		p.list(node, tokenCloseBrace, p.member)
		return node
	case tokenOpenBracket:
		node.Kind = KindArray
		p.list(node, tokenCloseBracket, p.value)
		return node
	case tokenString:
		node.Kind = KindString
	case tokenNumber:
		node.Kind = KindNumber
	case tokenTrue, tokenFalse:
		node.Kind = KindBoolean
	case tokenNull:
		node.Kind = KindNull
	case tokenUnknown: // the scanner has said what is wrong
	default:
		p.problem(p.token.start, p.token.end, "expected a value")
	}
	p.take()
	return node
}

// list parses the items of a container. A closing token that belongs to a container further out
// ends this one too, so that one forgotten bracket is one problem.
func (p *parser) list(node *Node, closer tokenKind, item func() *Node) {
	if p.depth == depthMax {
		p.halt("nested deeper than this server reads")
		return
	}
	p.depth++
	p.open[closer]++
	defer func() {
		p.depth--
		p.open[closer]--
		node.End = p.lastEnd
	}()
	opening := p.take()
	comma, afterItem := token{}, false
	for {
		kind := p.token.kind
		switch {
		case kind == closer:
			if comma.end > 0 && !afterItem {
				p.problem(comma.start, comma.end, "a comma may not stand before the end")
			}
			p.take()
			return
		case kind == tokenEnd || isCloser(kind) && p.open[kind] > 0:
			p.problem(opening.start, opening.end, node.Kind.String()+" is not closed")
			return
		case kind == tokenComma:
			if !afterItem {
				p.problem(p.token.start, p.token.end, "nothing stands before this comma")
			}
			comma, afterItem = p.take(), false
		case kind == tokenColon || isCloser(kind):
			p.problem(p.token.start, p.token.end, "unexpected "+p.text[p.token.start:p.token.end])
			p.take()
		default:
			if afterItem {
				p.problem(p.token.start, p.token.end, "a comma is missing before this")
			}
			node.Children = append(node.Children, item())
			afterItem = true
		}
	}
}

func isOpener(kind tokenKind) bool {
	return kind == tokenOpenBrace || kind == tokenOpenBracket
}

func isCloser(kind tokenKind) bool {
	return kind == tokenCloseBrace || kind == tokenCloseBracket
}

// member parses "name": value. list calls it only where something other than punctuation of the
// object stands.
func (p *parser) member() *Node {
	key := p.token
	switch key.kind {
	case tokenString, tokenUnknown: // the scanner has complained about an unquoted name
		p.take()
	default:
		p.problem(key.start, key.end, "expected a name in double quotes")
		if isOpener(key.kind) {
			return p.value()
		}
		p.take()
	}
	name := &Key{Start: key.start, End: key.end, Name: unquote(p.text[key.start:key.end])}
	if p.token.kind == tokenColon {
		colon := p.take()
		if p.endsItem() {
			p.problem(colon.start, colon.end, "a value is missing after this colon")
			return &Node{Start: colon.end, End: colon.end, Key: name}
		}
	} else if p.endsItem() || p.token.kind == tokenString { // a string is rather the next name
		p.problem(key.start, key.end, "a colon and a value are missing after this name")
		return &Node{Start: key.end, End: key.end, Key: name}
	} else {
		p.problem(key.start, key.end, "a colon is missing after this name")
	}
	node := p.value()
	node.Key = name
	return node
}

// endsItem tells whether the next token ends an item of a container.
func (p *parser) endsItem() bool {
	return p.token.kind == tokenComma || p.token.kind == tokenEnd || isCloser(p.token.kind)
}

// unquote returns the text of a string token; one that is no JSON string names itself, so that a
// faulty name still has a path.
func unquote(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return strings.TrimSuffix(strings.TrimPrefix(raw, `"`), `"`)
	}
	var name string
	if json.Unmarshal([]byte(raw), &name) != nil {
		return raw
	}
	return name
}
