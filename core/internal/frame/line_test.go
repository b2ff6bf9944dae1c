package frame

import (
	"strings"
	"testing"
)

func TestLineFrames(t *testing.T) { // LINE-1, LINE-2
	runCases(t, config(Line), []frameCase{
		{"nothing", "", "end\n"},
		{"LF and CRLF", "{}\n[]\r\n", "frame \"{}\"\nframe \"[]\"\nend\n"},
		{"one CR is dropped", "{}\r\r\n", "frame \"{}\\r\"\nend\n"},
		{"CR is data elsewhere", "[1,\r2]\n", "frame \"[1,\\r2]\"\nend\n"},
		{
			"other line ends are data", "\"\xe2\x80\xa8\xe2\x80\xa9\xc2\x85\"\n",
			"frame \"\\\"\\u2028\\u2029\\u0085\\\"\" hint stdout-noise\nend\n",
		},
		{"blank lines", "\r\n\n \t \n{}\r\n\n", "blank 2\nblank 1\nblank 4\nframe \"{}\"\nblank 1\nend\n"},
		{"a mark is left to the reader of the text", "\xEF\xBB\xBF{}\n", "frame \"\\ufeff{}\" hint stdout-noise\nend\n"},
	})
}

func TestLineHint(t *testing.T) { // LINE-7
	runCases(t, config(Line), []frameCase{
		{"indented JSON", "  {}\n", "frame \"  {}\"\nend\n"},
		{"indented array", " [1\n", "frame \" [1\"\nend\n"},
		{"JSON that holds an escape sequence", "{\"a\":\"\x1b[1m\"}\n", "frame \"{\\\"a\\\":\\\"\\x1b[1m\\\"}\"\nend\n"},
		{"log line", "ready\n", "frame \"ready\" hint stdout-noise\nend\n"},
		{"header", "content-length: 2\r\n\r\n{}", "frame \"content-length: 2\" hint header\nblank 2\n" +
			"frame \"{}\" unterminated truncated at 23 have 2 need 0 \"{}\"\nend\n"},
		{"content type", "Content-Type: x\r\n", "frame \"Content-Type: x\" hint header\nend\n"},
		{"another colon", "note: x\r\n", "frame \"note: x\" hint stdout-noise\nend\n"},
		{"terminal", "\x1b[1mContent-Length: 2\n", "frame \"\\x1b[1mContent-Length: 2\" hint terminal\nend\n"},
	})
}

func TestLineLimit(t *testing.T) { // LINE-4
	at := strings.Repeat("x", 100)
	accepted := "frame \"" + at + "\" hint stdout-noise\n"
	sample := "\"" + strings.Repeat("x", 64) + "\""
	fatal := []frameCase{
		{"at the limit", at + "\n", accepted + "end\n"},
		{"CR not counted", at + "\r\n", accepted + "end\n"},
		{"over the limit", at + "x\n", "line-size at 100 have 0 need 100 hint over-limit " + sample + "\n"},
		{"over the limit, never ends", at + at, "line-size at 100 have 0 need 100 hint over-limit " + sample + "\n"},
		{"over the limit by a CR", at + "\rx\n", "line-size at 101 have 0 need 100 hint over-limit \"" +
			strings.Repeat("x", 62) + "\\rx\"\n"},
		{"two CR", at + "\r\r\n", "line-size at 101 have 0 need 100 hint over-limit \"" +
			strings.Repeat("x", 62) + "\\r\\r\"\n"},
		{"over the limit by a CR at the end of input", at + "\r", "line-size at 100 have 0 need 100 hint over-limit \"" +
			strings.Repeat("x", 63) + "\\r\"\n"},
		{"the second line", "{}\n" + at + "x\n", "frame \"{}\"\nline-size at 103 have 0 need 100 hint over-limit " + sample + "\n"},
	}
	runCases(t, config(Line), fatal)

	discard := config(Line)
	discard.Discard = true
	runCases(t, discard, []frameCase{
		{"at the limit", at + "\n", accepted + "end\n"},
		{"over the limit", at + "x\n{}\n", "overlong 101 " + sample + "\ndiscarded 1\nframe \"{}\"\nend\n"},
		{"far over the limit", at + at + at + "\r\n{}\n", "overlong 101 " + sample + "\ndiscarded 201\nframe \"{}\"\nend\n"},
		{"by a CR", at + "\rx\n{}\n", "overlong 102 \"" + strings.Repeat("x", 62) + "\\rx\"\ndiscarded 1\nframe \"{}\"\nend\n"},
		{"two in a row", at + "x\n" + at + "y\n", "overlong 101 " + sample + "\ndiscarded 1\noverlong 101 \"" +
			strings.Repeat("x", 63) + "y\"\ndiscarded 1\nend\n"},
		{"at the end of input", at + at, "overlong 101 " + sample + "\ndiscarded 99\nend\n"},
		{"by a CR at the end of input", at + "\r", "overlong 101 \"" + strings.Repeat("x", 63) + "\\r\"\nend\n"},
	})
}

func TestLineWithoutLF(t *testing.T) { // LINE-5
	runCases(t, config(Line), []frameCase{
		{"complete", "{}\n[1]", "frame \"{}\"\nframe \"[1]\" unterminated truncated at 6 have 3 need 0 \"[1]\"\nend\n"},
		{"cut", "{\"a", "frame \"{\\\"a\" unterminated truncated at 3 have 3 need 0 \"{\\\"a\"\nend\n"},
		{"white space", "{}\n  \r", "frame \"{}\"\nblank 3\nend\n"},
		{"at the limit", strings.Repeat("1", 100), "frame \"" + strings.Repeat("1", 100) +
			"\" unterminated truncated at 100 have 100 need 0 \"" + strings.Repeat("1", 64) + "\" hint stdout-noise\nend\n"},
	})
}
