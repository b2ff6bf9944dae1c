package frame

import (
	"strconv"
	"strings"
	"testing"
)

func TestHeaderFrames(t *testing.T) {
	runCases(t, config(Header), []frameCase{
		{"nothing", "", "end\n"},
		{
			"two frames (HEAD-9)", "Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]",
			"frame \"{}\"\nframe \"[1]\"\nend\n",
		},
		{"lower case, no space (HEAD-2)", "content-length:2\r\n\r\n{}", "frame \"{}\"\nend\n"},
		{"upper case, space and tab (HEAD-2)", "CONTENT-LENGTH: \t 2 \t\r\n\r\n{}", "frame \"{}\"\nend\n"},
		{"leading zeros", "Content-Length: 0000000000000000000002\r\n\r\n{}", "frame \"{}\"\nend\n"},
		{
			"unknown, empty, colons (HEAD-3)",
			"X: \r\nY:\r\nHost: a:b:c\r\nContent-Length: 2\r\nZ:1\r\n\r\n{}", "frame \"{}\"\nend\n",
		},
		{"every name byte", "!#$%&'*+-.^_`|~09azAZ: 1\r\nContent-Length: 2\r\n\r\n{}", "frame \"{}\"\nend\n"},
		{
			"empty body (HEAD-4)", "Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\n1",
			"frame \"\"\nframe \"1\"\nend\n",
		},
		{
			"body counts its newline", "Content-Length: 4\r\n\r\n{}\r\nContent-Length: 1\r\n\r\n1\r\n\r\n",
			"frame \"{}\\r\\n\"\nframe \"1\"\nblank 2\nblank 2\nend\n",
		},
		{"blank lines (HEAD-7)", "\r\n\n\r\nContent-Length: 1\r\n\r\n1\n", "blank 2\nblank 1\nblank 2\nframe \"1\"\nblank 1\nend\n"},
		{
			"body like a header", "Content-Length: 21\r\n\r\nContent-Length: 1\r\n\r\nContent-Length: 1\r\n\r\n1",
			"frame \"Content-Length: 1\\r\\n\\r\\n\"\nframe \"1\"\nend\n",
		},
	})
}

func TestHeaderByteOrderMark(t *testing.T) { // MSG-9
	runCases(t, config(Header), []frameCase{
		{"first", "\xEF\xBB\xBFContent-Length: 1\r\n\r\n1", "bom\nframe \"1\"\nend\n"},
		{"between blank lines", "\r\n\xEF\xBB\xBF\r\nContent-Length: 1\r\n\r\n1", "blank 2\nbom\nblank 2\nframe \"1\"\nend\n"},
		{"alone", "\xEF\xBB\xBF", "bom\nend\n"},
		{"in the body", "Content-Length: 4\r\n\r\n\xEF\xBB\xBF1", "frame \"\\ufeff1\"\nend\n"},
		{
			"twice", "\xEF\xBB\xBF\xEF\xBB\xBFContent-Length: 1\r\n\r\n1",
			"bom\nfield at 24 hint stdout-noise \"\\ufeffContent-Length: 1\\r\\n\"\n",
		},
		{
			"before the second header", "Content-Length: 1\r\n\r\n1\xEF\xBB\xBFContent-Length: 1\r\n\r\n1",
			"frame \"1\"\nfield at 43 hint stdout-noise \"\\ufeffContent-Length: 1\\r\\n\"\n",
		},
		{"unfinished", "\xEF\xBB", "noise at 1 hint stdout-noise \"\\xef\\xbb\"\n"},
		{"broken", "\xEF\xBBContent-Length: 1\r\n", "field at 20 hint stdout-noise \"\\xef\\xbbContent-Length: 1\\r\\n\"\n"},
	})
}

