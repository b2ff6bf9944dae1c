package frame

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

// limits are small, so that every table can reach them.
func config(framing Framing) Config {
	return Config{
		Framing:        framing,
		HeaderBytesMax: 200,
		BodyBytesMax:   100,
		BlankBytesMax:  8,
	}
}

// replay feeds pieces to a decoder as a caller does and returns what it reported, one line a
// finding. Skipped steps of a discarded line follow the cuts by nature and are joined.
func replay(t *testing.T, cfg Config, pieces ...[]byte) string {
	t.Helper()
	r := replayer{t: t, cfg: cfg}
	r.decoder.Init(cfg)
	for _, piece := range pieces {
		r.buf = append(r.buf, piece...)
		r.drain(r.decoder.Next)
		if r.over {
			return r.log.String()
		}
	}
	r.drain(r.decoder.Finish)
	if !r.over {
		t.Fatalf("Finish went on without an end after:\n%s", r.log.String())
	}
	return r.log.String()
}

type replayer struct {
	t         *testing.T
	cfg       Config
	decoder   Decoder
	buf       []byte
	log       bytes.Buffer
	discarded int
	over      bool
}

func (r *replayer) drain(next func([]byte) Step) {
	for {
		offset := r.decoder.Offset()
		plain := r.decoder
		start, end, size := plain.Plain(r.buf)
		step := next(r.buf)
		if want := (Step{Status: Frame, Start: start, End: end, Size: size}); size > 0 && r.cfg.Framing != Whole &&
			(step != want || plain != r.decoder) {
			r.t.Fatalf("Plain takes %+v and leaves %+v, Next %+v and %+v", want, plain, step, r.decoder)
		}
		if r.decoder.Offset() != offset+uint64(step.Size) {
			r.t.Fatalf("Offset went from %d to %d over a step of %d bytes", offset, r.decoder.Offset(), step.Size)
		}
		if step.Status == Partial {
			if r.decoder.searched > len(r.buf) {
				r.t.Fatalf("searched %d of %d bytes", r.decoder.searched, len(r.buf))
			}
			return
		}
		r.record(step)
		if step.Status == Broken || step.Status == End {
			r.checkSticky(step)
			r.over = true
			return
		}
		if step.Size == 0 {
			r.t.Fatalf("a step without progress: %+v", step)
		}
		r.buf = r.buf[step.Size:]
	}
}

func (r *replayer) record(step Step) {
	if step.Status == Skipped && r.cfg.Framing == Line {
		r.discarded += step.Size
		return
	}
	if r.discarded > 0 {
		fmt.Fprintf(&r.log, "discarded %d\n", r.discarded)
		r.discarded = 0
	}
	switch step.Status {
	case Frame:
		fmt.Fprintf(&r.log, "frame %q", r.buf[step.Start:step.End])
		if step.CharsetEnd > 0 {
			fmt.Fprintf(&r.log, " charset %q", r.buf[step.CharsetStart:step.CharsetEnd])
		}
		if step.Broken != nil {
			fmt.Fprintf(&r.log, " unterminated %s", describe(step.Broken))
		}
	case Blank:
		fmt.Fprintf(&r.log, "blank %d", step.Size)
	case ByteOrderMark:
		fmt.Fprint(&r.log, "bom")
	case Overlong, Skipped:
		name := map[Status]string{Overlong: "overlong", Skipped: "skipped"}[step.Status]
		fmt.Fprintf(&r.log, "%s %d %q", name, step.Size, r.buf[step.Start:step.End])
		if step.End-step.Start > SampleBytesMax {
			r.t.Fatalf("sample of %d bytes", step.End-step.Start)
		}
	case Broken:
		fmt.Fprint(&r.log, describe(step.Broken))
	case End:
		fmt.Fprint(&r.log, "end")
	}
	if step.Hint != HintNone {
		fmt.Fprintf(&r.log, " hint %s", hintNames[step.Hint])
	}
	r.log.WriteByte('\n')
}

func (r *replayer) checkSticky(last Step) {
	if last.Status != Broken {
		return
	}
	if len(last.Broken.Sample) > SampleBytesMax {
		r.t.Fatalf("sample of %d bytes", len(last.Broken.Sample))
	}
	for _, next := range []func([]byte) Step{r.decoder.Next, r.decoder.Finish, r.decoder.NextWhole} {
		if step := next([]byte("Content-Length: 0\r\n\r\n")); describe(step.Broken) != describe(last.Broken) {
			r.t.Fatalf("after %s came %+v", describe(last.Broken), step)
		}
	}
}

func describe(f *Failure) string {
	s := fmt.Sprintf("%s at %d", violationNames[f.Kind], f.Offset)
	if f.Have != 0 || f.Need != 0 {
		s += fmt.Sprintf(" have %d need %d", f.Have, f.Need)
	}
	if f.Hint != HintNone {
		s += " hint " + hintNames[f.Hint]
	}
	return s + fmt.Sprintf(" %q", f.Sample)
}

var violationNames = [...]string{
	"none", "truncated", "header-size", "field", "noise", "length", "missing-length",
	"duplicate-length", "line-end", "line-size",
}

var hintNames = [...]string{
	HintTextMode: "text-mode", HintBareJSON: "bare-json", HintStdoutNoise: "stdout-noise",
	HintHeader: "header", HintTerminal: "terminal", HintText: "text", HintLittle: "little",
	HintCharset: "charset", HintOverLimit: "over-limit",
}

// replayCuts replays input whole, byte by byte and at every two-part cut, and returns what all of
// them reported (FRAME-1).
func replayCuts(t *testing.T, cfg Config, input string) string {
	t.Helper()
	whole := replay(t, cfg, []byte(input))
	if got := replay(t, cfg, slices.Collect(slices.Chunk([]byte(input), 1))...); got != whole {
		t.Fatalf("byte by byte:\n%swhole:\n%s", got, whole)
	}
	for cut := range len(input) {
		if got := replay(t, cfg, []byte(input[:cut]), []byte(input[cut:])); got != whole {
			t.Fatalf("cut at %d:\n%swhole:\n%s", cut, got, whole)
		}
	}
	return whole
}

type frameCase struct {
	name, input, want string
}

func runCases(t *testing.T, cfg Config, cases []frameCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := replayCuts(t, cfg, c.input); got != c.want {
				t.Errorf("input %q\n got:\n%s\nwant:\n%s", c.input, got, c.want)
			}
		})
	}
}
