package frame

import (
	"strings"
	"testing"
)

func TestLength4Frames(t *testing.T) { // LEN4-1
	at := strings.Repeat("x", 100)
	runCases(t, config(Length4), []frameCase{
		{"nothing", "", "end\n"},
		{"two frames", "\x00\x00\x00\x02{}\x00\x00\x00\x03[1]", "frame \"{}\"\nframe \"[1]\"\nend\n"},
		{"empty body", "\x00\x00\x00\x00\x00\x00\x00\x01" + "1", "frame \"\"\nframe \"1\"\nend\n"},
		{"at the limit", "\x00\x00\x00\x64" + at, "frame \"" + at + "\"\nend\n"},
		{"over the limit", "\x00\x00\x00\x65" + at, "length at 3 have 0 need 100 hint over-limit \"\\x00\\x00\\x00e\"\n"},
		{
			"over the limit in the second frame", "\x00\x00\x00\x01" + "1\x00\x01\x00\x01",
			"frame \"1\"\nlength at 8 have 0 need 100 hint over-limit \"\\x00\\x01\\x00\\x01\"\n",
		},
		{"negative", "\xff\xff\xff\xff", "length at 3 \"\\xff\\xff\\xff\\xff\"\n"},
		{"text", "Loading model...\n", "length at 3 have 0 need 100 hint text \"Load\"\n"},
		{"header", "Content-Length: 2\r\n\r\n{}", "length at 3 have 0 need 100 hint header \"Cont\"\n"},
		{"bare JSON", "{\"id\":1}", "length at 3 have 0 need 100 hint bare-json \"{\\\"id\"\n"},
		{"bare array", "[{\"id\":1}]", "length at 3 have 0 need 100 hint bare-json \"[{\\\"i\"\n"},
		{"text on two lines", "ok\n\tdone", "length at 3 have 0 need 100 hint text \"ok\\n\\t\"\n"},
		{"little-endian", "\x25\x00\x00\x00{", "length at 3 have 0 need 100 hint little \"%\\x00\\x00\\x00\"\n"},
		{"little-endian over the limit", "\x65\x00\x00\x00{", "length at 3 have 0 need 100 hint over-limit \"e\\x00\\x00\\x00\"\n"},
		{"truncated length", "\x00\x00\x00", "truncated at 3 have 3 need 4 \"\\x00\\x00\\x00\"\n"},
		{"truncated before the body", "\x00\x00\x00\x02", "truncated at 4 have 0 need 2 \"\\x00\\x00\\x00\\x02\"\n"},
		{"truncated body", "\x00\x00\x00\x02{", "truncated at 5 have 1 need 2 \"\\x00\\x00\\x00\\x02{\"\n"},
	})

	control := config(Length4)
	control.BodyBytesMin = 1
	runCases(t, control, []frameCase{
		{"at the minimum", "\x00\x00\x00\x01" + "1", "frame \"1\"\nend\n"},
		{"under the minimum", "\x00\x00\x00\x00", "length at 3 have 0 need 1 \"\\x00\\x00\\x00\\x00\"\n"},
	})
}
