//go:build linux || darwin

package wasichild

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
)

// assemble makes a module of sections.
func assemble(sections ...[]byte) []byte {
	return slices.Concat(append([][]byte{moduleHeader}, sections...)...)
}

// section makes one; what is in it is bytes, or numbers as they are encoded.
func section(id byte, content ...any) []byte {
	var body []byte
	for _, part := range content {
		switch part := part.(type) {
		case int:
			body = binary.AppendUvarint(body, uint64(part))
		case uint32:
			body = binary.AppendUvarint(body, uint64(part))
		case string:
			body = append(body, part...)
		}
	}
	return append(binary.AppendUvarint([]byte{id}, uint64(len(body))), body...)
}

// command is a module whose _start does that; before the code come those sections.
func command(code string, between ...[]byte) []byte {
	sections := [][]byte{section(sectionType, 1, "\x60\x00\x00"), section(sectionFunction, 1, 0)}
	sections = append(sections, between...)
	sections = append(sections, section(sectionExport, 1, 6, "_start\x00\x00"), section(sectionCode, 1, len(code)+2, 0, code, "\x0b"))
	return assemble(sections...)
}

// growing adds that many elements to table 0, and traps where the table says something else.
func growing(by, said int) string {
	// ref.null func; i32.const by; table.grow 0; i32.const said; i32.ne; if; unreachable; end
	return "\xd0\x70" + signed(by) + "\xfc\x0f\x00" + signed(said) + "\x47\x04\x40\x00\x0b"
}

// signed is i32.const.
func signed(n int) string {
	code := []byte{0x41}
	for ; n < -64 || n > 63; n >>= 7 {
		code = append(code, byte(n&0x7f|0x80))
	}
	return string(append(code, byte(n&0x7f)))
}

// A guest's tables grow to their bound and no further, whatever maximum they declare.
func TestTablesAreBounded(t *testing.T) {
	for _, test := range []struct {
		name   string
		tables []byte
		code   string
	}{
		{"no maximum", section(sectionTable, 1, "\x70\x00", 5), growing(TableElementsMax-5, 5) + growing(1, -1)},
		{"a large one", section(sectionTable, 1, "\x70\x01", 0, uint32(1<<31)), growing(TableElementsMax+1, -1) + growing(TableElementsMax, 0)},
		{"a small one", section(sectionTable, 1, "\x70\x01", 0, 7), growing(8, -1) + growing(7, 0)},
		{"two tables", section(sectionTable, 2, "\x70\x00", 0, "\x6f\x00", 0), growing(TableElementsMax/2+1, -1) + growing(TableElementsMax/2, 0)},
	} {
		s := behaving()
		s.Module = command(test.code, test.tables)
		if code, err := Run(context.Background(), s, nil, nil, nil); code != 0 || err != nil {
			t.Errorf("%s: exit code %d, %v", test.name, code, err)
		}
	}
}

// What asks for more than it may have is not compiled, and one line says what to do.
func TestModulesThatAskForTooMuch(t *testing.T) {
	large := make([]byte, ModuleBytesMax+1)
	for _, test := range []struct {
		module []byte
		want   LimitError
	}{
		{large, LimitError{"bytes of module", ModuleBytesMax + 1, ModuleBytesMax, "strip it"}},
		{command("", section(sectionMemory, 1, 0, 2)), LimitError{"bytes of memory", 2 * pageBytes, pageBytes, "--memory"}},
		{command("", section(sectionTable, 1, "\x70\x00", TableElementsMax+1)), LimitError{"table elements", TableElementsMax + 1, TableElementsMax, "smaller"}},
		{
			command("", section(sectionTable, 2, "\x70\x00", TableElementsMax, "\x70\x00", 1)),
			LimitError{"table elements", TableElementsMax + 1, TableElementsMax, "smaller"},
		},
		{command("", section(sectionTable, tablesMax+1, strings.Repeat("\x70\x00\x00", tablesMax+1))), LimitError{"tables", tablesMax + 1, tablesMax, "smaller"}},
		{
			command("", section(sectionGlobal, globalsMax+1, strings.Repeat("\x7f\x00\x41\x00\x0b", globalsMax+1))),
			LimitError{"globals", globalsMax + 1, globalsMax, "smaller"},
		},
		{
			assemble(section(sectionCode, 1, 6, 1, functionLocalsMax+1, "\x7f\x0b")),
			LimitError{"locals in a function", functionLocalsMax + 1, functionLocalsMax, "smaller"},
		},
		{
			assemble(section(sectionCode, 336, strings.Repeat("\x06\x01\xd0\x86\x03\x7f\x0b", 336))), // 50,000 each
			LimitError{"locals", 336 * functionLocalsMax, moduleLocalsMax, "smaller"},
		},
	} {
		s := behaving()
		s.Module, s.MemoryBytesMax = test.module, pageBytes
		_, err := Start(t.Context(), s, host.Plain)
		got := new(LimitError)
		if !errors.As(err, &got) || got.What != test.want.What || got.Asked != test.want.Asked || got.Max != test.want.Max {
			t.Errorf("%v, want %v", err, &test.want)
			continue
		}
		if text := err.Error(); !strings.Contains(text, test.want.Remedy) || strings.Contains(text, "\n") || !errors.As(err, new(*child.StartError)) {
			t.Errorf("%q: want a *child.StartError of one line with %q", text, test.want.Remedy)
		}
	}
}

