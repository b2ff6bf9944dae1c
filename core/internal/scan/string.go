package scan

import (
	"encoding/binary"
	"math/bits"
)

// stringEnd scans the string whose quote is at offset i and returns the offset behind its closing
// quote, or that of the deciding byte.
func stringEnd(text []byte, i int) (int, Fault) {
	if i = plainEnd(text, i+1); peek(text, i) == '"' {
		return i + 1, FaultNone
	}
	return stringRestEnd(text, i)
}

// stringRestEnd scans what is left of a string from offset i on, where no plain byte is. Lone
// surrogate escapes pass (MSG-1).
func stringRestEnd(text []byte, i int) (int, Fault) {
	for {
		switch c := peek(text, i); {
		case c == '"':
			return i + 1, FaultNone
		case c == '\\' && isShortEscape[peek(text, i+1)]:
			i += 2
		case c == '\\':
			end, ok := unicodeEscapeEnd(text, i)
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
		i = plainEnd(text, i)
	}
}

// nameEnd scans a member's name and the colon after it and returns the offsets behind the name and of
// the value, or that of the deciding byte for both.
func nameEnd(text []byte, i int) (end, value int, fault Fault) {
	if peek(text, i) != '"' {
		return i, i, FaultSyntax
	}
	end, fault = stringEnd(text, i)
	if fault != FaultNone {
		return end, end, fault
	}
	if i = spaceEnd(text, end); peek(text, i) != ':' {
		return i, i, FaultSyntax
	}
	return end, spaceEnd(text, i+1), FaultNone
}

// plainEnd returns the offset of the first byte from i on that needs a look: a quote, a backslash,
// a control character, a byte of a longer UTF-8 sequence, or the end.
func plainEnd(text []byte, i int) int {
	// Branching on the mask, before anything is counted, keeps the next load from waiting for this
	// one: three times as fast. The offset is never negative; saying so, and bounding the slice, takes
	// the compiler's checks out of each word: a third of the instructions. The other loops by words
	// are written likewise. Two words a turn: in wazero the turn costs as much as a word.
	for ; i >= 0 && i <= len(text)-16; i += 16 {
		if stops := plainStops(binary.LittleEndian.Uint64(text[i : i+8])); stops != 0 {
			return i + firstStop(stops)
		}
		if stops := plainStops(binary.LittleEndian.Uint64(text[i+8 : i+16])); stops != 0 {
			return i + 8 + firstStop(stops)
		}
	}
	for ; i >= 0 && i <= len(text)-8; i += 8 {
		if stops := plainStops(binary.LittleEndian.Uint64(text[i : i+8])); stops != 0 {
			return i + firstStop(stops)
		}
	}
	for ; i < len(text); i++ {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x80 {
			break
		}
	}
	return i
}

const (
	everyByte = 0x0101010101010101 // times b: b in each of 8 bytes
	highBits  = 0x80 * everyByte
)

// plainStops returns a mask of the bytes of a word that need a look: the high bit of each is set.
func plainStops(word uint64) uint64 {
	// A borrow can only reach bytes after the first such byte, so the lowest bit is right. Flipping
	// the bit in which it differs from the space makes the quote one more byte below '!'.
	return (word | (word ^ ('"'^' ')*everyByte - '!'*everyByte) | (word ^ '\\'*everyByte - everyByte)) & highBits
}

// firstStop returns how many bytes stand before the first one of a mask, in a little-endian word:
// 8 when the mask is empty.
func firstStop(stops uint64) int { return bits.TrailingZeros64(stops) >> 3 }

// isShortEscape holds the bytes that make an escape with a backslash alone.
var isShortEscape = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// unicodeEscapeEnd scans the escape of a UTF-16 unit whose backslash is at offset i.
func unicodeEscapeEnd(text []byte, i int) (int, bool) {
	if i++; peek(text, i) != 'u' {
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
