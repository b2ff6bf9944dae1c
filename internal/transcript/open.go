package transcript

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/parley-rpc/parley/core"
)

// Unlimited credit is granted at open unless the vector says credit=N. Unit: messages.
const creditDefault = 1<<31 - 1

// CutsAllowed is how far a vector may be cut (FRAME-1).
type CutsAllowed uint8

const (
	CutsAll     CutsAllowed = iota // everywhere, in one turn and with a turn after each piece
	CutsOneTurn                    // everywhere, in one turn: vectors about pressure
	CutsNone                       // as written: giants at a default limit
)

var cutsNames = []string{"all", "one-turn", "none"}

// opening is what the records before the first input say.
type opening struct {
	config core.Config
	cuts   CutsAllowed
	credit int
}

// Cuts returns how far the vector may be cut.
func (v *Vector) Cuts() (CutsAllowed, error) {
	o, err := v.opening()
	return o.cuts, err
}

// opening builds the configuration: the defaults of profile and role, then each setting in turn.
// The seed and the session id are fixed, so that two plays of one vector are equal.
func (v *Vector) opening() (opening, error) {
	o := opening{credit: creditDefault}
	if len(v.Records) == 0 {
		return o, fmt.Errorf("transcript: %q has no open line", v.Title)
	}
	settings := v.Records[0].Settings
	if len(settings) < 2 || string(settings[0].Name) != "profile" || string(settings[1].Name) != "role" {
		return o, fmt.Errorf("transcript: %q: open begins with profile=… role=…", v.Title)
	}
	var profile core.Profile
	var role core.Role
	if err := setName((*uint8)(&profile), profileNames, settings[0]); err != nil {
		return o, err
	}
	if err := setName((*uint8)(&role), roleNames, settings[1]); err != nil {
		return o, err
	}
	o.config = core.Defaults(profile, role)
	o.config.Seed = 1
	o.config.SessionID = "session"
	for _, s := range settings[2:] {
		if err := o.set(s); err != nil {
			return o, fmt.Errorf("transcript: %q: open: %w", v.Title, err)
		}
	}
	for _, r := range v.Records[1:] {
		if r.Op == OpMethod {
			o.config.Methods = append(o.config.Methods, r.methodEntry())
		}
	}
	return o, nil
}

// methodEntry is the entry that an OpMethod adds. Slashes part the members of a path.
func (r *Record) methodEntry() core.Method {
	m := core.Method{Name: string(r.Method), Mode: r.Mode, Notification: r.Flag}
	if len(r.Text) > 0 {
		m.Supersede = strings.Split(string(r.Text), "/")
	}
	return m
}

var (
	profileNames  = names(core.ProfilePlain)
	roleNames     = []string{"client", "server", "peer", "relay"}
	framingNames  = []string{"header", "line", "length4", "whole"}
	envelopeNames = []string{"jsonrpc"}
	inboundNames  = []string{"handlers", "messages"}
	sendNames     = []string{"finish", "end"}
	pauseNames    = []string{"answers", "any"}
)

// set changes one field. A setting is named as the field of core.Config or core.Limits, in lower
// case with hyphens.
func (o *opening) set(s Setting) error {
	c := &o.config
	switch string(s.Name) {
	case "cuts":
		return setName((*uint8)(&o.cuts), cutsNames, s)
	case "credit":
		return setInt(&o.credit, s)
	case "framing":
		err := setName((*uint8)(&c.Framing), framingNames, s)
		c.SetFraming(c.Framing)
		return err
	case "envelope":
		return setName((*uint8)(&c.Envelope), envelopeNames, s)
	case "inbound":
		return setName((*uint8)(&c.Inbound), inboundNames, s)
	case "send-policy":
		return setName((*uint8)(&c.SendPolicy), sendNames, s)
	case "pause-on":
		return setName((*uint8)(&c.PauseOn), pauseNames, s)
	case "out-fail-fast":
		return setTrue(&c.OutFailFast, s)
	case "park-fail":
		return setTrue(&c.ParkFail, s)
	case "loose-ids":
		return setTrue(&c.LooseIDs, s)
	case "resync":
		return setTrue(&c.Resync, s)
	case "seed":
		return setUint(&c.Seed, s)
	case "first-id":
		return setUint(&c.FirstID, s)
	case "session-id":
		c.SessionID = string(s.Value)
		return nil
	}
	for _, t := range times(c) {
		if t.name == string(s.Name) {
			var err error
			*t.value, err = parseTime(string(s.Value))
			return err
		}
	}
	fields := reflect.ValueOf(&c.Limits).Elem()
	for i := range fields.NumField() {
		if hyphenated(fields.Type().Field(i).Name) == string(s.Name) {
			return setInt(fields.Field(i).Addr().Interface().(*int), s)
		}
	}
	return fmt.Errorf("unknown setting %q", s.Name)
}

type namedTime struct {
	name  string
	value *core.Time
}

func times(c *core.Config) []namedTime {
	return []namedTime{
		{"grace", &c.GraceNs},
		{"shutdown", &c.ShutdownNs},
		{"stall", &c.StallNs},
		{"stall-max", &c.StallMaxNs},
	}
}

func setName(value *uint8, names []string, s Setting) error {
	for i, name := range names {
		if name == string(s.Value) {
			*value = uint8(i)
			return nil
		}
	}
	return fmt.Errorf("%s=%q: want one of %q", s.Name, s.Value, names)
}

func setTrue(value *bool, s Setting) error {
	if len(s.Value) > 0 {
		return fmt.Errorf("%s takes no value", s.Name)
	}
	*value = true
	return nil
}

func setInt(value *int, s Setting) (err error) {
	*value, err = strconv.Atoi(string(s.Value))
	return err
}

func setUint(value *uint64, s Setting) (err error) {
	*value, err = strconv.ParseUint(string(s.Value), 10, 64)
	return err
}
