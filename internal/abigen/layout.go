// Package abigen spells package abi for those who cannot import it: the golden list docs/abi.txt
// and the TypeScript constants of bindings/js.
package abigen

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

// record is one layout in linear memory.
type record struct {
	name   string
	bytes  uintptr
	fields []field
}

type field struct {
	name   string
	offset uintptr
	kind   string // u8, u32, i32, u64, f64, span, list, or a count and one of them
}

// records lists the layouts in the order of abi.Records, then the two that are arrays of numbers.
func records() []record {
	var all []record
	for _, sample := range abi.Records {
		t := reflect.TypeOf(sample)
		r := record{name: t.Name(), bytes: t.Size()}
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				r.fields = append(r.fields, field{name: f.Name, offset: f.Offset, kind: kindOf(f.Type)})
			}
		}
		all = append(all, r)
	}
	return append(all, numbers("Limits", core.Limits{}), numbers("Stats", core.Stats{}))
}

// numbers is a layout of float64 named after the fields of a struct of core.
func numbers(name string, of any) record {
	t := reflect.TypeOf(of)
	r := record{name: name, bytes: 8 * uintptr(t.NumField())}
	for i := range t.NumField() {
		r.fields = append(r.fields, field{name: t.Field(i).Name, offset: 8 * uintptr(i), kind: "f64"})
	}
	return r
}

func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Uint8:
		return "u8"
	case reflect.Uint32:
		return "u32"
	case reflect.Int32:
		return "i32"
	case reflect.Uint64:
		return "u64"
	case reflect.Float64:
		return "f64"
	case reflect.Struct:
		switch t {
		case reflect.TypeFor[abi.Span]():
			return "span"
		case reflect.TypeFor[abi.List]():
			return "list"
		}
	case reflect.Array:
		return fmt.Sprintf("%d*%s", t.Len(), kindOf(t.Elem()))
	}
	panic("abigen: " + t.String() + " cannot cross the boundary")
}

// Listing spells every number and every layout, one fact a line.
func Listing() (string, error) {
	all, err := groups()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, g := range all {
		for _, m := range g.members {
			fmt.Fprintf(&b, "%s = %d\n", m.full, m.value)
		}
	}
	for _, r := range records() {
		fmt.Fprintf(&b, "%s %d bytes\n", r.name, r.bytes)
		for _, f := range r.fields {
			fmt.Fprintf(&b, "%s.%s %s at %d\n", r.name, f.name, f.kind, f.offset)
		}
	}
	return b.String(), nil
}
