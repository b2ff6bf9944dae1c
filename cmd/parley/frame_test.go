package main

import (
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

const (
	framedLine    = `{"id":1,"method":"a"}` + "\n" + `{"id":1,"result":"é"}` + "\n"
	framedHeader  = "Content-Length: 21\r\n\r\n" + `{"id":1,"method":"a"}` + "Content-Length: 22\r\n\r\n" + `{"id":1,"result":"é"}`
	framedLength4 = "\x00\x00\x00\x15" + `{"id":1,"method":"a"}` + "\x00\x00\x00\x16" + `{"id":1,"result":"é"}`
)

func TestFramingsTranslateIntoEachOther(t *testing.T) {
	framed := map[string]string{
		"line": framedLine, "mcp": framedLine, "header": framedHeader, "lsp": framedHeader,
		"length4": framedLength4, "len4": framedLength4,
	}
	for from, in := range framed {
		for to, want := range framed {
			for _, verb := range []string{"frame", "unframe"} {
				if got := inProcess(t, in, verb, "--from", from, "--to", to); got.code != exitOK || got.stdout != want || got.stderr != "" {
					t.Errorf("%s --from %s --to %s: %+v, want %q", verb, from, to, got, want)
				}
			}
			var out strings.Builder
			filter, err := newReframer(&out, from, to, 22)
			if err != nil {
				t.Fatal(err)
			}
			if err := filter.run(iotest.OneByteReader(strings.NewReader(in))); err != nil || out.String() != want {
				t.Errorf("byte by byte, %s to %s: %q, %v", from, to, out.String(), err)
			}
		}
	}
	if got := inProcess(t, framedLine, "frame"); got.stdout != framedHeader {
		t.Errorf("frame alone writes %q", got.stdout)
	}
	if got := inProcess(t, framedHeader, "unframe"); got.stdout != framedLine {
		t.Errorf("unframe alone writes %q", got.stdout)
	}
}

func TestWholeIsOneMessage(t *testing.T) {
	pretty := "{\r\n  \"id\": 1\n}\n"
	for to, want := range map[string]string{
		"line":  "{    \"id\": 1 } \n",
		"lsp":   "Content-Length: 15\r\n\r\n" + pretty[:15],
		"whole": pretty,
	} {
		if got := inProcess(t, pretty, "frame", "--from", "whole", "--to", to); got.code != exitOK || got.stdout != want {
			t.Errorf("--to %s: %+v, want %q", to, got, want)
		}
	}
	got := inProcess(t, framedHeader, "unframe", "--to", "whole")
	got.wantLine(t, exitUsage, "another is at byte 65 of stdin")
	if got.stdout != `{"id":1,"method":"a"}` {
		t.Errorf("stdout %q, want the first message", got.stdout)
	}
}

// What is whole is passed on; then one line says what is wrong, and at which byte.
func TestFiltersSayWhereInputBreaks(t *testing.T) {
	const first = `{"a":1}` + "\n"
	framed := frame(`{"a":1}`)
	for _, test := range []struct {
		args, in string
		code     int
		stdout   string
		want     string
	}{
		{"unframe", framed + "Content-Length: 9\r\n\r\n{\"a", exitProtocol, first, "truncated at byte 52 (have 3 of 9)"},
		{"unframe", framed + "listening\r\n", exitProtocol, first, "something else writes to the peer's stdout"},
		{"unframe", framed + "Content-Length: 2\n\n{}", exitProtocol, first, "line-end at byte 45"},
		{"unframe", framed + frame(`nope`), exitProtocol, first, `message 2, at byte 49, is no JSON text (json): "nope"`},
		{"unframe", frame(""), exitProtocol, "", "is no JSON text (empty)"},
		{"unframe", "Content-Length: 99999999999\r\n\r\n", exitProtocol, "", "the size is over the limit"},
		{"unframe --frame-max 6", framed, exitProtocol, "", "length"},
		{"unframe --from len4", "Content-Length: 2", exitProtocol, "", "the peer frames with Content-Length headers"},
		{"unframe --from line", first + "\x1b[31mhello\n", exitProtocol, first, "escape sequences: terminal output"},
		{"unframe --from line", first + `{"a":`, exitProtocol, first, "truncated"},
		{"unframe --from whole", "", exitProtocol, "", "is no JSON text (empty)"},
		{"frame --frame-max 6 --to line", first, exitProtocol, "", "line-size"},
		{"frame --frame-max 3GiB", "", exitUsage, "", "--frame-max"},
		{"frame --to dap", "", exitUsage, "", "--to"},
	} {
		got := inProcess(t, test.in, strings.Fields(test.args)...)
		t.Run(test.args, func(t *testing.T) {
			got.wantLine(t, test.code, test.want)
			if got.stdout != test.stdout {
				t.Errorf("stdout %q, want %q", got.stdout, test.stdout)
			}
		})
	}
}

// More messages than the output queue holds, and one that is larger than it, in one read each.
func TestFiltersWriteWhatDoesNotFitTheirQueue(t *testing.T) {
	small := strings.Repeat("[0]\n", 1<<20)
	large := `"` + strings.Repeat("x", 3<<20) + `"` + "\n"
	in := small + large + small
	var out strings.Builder
	filter, err := newReframer(&out, "line", "line", 4<<20)
	if err != nil {
		t.Fatal(err)
	}
	if err := filter.run(strings.NewReader(in)); err != nil || out.String() != in {
		t.Errorf("%d bytes of %d, %v", out.Len(), len(in), err)
	}
}

// A message is passed on when it is there.
func TestFiltersDoNotWaitForMore(t *testing.T) {
	in, input := io.Pipe()
	output, out := io.Pipe()
	filter, err := newReframer(out, "line", "line", 1024)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- filter.run(in) }()
	if _, err := io.WriteString(input, "{}\n{"); err != nil {
		t.Fatal(err)
	}
	passed := make([]byte, 3)
	if _, err := io.ReadFull(output, passed); err != nil || string(passed) != "{}\n" {
		t.Errorf("passed %q, %v", passed, err)
	}
	input.Close()
	if err := <-ended; err == nil {
		t.Error("half a message is all there is, and nobody was told")
	}
}

func TestFiltersSayThatNobodyReads(t *testing.T) {
	_, gone := io.Pipe()
	gone.CloseWithError(os.ErrClosed)
	filter, err := newReframer(gone, "line", "line", 1024)
	if err != nil {
		t.Fatal(err)
	}
	if err := filter.run(strings.NewReader("{}\n")); err == nil || !strings.HasPrefix(err.Error(), "stdout: ") {
		t.Errorf("error %v", err)
	}
}
