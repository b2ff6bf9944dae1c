// Command finish makes of a module what Go's linker leaves undone: fewer data segments (join.go), and jumps
// that are jumps (structure.go).
//
//	finish MODULE
package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "finish:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return errors.New("usage: finish MODULE")
	}
	module, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	finished, err := finish(module)
	if err != nil {
		return fmt.Errorf("%s: %w", os.Args[1], err)
	}
	return os.WriteFile(os.Args[1], finished, 0o644)
}

// The parts of the binary format that matter here (WebAssembly core specification 2.0, 5.5).
const (
	preamble         = "\x00asm\x01\x00\x00\x00"
	sectionCode      = 10
	sectionData      = 11
	sectionDataCount = 12
)

// finish returns a module that does the same, faster.
func finish(module []byte) ([]byte, error) {
	if !bytes.HasPrefix(module, []byte(preamble)) {
		return nil, errors.New("no module of WebAssembly 1")
	}
	out := []byte(preamble)
	r := reader{rest: module[len(preamble):]}
	for len(r.rest) > 0 && r.err == nil {
		id := r.byte()
		section := r.take(r.uint())
		switch {
		case r.err != nil:
		case id == sectionDataCount:
			return nil, errors.New("its code may name segments by their number")
		case id == sectionData:
			section, r.err = joinData(section)
		case id == sectionCode:
			section, r.err = structureCode(section)
		}
		out = append(out, id)
		out = appendBlock(out, section)
	}
	return out, r.err
}

// appendBlock appends bytes behind their number.
func appendBlock(to, block []byte) []byte {
	return append(binary.AppendUvarint(to, uint64(len(block))), block...)
}

// reader takes a binary module apart. After an error it returns zeros.
type reader struct {
	rest []byte
	err  error
}

var errTorn = errors.New("the module is torn or not of this kind")

func (r *reader) take(size uint64) []byte {
	if r.err != nil || size > uint64(len(r.rest)) {
		r.err = errTorn
		return nil
	}
	taken := r.rest[:size]
	r.rest = r.rest[size:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); r.err == nil {
		return b[0]
	}
	return 0
}

func (r *reader) uint() uint64 {
	n, size := binary.Uvarint(r.rest)
	r.take(uint64(max(size, 0)))
	if size <= 0 {
		r.err = errTorn
		return 0
	}
	return n
}

// int reads a signed LEB128 number.
func (r *reader) int() int64 {
	n := int64(0)
	for shift := 0; shift < 70; shift += 7 {
		b := r.byte()
		n |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if shift += 7; shift < 64 {
				n = n << (64 - shift) >> (64 - shift)
			}
			return n
		}
	}
	r.err = errTorn
	return 0
}

func appendInt(to []byte, n int64) []byte {
	for n < -64 || n > 63 {
		to = append(to, byte(n)|0x80)
		n >>= 7
	}
	return append(to, byte(n)&0x7f)
}
