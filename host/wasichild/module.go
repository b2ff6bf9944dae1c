package wasichild

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/parley-rpc/parley/core"
)

// What a module may ask for before any of it runs. wazero has no limits of its own for these, and
// makes room for as much as a module says that it has.
const (
	// ModuleBytesMax is how large a module may be. What compiling it takes has a bound of its own, CompileBytesDefault.
	ModuleBytesMax = 256 * core.MiB
	// TableElementsMax is how many elements its tables may have together, now or by table.grow. Each
	// takes 8 bytes.
	TableElementsMax = 1 << 20

	tablesMax         = 1024
	globalsMax        = 100_000
	functionLocalsMax = 50_000
	moduleLocalsMax   = 16 << 20 // of all functions
)

// LimitError is a module that asks for more than a guest may have. Nothing of it has run.
type LimitError struct {
	What       string // bytes of memory, table elements, ...
	Asked, Max int64
	Remedy     string // what to do about it
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the module asks for %d %s and may have %d: %s", e.Asked, e.What, e.Max, e.Remedy)
}

// limit refuses more than most.
func limit(what string, asked, most int64, remedy string) error {
	if asked <= most {
		return nil
	}
	return &LimitError{what, asked, most, remedy}
}

const smaller = "no setting allows more; build a smaller one"

// The sections of a module, by their numbers.
const (
	sectionCustom   = 0
	sectionType     = 1
	sectionImport   = 2
	sectionFunction = 3
	sectionTable    = 4
	sectionMemory   = 5
	sectionGlobal   = 6
	sectionExport   = 7
	sectionElement  = 9
	sectionCode     = 10
	sectionData     = 11
)

var moduleHeader = []byte("\x00asm\x01\x00\x00\x00")

// bounded returns a module as it is to be compiled, or why it is not: what it asks for is within the
// limits, no count in it is larger than what follows can hold, and its tables have a maximum, which
// is all that stops table.grow. Custom sections are left out: they are names and debugging
// information, and a guest's are not to be read by more than has to.
func bounded(module []byte, memoryPagesMax uint32) ([]byte, error) {
	if err := limit("bytes of module", int64(len(module)), ModuleBytesMax, "strip it of debugging information"); err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(module, moduleHeader) {
		return nil, errors.New("it is no WebAssembly module: compile the server with GOOS=wasip1 GOARCH=wasm, or as WASI preview 1")
	}
	result := bytes.Clone(moduleHeader)
	c := cursor{text: module, at: len(moduleHeader), end: len(module)}
	for c.more() {
		start := c.at
		id := c.byte()
		section := c.sized()
		body := section // read by what judges it
		var err error
		switch id {
		case sectionCustom:
			continue
		case sectionTable:
			var tables []byte
			if tables, err = boundTables(&body); err == nil && !body.broken {
				result = binary.AppendUvarint(append(result, sectionTable), uint64(len(tables)))
				result = append(result, tables...)
			}
		case sectionMemory:
			err = boundMemory(&body, memoryPagesMax)
		case sectionGlobal:
			err = limit("globals", int64(body.count(4)), globalsMax, smaller)
		case sectionCode:
			err = boundLocals(&body)
		default:
			checkCounts(&body, id)
		}
		switch {
		case err != nil:
			return nil, err
		case body.broken:
			return nil, fmt.Errorf("the module is broken at byte %d, in section %d: build it again", body.at, id)
		case id != sectionTable:
			result = append(result, module[start:section.end]...)
		}
	}
	return result, nil
}

// boundTables returns the tables with a maximum each. What the smallest sizes leave of
// TableElementsMax they may grow into in equal shares.
func boundTables(c *cursor) ([]byte, error) {
	type table struct {
		kind        byte
		least, most uint32
	}
	var tables []table
	var elements int64
	c.each(3, func() {
		t := table{kind: c.byte(), most: math.MaxUint32}
		flags := c.byte()
		t.least = c.number()
		if flags == 1 {
			t.most = c.number()
		}
		c.broken = c.broken || flags > 1 || t.most < t.least
		elements += int64(t.least)
		tables = append(tables, t)
	})
	if err := limit("tables", int64(len(tables)), tablesMax, smaller); err != nil {
		return nil, err
	}
	if err := limit("table elements", elements, TableElementsMax, smaller); err != nil {
		return nil, err
	}
	list := binary.AppendUvarint(nil, uint64(len(tables)))
	for _, t := range tables {
		share := uint32(TableElementsMax-elements) / uint32(len(tables))
		list = binary.AppendUvarint(append(list, t.kind, 1), uint64(t.least))
		list = binary.AppendUvarint(list, uint64(min(t.most, t.least+share)))
	}
	return list, nil
}

// boundMemory judges the size that a memory begins with; wazero bounds its growth.
func boundMemory(c *cursor, pagesMax uint32) (err error) {
	c.each(2, func() {
		c.byte()
		if e := limit("bytes of memory", int64(c.number())*pageBytes, int64(pagesMax)*pageBytes, "raise MemoryBytesMax (--memory)"); err == nil {
			err = e
		}
	})
	return err
}

// boundLocals judges each function's variables: a few bytes can declare billions.
func boundLocals(c *cursor) (err error) {
	var all uint64
	c.each(2, func() {
		code := c.sized()
		var locals uint64
		code.each(2, func() {
			locals += uint64(code.number())
			code.byte()
		})
		all += locals
		c.broken = c.broken || code.broken
		if err == nil {
			err = limit("locals in a function", int64(locals), functionLocalsMax, smaller)
		}
	})
	if err == nil {
		err = limit("locals", int64(all), moduleLocalsMax, smaller)
	}
	return err
}

// checkCounts reads the sections that hold lists of lists.
func checkCounts(c *cursor, section byte) {
	switch section {
	case sectionType:
		c.each(3, func() {
			c.byte()
			c.sized() // parameters, a byte each
			c.sized() // results
		})
	case sectionImport:
		c.each(4, func() { checkImport(c) })
	case sectionFunction:
		c.count(1)
	case sectionExport:
		c.each(3, func() {
			c.sized()
			c.byte()
			c.number()
		})
	case sectionElement:
		c.each(3, func() { checkElements(c) })
	case sectionData:
		c.each(2, func() {
			kind := c.number()
			if kind == 2 {
				c.number()
			}
			if kind != 1 {
				c.expression()
			}
			c.sized()
		})
	}
}

func checkImport(c *cursor) {
	c.sized() // of this module
	c.sized() // under this name
	kind := c.byte()
	switch kind {
	case 0: // a function of this type
		c.number()
	case 1, 2: // a table of this kind, or a memory
		if kind == 1 {
			c.byte()
		}
		flags := c.byte()
		c.number()
		if flags&1 != 0 {
			c.number()
		}
	case 3: // a global
		c.take(2)
	default:
		c.broken = true
	}
}

// checkElements reads one list of elements. The bits of its first number say what it consists of.
func checkElements(c *cursor) {
	const isNotActive, hasIndex, hasExpressions = 1, 2, 4
	flags := c.number()
	if flags&isNotActive == 0 {
		if flags&hasIndex != 0 {
			c.number()
		}
		c.expression()
	}
	if flags&(isNotActive|hasIndex) != 0 {
		c.byte() // their kind
	}
	if flags&hasExpressions != 0 {
		c.each(3, c.expression)
	} else {
		c.each(1, func() { c.number() })
	}
}
