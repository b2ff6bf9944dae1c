package scan

import "unicode/utf8"

// AppendQuoted appends text as a JSON string with the shortest escapes. Bytes that are not UTF-8
// become U+FFFD each, so what we serialise is always valid (MSG-1).
func AppendQuoted[T ~string | ~[]byte](dst []byte, text T) []byte {
	dst = append(dst, '"')
	done := 0 // text[:done] is appended
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, text[done:i]...)
				dst = utf8.AppendRune(dst, utf8.RuneError)
				done = i + 1
			}
			i += size
			continue
		}
		if c < ' ' || c == '"' || c == '\\' {
			dst = append(dst, text[done:i]...)
			dst = appendEscape(dst, c)
			done = i + 1
		}
		i++
	}
	dst = append(dst, text[done:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
