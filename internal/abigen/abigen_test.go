package abigen

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/core/resume"
	"github.com/parley-rpc/parley/wasm/abi"
)

var update = flag.Bool("update", false, "rewrite bindings/js/src/abi.gen.ts")

const typeScriptFile = "../../bindings/js/src/abi.gen.ts"

func TestTypeScriptConstantsAreUpToDate(t *testing.T) {
	text, err := TypeScript()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(typeScriptFile), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(typeScriptFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(typeScriptFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(committed) != text {
		t.Error("bindings/js/src/abi.gen.ts is not what package abi says: go test ./internal/abigen -update")
	}
}

// The layouts must be the same whatever machine compiles package abi, and the reactor reads whole
// records at addresses that are multiples of 8.
func TestLayoutsAreTheSameEverywhere(t *testing.T) {
	sizes := map[string]uintptr{"u8": 1, "u32": 4, "i32": 4, "u64": 8, "f64": 8, "span": 4, "list": 4}
	for _, r := range records() {
		if r.bytes%8 != 0 {
			t.Errorf("%s has %d bytes, want a multiple of 8", r.name, r.bytes)
		}
		for _, f := range r.fields {
			if align := sizes[f.kind]; align != 0 && f.offset%align != 0 {
				t.Errorf("%s.%s, a %s, lies at %d", r.name, f.name, f.kind, f.offset)
			}
		}
	}
}

// Limits and Stats cross as arrays in the order of their fields, which must be of one type.
func TestLimitsAndStatsAreOfOneType(t *testing.T) {
	for _, all := range []struct{ of, field reflect.Type }{
		{reflect.TypeFor[core.Limits](), reflect.TypeFor[int]()},
		{reflect.TypeFor[core.Stats](), reflect.TypeFor[uint64]()},
	} {
		for i := range all.of.NumField() {
			if f := all.of.Field(i); f.Type != all.field {
				t.Errorf("%v.%s is a %v, want %v", all.of, f.Name, f.Type, all.field)
			}
		}
	}
}

// What core adds to a struct that crosses must be added to its record as well. elsewhere names the
// fields that cross in another way: as a flag, as a parameter, or spelled out.
func TestEveryFieldOfCoreCrosses(t *testing.T) {
	for _, pair := range []struct {
		of, as    any
		elsewhere []string
	}{
		{core.Config{}, abi.Config{}, []string{"OutFailFast", "LooseIDs", "Resync", "ParkFail", "Methods"}},
		{core.Event{}, abi.Event{}, nil},
		{core.State{}, abi.State{}, []string{"Err"}},
		{core.ProtocolError{}, abi.State{}, []string{"Kind", "Have", "Need"}},
		{core.ConfigError{}, abi.Refusal{}, nil},
		{core.Snapshot{}, abi.Snapshot{}, nil},
		{core.SnapshotItem{}, abi.SnapshotItem{}, nil},
		{core.MethodStats{}, abi.MethodStats{}, nil},
		{core.MethodCount{}, abi.MethodCount{}, nil},
		{core.TraceRecord{}, abi.TraceRecord{}, nil},
		{core.BatchItem{}, abi.BatchItem{}, []string{"Notification", "Options"}},
		{core.CallOptions{}, abi.BatchItem{}, []string{"ProgressToken", "Quiet"}},
		{core.Splice{}, abi.Splice{}, nil},
		{era.Config{}, abi.EraConfig{}, []string{"Client"}},
		{era.Step{}, abi.EraStep{}, nil},
		{resume.Config{}, abi.ResumeConfig{}, nil},
		{core.Method{}, struct{}{}, []string{"Name", "Mode", "Notification", "Supersede"}},
	} {
		of, as := reflect.TypeOf(pair.of), reflect.TypeOf(pair.as)
		for i := range of.NumField() {
			name := of.Field(i).Name
			if _, crosses := as.FieldByName(name); !crosses && !slices.Contains(pair.elsewhere, name) {
				t.Errorf("%v.%s does not cross: %v has no such field", of, name, as)
			}
		}
	}
}

func TestShortenKeepsWholeWords(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"EventNone", "EventError"}, []string{"None", "Error"}},
		{[]string{"ErrClosed", "ErrCanceled"}, []string{"Closed", "Canceled"}},
		{[]string{"Code", "CodeParse"}, []string{"Code", "CodeParse"}},
		{[]string{"CodeOnly"}, []string{"Only"}},
	} {
		var members []member
		for _, name := range c.names {
			members = append(members, member{name: name})
		}
		shorten("Code", members)
		for i, m := range members {
			if m.name != c.want[i] {
				t.Errorf("%s of %v became %s, want %s", c.names[i], c.names, m.name, c.want[i])
			}
		}
	}
}

func TestLowerCamelKeepsAcronymsTogether(t *testing.T) {
	for name, want := range map[string]string{
		"Kind": "kind", "ID": "id", "IDBytesMax": "idBytesMax", "FirstID": "firstID", "BytesIn": "bytesIn", "P50Ns": "p50Ns",
	} {
		if got := lowerCamel(name); got != want {
			t.Errorf("%s became %s, want %s", name, got, want)
		}
	}
}
