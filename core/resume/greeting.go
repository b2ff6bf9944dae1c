package resume

import (
	"strconv"

	"github.com/parley-rpc/parley/core/internal/scan"
)

const (
	// CountMax is the largest count: beyond it a JavaScript number is not exact.
	CountMax = 1<<53 - 1
	// SessionBytesMax is the longest name of a session.
	SessionBytesMax = 64
	// greetingBytesMax leaves room for white space, and for nothing else.
	greetingBytesMax = 256
)

// ParseCount reads a count as it stands in a greeting and in the URL of a reconnect: decimal digits
// without a sign or a leading zero, at most CountMax.
func ParseCount[T ~string | ~[]byte](text T) (uint64, bool) {
	if len(text) == 0 || len(text) > 16 || text[0] == '0' && len(text) > 1 {
		return 0, false
	}
	var n uint64
	for i := range len(text) {
		digit := text[i] - '0'
		if digit > 9 {
			return 0, false
		}
		n = n*10 + uint64(digit)
	}
	return n, n <= CountMax
}

// appendGreeting appends the text that the side which was connected to writes first.
func appendGreeting(dst []byte, session string, received uint64) []byte {
	dst = append(dst, `{"parley":{"session":"`...)
	dst = append(dst, session...)
	dst = append(dst, `","received":`...)
	dst = strconv.AppendUint(dst, received, 10)
	return append(dst, "}}"...)
}

// readGreeting reads that text. Its version is that of the subprotocol: a member too few or too many
// is an error.
func readGreeting(text []byte) (session string, received uint64, ok bool) {
	scanner := scan.Scanner{DepthMax: 2}
	if len(text) > greetingBytesMax {
		return "", 0, false
	}
	if fault, _ := scanner.Valid(text); fault != scan.FaultNone {
		return "", 0, false
	}
	body := scan.Member(text, "parley").Of(text)
	name := scan.Member(body, "session").Of(body)
	count := scan.Member(body, "received").Of(body)
	if members(text) != 1 || members(body) != 2 || scan.Kind(name) != 's' {
		return "", 0, false
	}
	session = string(scan.AppendUnquoted(nil, name))
	received, ok = ParseCount(count)
	return session, received, ok && isSession(session)
}

// members counts the members of an object.
func members(object []byte) int {
	pairs := scan.Pairs(object)
	for count := 0; ; count++ {
		if _, _, ok := pairs.Next(); !ok {
			return count
		}
	}
}

func isSession(text string) bool {
	if len(text) == 0 || len(text) > SessionBytesMax {
		return false
	}
	for i := range len(text) {
		c := text[i]
		isLetter := c|0x20-'a' < 26
		if !isLetter && c-'0' > 9 && c != '_' && c != '-' {
			return false
		}
	}
	return true
}