func TestHeaderLength(t *testing.T) { // HEAD-4
	cases := []frameCase{
		{
			"at the limit", "Content-Length: 100\r\n\r\n" + strings.Repeat("x", 100),
			"frame \"" + strings.Repeat("x", 100) + "\"\nend\n",
		},
		{
			"over the limit", "Content-Length: 101\r\n\r\n",
			"length at 20 have 0 need 100 hint over-limit \"Content-Length: 101\\r\\n\"\n",
		},
		{
			"overflow of 64 bits", "Content-Length: 18446744073709551620\r\n\r\n",
			"length at 37 have 0 need 100 hint over-limit \"Content-Length: 18446744073709551620\\r\\n\"\n",
		},
		{
			"overflow of 32 bits", "Content-Length: 4294967297\r\n\r\n",
			"length at 27 have 0 need 100 hint over-limit \"Content-Length: 4294967297\\r\\n\"\n",
		},
		{"missing", "X: 1\r\n\r\n{}", "missing-length at 7 \"X: 1\\r\\n\\r\\n\"\n"},
		{"two, equal", "Content-Length: 2\r\ncontent-length: 2\r\n\r\n{}", "duplicate-length at 37 \"content-length: 2\\r\\n\"\n"},
		{
			"two, the second malformed", "Content-Length: 2\r\nContent-Length: x\r\n\r\n{}",
			"duplicate-length at 37 \"Content-Length: x\\r\\n\"\n",
		},
	}
	for _, value := range []string{"-5", "-0", "+12", "12abc", "1e2", "0x10", "12.0", "1 2", "", "2,2", "1:2"} {
		line := "Content-Length: " + value + "\r\n"
		cases = append(cases, frameCase{
			"malformed " + value, line + "\r\n{}",
			"length at " + strconv.Itoa(len(line)-1) + " \"" + strings.ReplaceAll(line, "\r\n", "\\r\\n") + "\"\n",
		})
	}
	runCases(t, config(Header), cases)

	cfg := config(Header)
	cfg.BodyBytesMin = 1
	runCases(t, cfg, []frameCase{
		{"at the minimum", "Content-Length: 1\r\n\r\n1", "frame \"1\"\nend\n"},
		{"under the minimum", "Content-Length: 0\r\n\r\n", "length at 18 have 0 need 1 \"Content-Length: 0\\r\\n\"\n"},
	})
}

