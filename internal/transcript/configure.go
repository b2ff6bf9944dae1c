package transcript

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/parley-rpc/parley/core"
)

// Opening is the records that open a connection with this configuration: OpOpen, then OpMethod for
// each method. No credit is granted. cfg is valid (core.Config.Validate). A *core.ConfigError names
// what records cannot say: a slash in the path of a superseded value.
func Opening(cfg *core.Config) ([]Record, error) {
	open := Record{Op: OpOpen}
	set := func(name, value string) {
		open.Settings = append(open.Settings, Setting{Name: []byte(name), Value: []byte(value)})
	}
	set("profile", profileNames[cfg.Profile])
	set("role", roleNames[cfg.Role])
	set("credit", "0")
	set("framing", framingNames[cfg.Framing])
	set("envelope", envelopeNames[cfg.Envelope])
	set("inbound", inboundNames[cfg.Inbound])
	set("send-policy", sendNames[cfg.SendPolicy])
	set("pause-on", pauseNames[cfg.PauseOn])
	set("seed", strconv.FormatUint(cfg.Seed, 10))
	set("first-id", strconv.FormatUint(cfg.FirstID, 10))
	set("session-id", cfg.SessionID)
	for _, flag := range []struct {
		name string
		on   bool
	}{
		{"out-fail-fast", cfg.OutFailFast},
		{"park-fail", cfg.ParkFail},
		{"loose-ids", cfg.LooseIDs},
		{"resync", cfg.Resync},
	} {
		if flag.on {
			set(flag.name, "")
		}
	}
	for _, t := range times(cfg) {
		set(t.name, string(appendTime(nil, SpelledTime(*t.value))))
	}
	for field, value := range reflect.ValueOf(&cfg.Limits).Elem().Fields() {
		set(hyphenated(field.Name), strconv.FormatInt(value.Int(), 10))
	}
	records := []Record{open}
	for i := range cfg.Methods {
		m := &cfg.Methods[i]
		if strings.Contains(strings.Join(m.Supersede, ""), "/") {
			return nil, &core.ConfigError{Field: "Methods", Reason: m.Name + ": a slash in the path of Supersede cannot cross a pipe"}
		}
		records = append(records, Record{
			Op: OpMethod, Method: []byte(m.Name), Mode: m.Mode, Flag: m.Notification,
			Text: []byte(strings.Join(m.Supersede, "/")),
		})
	}
	return records, nil
}

// SpelledTime is the nearest time that a record can say: from 0 to below 2^53 ns, or Never. A time
// before 0 is 1 ns, because 0 means none where a time is an option.
func SpelledTime(t core.Time) core.Time {
	switch {
	case t == core.Never:
		return core.Never
	case t < 0:
		return 1
	}
	return min(t, timeEnd-1)
}
