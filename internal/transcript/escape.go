package transcript

import "errors"

const hexDigits = "0123456789ABCDEF"

// appendEscaped appends text with everything escaped that is not printable ASCII. A space is
// escaped where it would be lost (at either end) and, in a word, everywhere.
func appendEscaped(to, text []byte, word bool) []byte {
	if word && len(text) == 0 {
		return append(to, `\e`...)
	}
	for i, b := range text {
		switch {
		case b == '\\':
			to = append(to, `\\`...)
		case b == '\n':
			to = append(to, `\n`...)
		case b == '\r':
			to = append(to, `\r`...)
		case b == '\t':
			to = append(to, `\t`...)
		case b < ' ' || b > '~', b == ' ' && (word || i == 0 || i == len(text)-1):
			to = append(to, '\\', 'x', hexDigits[b>>4], hexDigits[b&15])
		default:
			to = append(to, b)
		}
	}
	return to
}

var errEscape = errors.New(`unknown escape: want \n \r \t \\ \e or \xNN`)

// unescape is the inverse of appendEscaped.
func unescape(s []byte) ([]byte, error) {
	var text []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			text = append(text, s[i])
			continue
		}
		i++
		if i == len(s) {
			return nil, errEscape
		}
		switch s[i] {
		case 'n':
			text = append(text, '\n')
		case 'r':
			text = append(text, '\r')
		case 't':
			text = append(text, '\t')
		case '\\':
			text = append(text, '\\')
		case 'e': // the empty word
		case 'x':
			if i+2 >= len(s) {
				return nil, errEscape
			}
			high, low := hexValue(s[i+1]), hexValue(s[i+2])
			if high < 0 || low < 0 {
				return nil, errEscape
			}
			text = append(text, byte(high<<4|low))
			i += 2
		default:
			return nil, errEscape
		}
	}
	return text, nil
}

func hexValue(b byte) int {
	switch {
	case '0' <= b && b <= '9':
		return int(b - '0')
	case 'A' <= b && b <= 'F':
		return int(b-'A') + 10
	case 'a' <= b && b <= 'f':
		return int(b-'a') + 10
	}
	return -1
}
