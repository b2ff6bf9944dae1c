package core

import (
	"errors"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core/internal/frame"
)

// The framing has its own numbers because core imports it; goal: that they never part.
func TestFrameNumbers(t *testing.T) {
	for _, pair := range []struct{ core, frame int }{
		{int(FramingHeader), int(frame.Header)},
		{int(FramingLine), int(frame.Line)},
		{int(FramingLength4), int(frame.Length4)},
		{int(FramingWhole), int(frame.Whole)},
		{int(ViolationTruncated), int(frame.ViolationTruncated)},
		{int(ViolationHeaderSize), int(frame.ViolationHeaderSize)},
		{int(ViolationField), int(frame.ViolationField)},
		{int(ViolationNoise), int(frame.ViolationNoise)},
		{int(ViolationLength), int(frame.ViolationLength)},
		{int(ViolationMissingLength), int(frame.ViolationMissingLength)},
		{int(ViolationDuplicateLength), int(frame.ViolationDuplicateLength)},
		{int(ViolationLineEnd), int(frame.ViolationLineEnd)},
		{int(ViolationLineSize), int(frame.ViolationLineSize)},
		{int(HintTextMode), int(frame.HintTextMode)},
		{int(HintBareJSON), int(frame.HintBareJSON)},
		{int(HintStdoutNoise), int(frame.HintStdoutNoise)},
		{int(HintHeader), int(frame.HintHeader)},
		{int(HintPretty), int(frame.HintPretty)},
		{int(HintTerminal), int(frame.HintTerminal)},
		{int(HintText), int(frame.HintText)},
		{int(HintLittle), int(frame.HintLittle)},
		{int(HintDAP), int(frame.HintDAP)},
		{int(HintCharset), int(frame.HintCharset)},
		{int(HintOverLimit), int(frame.HintOverLimit)},
		{SampleBytesMax, frame.SampleBytesMax},
	} {
		if pair.core != pair.frame {
			t.Errorf("core has %d where frame has %d", pair.core, pair.frame)
		}
	}
}

func TestErrorTexts(t *testing.T) {
	for e := UsageError(1); e < usageErrorEnd; e++ {
		if usageErrors[e] == "" {
			t.Errorf("usage error %d has no text", e)
		}
	}
	distinct := map[string]bool{}
	for _, e := range []error{ErrUnknownRequest, ErrAnswered, ErrNotRequest} {
		if !errors.Is(e, ErrUnsupported) {
			t.Errorf("%v is not ErrUnsupported (REQ-2)", e)
		}
		distinct[e.Error()] = true
	}
	if len(distinct) != 3 {
		t.Error("the texts are not distinct (REQ-2)")
	}
	for _, name := range append(eventNames[:], phaseNames[:]...) {
		if name == "" {
			t.Error("an event or a phase has no name")
		}
	}
	if EventRequest.String() == EventNotification.String() || PhaseQueued.String() != "queued" {
		t.Errorf("%v, %v, %v", EventRequest, EventNotification, PhaseQueued)
	}
	e := &ProtocolError{
		Kind: ViolationTruncated, Offset: 7, Have: 3, Need: 9, Hint: HintStdoutNoise, Sample: []byte("a\x1b\n"),
	}
	want := `core: peer: truncated at byte 7 (have 3 of 9): "a\x1b\n" (something else writes to the peer's stdout)`
	if e.Error() != want {
		t.Errorf("got %s, want %s", e.Error(), want)
	}
}

func TestTooLarge(t *testing.T) {
	for _, c := range []struct {
		e    ProtocolError
		want bool
	}{
		{ProtocolError{Kind: ViolationHeaderSize}, true},
		{ProtocolError{Kind: ViolationLineSize}, true},
		{ProtocolError{Kind: ViolationBacklog}, true},
		{ProtocolError{Kind: ViolationLength, Hint: HintOverLimit}, true},
		{ProtocolError{Kind: ViolationLength}, false},
		{ProtocolError{Kind: ViolationNoise}, false},
	} {
		if got := errors.Is(&c.e, ErrTooLarge); got != c.want {
			t.Errorf("%v: %v", c.e.Kind, got)
		}
		if errors.Is(&c.e, ErrClosed) {
			t.Errorf("%v is ErrClosed", c.e.Kind)
		}
	}
}

// Every configuration that New takes is checked; goal: each field's refusal names the field, and what
// is wrong with it.
func TestConfigRefused(t *testing.T) {
	const path = "a/b/c/d/e"
	methods := func(role Role, m Method) func(*Config) {
		return func(c *Config) { c.Role, c.Methods = role, []Method{m} }
	}
	for want, change := range map[string]func(*Config){
		"Role = 9, want 0 to 3":                          func(c *Config) { c.Role = 9 },
		"Limits.FrameBytesMax = 0, want 1 to 2147483647": func(c *Config) { c.Limits.FrameBytesMax = 0 },
		"Methods: a relay serves no methods":             methods(RoleRelay, Method{Name: "m"}),
		"Methods: a method without a name":               methods(RoleServer, Method{}),
		"Methods: m: unknown mode":                       methods(RoleServer, Method{Name: "m", Mode: ModeBypass + 1}),
		"Methods: m: the path of Supersede is too long":  methods(RoleServer, Method{Name: "m", Supersede: strings.Split(path, "/")}),
		"Methods: m: only requests of mode read are superseded": methods(RoleServer,
			Method{Name: "m", Mode: ModeWrite, Supersede: []string{"k"}}),
	} {
		cfg := Defaults(ProfileLSP, RoleServer)
		change(&cfg)
		if err := cfg.Validate(); err == nil || err.Error() != "core: config: "+want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	accepted := Defaults(ProfileLSP, RoleServer)
	accepted.Methods = []Method{{Name: "m", Mode: ModeBypass}, {Name: "n", Mode: ModeRead, Supersede: strings.Split(path, "/")[1:]}}
	if err := accepted.Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Config){
		"Profile":               func(c *Config) { c.Profile = 9 },
		"Role":                  func(c *Config) { c.Role = 9 },
		"Framing":               func(c *Config) { c.Framing = FramingLine },
		"Envelope":              func(c *Config) { c.Envelope = 1 },
		"Inbound":               func(c *Config) { c.Inbound = 2 },
		"SendPolicy":            func(c *Config) { c.SendPolicy = 2 },
		"PauseOn":               func(c *Config) { c.PauseOn = 2 },
		"FirstID":               func(c *Config) { c.FirstID = 1 << 53 },
		"Methods":               func(c *Config) { c.Methods = []Method{{}} },
		"Limits.FrameBytesMax":  func(c *Config) { c.Limits.FrameBytesMax = 0 },
		"Limits.HeaderBytesMax": func(c *Config) { c.Limits.HeaderBytesMax = 0 },
		"Limits.MessagesMax":    func(c *Config) { c.Limits.MessagesMax = 0 },
	} {
		cfg := Defaults(ProfileLSP, RoleClient)
		change(&cfg)
		_, err := New(cfg)
		var ce *ConfigError
		if !errors.As(err, &ce) || ce.Field != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	for p := ProfileLSP; p <= ProfilePlain; p++ {
		for r := RoleClient; r <= RolePeer; r++ {
			if _, err := New(Defaults(p, r)); err != nil {
				t.Errorf("defaults of %v: %v", p, err)
			}
		}
	}
}
