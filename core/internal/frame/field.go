package frame

import "bytes"

// field judges the complete field line at the end of seen: CRLF, and no flaw in it.
func (d *Decoder) field(seen []byte) Step {
	b := &d.block
	name := seen[b.line : b.value-1]
	value := seen[b.value : len(seen)-2]
	switch {
	case isContentLength(name):
		return d.contentLength(bytes.Trim(value, " \t"), seen)
	case equalFold(name, "content-type"):
		if start, end := foreignCharset(value); end > 0 {
			b.charsetStart, b.charsetEnd = b.value+start, b.value+end
		}
	}
	return Step{}
}

// contentLength takes the value of a Content-Length line (HEAD-4).
func (d *Decoder) contentLength(value, seen []byte) Step {
	b := &d.block
	if b.declared {
		return d.fail(Failure{Kind: ViolationDuplicateLength}, seen, b.line)
	}
	length, ok := parseLength(value)
	if !ok {
		return d.fail(Failure{Kind: ViolationLength}, seen, b.line)
	}
	if !d.inRange(length) {
		return d.fail(d.outOfRange(length), seen, b.line)
	}
	b.declared, b.length = true, int(length)
	return Step{}
}

func (d *Decoder) inRange(length uint64) bool {
	return length <= uint64(d.cfg.BodyBytesMax) && length >= uint64(d.cfg.BodyBytesMin)
}

// outOfRange describes a well-formed length that is not inRange.
func (d *Decoder) outOfRange(length uint64) Failure {
	if length > uint64(d.cfg.BodyBytesMax) {
		return Failure{Kind: ViolationLength, Need: uint64(d.cfg.BodyBytesMax), Hint: HintOverLimit}
	}
	return Failure{Kind: ViolationLength, Need: uint64(d.cfg.BodyBytesMin)}
}

// parseLength reads decimal digits and nothing else. What is beyond every limit stays there
// however many digits follow; it never wraps.
func parseLength(digits []byte) (length uint64, ok bool) {
	const beyond = 1 << 40
	for _, c := range digits {
		if !isDigit(c) {
			return 0, false
		}
		length = min(length*10+uint64(c-'0'), beyond)
	}
	return length, len(digits) > 0
}

// foreignCharset finds the first charset in a Content-Type value that is not UTF-8 (HEAD-5) and
// returns its bounds; 0, 0 when there is none.
func foreignCharset(value []byte) (start, end int) {
	for at := skipTo(value, 0, ";"); at < len(value); at = skipTo(value, end, ";") {
		nameEnd := skipTo(value, at+1, "=;")
		if nameEnd == len(value) || value[nameEnd] == ';' {
			end = nameEnd
			continue
		}
		start, end = parameterValue(value, nameEnd+1)
		name := bytes.Trim(value[at+1:nameEnd], " \t")
		if equalFold(name, "charset") && start < end && !isUTF8(value[start:end]) {
			return start, end
		}
	}
	return 0, 0
}

// parameterValue bounds the token or the inside of the quoted string that starts at or behind from.
func parameterValue(value []byte, from int) (start, end int) {
	start = from
	for start < len(value) && (value[start] == ' ' || value[start] == '\t') {
		start++
	}
	if start == len(value) || value[start] != '"' {
		return start, start + len(bytes.TrimRight(value[start:skipTo(value, start, ";")], " \t"))
	}
	start++
	for end = start; end < len(value) && value[end] != '"'; end++ {
		if value[end] == '\\' && end+1 < len(value) {
			end++
		}
	}
	return start, end
}

// skipTo returns the position of the first of stops at or behind from, len(value) if there is none.
func skipTo(value []byte, from int, stops string) int {
	if i := bytes.IndexAny(value[from:], stops); i >= 0 {
		return from + i
	}
	return len(value)
}

func isUTF8(charset []byte) bool {
	return equalFold(charset, "utf-8") || equalFold(charset, "utf8")
}

func isContentLength(name []byte) bool { return equalFold(name, "content-length") }

// equalFold compares ASCII without regard to case; lower is in lower case.
func equalFold(text []byte, lower string) bool {
	if len(text) != len(lower) {
		return false
	}
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isPrintable(c byte) bool { return ' ' <= c && c <= '~' }

// isNameByte reports whether c may stand in a field name: a token of RFC 9110.
func isNameByte(c byte) bool {
	if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) {
		return true
	}
	switch c {
	case '!', '#', '$', '%', '&', '\'', '*', '+', '-', '.', '^', '_', '`', '|', '~':
		return true
	}
	return false
}
