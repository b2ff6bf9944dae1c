package jsonls

import (
	"strings"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenOpenBrace
	tokenCloseBrace
	tokenOpenBracket
	tokenCloseBracket
	tokenColon
	tokenComma
	tokenString
	tokenNumber
	tokenTrue
	tokenFalse
	tokenNull
	tokenUnknown
)

var punctuation = map[byte]tokenKind{
	'{': tokenOpenBrace, '}': tokenCloseBrace,
	'[': tokenOpenBracket, ']': tokenCloseBracket,
	':': tokenColon, ',': tokenComma,
}

// token is one lexical element; start and end are byte offsets.
type token struct {
	kind       tokenKind
	start, end int
}

// scanner cuts a text into tokens and reports what is wrong inside one. It never fails: bytes that
// are no JSON become a tokenUnknown.
type scanner struct {
	text    string
	offset  int
	problem func(start, end int, message string)
}

// next returns the next token; at the end of the text it returns tokenEnd for ever.
func (s *scanner) next() token {
	s.skipSpace()
	start := s.offset
	if start == len(s.text) {
		return token{tokenEnd, start, start}
	}
	b := s.text[start]
	if kind, ok := punctuation[b]; ok {
		s.offset++
		return token{kind, start, s.offset}
	}
	if b == '"' {
		s.scanString()
		return token{tokenString, start, s.offset}
	}
	return s.scanWord()
}

// skipSpace skips white space, and comments, which JSON does not have but people write.
func (s *scanner) skipSpace() {
	for s.offset < len(s.text) {
		rest := s.text[s.offset:]
		size := 0
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			s.offset++
			continue
		case strings.HasPrefix(rest, "//"):
			size = strings.IndexAny(rest, "\r\n")
		case strings.HasPrefix(rest, "/*"):
			if size = strings.Index(rest[2:], "*/"); size >= 0 {
				size += len("/**/")
			}
		default:
			return
		}
		if size < 0 {
			size = len(rest)
		}
		s.problem(s.offset, s.offset+size, "JSON has no comments")
		s.offset += size
	}
}

// scanString reads a string to its closing quote, or to the end of the line when there is none:
// the lines that follow are then judged as if the quote were there.
func (s *scanner) scanString() {
	start := s.offset
	s.offset++
	for s.offset < len(s.text) {
		switch b := s.text[s.offset]; {
		case b == '"':
			s.offset++
			return
		case b == '\n' || b == '\r':
			s.problem(start, s.offset, "the string is not closed on its line")
			return
		case b < 0x20:
			s.problem(s.offset, s.offset+1, "a control character in a string must be escaped")
			s.offset++
		case b == '\\':
			s.scanEscape()
		default:
			s.offset++
		}
	}
	s.problem(start, s.offset, "the string is not closed")
}

func (s *scanner) scanEscape() {
	start := s.offset
	s.offset++
	if s.offset == len(s.text) || s.text[s.offset] == '\n' || s.text[s.offset] == '\r' {
		return // the string is reported as not closed
	}
	_, size := utf8.DecodeRuneInString(s.text[s.offset:])
	letter := s.text[s.offset]
	s.offset += size
	if letter != 'u' {
		if strings.IndexByte(`"\/bfnrt`, letter) < 0 {
			s.problem(start, s.offset, "unknown escape; JSON knows \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")
		}
		return
	}
	digits := 0
	for digits < 4 && s.offset < len(s.text) && isHexDigit(s.text[s.offset]) {
		digits++
		s.offset++
	}
	if digits < 4 {
		s.problem(start, s.offset, "\\u needs four hexadecimal digits")
	}
}

// scanWord reads up to the next delimiter, so that what is no JSON is one problem and not many.
func (s *scanner) scanWord() token {
	start := s.offset
	for s.offset < len(s.text) && strings.IndexByte(" \t\r\n{}[]:,\"", s.text[s.offset]) < 0 {
		s.offset++
	}
	word := s.text[start:s.offset]
	kind := tokenUnknown
	switch {
	case word == "true":
		kind = tokenTrue
	case word == "false":
		kind = tokenFalse
	case word == "null":
		kind = tokenNull
	case isNumber(word):
		kind = tokenNumber
	case strings.IndexByte("+-.0123456789", word[0]) >= 0:
		kind = tokenNumber
		s.problem(start, s.offset, "not a JSON number")
	case word[0] == '\'':
		s.problem(start, s.offset, "strings need double quotes")
	default:
		s.problem(start, s.offset, "not a JSON value; strings need double quotes")
	}
	return token{kind, start, s.offset}
}

// isNumber is RFC 8259's grammar: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
func isNumber(word string) bool {
	word = strings.TrimPrefix(word, "-")
	whole := digitCount(word)
	if whole == 0 || whole > 1 && word[0] == '0' {
		return false
	}
	word = word[whole:]
	if fraction, ok := strings.CutPrefix(word, "."); ok {
		digits := digitCount(fraction)
		if digits == 0 {
			return false
		}
		word = fraction[digits:]
	}
	if word == "" {
		return true
	}
	if word[0] != 'e' && word[0] != 'E' {
		return false
	}
	exponent := word[1:]
	if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
		exponent = exponent[1:]
	}
	return exponent != "" && digitCount(exponent) == len(exponent)
}

func digitCount(word string) int {
	count := 0
	for count < len(word) && word[count] >= '0' && word[count] <= '9' {
		count++
	}
	return count
}

func isHexDigit(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}
