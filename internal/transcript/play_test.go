package transcript

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

const echoed = `# FRAME-1  Lines are echoed.
open profile=plain role=peer
> in ab\nc
> in d\n
> at 1ms
< notification #1 ab
< notification #1 cd
< out ab\ncd\n
> hold
> frame*2 xy
> at 2ms
< notification #1 xy
< notification #1 xy
< paused
< deadline 7ms stall
> take
< taken xy\nxy\n
> take
< taken-nothing
> wrote 2
> release
> eof
< refused closed
> at 3ms
< reading
< output-done
< deadline never none
> stats bytes-in
< stats bytes-in=3
> state input
< state input=ended
`

func echoFactory(m echo, last **echo) Factory {
	return func(core.Config) (host.Machine, error) {
		made := m
		if last != nil {
			*last = &made
		}
		return &made, nil
	}
}

func parseOne(t *testing.T, text string) *Vector {
	t.Helper()
	vectors, err := Parse([]byte(text))
	if err != nil || len(vectors) != 1 {
		t.Fatal(len(vectors), err)
	}
	return &vectors[0]
}

// A machine that does what the vector says passes under every cutting, and is closed.
func TestReplayAccepts(t *testing.T) {
	v := parseOne(t, echoed)
	var last *echo
	if err := v.Replay("echo", echoFactory(echo{}, &last), 1); err != nil {
		t.Error(err)
	}
	if last.closed != 1 {
		t.Errorf("closed %d times", last.closed)
	}
}

// A machine for which a read ends a message passes uncut and fails at the first cut.
func TestReplayFindsChunking(t *testing.T) {
	v := parseOne(t, "# FRAME-1  Cut.\nopen profile=plain role=peer\n> in ab\\n\n> at 0s\n< notification #1 ab\n< out ab\\n\n")
	err := v.Replay("cut", echoFactory(echo{isChunked: true}, nil), 1)
	var mismatch *Mismatch
	if !errors.As(err, &mismatch) {
		t.Fatal(err)
	}
	if mismatch.Cutting != "byte by byte" || !strings.Contains(mismatch.Diff, "+ < notification #1 a\n") {
		t.Error(mismatch)
	}
}

// What a machine says differently than the vector is a readable difference.
func TestReplayShowsDifference(t *testing.T) {
	v := parseOne(t, strings.Replace(echoed, "#1 cd", "#1 ce", 1))
	err := v.Replay("echo", echoFactory(echo{}, nil), 1)
	if err == nil || !strings.Contains(err.Error(), "- < notification #1 ce\n+ < notification #1 cd\n") {
		t.Error(err)
	}
}

func TestReplayFindsForgottenViolation(t *testing.T) {
	const text = "# FRAME-1  Broken.\nopen profile=plain role=peer\n> in !bc\n> at 0s\n" +
		"< ending violation\n< violation noise !\n"
	if err := parseOne(t, text).Replay("broken", echoFactory(echo{}, nil), 1); err != nil {
		t.Error(err)
	}
	err := parseOne(t, text).Replay("broken", echoFactory(echo{isForgetful: true}, nil), 1)
	if err == nil || !strings.Contains(err.Error(), "Commit reports") {
		t.Error(err)
	}
}

// A vector whose last inputs nobody observes is refused.
func TestPlayWantsLastTurn(t *testing.T) {
	for _, text := range []string{"> in ab", "> eof\n> stats bytes-in"} {
		v := parseOne(t, "# FRAME-1  Cut.\nopen profile=plain role=peer\n"+text)
		if _, err := v.Play(echoFactory(echo{}, nil), &Cutting{}); err == nil || !strings.Contains(err.Error(), "ends with a turn") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestOpenSettings(t *testing.T) {
	v := parseOne(t, "# FRAME-1  T.\nopen profile=mcp role=server framing=whole inbound=messages cuts=one-turn credit=3 "+
		"id-bytes-max=40 out-bytes-max=9 stall-max=2s out-fail-fast loose-ids park-fail resync first-id=5 send-policy=end pause-on=any\n"+
		"method m read supersede=a/b\nmethod n order notification\n")
	o, err := v.opening()
	if err != nil {
		t.Fatal(err)
	}
	want := core.Defaults(core.ProfileMCP, core.RoleServer)
	want.Framing = core.FramingWhole
	want.Inbound = core.InboundMessages
	want.Limits.IDBytesMax = 40
	want.Limits.OutBytesMax = 9
	want.StallMaxNs = 2 * core.Second
	if o.cuts != CutsOneTurn || o.credit != 3 || o.config.Limits != want.Limits ||
		o.config.Framing != want.Framing || o.config.Inbound != want.Inbound || o.config.StallMaxNs != want.StallMaxNs {
		t.Errorf("%+v", o)
	}
	if !reflect.DeepEqual(o.config.Methods, []core.Method{
		{Name: "m", Mode: core.ModeRead, Supersede: []string{"a", "b"}},
		{Name: "n", Mode: core.ModeOrder, Notification: true},
	}) {
		t.Errorf("%+v", o.config.Methods)
	}
	for _, text := range []string{"role=client profile=lsp", "profile=x role=client", "profile=lsp role=client volume=11", "profile=lsp role=client calls-max=many"} {
		v := parseOne(t, "# FRAME-1  T.\nopen "+text+"\n")
		if _, err := v.opening(); err == nil {
			t.Errorf("open %s is accepted", text)
		}
	}
}

// FRAME-1: inputs up to 2 KiB are cut at every place in both ways, larger ones at chosen places,
// vectors about pressure in one turn only.
func TestCuttings(t *testing.T) {
	count := func(open, input string) (cuts, turns, bytewise int) {
		v := parseOne(t, "# FRAME-1  T.\nopen profile=plain role=peer "+open+"\n> in"+input+"\n> at 0s\n")
		cuttings, err := v.Cuttings("name")
		if err != nil {
			t.Fatal(err)
		}
		for c := range cuttings {
			if c.At > 0 {
				cuts++
			}
			if c.Turns {
				turns++
			}
			if c.EveryByte {
				bytewise++
			}
		}
		return cuts, turns, bytewise
	}
	if cuts, turns, bytewise := count("cuts=all", "*2048 x"); cuts != 2*2047 || turns != 2047+2 || bytewise != 2 {
		t.Error(cuts, turns, bytewise)
	}
	if cuts, turns, bytewise := count("cuts=one-turn", "*2048 x"); cuts != 2047 || turns != 0 || bytewise != 1 {
		t.Error(cuts, turns, bytewise)
	}
	if cuts, turns, bytewise := count("cuts=none", " x"); cuts != 0 || turns != 0 || bytewise != 0 {
		t.Error(cuts, turns, bytewise)
	}
	if cuts, _, bytewise := count("cuts=one-turn", "*100000 x"); cuts < 300 || cuts > 600 || bytewise != 0 {
		t.Error(cuts, bytewise)
	}
}
