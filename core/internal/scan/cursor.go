package scan

// The readers here expect a text that a Scanner has passed. On anything else they find something
// or nothing, inside the text, in time linear in its size.

// Member returns the value token of the first member of object whose unescaped name is name;
// absent when there is none or when object is no object.
func Member(object []byte, name string) Span {
	pairs := Pairs(object)
	for {
		key, value, ok := pairs.Next()
		if !ok {
			return Span{}
		}
		if unquotedIs(key.Of(object), name) {
			return value
		}
	}
}

// PairCursor walks the members of an object.
type PairCursor struct {
	text []byte
	at   int // of the next name; len(text) when there is none
}

// Pairs returns a cursor on the members of object; on none when it is no object.
func Pairs(object []byte) PairCursor {
	return PairCursor{object, first(object, '{')}
}

// Next returns the name token and the value token of the next member.
func (p *PairCursor) Next() (name, value Span, ok bool) {
	if p.at == len(p.text) || p.text[p.at] != '"' {
		return Span{}, Span{}, false
	}
	name = Span{p.at, skip(p.text, p.at)}
	colon := spaceEnd(p.text, name.End)
	if peek(p.text, colon) != ':' {
		p.at = len(p.text)
		return Span{}, Span{}, false
	}
	start := spaceEnd(p.text, colon+1)
	value = Span{start, skip(p.text, start)}
	p.at = following(p.text, value.End)
	return name, value, true
}

// ElementCursor walks the elements of an array.
type ElementCursor struct {
	text []byte
	at   int // of the next element; len(text) when there is none
}

// Elements returns a cursor on the elements of array; on none when it is no array.
func Elements(array []byte) ElementCursor {
	return ElementCursor{array, first(array, '[')}
}

// Next returns the next element's token.
func (e *ElementCursor) Next() (Span, bool) {
	if e.at == len(e.text) {
		return Span{}, false
	}
	value := Span{e.at, skip(e.text, e.at)}
	e.at = following(e.text, value.End)
	return value, true
}

// first returns the offset of what follows the opening bracket, or len(text) when nothing does.
func first(text []byte, bracket byte) int {
	i := spaceEnd(text, 0)
	if peek(text, i) != bracket {
		return len(text)
	}
	i = spaceEnd(text, i+1)
	if peek(text, i) == bracket+2 { // ']' and '}' stand two behind '[' and '{'
		return len(text)
	}
	return i
}

// following returns the offset of what follows the comma after offset i, or len(text).
func following(text []byte, i int) int {
	if i = spaceEnd(text, i); peek(text, i) != ',' {
		return len(text)
	}
	return spaceEnd(text, i+1)
}

// skip returns the offset behind the value at offset i. It needs no stack: in a valid text the
// brackets match, so counting them is enough.
func skip(text []byte, i int) int {
	open := 0
	for i < len(text) {
		switch text[i] {
		case '"':
			i, _ = stringEnd(text, i)
		case '{', '[':
			open++
			i++
		case '}', ']':
			open--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			i++
		default:
			i = plainScalarEnd(text, i)
		}
		if open <= 0 {
			return i
		}
	}
	return i
}

// plainScalarEnd returns the offset behind the number or literal name at offset i.
func plainScalarEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case ',', ':', '}', ']', ' ', '\t', '\n', '\r':
			return i
		}
	}
	return i
}
