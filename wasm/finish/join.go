package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Go's linker begins a data segment after every eight zeros, some thirty thousand in all: an engine looks at
// each when it makes an instance, and wazero keeps 24 bytes for each as long as the instance lives. Engines
// refuse a module with more than 100,000.

// gapBytesMax is how many zeros between two segments are spelled out to join them. A segment costs about
// 8 bytes in the file, and zeros next to nothing once it is compressed.
const gapBytesMax = 64

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