// Goal: a module is refused once compiling it has taken its budget, and the compiler is gone then. Method: more
// functions than are compiled between two looks, and no budget.
func TestCompilingIsBounded(t *testing.T) {
	const functions = 1000
	function := "\x00" + strings.Repeat("\x10\x00", 2000) + "\x0b" // calls the first one
	function = string(binary.AppendUvarint(nil, uint64(len(function)))) + function
	s := behaving()
	s.CompileBytesMax = 1
	s.Module = assemble(
		section(sectionType, 1, "\x60\x00\x00"), section(sectionFunction, functions, strings.Repeat("\x00", functions)),
		section(sectionExport, 1, 6, "_start\x00\x00"), section(sectionCode, functions, strings.Repeat(function, functions)),
	)
	debug.FreeOSMemory() // what tests before this one have left would do for it
	_, err := Start(t.Context(), s, host.Plain)
	got := new(LimitError)
	if !errors.As(err, &got) || got.Max != 1 || !strings.Contains(err.Error(), "--compile-memory") || errors.Is(err, child.ErrSurvived) {
		t.Errorf("%v, want a *LimitError about compiling", err)
	}
}

// A count that the rest of its section cannot hold is found before anybody makes room for it.
func TestModulesThatLie(t *testing.T) {
	const lie uint32 = 1<<32 - 1
	for name, part := range map[string][]byte{
		"types": section(sectionType, lie), "parameters": section(sectionType, 1, "\x60", lie), "results": section(sectionType, 1, "\x60\x00", lie),
		"imports": section(sectionImport, lie), "name": section(sectionImport, 1, lie, "abcd"), "kind of import": section(sectionImport, 1, "\x00\x00\x09\x00"),
		"functions": section(sectionFunction, lie), "tables": section(sectionTable, lie), "shared table": section(sectionTable, 1, "\x70\x03\x00\x00"),
		"maximum below": section(sectionTable, 1, "\x70\x01\x02\x01"), "memories": section(sectionMemory, lie),
		"globals": section(sectionGlobal, lie), "exports": section(sectionExport, lie), "lists": section(sectionElement, lie),
		"elements": section(sectionElement, 1, 0, "\x41\x00\x0b", lie), "expressions": section(sectionElement, 1, 5, "\x70", lie),
		"codes": section(sectionCode, lie), "code": section(sectionCode, 1, lie), "groups of locals": section(sectionCode, 1, 5, lie),
		"data": section(sectionData, lie), "bytes of data": section(sectionData, 1, 1, lie), "offset": section(sectionData, 1, 0, "\x20\x00\x0b\x00"),
		"number of six bytes": section(sectionType, "\x80\x80\x80\x80\x80\x00"), "number over 32 bits": section(sectionType, "\xff\xff\xff\xff\x7f"),
		"size": {sectionType, 0xff, 0x7f}, "no size": {sectionType},
	} {
		if _, err := bounded(assemble(part), 1); err == nil || !strings.Contains(err.Error(), "broken at byte") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A real module stays what it is but for its tables and its custom sections.
func TestBoundedKeepsTheModule(t *testing.T) {
	got, err := bounded(slices.Concat(guestModule, section(sectionCustom, 4, "name", "\xff\xff\xff")), MemoryBytesDefault/pageBytes)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) < len(guestModule)*9/10 || len(got) > len(guestModule)+16 {
		t.Errorf("%d bytes of %d are left", len(got), len(guestModule))
	}
}

// Whatever a file holds: no panic, and what was bounded once is within its bounds.
func FuzzBounded(f *testing.F) {
	f.Add(command(growing(1, 0), section(sectionTable, 2, "\x70\x00", 1, "\x6f\x01", 1, 9), section(sectionMemory, 1, 0, 1), section(sectionGlobal, 1, "\x7f\x00\x41\x00\x0b")))
	f.Add(assemble(
		section(sectionImport, 4, "\x01a\x01b\x00\x00", "\x00\x00\x01\x70\x01\x00\x01", "\x00\x00\x02\x00\x01", "\x00\x00\x03\x7f\x00"),
		section(sectionElement, 3, 0, "\x41\x00\x0b\x01\x00", 5, "\x70\x01\xd0\x70\x0b", 6, "\x01\x23\x00\x0b\x70\x00"),
		section(sectionData, 3, 0, "\x42\x80\x01\x0b\x01x", 1, "\x01y", 2, "\x00\x44\x00\x00\x00\x00\x00\x00\x00\x00\x0b\x00"),
	))
	f.Fuzz(func(t *testing.T, module []byte) {
		once, err := bounded(module, 1)
		if err != nil {
			return
		}
		if twice, err := bounded(once, 1); err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%x\nonce %x\ntwice %x, %v", module, once, twice, err)
		}
	})
}
