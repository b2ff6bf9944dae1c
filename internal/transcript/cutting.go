package transcript

import (
	"fmt"
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/parley-rpc/parley/core"
)

// Cutting is one way to cut the bytes of a vector into reads (FRAME-1). The zero value cuts nothing.
type Cutting struct {
	EveryByte bool
	At        uint64 // bytes before the cut; 0 is no cut
	Turns     bool   // a turn after each piece
}

func (c *Cutting) String() string {
	name := "whole"
	switch {
	case c.EveryByte:
		name = "byte by byte"
	case c.At > 0:
		name = fmt.Sprintf("cut at %d", c.At)
	}
	if c.Turns {
		name += ", a turn after each piece"
	}
	return name
}

// pieceSize returns how much of the next size bytes, which begin at offset, is read at once.
func (c *Cutting) pieceSize(offset uint64, size int) int {
	if c.EveryByte {
		return min(size, 1)
	}
	if c.At > offset && c.At-offset < uint64(size) {
		return int(c.At - offset)
	}
	return size
}

// Inputs larger than these are not cut at every place, or not byte by byte; bytes.
const (
	everyPlaceBytesMax = 2 * core.KiB
	everyByteBytesMax  = 64 * core.KiB
)

// In larger inputs a cut is made this near to each boundary (bytes), and at this many other places.
const (
	nearBytes   = 64
	drawnPlaces = 256
)

// Cuttings yields every way in which FRAME-1 wants the vector replayed, the uncut one first. The
// name draws the random places, so that they never change.
func (v *Vector) Cuttings(name string) (iter.Seq[*Cutting], error) {
	o, err := v.opening()
	if err != nil {
		return nil, err
	}
	places, size := v.places(name, &o)
	return func(yield func(*Cutting) bool) {
		if !yield(&Cutting{}) || o.cuts == CutsNone {
			return
		}
		for _, turns := range []bool{false, true}[:2-int(o.cuts)] {
			if turns && !yield(&Cutting{Turns: true}) {
				return
			}
			if size <= everyByteBytesMax && !yield(&Cutting{EveryByte: true, Turns: turns}) {
				return
			}
			for _, at := range places {
				if !yield(&Cutting{At: at, Turns: turns}) {
					return
				}
			}
		}
	}, nil
}

// places returns where the vector is cut in two, sorted, and the size of its whole input.
func (v *Vector) places(name string, o *opening) (places []uint64, size uint64) {
	l := &o.config.Limits
	var boundaries []uint64
	for i := range v.Records {
		r := &v.Records[i]
		if r.Op != OpIn && r.Op != OpFrame {
			continue
		}
		piece := uint64(len(r.bytes(o.config.Framing)))
		body := piece - uint64(len(r.Text)) // where the body of a header or length4 frame begins
		boundaries = append(boundaries, size, size+body,
			size+uint64(l.HeaderBytesMax), size+uint64(l.FrameBytesMax), size+body+uint64(l.FrameBytesMax))
		size += piece * max(r.Repeat, 1)
	}
	boundaries = append(boundaries, size)
	if size <= everyPlaceBytesMax {
		for at := uint64(1); at < size; at++ {
			places = append(places, at)
		}
		return places, size
	}
	for _, b := range boundaries {
		for at := b - min(b, nearBytes); at <= b+nearBytes; at++ {
			places = append(places, at)
		}
	}
	for at := uint64(1); at < size; at *= 2 {
		places = append(places, at)
	}
	hash := fnv.New64a()
	hash.Write([]byte(name))
	draw := rand.New(rand.NewPCG(hash.Sum64(), 0))
	for range drawnPlaces {
		places = append(places, draw.Uint64N(size))
	}
	places = slices.DeleteFunc(places, func(at uint64) bool { return at == 0 || at >= size })
	slices.Sort(places)
	return slices.Compact(places), size
}