func TestHeaderCharset(t *testing.T) { // HEAD-5
	utf8 := func(contentType string) frameCase {
		return frameCase{contentType, "Content-Type:" + contentType + "\r\nContent-Length: 1\r\n\r\n1", "frame \"1\"\nend\n"}
	}
	other := func(contentType, charset string) frameCase {
		return frameCase{
			contentType, "Content-Length: 1\r\nContent-Type:" + contentType + "\r\n\r\n1",
			"frame \"1\" charset \"" + charset + "\" hint charset\nend\n",
		}
	}
	runCases(t, config(Header), []frameCase{
		utf8(" application/vscode-jsonrpc; charset=utf-8"),
		utf8("application/vscode-jsonrpc;CHARSET=\"UTF8\" "),
		utf8("application/json"),
		utf8(""),
		utf8("; charset"),
		utf8("text/plain; charset="),
		utf8(`text/plain; note="; charset=latin1"; charset=utf8`),
		utf8(`text/plain; note="\"; charset=latin1"`),
		utf8("text/plain; subcharset=latin1"),
		utf8(`text/plain; charset="utf-8`),
		other(" application/vscode-jsonrpc; charset=utf-16", "utf-16"),
		other("a/b;charset = latin1 ; x=y", "latin1"),
		other(`a/b; x="y"; charset="iso-8859-1"`, "iso-8859-1"),
		other("a/b; charset=utf-8; charset=utf-7", "utf-7"),
		other("a/b; flag; charset=latin1", "latin1"),
		other("a/b; CHARSET=LATIN1", "LATIN1"),
		other(`a/b; charset="utf-8\`, `utf-8\\`),
		{
			"only that frame", "Content-Type: a; charset=x\r\nContent-Length: 1\r\n\r\n1Content-Length: 1\r\n\r\n2",
			"frame \"1\" charset \"x\" hint charset\nframe \"2\"\nend\n",
		},
	})
}

func TestHeaderLineEnd(t *testing.T) { // HEAD-6
	runCases(t, config(Header), []frameCase{
		{"LF alone", "Content-Length: 2\n\n{}", "line-end at 17 hint text-mode \"Content-Length: 2\\n\"\n"},
		{"CR alone", "Content-Length: 2\r\rx", "line-end at 18 hint text-mode \"Content-Length: 2\\r\\r\"\n"},
		{"CR in a value", "X: a\rb\r\n", "line-end at 5 hint text-mode \"X: a\\rb\"\n"},
		{"second line", "Content-Length: 2\r\nX: 1\n", "line-end at 23 hint text-mode \"X: 1\\n\"\n"},
		{"empty line ends with LF", "Content-Length: 2\r\n\n{}", "noise at 19 hint text-mode \"\\n\"\n"},
		{"line ends before a colon", "Content-Length\r\n", "noise at 15 hint stdout-noise \"Content-Length\\r\\n\"\n"},
		{"LF before a colon", "hello\n", "noise at 5 hint stdout-noise \"hello\\n\"\n"},
		{
			"long line shows its end", "X: " + strings.Repeat("a", 80) + "\n",
			"line-end at 83 hint text-mode \"" + strings.Repeat("a", 63) + "\\n\"\n",
		},
		{"CR in a name", "a\rb\r\n", "noise at 4 hint stdout-noise \"a\\rb\\r\\n\"\n"},
		{"blank line of two CR", "\r\r\n", "noise at 2 hint stdout-noise \"\\r\\r\\n\"\n"},
	})
}

func TestHeaderNoise(t *testing.T) { // HEAD-2, HEAD-8
	runCases(t, config(Header), []frameCase{
		{"bare JSON", `{"jsonrpc":"2.0"}` + "\n", "noise at 17 hint bare-json \"{\\\"jsonrpc\\\":\\\"2.0\\\"}\\n\"\n"},
		{"bare batch", "[1]\n", "noise at 3 hint bare-json \"[1]\\n\"\n"},
		{"terminal", "\x1b[33m[warn]\x1b[0m\n", "noise at 15 hint terminal \"\\x1b[33m[warn]\\x1b[0m\\n\"\n"},
		{"terminal with a colon", "\x1b[1mfoo: bar\n", "field at 12 hint terminal \"\\x1b[1mfoo: bar\\n\"\n"},
		{"log line", "hello world\r\n", "noise at 12 hint stdout-noise \"hello world\\r\\n\"\n"},
		{"log line with a colon", "server listening: 80\n", "field at 20 hint stdout-noise \"server listening: 80\\n\"\n"},
		{"space before the colon", "Content-Length : 2\r\n\r\n{}", "field at 19 hint stdout-noise \"Content-Length : 2\\r\\n\"\n"},
		{"folded line", "X: 1\r\n 2\r\n", "noise at 9 hint stdout-noise \" 2\\r\\n\"\n"},
		{"starts with a colon", ": 2\r\n", "field at 4 hint stdout-noise \": 2\\r\\n\"\n"},
		{"starts with a colon in the second line", "X:\r\n:\r\n", "field at 6 hint stdout-noise \":\\r\\n\"\n"},
		{"no name byte", "a/b: c\r\n", "noise at 7 hint stdout-noise \"a/b: c\\r\\n\"\n"},
		{"above 0x7F in a name", "h\xc3\xa9: 1\r\n", "field at 7 hint stdout-noise \"hé: 1\\r\\n\"\n"},
		{"above 0x7F in a value", "X: \xc3\xa9\r\n", "field at 6 hint stdout-noise \"X: é\\r\\n\"\n"},
		{"control byte in a value", "X: \x00\r\n", "field at 5 hint stdout-noise \"X: \\x00\\r\\n\"\n"},
		{"DEL in a value", "X: \x7f\n", "field at 4 hint stdout-noise \"X: \\x7f\\n\"\n"},
		{"tab in a value", "X: \ta\tb\r\nContent-Length: 1\r\n\r\n1", "frame \"1\"\nend\n"},
		{
			"decided at 64 bytes", " " + strings.Repeat("a", 70) + ":",
			"noise at 63 hint stdout-noise \" " + strings.Repeat("a", 63) + "\"\n",
		},
		{
			"decided at 64 bytes, the last a colon", " " + strings.Repeat("a", 62) + ": b",
			"field at 63 hint stdout-noise \" " + strings.Repeat("a", 62) + ":\"\n",
		},
		{
			"flaw behind 64 bytes", strings.Repeat("a", 70) + " b: c\r\n",
			"noise at 70 hint stdout-noise \"" + strings.Repeat("a", 63) + " \"\n",
		},
		{"decided at the end of input", "no more", "noise at 6 hint stdout-noise \"no more\"\n"},
		{"the second block", "Content-Length: 1\r\n\r\n1oops!\r\n{", "frame \"1\"\nnoise at 28 hint stdout-noise \"oops!\\r\\n\"\n"},
		{
			"blank lines at the limit", "\n\n\n\n\n\n\r\nContent-Length: 1\r\n\r\n1",
			strings.Repeat("blank 1\n", 6) + "blank 2\nframe \"1\"\nend\n",
		},
		{"blank lines over the limit", "\n\n\n\n\n\n\n\r\n", strings.Repeat("blank 1\n", 7) + "noise at 8 hint stdout-noise \"\\r\\n\"\n"},
		{
			"blank lines are counted in a row", "\n\n\n\n\nContent-Length: 1\r\n\r\n1\n\n\n\n\n",
			strings.Repeat("blank 1\n", 5) + "frame \"1\"\n" + strings.Repeat("blank 1\n", 5) + "end\n",
		},
	})
}

func TestHeaderSize(t *testing.T) { // HEAD-1
	tail := "\r\nContent-Length: 1\r\n\r\n"
	at := "X: " + strings.Repeat("a", 200-3-len(tail)) + tail
	runCases(t, config(Header), []frameCase{
		{"at the limit", at + "1", "frame \"1\"\nend\n"},
		{"blank lines and mark not counted", "\r\n\xEF\xBB\xBF\n" + at + "1", "blank 2\nbom\nblank 1\nframe \"1\"\nend\n"},
		{"over the limit", "X" + at + "1", "header-size at 200 have 0 need 200 hint over-limit \"\\r\\n\"\n"},
		{"never ends", strings.Repeat("A: b\r\n", 100), "header-size at 200 have 0 need 200 hint over-limit \"A: \"\n"},
		{
			"one line that never ends", "X:" + strings.Repeat("y", 300),
			"header-size at 200 have 0 need 200 hint over-limit \"" + strings.Repeat("y", 64) + "\"\n",
		},
		{"a violation within the limit comes first", strings.Repeat("A: b\r\n", 33) + "\n", "noise at 198 hint text-mode \"\\n\"\n"},
		{
			"a violation beyond the limit comes never", strings.Repeat("A: b\r\n", 33) + "A:\n",
			"header-size at 200 have 0 need 200 hint over-limit \"A:\\n\"\n",
		},
	})

	cfg := config(Header)
	cfg.HeaderBytesMax = len("Content-Length: 1\r\n\r\n")
	runCases(t, cfg, []frameCase{
		{"the usual header at the limit", "Content-Length: 1\r\n\r\n1", "frame \"1\"\nend\n"},
		{"the usual header over the limit", "Content-Length: 10\r\n\r\n", "header-size at 21 have 0 need 21 hint over-limit \"\\r\\n\"\n"},
	})
}

func TestHeaderTruncated(t *testing.T) { // FRAME-4
	runCases(t, config(Header), []frameCase{
		{"in a name", "Conte", "truncated at 5 have 5 need 0 \"Conte\"\n"},
		{"in a value", "Content-Length: 1", "truncated at 17 have 17 need 0 \"Content-Length: 1\"\n"},
		{"before the LF", "Content-Length: 1\r", "truncated at 18 have 18 need 0 \"Content-Length: 1\\r\"\n"},
		{"before the empty line", "Content-Length: 1\r\n", "truncated at 19 have 19 need 0 \"Content-Length: 1\\r\\n\"\n"},
		{"before the body", "Content-Length: 1\r\n\r\n", "truncated at 21 have 0 need 1 \"Content-Length: 1\\r\\n\\r\\n\"\n"},
		{"in the body", "Content-Length: 3\r\n\r\n{}", "truncated at 23 have 2 need 3 \"Content-Length: 3\\r\\n\\r\\n{}\"\n"},
		{"in a blank line", "\r", "truncated at 1 have 1 need 0 \"\\r\"\n"},
		{"in the second frame", "Content-Length: 1\r\n\r\n1Con", "frame \"1\"\ntruncated at 25 have 3 need 0 \"Con\"\n"},
	})
}

// HEAD-2: a name is what RFC 9110 calls a token.
func TestNamesOfFields(t *testing.T) {
	const token = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	for c := range 256 {
		if got, want := isNameByte(byte(c)), strings.IndexByte(token, byte(c)) >= 0; got != want {
			t.Errorf("%q: %v", byte(c), got)
		}
	}
}
