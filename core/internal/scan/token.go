package scan

import (
	"bytes"
	"unicode/utf8"
)

// Kind returns what a value token is, told by its first byte: 'o' object, 'a' array, 's' string,
// 'n' number, 't' true, 'f' false, '0' null; 0 for what begins no value.
func Kind(token []byte) byte {
	switch c := peek(token, 0); c {
	case '{':
		return 'o'
	case '[':
		return 'a'
	case '"':
		return 's'
	case 't', 'f':
		return c
	case 'n':
		return '0'
	default:
		if c == '-' || isDigit(c) {
			return 'n'
		}
		return 0
	}
}

// Plain returns the text of a string token without escapes (Message.Plain), a part of token.
func Plain(token []byte) []byte {
	if len(token) < 2 {
		return nil
	}
	return token[1 : len(token)-1 : len(token)-1]
}

// Unquoted returns the text of a string token, a part of token; false when it holds an escape and
// so has to be copied (AppendUnquoted).
func Unquoted(token []byte) ([]byte, bool) {
	text := Plain(token)
	if escapeAt(text, 0) < len(text) {
		return nil, false
	}
	return text, true
}

// AppendUnquoted appends the text of a string token. Each lone surrogate escape becomes U+FFFD.
func AppendUnquoted(dst, token []byte) []byte {
	text := Plain(token)
	for i := 0; ; {
		at := escapeAt(text, i)
		dst = append(dst, text[i:at]...)
		if at == len(text) {
			return dst
		}
		var r rune
		r, i = unescape(text, at)
		dst = utf8.AppendRune(dst, r)
	}
}

// unquotedIs reports whether the text of a string token is want.
func unquotedIs(token []byte, want string) bool {
	text := Plain(token)
	for i := 0; ; {
		at := escapeAt(text, i)
		plain := text[i:at]
		if len(want) < len(plain) || want[:len(plain)] != string(plain) {
			return false
		}
		want = want[len(plain):]
		if at == len(text) {
			return want == ""
		}
		var r rune
		r, i = unescape(text, at)
		var encoded [utf8.UTFMax]byte
		size := utf8.EncodeRune(encoded[:], r)
		if len(want) < size || want[:size] != string(encoded[:size]) {
			return false
		}
		want = want[size:]
	}
}

// escapeAt returns the offset of the next backslash from i on, or len(text).
func escapeAt(text []byte, i int) int {
	if next := bytes.IndexByte(text[i:], '\\'); next >= 0 {
		return i + next
	}
	return len(text)
}

// unescape decodes the escape whose backslash is at offset i, a surrogate pair as one; it returns
// the offset behind it. What is no escape, or half a pair, is U+FFFD.
func unescape(text []byte, i int) (rune, int) {
	i++
	switch c := peek(text, i); c {
	case '"', '\\', '/':
		return rune(c), i + 1
	case 'b':
		return '\b', i + 1
	case 'f':
		return '\f', i + 1
	case 'n':
		return '\n', i + 1
	case 'r':
		return '\r', i + 1
	case 't':
		return '\t', i + 1
	}
	unit, ok := unicodeEscape(text, i)
	if !ok {
		return utf8.RuneError, i
	}
	i += len("uXXXX")
	if unit < 0xD800 || unit > 0xDFFF {
		return unit, i
	}
	if unit < 0xDC00 && peek(text, i) == '\\' {
		if low, ok := unicodeEscape(text, i+1); ok && low >= 0xDC00 && low <= 0xDFFF {
			return 0x10000 + (unit-0xD800)<<10 + (low - 0xDC00), i + len(`\uXXXX`)
		}
	}
	return utf8.RuneError, i
}

// unicodeEscape reads "uXXXX" at offset i as one UTF-16 unit.
func unicodeEscape(text []byte, i int) (rune, bool) {
	if peek(text, i) != 'u' {
		return 0, false
	}
	var unit rune
	for j := i + 1; j <= i+4; j++ {
		c := peek(text, j)
		switch {
		case isDigit(c):
			unit = unit<<4 | rune(c-'0')
		case isHex(c):
			unit = unit<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return unit, true
}
