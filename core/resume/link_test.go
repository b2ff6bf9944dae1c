package resume

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
)

func live(t *testing.T, cfg Config) (*Link, Generation) {
	t.Helper()
	l, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	gen, err := l.Attach(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Resume(gen, 0, 0); err != nil {
		t.Fatal(err)
	}
	return l, gen
}

func TestCountsEndAtTheirBound(t *testing.T) {
	l, gen := live(t, Defaults("s"))
	l.received = CountMax - 1
	if !l.Receive(gen) || l.Err() != nil {
		t.Error("the last count is no count")
	}
	if l.Receive(gen) || kindOf(l.Err()) != FailureCount {
		t.Errorf("one more: %v", l.Err())
	}
	l, _ = live(t, Defaults("s"))
	l.sent.first, l.sent.next = CountMax-1, CountMax-1
	if err := l.Send([]byte("1"), 0); err != nil {
		t.Error(err)
	}
	if err := l.Send([]byte("2"), 0); kindOf(err) != FailureCount {
		t.Errorf("one more: %v", err)
	}
}

func TestConfigNamesTheFieldRefused(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"Session":      func(c *Config) { c.Session = strings.Repeat("s", SessionBytesMax+1) },
		"BytesMax":     func(c *Config) { c.BytesMax = 0 },
		"TextBytesMax": func(c *Config) { c.TextBytesMax = 0 },
		"AgeNs":        func(c *Config) { c.AgeNs = 0 },
	} {
		cfg := Defaults(strings.Repeat("s", SessionBytesMax))
		if err := cfg.Validate(); err != nil {
			t.Fatal(err)
		}
		change(&cfg)
		var refused *core.ConfigError
		if _, err := New(cfg); !errors.As(err, &refused) || refused.Field != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestConfigAcceptsItsBounds(t *testing.T) {
	for _, cfg := range []Config{
		{BytesMax: 1, TextBytesMax: 1, AgeNs: 1},
		{BytesMax: 1<<31 - 1, TextBytesMax: 1<<31 - 1, AgeNs: 1 << 50},
	} {
		if err := cfg.Validate(); err != nil {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}

func TestNamesOfSessions(t *testing.T) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
	for c := range 256 {
		name := string([]byte{byte(c)})
		if err := new(Config{Session: name, BytesMax: 1, TextBytesMax: 1, AgeNs: 1}).Validate(); (err == nil) != strings.Contains(letters, name) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestSendKeepsACopy(t *testing.T) {
	l, gen := live(t, Defaults("s"))
	text := []byte("[1]")
	if err := l.Send(text, 0); err != nil {
		t.Fatal(err)
	}
	text[1] = '2'
	if got, _ := l.Next(gen); string(got) != "[1]" {
		t.Errorf("got %s", got)
	}
}

func TestFailuresAreTyped(t *testing.T) {
	l, gen := live(t, Defaults("s"))
	l.Detach(gen, 0)
	l.Advance(60 * core.Second)
	if err := l.Send(nil, 0); !errors.Is(err, core.ErrClosed) {
		t.Errorf("an ended session: %v", err)
	}
	l, _ = live(t, Defaults("s"))
	err := l.Resume(99, 0, 0)
	var failure *Failure
	if !errors.As(err, &failure) || errors.Is(err, core.ErrClosed) {
		t.Fatalf("an attempt that is over: %v", err)
	}
	if code, name := failure.Close(); code != CloseSuperseded || name != CloseSupersededName || l.Err() != nil {
		t.Errorf("closed with %d %s, ended by %v", code, name, l.Err())
	}
	for kind := FailureLost; kind < failureEnd; kind++ {
		if text := (&Failure{Kind: kind}).Error(); !strings.Contains(text, ": ") {
			t.Errorf("kind %d says %q", kind, text)
		}
	}
}

func TestSampleOfWhatIsNoGreetingIsBounded(t *testing.T) {
	l, err := New(Defaults(""))
	if err != nil {
		t.Fatal(err)
	}
	gen, err := l.Attach(0)
	if err != nil {
		t.Fatal(err)
	}
	err = l.Greet(gen, []byte(strings.Repeat("\x1b", 1<<20)), 0)
	if want := `"` + strings.Repeat(`\x1b`, core.SampleBytesMax) + `"`; !strings.HasSuffix(fmt.Sprint(err), want) {
		t.Errorf("%.400s", err)
	}
}

// A flood of tiny texts costs what the buffer is charged for, and no more.
func TestBufferIsBoundedForEmptyTexts(t *testing.T) {
	cfg := Defaults("s")
	cfg.BytesMax = 10 * ChargeBytes
	l, _ := live(t, cfg)
	sent := 0
	for l.Send(nil, 0) == nil {
		sent++
	}
	if sent != 10 {
		t.Errorf("%d empty texts wait", sent)
	}
}

func TestParseCount(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0 true", "7": "7 true", "9007199254740991": "9007199254740991 true",
		"9007199254740992": "refused", "99999999999999999": "refused", "18446744073709551616": "refused", "": "refused", "00": "refused", "01": "refused",
		"-1": "refused", "+1": "refused", "1e2": "refused", "1.0": "refused", " 1": "refused", "1 ": "refused", "٣": "refused",
	} {
		got := "refused"
		if n, ok := ParseCount(text); ok {
			got = fmt.Sprint(n, ok)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func kindOf(err error) FailureKind {
	var failure *Failure
	if !errors.As(err, &failure) {
		return FailureNone
	}
	return failure.Kind
}
