package wasmhost

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/resume"
	"github.com/parley-rpc/parley/internal/linktable"
	"github.com/parley-rpc/parley/wasm/abi"
)

// linkTwin is a resumable link behind the boundary.
type linkTwin struct {
	t      *testing.T
	in     *instance
	handle uint64
}

func newLinkTwin(t *testing.T, in *instance, cfg resume.Config, memoryBytesMax float64) (*linkTwin, error) {
	var record abi.ResumeConfig
	a, err := in.arguments(8 + binary.Size(&record) + len(cfg.Session))
	if err != nil {
		t.Fatal(err)
	}
	address, view := a.skip(binary.Size(&record))
	record = abi.ResumeConfig{
		Bytes: uint32(len(view)), Session: a.putText(cfg.Session), BytesMax: float64(cfg.BytesMax),
		TextBytesMax: float64(cfg.TextBytesMax), AgeNs: float64(cfg.AgeNs), MemoryBytesMax: memoryBytesMax,
	}
	putRecord(view, &record)
	raw, err := in.call(exportResumeOpen, uint64(address), uint64(len(view)))
	if err != nil {
		t.Fatal(err)
	}
	if handle := math.Float64frombits(raw); handle < 0 {
		return nil, in.refusal(abi.Error(-handle))
	}
	l := &linkTwin{t: t, in: in, handle: raw}
	t.Cleanup(func() { l.run(exportResumeFree) })
	return l, nil
}

// run runs an export whose result is an i32, a value or an error.
func (l *linkTwin) run(x export, params ...uint64) (uint32, error) {
	return l.in.callInt(x, append([]uint64{l.handle}, params...)...)
}

// must is run for what is never refused.
func (l *linkTwin) must(x export, params ...uint64) uint32 {
	l.t.Helper()
	n, err := l.run(x, params...)
	if err != nil {
		l.t.Fatal(err)
	}
	return n
}

// outcome is run for what a failure may be the result of.
func (l *linkTwin) outcome(x export, params ...uint64) error {
	kind, err := l.run(x, params...)
	if err == nil && kind != 0 {
		return &resume.Failure{Kind: resume.FailureKind(kind)}
	}
	return err
}

func (l *linkTwin) argument(text []byte) (address, bytes uint64) {
	a, err := l.in.arguments(len(text))
	if err != nil {
		l.t.Fatal(err)
	}
	span := a.put(text)
	return uint64(span.Address), uint64(span.Bytes)
}

func countBits[N ~uint64](n N) uint64 { return math.Float64bits(float64(n)) }

func (l *linkTwin) Attach(now core.Time) (resume.Generation, error) {
	raw, err := l.in.call(exportResumeAttach, l.handle, timeBits(now))
	if err != nil {
		l.t.Fatal(err)
	}
	gen := math.Float64frombits(raw)
	if gen < 0 {
		if err := errorOf(int32(-gen)); !errors.Is(err, core.ErrClosed) {
			l.t.Fatal(err)
		}
		return 0, &resume.Failure{Kind: l.State().Failure}
	}
	return resume.Generation(gen), nil
}

func (l *linkTwin) Resume(gen resume.Generation, received uint64, now core.Time) error {
	return l.outcome(exportResumeResume, countBits(gen), countBits(received), timeBits(now))
}

func (l *linkTwin) Greet(gen resume.Generation, text []byte, now core.Time) error {
	address, bytes := l.argument(text)
	return l.outcome(exportResumeGreet, countBits(gen), address, bytes, timeBits(now))
}

func (l *linkTwin) Send(text []byte, now core.Time) error {
	address, bytes := l.argument(text)
	return l.outcome(exportResumeSend, address, bytes, timeBits(now))
}

func (l *linkTwin) Next(gen resume.Generation) ([]byte, bool) {
	address := l.must(exportResumeNext, countBits(gen))
	if address == 0 {
		return nil, false
	}
	return l.textAt(address), true
}

func (l *linkTwin) Receive(gen resume.Generation) bool {
	return l.must(exportResumeReceive, countBits(gen)) == 1
}

func (l *linkTwin) Detach(gen resume.Generation, now core.Time) {
	l.must(exportResumeDetach, countBits(gen), timeBits(now))
}

func (l *linkTwin) Advance(now core.Time) { l.must(exportResumeAdvance, timeBits(now)) }

func (l *linkTwin) Deadline() core.Time {
	raw, err := l.in.call(exportResumeDeadline, l.handle)
	if err != nil {
		l.t.Fatal(err)
	}
	return timeOf(math.Float64frombits(raw))
}

func (l *linkTwin) Greeting() []byte { return l.textAt(l.must(exportResumeGreeting)) }

func (l *linkTwin) State() linktable.State {
	var s abi.ResumeState
	if err := l.in.record(l.must(exportResumeState), &s); err != nil {
		l.t.Fatal(err)
	}
	return linktable.State{
		Session: string(l.read(s.Session)), Sent: uint64(s.Sent), Received: uint64(s.Received),
		Failure: resume.FailureKind(s.Failure), Code: int(s.Close), Name: string(l.read(s.Name)), Text: string(l.read(s.Text)),
	}
}

func (l *linkTwin) textAt(address uint32) []byte {
	var span abi.Span
	if err := l.in.record(address, &span); err != nil {
		l.t.Fatal(err)
	}
	return l.read(span)
}

func (l *linkTwin) read(span abi.Span) []byte {
	b, err := l.in.read(span.Address, span.Bytes)
	if err != nil {
		l.t.Fatal(err)
	}
	return b
}

const linkMemoryBytes = 256 << 20

// Goal: a link behind the boundary says what one without it says (RESUME-1 to RESUME-9).
func TestResumeThroughTheBoundary(t *testing.T) {
	in := linkInstance(t)
	linktable.Play(t, "../../conformance/resume.table", func(t *testing.T, cfg resume.Config) (linktable.Link, error) {
		return newLinkTwin(t, in, cfg, linkMemoryBytes)
	})
}

// A link holds memory as a connection does, and one that would not fit is refused when it is made
// (BACK-4).
func TestLinksThatDoNotFitTheMemoryAreRefused(t *testing.T) {
	in := linkInstance(t)
	cfg := resume.Defaults("s")
	opened := 0
	for ; opened < 10; opened++ {
		if _, err := newLinkTwin(t, in, cfg, linkMemoryBytes); err != nil {
			var refused *core.ConfigError
			if !errors.As(err, &refused) || refused.Max != linkMemoryBytes {
				t.Fatal(err)
			}
			break
		}
	}
	if want := (linkMemoryBytes - 16<<20) / (64 << 20); opened != want {
		t.Errorf("%d links of 64 MiB fit, want %d", opened, want)
	}
}

func TestFreedLinkIsNobodys(t *testing.T) {
	in := linkInstance(t)
	l, err := newLinkTwin(t, in, resume.Defaults(""), linkMemoryBytes)
	if err != nil {
		t.Fatal(err)
	}
	l.must(exportResumeFree)
	for _, x := range []export{exportResumeFree, exportResumeNext, exportResumeState, exportResumeGreeting, exportResumeReceive} {
		if _, err := l.run(x, 0); !errors.Is(err, abi.ErrHandle) {
			t.Errorf("%s: %v", exportNames[x], err)
		}
	}
}

func linkInstance(t *testing.T) *instance {
	engine := newEngine(t)
	in, err := newInstance(context.Background(), engine.runtime, engine.compiled)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.close() })
	return in
}
