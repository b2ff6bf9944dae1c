package frame

import (
	"strings"
	"testing"
)

func TestResync(t *testing.T) { // HEAD-8
	cfg := config(Header)
	cfg.Resync = true
	const next = "Content-Length: 1\r\n\r\n1"
	runCases(t, cfg, []frameCase{
		{"line before a header", "hello world\n" + next, "skipped 12 \"hello world\\n\" hint stdout-noise\nframe \"1\"\nend\n"},
		{"inside a line", "hello worldcontent-LENGTH: 1\r\n\r\n1", "skipped 11 \"hello world\" hint stdout-noise\nframe \"1\"\nend\n"},
		{"several lines", "{\n  \"a\": 1\n}\n" + next, "skipped 13 \"{\\n  \\\"a\\\": 1\\n}\\n\" hint bare-json\nframe \"1\"\nend\n"},
		{
			"line that looks like a field", "WARNING:root:late\n" + next,
			"skipped 18 \"WARNING:root:late\\n\" hint stdout-noise\nframe \"1\"\nend\n",
		},
		{
			"noise inside a block", "Content-Length: 7\r\noops!\n" + next,
			"skipped 25 \"oops!\\n\" hint stdout-noise\nframe \"1\"\nend\n",
		},
		{
			"flawed Content-Length is not found again", "Content-Length: \x01\r\n" + next,
			"skipped 19 \"Content-Length: \\x01\\r\\n\" hint stdout-noise\nframe \"1\"\nend\n",
		},
		{"text mode would only repeat itself", "Content-Length: 1\n\n1", "line-end at 17 hint text-mode \"Content-Length: 1\\n\"\n"},
		{
			"what is found must be right", "hello world\nContent-Length: x\r\n",
			"skipped 12 \"hello world\\n\" hint stdout-noise\nlength at 30 \"Content-Length: x\\r\\n\"\n",
		},
		{
			"long region shows its beginning", "a b" + strings.Repeat("x", 100) + next,
			"skipped 103 \"a b" + strings.Repeat("x", 61) + "\" hint stdout-noise\nframe \"1\"\nend\n",
		},
		{
			"two regions", "a b\n" + next + "c d\n" + next,
			"skipped 4 \"a b\\n\" hint stdout-noise\nframe \"1\"\nskipped 4 \"c d\\n\" hint stdout-noise\nframe \"1\"\nend\n",
		},
		{"nothing follows", "hello world\nbye", "noise at 14 hint stdout-noise \"hello world\\nbye\"\n"},
		{"nothing follows an undecided line", "hello wo", "noise at 7 hint stdout-noise \"hello wo\"\n"},
		{
			"truncated behind an undecided line", "hello Content-Length: 1",
			"skipped 6 \"hello \" hint stdout-noise\ntruncated at 23 have 17 need 0 \"Content-Length: 1\"\n",
		},
		{
			"colons that are no header", "a b:\rcontent\rlength:\n" + next,
			"skipped 21 \"a b:\\rcontent\\rlength:\\n\" hint stdout-noise\nframe \"1\"\nend\n",
		},
	})
}

func TestResyncLimits(t *testing.T) { // HEAD-8
	cfg := config(Header)
	cfg.Resync = true
	const next = "Content-Length: 1\r\n\r\n1"
	const skipped, frame = "skipped 4 \"a b\\n\" hint stdout-noise\n", "frame \"1\"\n"

	times := strings.Repeat("a b\n"+next, resyncsMax)
	runCases(t, cfg, []frameCase{
		{"times at the limit", times, strings.Repeat(skipped+frame, resyncsMax) + "end\n"},
		{"times over the limit", times + "a b\n" + next, strings.Repeat(skipped+frame, resyncsMax) +
			"noise at 419 hint stdout-noise \"a b\\n\"\n"},
	})

	sample := "\"a " + strings.Repeat("x", 62) + "\""
	at := "a " + strings.Repeat("x", resyncBytesMax-2)
	for _, c := range []frameCase{
		{"bytes at the limit", at + next, "skipped 65536 " + sample + " hint stdout-noise\nframe \"1\"\nend\n"},
		{"bytes over the limit", at + "y" + next, "noise at 65550 hint stdout-noise \"" + strings.Repeat("x", 49) + "yContent-Length\"\n"},
	} {
		for _, cut := range []int{0, 1, 64, resyncBytesMax, resyncBytesMax + 1, resyncBytesMax + 14, resyncBytesMax + 15} {
			if got := replay(t, cfg, []byte(c.input[:cut]), []byte(c.input[cut:])); got != c.want {
				t.Errorf("%s, cut at %d\n got:\n%s\nwant:\n%s", c.name, cut, got, c.want)
			}
		}
	}
}
