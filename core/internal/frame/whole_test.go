package frame

import (
	"strings"
	"testing"
)

// replayWhole replays each message in pieces of at most pieceBytes and finishes.
func replayWhole(t *testing.T, cfg Config, pieceBytes int, messages ...string) string {
	t.Helper()
	r := replayer{t: t, cfg: cfg}
	r.decoder.Init(cfg)
	for _, message := range messages {
		for len(message) > pieceBytes && !r.over {
			r.buf = append(r.buf, message[:pieceBytes]...)
			message = message[pieceBytes:]
			r.drain(r.decoder.Next)
		}
		if r.over {
			return r.log.String()
		}
		r.buf = append(r.buf, message...)
		step := r.decoder.NextWhole(r.buf)
		if step.Status == Partial || step.Status != Broken && step.Size != len(r.buf) {
			t.Fatalf("NextWhole of %d bytes: %+v", len(r.buf), step)
		}
		r.record(step)
		if step.Status == Broken {
			return r.log.String()
		}
		r.buf = r.buf[step.Size:]
	}
	r.drain(r.decoder.Finish)
	return r.log.String()
}

func TestWhole(t *testing.T) { // FRAME-9
	at := strings.Repeat("x", 100)
	for _, c := range []struct {
		name     string
		messages []string
		want     string
	}{
		{"nothing", nil, "end\n"},
		{"two messages", []string{"{}", "[\n1]\n"}, "frame \"{}\"\nframe \"[\\n1]\\n\"\nend\n"},
		{"empty", []string{"", "{}"}, "frame \"\"\nframe \"{}\"\nend\n"},
		{"header inside", []string{"Content-Length: 2\r\n\r\n{}"}, "frame \"Content-Length: 2\\r\\n\\r\\n{}\" hint header\nend\n"},
		{"at the limit", []string{at}, "frame \"" + at + "\" hint stdout-noise\nend\n"},
		{"over the limit", []string{"{}", at + "yz"}, "frame \"{}\"\nline-size at 102 have 0 need 100 hint over-limit \"" +
			strings.Repeat("x", 63) + "y\"\n"},
	} {
		for _, pieceBytes := range []int{1000, 1, 7, 50} {
			if got := replayWhole(t, config(Whole), pieceBytes, c.messages...); got != c.want {
				t.Errorf("%s in pieces of %d\n got:\n%s\nwant:\n%s", c.name, pieceBytes, got, c.want)
			}
		}
	}
}

func TestWholeDiscard(t *testing.T) { // LINE-4, FRAME-9
	cfg := config(Whole)
	cfg.Discard = true
	sample := "\"" + strings.Repeat("x", 63) + "y\""
	long := strings.Repeat("x", 100) + "yz"
	for pieceBytes, want := range map[int]string{
		1000: "overlong 102 " + sample + "\nframe \"{}\"\nend\n",
		101:  "overlong 101 " + sample + "\nskipped 1 \"\"\nframe \"{}\"\nend\n",
		60:   "overlong 102 " + sample + "\nframe \"{}\"\nend\n",
	} {
		if got := replayWhole(t, cfg, pieceBytes, long, "{}"); got != want {
			t.Errorf("in pieces of %d\n got:\n%s\nwant:\n%s", pieceBytes, got, want)
		}
	}
}

func TestWholeEndsInsideDiscarded(t *testing.T) {
	cfg := config(Whole)
	cfg.Discard = true
	var d Decoder
	d.Init(cfg)
	if step := d.Next(make([]byte, 101)); step.Status != Overlong || step.Size != 101 {
		t.Fatalf("over the limit: %+v", step)
	}
	if step := d.Next(make([]byte, 500)); step.Status != Skipped || step.Size != 500 {
		t.Fatalf("the rest: %+v", step)
	}
	if step := d.NextWhole(nil); step.Status != Skipped || step.Size != 0 {
		t.Fatalf("its end: %+v", step)
	}
	if step := d.NextWhole([]byte("{}")); step.Status != Frame || step.End != 2 {
		t.Fatalf("the next message: %+v", step)
	}
	if step := d.Finish([]byte("{")); step.Status != Broken || step.Broken.Kind != ViolationTruncated ||
		step.Broken.Offset != 604 || step.Broken.Have != 1 {
		t.Fatalf("input ends inside a message: %+v", step)
	}
}
