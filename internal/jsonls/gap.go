package jsonls

// goes is what belongs at a place in a document.
type goes uint8

const (
	nothing goes = iota // punctuation, an item of an array, or anything inside a comment
	name
	value
)

// gap is a place that could be filled, or what is typed there so far. It is found in the tokens before
// it and not in the tree, because a document is mostly broken where somebody types.
type gap struct {
	goes       goes
	key        string // value: of which member
	start, end int    // byte offsets of what is replaced
}

// container is what is open around a place.
type container struct {
	isObject bool
	key      string // of the member under way
	next     goes   // nothing: a colon or a comma comes next
}

// gapAt finds what goes where the caret is.
func gapAt(content string, offset int) gap {
	s := scanner{text: content, problem: func(int, int, string) {}}
	var open []container
	end := 0 // of the token before the caret
	for t := s.next(); t.kind != tokenEnd && t.start < offset; t = s.next() {
		if isText := t.kind >= tokenString; isText && offset <= t.end {
			return gapIn(open, t.start, t.end)
		}
		open = enter(open, t, content)
		end = t.end
	}
	if s.isComment(end, offset) {
		return gap{}
	}
	return gapIn(open, offset, offset)
}

func gapIn(open []container, start, end int) gap {
	if len(open) == 0 {
		return gap{}
	}
	inner := open[len(open)-1]
	if !inner.isObject {
		return gap{}
	}
	return gap{goes: inner.next, key: inner.key, start: start, end: end}
}

// enter follows one token.
func enter(open []container, t token, content string) []container {
	if isOpener(t.kind) {
		return append(open, container{isObject: t.kind == tokenOpenBrace, next: name})
	}
	if len(open) == 0 {
		return open
	}
	inner := &open[len(open)-1]
	switch {
	case isCloser(t.kind):
		open = open[:len(open)-1]
		if len(open) > 0 {
			open[len(open)-1].next = nothing
		}
	case t.kind == tokenComma:
		inner.next = name
	case t.kind == tokenColon:
		inner.next = value
	case inner.next == name:
		inner.key, inner.next = unquote(content[t.start:t.end]), nothing
	default:
		inner.next = nothing
	}
	return open
}

// isComment reports that a comment begins between two offsets: the caret is in it, or behind it.
func (s *scanner) isComment(start, offset int) bool {
	for ; start < offset; start++ {
		if s.text[start] == '/' {
			return true
		}
	}
	return false
}
