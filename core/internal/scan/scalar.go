package scan

import (
	"encoding/binary"
	"math/bits"
)

// literalEnd scans a literal name and returns the offset behind it or that of the deciding byte.
func literalEnd(text []byte, i int) (int, Fault) {
	name := "null"
	switch peek(text, i) {
	case 't':
		name = "true"
	case 'f':
		name = "false"
	}
	if len(text)-i >= len(name) && string(text[i:i+len(name)]) == name {
		return i + len(name), FaultNone
	}
	for j := 0; peek(text, i) == name[j]; j++ {
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

// integersEnd passes elements of an array as long as they are 1 to 7 digits and a comma, as in a
// list of semantic tokens; it returns the offset of what comes next.
func integersEnd(text []byte, i int) int {
	for len(text)-i >= 8 {
		count := digitCount(binary.LittleEndian.Uint64(text[i:]))
		if count == 0 || peek(text, i+count) != ',' || zeroLeads(text[i], count) {
			return i
		}
		i += count + 1
	}
	return i
}

func digitsEnd(text []byte, i int) int {
	for len(text)-i >= 8 {
		count := digitCount(binary.LittleEndian.Uint64(text[i:]))
		if i += count; count < 8 {
			return i
		}
	}
	for isDigit(peek(text, i)) {
		i++
	}
	return i
}

// digitCount returns how many of the 8 bytes of a little-endian word are digits before the first
// that is none. Counting without a branch matters: the lengths of numbers are hard to predict.
func digitCount(word uint64) int {
	digits := word ^ '0'*everyByte
	stop := (digits | (digits + (0x80-10)*everyByte)) & highBits
	return bits.TrailingZeros64(stop) >> 3
}

// zeroLeads reports whether first is a zero and count, the number of digits from it on, is more
// than 1. It is one branch, nearly never taken, for the same reason.
func zeroLeads(first byte, count int) bool {
	return (int(first)-'0'-1)&(1-count) < 0
}

func isDigit(c byte) bool { return c-'0' <= 9 }
