package scan

// scalarEnd scans a number or literal name that begins with c at offset i; it returns the offset
// behind it or that of the deciding byte.
func scalarEnd(text []byte, i int, c byte) (int, Fault) {
	switch c {
	case 't':
		return wordEnd(text, i, "true")
	case 'f':
		return wordEnd(text, i, "false")
	case 'n':
		return wordEnd(text, i, "null")
	}
	return numberEnd(text, i)
}

func wordEnd(text []byte, i int, word string) (int, Fault) {
	if len(text)-i >= len(word) && string(text[i:i+len(word)]) == word {
		return i + len(word), FaultNone
	}
	for j := 0; peek(text, i) == word[j]; j++ {
		i++
	}
	return i, FaultSyntax
}

// numberEnd scans a number. What follows is the caller's to judge: "01" is the number 0 with
// something behind it.
func numberEnd(text []byte, i int) (int, Fault) {
	if peek(text, i) == '-' {
		i++
	}
	switch c := peek(text, i); {
	case c == '0':
		i++
	case isDigit(c):
		i = digitsEnd(text, i)
	default:
		return i, FaultSyntax
	}
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

func digitsEnd(text []byte, i int) int {
	for isDigit(peek(text, i)) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return c-'0' <= 9 }
