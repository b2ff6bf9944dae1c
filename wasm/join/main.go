// Command join makes fewer data segments of a module's many. Go's linker begins one after every eight
// zeros, some thirty thousand in all: an engine looks at each when it makes an instance, and wazero keeps
// 24 bytes for each as long as the instance lives. Engines refuse a module with more than 100,000.
//
//	join MODULE
package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "join:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return errors.New("usage: join MODULE")
	}
	module, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	joined, err := join(module)
	if err != nil {
		return fmt.Errorf("%s: %w", os.Args[1], err)
	}
	return os.WriteFile(os.Args[1], joined, 0o644)
}

// The parts of the binary format that matter here (WebAssembly core specification 2.0, 5.5).
const (
	preamble         = "\x00asm\x01\x00\x00\x00"
	sectionData      = 11
	sectionDataCount = 12
	opEnd            = 0x0b
	opI32Const       = 0x41
)

// gapBytesMax is how many zeros between two segments are spelled out to join them. A segment costs about
// 8 bytes in the file, and zeros next to nothing once it is compressed.
const gapBytesMax = 64

// join returns the module with the same memory in fewer segments.
func join(module []byte) ([]byte, error) {
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
			if section, r.err = joinData(section); r.err != nil {
				return nil, r.err
			}
			fallthrough
		default:
			out = append(out, id)
			out = binary.AppendUvarint(out, uint64(len(section)))
			out = append(out, section...)
		}
	}
	return out, r.err
}

// segment is bytes at an address of the memory.
type segment struct {
	address int64
	bytes   []byte
}

func joinData(section []byte) ([]byte, error) {
	segments, err := segmentsOf(section)
	if err != nil {
		return nil, err
	}
	if segments, err = joinSegments(segments); err != nil {
		return nil, err
	}
	return dataOf(segments), nil
}

func segmentsOf(section []byte) (segments []segment, err error) {
	r := reader{rest: section}
	for range r.uint() {
		s := r.segment()
		if r.err != nil {
			return nil, r.err
		}
		segments = append(segments, s)
	}
	if len(r.rest) > 0 {
		return nil, errors.New("bytes behind the data segments")
	}
	return segments, r.err
}

// dataOf spells a data section.
func dataOf(segments []segment) []byte {
	section := binary.AppendUvarint(nil, uint64(len(segments)))
	for _, s := range segments {
		section = append(section, 0, opI32Const)
		section = append(appendInt(section, s.address), opEnd)
		section = binary.AppendUvarint(section, uint64(len(s.bytes)))
		section = append(section, s.bytes...)
	}
	return section
}

// joinSegments needs segments that do not overlap: then their order does not matter.
func joinSegments(segments []segment) ([]segment, error) {
	slices.SortStableFunc(segments, func(a, b segment) int { return cmp.Compare(a.address, b.address) })
	var joined []segment
	end := int64(0) // of the last one
	for _, s := range segments {
		gap := s.address - end
		if gap < 0 {
			return nil, fmt.Errorf("the segment at %d overlaps one that ends at %d", s.address, end)
		}
		if len(joined) == 0 || gap > gapBytesMax {
			joined = append(joined, segment{address: s.address})
			gap = 0
		}
		last := &joined[len(joined)-1]
		last.bytes = append(append(last.bytes, make([]byte, gap)...), s.bytes...)
		end = s.address + int64(len(s.bytes))
	}
	return joined, nil
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
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		n |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			return n << (57 - shift) >> (57 - shift)
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

// segment reads an active segment of memory 0 at a constant address, the only kind that Go writes.
func (r *reader) segment() segment {
	kind, op := r.uint(), r.byte()
	s := segment{address: r.int()}
	if kind != 0 || op != opI32Const || r.byte() != opEnd || s.address < 0 {
		r.err = errTorn
		return segment{}
	}
	s.bytes = r.take(r.uint())
	return s
}
