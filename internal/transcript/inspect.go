package transcript

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/parley-rpc/parley/core"
)

// enumNames are the names of the enumerations that inspection shows.
var enumNames = map[reflect.Type][]string{
	reflect.TypeFor[core.InputPhase]():  {"open", "ended", "broken"},
	reflect.TypeFor[core.OutputPhase](): {"open", "answering", "finishing", "done", "failed"},
	reflect.TypeFor[core.Lifecycle]():   {"none", "uninitialized", "initializing", "ready", "shutdown", "exited"},
	reflect.TypeFor[core.Reason]():      reasonNames,
	reflect.TypeFor[core.Mode]():        modeNames,
	reflect.TypeFor[core.Phase]():       names(core.PhaseCancelled),
}

// ask answers the fields of a struct of core that are named, by their names in lower case with
// hyphens.
func ask(from any, asked []Setting) ([]Setting, error) {
	record := reflect.ValueOf(from).Elem()
	var answers []Setting
	for _, name := range asked {
		field, found := fieldNamed(record, string(name.Name))
		if !found {
			return nil, fmt.Errorf("transcript: %s has no field %q", record.Type().Name(), name.Name)
		}
		answers = append(answers, Setting{Name: name.Name, Value: fieldText(field)})
	}
	return answers, nil
}

// settingsOf spells every field of a struct of core that is not zero, lists and errors excepted.
func settingsOf(from any) []Setting {
	record := reflect.ValueOf(from).Elem()
	var settings []Setting
	for field, value := range record.Fields() {
		if isScalar(value) && !value.IsZero() {
			settings = append(settings, Setting{Name: []byte(hyphenated(field.Name)), Value: fieldText(value)})
		}
	}
	return settings
}

// SetFields fills a struct of core with what settings say of it; fields that they do not name are
// zeroed, and names that it does not have are skipped.
func SetFields(into any, settings []Setting) error {
	record := reflect.ValueOf(into).Elem()
	for _, value := range record.Fields() {
		if isScalar(value) {
			value.SetZero()
		}
	}
	for _, s := range settings {
		if field, found := fieldNamed(record, string(s.Name)); found {
			if err := setField(field, string(s.Value)); err != nil {
				return fmt.Errorf("transcript: %s: %s=%q: %w", record.Type().Name(), s.Name, s.Value, err)
			}
		}
	}
	return nil
}

func fieldNamed(record reflect.Value, name string) (reflect.Value, bool) {
	for field, value := range record.Fields() {
		if isScalar(value) && hyphenated(field.Name) == name {
			return value, true
		}
	}
	return reflect.Value{}, false
}

func isScalar(value reflect.Value) bool {
	return value.Kind() == reflect.Bool || value.CanInt() || value.CanUint() || value.Kind() == reflect.String
}

func fieldText(value reflect.Value) []byte {
	switch known := enumNames[value.Type()]; {
	case known != nil:
		return []byte(known[value.Uint()])
	case value.Kind() == reflect.Bool:
		return strconv.AppendBool(nil, value.Bool())
	case value.CanInt():
		return strconv.AppendInt(nil, value.Int(), 10)
	case value.CanUint():
		return strconv.AppendUint(nil, value.Uint(), 10)
	}
	return []byte(value.String())
}

func setField(field reflect.Value, text string) error {
	switch known := enumNames[field.Type()]; {
	case known != nil:
		for i, name := range known {
			if name == text {
				field.SetUint(uint64(i))
				return nil
			}
		}
		return fmt.Errorf("want one of %q", known)
	case field.Kind() == reflect.Bool:
		value, err := strconv.ParseBool(text)
		field.SetBool(value)
		return err
	case field.CanInt():
		value, err := strconv.ParseInt(text, 10, field.Type().Bits())
		field.SetInt(value)
		return err
	case field.CanUint():
		value, err := strconv.ParseUint(text, 10, field.Type().Bits())
		field.SetUint(value)
		return err
	}
	field.SetString(text)
	return nil
}

// hyphenated spells a Go field name: BytesIn is bytes-in, IDBytesMax is id-bytes-max.
func hyphenated(name string) string {
	var b strings.Builder
	for i := range len(name) {
		isUpper := 'A' <= name[i] && name[i] <= 'Z'
		startsWord := isUpper && i > 0 &&
			(name[i-1] >= 'a' || i+1 < len(name) && name[i+1] >= 'a')
		if startsWord {
			b.WriteByte('-')
		}
		if isUpper {
			b.WriteByte(name[i] - 'A' + 'a')
		} else {
			b.WriteByte(name[i])
		}
	}
	return b.String()
}
