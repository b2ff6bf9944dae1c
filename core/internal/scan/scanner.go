package scan

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
	switch c := peek(text, i); c {
	case '"':
		return stringEnd(text, i)
	case '{', '[':
		return s.container(text, i, depth)
	default:
		return scalarEnd(text, i, c)
	}
}

// container scans the object or array whose bracket is at offset i, inside depth open brackets.
// The loop passes one value a turn; the kinds of the innermost brackets are bits of inside, the
// innermost lowest, 1 for an object.
func (s *Scanner) container(text []byte, i, depth int) (int, Fault) {
	var inside uint64
	open := 0
	var fault Fault
	for {
		switch c := peek(text, i); c {
		case '"':
			if i, fault = stringEnd(text, i); fault != FaultNone {
				return i, fault
			}
		case '{', '[':
			if depth+open >= s.DepthMax {
				return i, FaultDepth
			}
			if open&63 == 0 && open > 0 {
				s.spill(open>>6-1, inside)
			}
			open++
			i = spaceEnd(text, i+1)
			if c == '{' {
				inside = inside<<1 | 1
				if peek(text, i) != '}' {
					if i, fault = nameEnd(text, i); fault != FaultNone {
						return i, fault
					}
					continue
				}
			} else {
				inside <<= 1
				if peek(text, i) != ']' {
					continue
				}
			}
		default:
			if i, fault = scalarEnd(text, i, c); fault != FaultNone {
				return i, fault
			}
		}
		// A value has ended, or an empty container is about to.
		for {
			i = spaceEnd(text, i)
			c := peek(text, i)
			if c == ',' {
				i = spaceEnd(text, i+1)
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
		if inside&1 == 1 {
			if i, fault = nameEnd(text, i); fault != FaultNone {
				return i, fault
			}
		}
	}
}

// spill saves the kinds of 64 brackets.
func (s *Scanner) spill(index int, inside uint64) {
	if index == len(s.stack) {
		s.stack = append(s.stack, inside)
		return
	}
	s.stack[index] = inside
}

// nameEnd scans a member's name, the colon and the white space after it; it returns the offset of
// the member's value.
func nameEnd(text []byte, i int) (int, Fault) {
	if peek(text, i) != '"' {
		return i, FaultSyntax
	}
	i, fault := stringEnd(text, i)
	if fault != FaultNone {
		return i, fault
	}
	if i = spaceEnd(text, i); peek(text, i) != ':' {
		return i, FaultSyntax
	}
	return spaceEnd(text, i+1), FaultNone
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
	if peek(text, i) > ' ' {
		return i
	}
	return spaceRunEnd(text, i)
}

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
