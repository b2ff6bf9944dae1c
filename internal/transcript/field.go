package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/parley-rpc/parley/core"
)

// field is how one member of a Record is spelled: as a word, or as the rest of the line.
type field struct {
	prefix   string // "c" in c1, "offset=" in offset=12
	optional bool   // left out when the member is zero
	rest     bool   // takes the rest of the line; always optional, always last
	read     func(r *Record, word []byte) error
	write    func(r *Record, to []byte) []byte
	isZero   func(r *Record) bool

	key   string                // the member's name in the binary spelling
	check func(r *Record) error // whether the member has a value that can be spelled; nil: any has
}

func number(key, prefix string, optional bool, at func(*Record) *uint64) field {
	return field{
		key:      key,
		prefix:   prefix,
		optional: optional,
		check:    func(r *Record) error { return inRange(*at(r), 1<<63-1) },
		read: func(r *Record, word []byte) (err error) {
			*at(r), err = strconv.ParseUint(string(word), 10, 63)
			return err
		},
		write:  func(r *Record, to []byte) []byte { return strconv.AppendUint(to, *at(r), 10) },
		isZero: func(r *Record) bool { return *at(r) == 0 },
	}
}

func code() field {
	return field{
		key: "code",
		read: func(r *Record, word []byte) error {
			value, err := strconv.ParseInt(string(word), 10, 32)
			r.Code = core.Code(value)
			return err
		},
		write:  func(r *Record, to []byte) []byte { return strconv.AppendInt(to, int64(r.Code), 10) },
		isZero: func(r *Record) bool { return r.Code == 0 },
	}
}

func duration(key, prefix string, optional bool, at func(*Record) *core.Time) field {
	return field{
		key:      key,
		prefix:   prefix,
		optional: optional,
		check:    func(r *Record) error { return checkTime(*at(r)) },
		read: func(r *Record, word []byte) (err error) {
			*at(r), err = parseTime(string(word))
			return err
		},
		write:  func(r *Record, to []byte) []byte { return appendTime(to, *at(r)) },
		isZero: func(r *Record) bool { return *at(r) == 0 },
	}
}

func mark(name string) field {
	return field{
		key:      "flag",
		prefix:   name,
		optional: true,
		read: func(r *Record, word []byte) error {
			if len(word) > 0 {
				return fmt.Errorf("%s%s: want %s", name, word, name)
			}
			r.Flag = true
			return nil
		},
		write:  func(_ *Record, to []byte) []byte { return to },
		isZero: func(r *Record) bool { return !r.Flag },
	}
}

func enum(key, prefix string, optional bool, names []string, at func(*Record) *uint8) field {
	return field{
		key:      key,
		prefix:   prefix,
		optional: optional,
		check: func(r *Record) error {
			value := *at(r)
			if int(value) >= len(names) || names[value] == "" && (value > 0 || !optional) {
				return fmt.Errorf("%d: want one of %q by number", value, names)
			}
			return nil
		},
		read: func(r *Record, word []byte) error {
			for i, name := range names {
				if name == string(word) && name != "" {
					*at(r) = uint8(i)
					return nil
				}
			}
			return fmt.Errorf("%q: want one of %q", word, names)
		},
		write:  func(r *Record, to []byte) []byte { return append(to, names[*at(r)]...) },
		isZero: func(r *Record) bool { return *at(r) == 0 },
	}
}

func word(key, prefix string, optional bool, at func(*Record) *[]byte) field {
	return field{
		key:      key,
		prefix:   prefix,
		optional: optional,
		read: func(r *Record, word []byte) (err error) {
			*at(r), err = unescape(word)
			return err
		},
		write:  func(r *Record, to []byte) []byte { return appendEscaped(to, *at(r), true) },
		isZero: func(r *Record) bool { return len(*at(r)) == 0 },
	}
}

func rest(key string, at func(*Record) *[]byte) field {
	f := word(key, "", true, at)
	f.rest = true
	f.write = func(r *Record, to []byte) []byte { return appendEscaped(to, *at(r), false) }
	return f
}

var errSetting = errors.New("want name or name=value")

func settings() field {
	return field{
		key:      "settings",
		optional: true,
		rest:     true,
		check: func(r *Record) error {
			for _, s := range r.Settings {
				if !isSettingName(s.Name) {
					return fmt.Errorf("%q: %w", s.Name, errSetting)
				}
			}
			return nil
		},
		read: func(r *Record, text []byte) error {
			for _, pair := range bytes.Split(text, []byte(" ")) {
				name, value, assigned := bytes.Cut(pair, []byte("="))
				value, err := unescape(value)
				if err != nil {
					return err
				}
				if !isSettingName(name) || assigned && len(value) == 0 {
					return errSetting
				}
				r.Settings = append(r.Settings, Setting{Name: name, Value: value})
			}
			return nil
		},
		write: func(r *Record, to []byte) []byte {
			for i, s := range r.Settings {
				if i > 0 {
					to = append(to, ' ')
				}
				to = append(to, s.Name...)
				if len(s.Value) > 0 {
					to = append(to, '=')
					to = appendEscaped(to, s.Value, true)
				}
			}
			return to
		},
		isZero: func(r *Record) bool { return len(r.Settings) == 0 },
	}
}

func isSettingName(name []byte) bool {
	for _, b := range name {
		if (b < 'a' || b > 'z') && (b < '0' || b > '9') && b != '-' {
			return false
		}
	}
	return len(name) > 0
}

// The units of a time, largest first; a time is spelled in the largest that divides it.
var timeUnits = [...]struct {
	name string
	ns   core.Time
}{{"s", core.Second}, {"ms", core.Millisecond}, {"us", 1000}, {"ns", 1}}

func appendTime(to []byte, t core.Time) []byte {
	if t == core.Never {
		return append(to, "never"...)
	}
	for _, unit := range timeUnits {
		if t%unit.ns == 0 {
			to = strconv.AppendInt(to, int64(t/unit.ns), 10)
			return append(to, unit.name...)
		}
	}
	return to
}

// timeEnd bounds times: below it every engine can hold them. Unit: ns.
const timeEnd = 1 << 53

func checkTime(t core.Time) error {
	if t < 0 || t >= timeEnd && t != core.Never {
		return fmt.Errorf("%d ns: want a time below 2^53 ns, or never", t)
	}
	return nil
}

func inRange(value, valueMax uint64) error {
	if value > valueMax {
		return fmt.Errorf("%d: want at most %d", value, valueMax)
	}
	return nil
}

func parseTime(s string) (core.Time, error) {
	if s == "never" {
		return core.Never, nil
	}
	digits := 0
	for digits < len(s) && '0' <= s[digits] && s[digits] <= '9' {
		digits++
	}
	count, err := strconv.ParseInt(s[:digits], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q: want a count and ns, us, ms or s", s)
	}
	for _, unit := range timeUnits {
		if unit.name == s[digits:] && count < timeEnd/int64(unit.ns) {
			return core.Time(count) * unit.ns, nil
		}
	}
	return 0, fmt.Errorf("%q: want a count and ns, us, ms or s, below 2^53 ns", s)
}
