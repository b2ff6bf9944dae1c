package scan

import "encoding/binary"

// Scanner scans texts one after another. Its stack of open brackets is kept from text to text, one
// bit a bracket: at most DepthMax/8 bytes.
type Scanner struct {
	// DepthMax is the deepest nesting accepted, at most 65,536 (MSG-1). With 0 nothing nests.
	DepthMax int
	// stack holds the kinds of the brackets that are open outside the innermost 1 to 64.
	stack []uint64
}

// Valid scans one text as Message does, without looking for members.
func (s *Scanner) Valid(text []byte) (Fault, int) {
	i := spaceEnd(text, 0)
	if i == len(text) {
		return FaultEmpty, i
	}
	i, fault := s.value(text, i, 0)
	if fault != FaultNone {
		return fault, i
	}
	if i = spaceEnd(text, i); i < len(text) {
		return FaultSyntax, i
	}
	return FaultNone, i
}

// value scans the value at offset i, inside depth open brackets, and returns the offset behind it
// or that of the deciding byte.
func (s *Scanner) value(text []byte, i, depth int) (int, Fault) {
	switch peek(text, i) {
	case '"':
		return stringEnd(text, i)
	case '{', '[':
		return s.container(text, i, depth)
	case 't', 'f', 'n':
		return literalEnd(text, i)
	}
	return numberEnd(text, i)
}

// container scans the object or array whose bracket is at offset i, inside depth open brackets.
// The loop passes one value a turn, with its name. The kinds of the innermost brackets are bits of
// inside, the innermost lowest, 1 for an object.
//
// The shape is measured, in this package's benchmarks. What runs for every token is inlined here or
// is a function with a loop of its own that calls nothing. Helpers that call helpers cost up to 25 %
// natively; in wazero coming back from a call costs more than scanning a short token, so that passing
// runs of integers without coming back made them eight times as fast. Scanning the first eight bytes
// of every string here as well gained nothing; scanning the first sixteen of every name took an eighth off a
// list of completion items, and in wazero a quarter.
func (s *Scanner) container(text []byte, i, depth int) (int, Fault) {
	var inside uint64
	var fault Fault
	open, openMax := 0, s.DepthMax-depth
	for {
		if inside&1 == 1 {
			end := 0 // behind a name of up to 16 plain bytes, as most are
			if i >= 0 && i <= len(text)-nameBytesRead && text[i] == '"' {
				if stops := plainStops(binary.LittleEndian.Uint64(text[i+1 : i+9])); stops != 0 {
					end = i + 1 + firstStop(stops)
				} else if stops := plainStops(binary.LittleEndian.Uint64(text[i+9 : i+17])); stops != 0 {
					end = i + 9 + firstStop(stops)
				}
			}
			if end > 0 && end <= len(text)-2 && binary.LittleEndian.Uint16(text[end:end+2]) == wordNameEnd {
				i = spaceEnd(text, end+2)
			} else if _, i, fault = nameEnd(text, i); fault != FaultNone {
				return i, fault
			}
		}
		switch c := peek(text, i); c {
		case '"':
			if i = plainEnd(text, i+1); peek(text, i) == '"' {
				i++
			} else if i, fault = stringRestEnd(text, i); fault != FaultNone {
				return i, fault
			}
		case '{', '[':
			if open >= openMax {
				return i, FaultDepth
			}
			if open&63 == 0 && open > 0 {
				s.spill(open>>6-1, inside)
			}
			open++
			inside = inside<<1 | uint64(c>>5&1) // '{' has the bit, '[' has not
			i = spaceEnd(text, i+1)
			if peek(text, i) != c+2 { // ']' and '}' stand two behind '[' and '{'
				continue
			}
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			// Most are integers of one or two digits. Telling them by branches lets what follows begin before
			// these are looked at, which counting digits does not.
			if next := peek(text, i+1); next == ',' || next|0x20 == '}' {
				i++
			} else if after := peek(text, i+2); isDigit(next) && c != '0' && (after == ',' || after|0x20 == '}') {
				i += 2
			} else if i, fault = numberEnd(text, i); fault != FaultNone {
				return i, fault
			}
		case '-':
			if i, fault = numberEnd(text, i); fault != FaultNone {
				return i, fault
			}
		default:
			if i, fault = literalEnd(text, i); fault != FaultNone {
				return i, fault
			}
		}
		// A value has ended, or an empty container is about to: close what ends here.
		for {
			c := peek(text, i)
			if c <= ' ' {
				i = spaceRunEnd(text, i)
				c = peek(text, i)
			}
			if c == ',' {
				i++
				if inside&1 == 0 && isDigit(peek(text, i)) {
					i = integersEnd(text, i)
				}
				i = spaceEnd(text, i)
				break
			}
			if c != ']'+byte(inside&1)<<5 { // '}' is ']' + 32
				return i, FaultSyntax
			}
			i++
			if open--; open == 0 {
				return i, FaultNone
			}
			if open&63 == 0 {
				inside = s.stack[open>>6-1]
			} else {
				inside >>= 1
			}
		}
	}
}

// nameBytesRead is a quote and the two words behind it.
const nameBytesRead = 1 + 8 + 8

// spill saves the kinds of 64 brackets.
func (s *Scanner) spill(index int, inside uint64) {
	if index == len(s.stack) {
		s.stack = append(s.stack, inside)
		return
	}
	s.stack[index] = inside
}

// peek returns the byte at offset i, or 0, which stands for nothing in JSON, at the end.
func peek(text []byte, i int) byte {
	if uint(i) < uint(len(text)) {
		return text[i]
	}
	return 0
}

// spaceEnd returns the offset of the first byte that is no white space.
func spaceEnd(text []byte, i int) int {
	if uint(i) < uint(len(text)) && text[i] > ' ' {
		return i
	}
	return spaceRunEnd(text, i)
}

// spaceRunEnd is kept out of the many places where spaceEnd is inlined: most find no space.
//
//go:noinline
func spaceRunEnd(text []byte, i int) int {
	for ; i < len(text); i++ {
		switch text[i] {
		case ' ', '\t', '\n', '\r':
		default:
			return i
		}
	}
	return i
}
