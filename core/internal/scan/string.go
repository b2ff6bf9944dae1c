package scan

import (
	"encoding/binary"
	"math/bits"
)

// stringEnd scans the string whose quote is at offset i and returns the offset behind its closing
// quote, or that of the deciding byte. Lone surrogate escapes pass (MSG-1).
func stringEnd(text []byte, i int) (int, Fault) {
	i++
	for {
		i = plainEnd(text, i)
		switch c := peek(text, i); {
		case c == '"':
			return i + 1, FaultNone
		case c == '\\':
			end, ok := escapeEnd(text, i)
			if !ok {
				return end, FaultSyntax
			}
			i = end
		case c >= 0x80:
			end, ok := multibyteEnd(text, i)
			if !ok && end < len(text) {
				return end, FaultUTF8
			}
			i = end
		default: // a control character, or the end of the text
			return i, FaultSyntax
		}
	}
}

const (
	everyByte = 0x0101010101010101 // times b: b in each of 8 bytes
	highBits  = 0x80 * everyByte
)

// plainEnd returns the offset of the first byte from i on that needs a look: a quote, a backslash,
// a control character, a byte of a longer UTF-8 sequence, or the end.
func plainEnd(text []byte, i int) int {
	for ; len(text)-i >= 8; i += 8 {
		word := binary.LittleEndian.Uint64(text[i:])
		// The high bit of a byte comes out set when the byte is one of them. A borrow can only
		// reach bytes after the first such byte, so the lowest bit is right.
		stop := (word | (word - ' '*everyByte) | (word ^ '"'*everyByte - everyByte) |
			(word ^ '\\'*everyByte - everyByte)) & highBits
		if stop != 0 {
			return i + bits.TrailingZeros64(stop)>>3
		}
	}
	for ; i < len(text); i++ {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x80 {
			break
		}
	}
	return i
}

// escapeEnd scans the escape whose backslash is at offset i.
func escapeEnd(text []byte, i int) (int, bool) {
	i++
	switch peek(text, i) {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1, true
	case 'u':
	default:
		return i, false
	}
	for range 4 {
		if i++; !isHex(peek(text, i)) {
			return i, false
		}
	}
	return i + 1, true
}

func isHex(c byte) bool { return isDigit(c) || c|0x20-'a' <= 5 }

// multibyteEnd scans a run of UTF-8 sequences of two to four bytes. It refuses overlong forms,
// encoded surrogates and what lies beyond U+10FFFF, all told by the second byte.
func multibyteEnd(text []byte, i int) (int, bool) {
	for {
		lead := peek(text, i)
		least, most, more := byte(0x80), byte(0xBF), 0 // of the second byte; bytes after the lead
		switch {
		case lead < 0x80:
			return i, true
		case lead < 0xC2:
			return i, false
		case lead < 0xE0:
			more = 1
		case lead < 0xF0:
			more = 2
			if lead == 0xE0 {
				least = 0xA0
			} else if lead == 0xED {
				most = 0x9F
			}
		case lead < 0xF5:
			more = 3
			if lead == 0xF0 {
				least = 0x90
			} else if lead == 0xF4 {
				most = 0x8F
			}
		default:
			return i, false
		}
		for range more {
			i++
			if c := peek(text, i); c < least || c > most {
				return i, false
			}
			least, most = 0x80, 0xBF
		}
		i++
	}
}
