package main

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// What memory holds is the same before and after, whatever the order and the gaps of the segments.
func TestJoinedMemoryIsTheSame(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var segments []segment
		address := int64(draw.IntN(3 * gapBytesMax))
		for range draw.IntN(20) {
			s := segment{address: address, bytes: make([]byte, draw.IntN(10))}
			for i := range s.bytes {
				s.bytes[i] = byte(draw.IntN(256))
			}
			segments = append(segments, s)
			address += int64(len(s.bytes) + draw.IntN(2*gapBytesMax))
		}
		draw.Shuffle(len(segments), func(i, j int) { segments[i], segments[j] = segments[j], segments[i] })
		module := moduleOf(segments)
		joined, err := finish(module)
		if err != nil {
			t.Fatal(err)
		}
		before, after := segmentsIn(t, module), segmentsIn(t, joined)
		if !maps.Equal(memoryOf(before), memoryOf(after)) {
			t.Fatalf("memory differs:\n%v\n%v", before, after)
		}
		for i := range len(after) - 1 {
			if gap := after[i+1].address - after[i].address - int64(len(after[i].bytes)); gap <= gapBytesMax {
				t.Errorf("a gap of %d was left", gap)
			}
		}
		if again, err := finish(joined); err != nil || !bytes.Equal(again, joined) {
			t.Errorf("joined again it is another module: %v", err)
		}
	}
}

func TestModulesThatAreNotJoined(t *testing.T) {
	whole := moduleOf([]segment{{1 << 20, []byte("data")}})
	passive := slices.Clone(whole)
	passive[bytes.IndexByte(passive, opI32Const)-1] = 1
	for name, module := range map[string][]byte{
		"text":     []byte("#!/bin/sh"),
		"torn":     whole[:len(whole)-1],
		"passive":  passive,
		"numbered": append(slices.Clone(whole), sectionDataCount, 1, 1),
		"overlap":  moduleOf([]segment{{7, []byte("abc")}, {9, []byte("d")}}),
		"negative": moduleOf([]segment{{-7, []byte("abc")}}),
	} {
		if _, err := finish(module); err == nil {
			t.Errorf("%s: joined", name)
		}
	}
}

// moduleOf has a custom section, and the data.
func moduleOf(segments []segment) []byte {
	data := dataOf(segments)
	module := append([]byte(preamble), 0, 3, 2, 'h', 'i', sectionData)
	return append(binary.AppendUvarint(module, uint64(len(data))), data...)
}

func segmentsIn(t *testing.T, module []byte) []segment {
	t.Helper()
	r := reader{rest: module[len(preamble):]}
	for r.byte() != sectionData {
		r.take(r.uint())
	}
	segments, err := segmentsOf(r.take(r.uint()))
	if err != nil || r.err != nil {
		t.Fatal(err, r.err)
	}
	return segments
}

// memoryOf is what is not zero.
func memoryOf(segments []segment) map[int64]byte {
	memory := map[int64]byte{}
	for _, s := range segments {
		for i, b := range s.bytes {
			if b != 0 {
				memory[s.address+int64(i)] = b
			}
		}
	}
	return memory
}
