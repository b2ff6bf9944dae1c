package scan

import "encoding/binary"

// literalEnd scans a literal name and returns the offset behind it or that of the deciding byte.
func literalEnd(text []byte, i int) (int, Fault) {
	switch peek(text, i) {
	case 't':
		return wordEnd(text, i, "true")
	case 'f':
		return wordEnd(text, i, "false")
	}
	return wordEnd(text, i, "null")
}

// wordEnd is inlined, so that each word is compared as a constant.
func wordEnd(text []byte, i int, word string) (int, Fault) {
	if len(text)-i >= len(word) && string(text[i:i+len(word)]) == word {
		return i + len(word), FaultNone
	}
	for j := 0; peek(text, i) == word[j]; j++ {
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
		count := firstStop(digitStops(binary.LittleEndian.Uint64(text[i:])))
		if count == 0 || peek(text, i+count) != ',' || zeroLeads(text[i], count) {
			return i
		}
		i += count + 1
	}
	return i
}

func digitsEnd(text []byte, i int) int {
	for ; len(text)-i >= 8; i += 8 {
		if stops := digitStops(binary.LittleEndian.Uint64(text[i:])); stops != 0 {
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
