package scan

import (
	"encoding/binary"
	"math/bits"
)

// literalEnd scans a literal name and returns the offset behind it or that of the deciding byte.
func literalEnd(text []byte, i int) (int, Fault) {
	if i >= 0 && i <= len(text)-4 {
		switch binary.LittleEndian.Uint32(text[i : i+4]) {
		case wordNull, wordTrue:
			return i + 4, FaultNone
		case wordFals:
			if peek(text, i+4) == 'e' {
				return i + 5, FaultNone
			}
		}
	}
	switch peek(text, i) {
	case 't':
		return wordEnd(text, i, "true")
	case 'f':
		return wordEnd(text, i, "false")
	}
	return wordEnd(text, i, "null")
}

// Literal names as little-endian words.
const (
	wordNull = 0x6C6C756E // null
	wordTrue = 0x65757274 // true
	wordFals = 0x736C6166 // fals
)

// wordEnd returns the offset of the byte at which text stops being a word that it is not.
func wordEnd(text []byte, i int, word string) (int, Fault) {
	for j := 0; j < len(word) && peek(text, i) == word[j]; j++ {
		i++
	}
	return i, FaultSyntax
}

// numberEnd scans a number and returns the offset behind it or that of the deciding byte. What
// follows is the caller's to judge: "01" is the number 0 with something behind it.
func numberEnd(text []byte, i int) (int, Fault) {
	if peek(text, i) == '-' {
		i++
	}
	end := digitsEnd(text, i)
	if end == i {
		return i, FaultSyntax
	}
	if zeroLeads(text[i], end-i) {
		return i + 1, FaultNone
	}
	if c := peek(text, end); c == '.' || c|0x20 == 'e' {
		return fractionEnd(text, end)
	}
	return end, FaultNone
}

// fractionEnd scans the fraction and the exponent of a number, or one of them.
func fractionEnd(text []byte, i int) (int, Fault) {
	if peek(text, i) == '.' {
		if i++; !isDigit(peek(text, i)) {
			return i, FaultSyntax
		}
		i = digitsEnd(text, i)
	}
	if peek(text, i)|0x20 != 'e' {
		return i, FaultNone
	}
	i++
	if c := peek(text, i); c == '+' || c == '-' {
		i++
	}
	if !isDigit(peek(text, i)) {
		return i, FaultSyntax
	}
	return digitsEnd(text, i), FaultNone
}

// integersEnd passes elements of an array as long as they are digits and a comma, as in a list of
// semantic tokens; it returns the offset of what comes next. It looks at eight bytes at once and never
// asks where a number ends, which no branch predictor can tell it: each condition is one on masks, in
// which what a byte means for the one behind it is a shift away.
func integersEnd(text []byte, i int) int {
	end := i                // behind the last comma
	afterComma := firstByte // of the word: the byte before it is a comma
	afterZero := uint64(0)  // the byte before it is a zero that begins a number
	for ; i >= 0 && i <= len(text)-8; i += 8 {
		word := binary.LittleEndian.Uint64(text[i : i+8])
		commas := zeroBytes(word ^ ','*everyByte)
		if digitStops(word) != commas {
			break
		}
		first := commas<<8 | afterComma
		leading := zeroBytes(word^'0'*everyByte) & first
		if commas&first != 0 || (leading<<8|afterZero)&^commas != 0 {
			break // an empty element, or a number that goes on after its leading zero
		}
		if commas != 0 {
			end = i + 8 - bits.LeadingZeros64(commas)>>3
		}
		afterComma, afterZero = commas>>56, leading>>56
	}
	return end
}

// firstByte is the mask of a word's first byte.
const firstByte uint64 = 0x80

// zeroBytes returns a mask of the bytes of a word that are 0: the high bit of each is set.
func zeroBytes(word uint64) uint64 {
	return ^(word&^highBits + ^uint64(highBits) | word) & highBits
}

func digitsEnd(text []byte, i int) int {
	for ; i >= 0 && i <= len(text)-8; i += 8 {
		if stops := digitStops(binary.LittleEndian.Uint64(text[i : i+8])); stops != 0 {
			return i + firstStop(stops)
		}
	}
	for isDigit(peek(text, i)) {
		i++
	}
	return i
}

// digitStops returns a mask of the bytes of a word that are no digits: the high bit of each is set.
// Counting digits by it takes no branch, which matters: lengths of numbers are hard to predict.
func digitStops(word uint64) uint64 {
	digits := word ^ '0'*everyByte
	return (digits | (digits + (0x80-10)*everyByte)) & highBits
}

// zeroLeads reports whether first is a zero and count, the number of digits from it on, is more
// than 1. It is one branch, nearly never taken, for the same reason.
func zeroLeads(first byte, count int) bool {
	return (int(first)-'0'-1)&(1-count) < 0
}

func isDigit(c byte) bool { return c-'0' <= 9 }
