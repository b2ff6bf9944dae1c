// Package slab holds the three small structures behind calls and requests: slots that are reused
// under handles that are not, an id table that a peer cannot make slow, and a deadline heap.
// None of them allocates once it has grown to its working size, and none iterates in random order.
package slab

const (
	pageSlots = 8 // a peer that never has more than one call open holds one page of each kind
	slotBits  = 20
	slotMask  = 1<<slotBits - 1
)

// SlotsMax is the largest number of live slots of one Slab.
const SlotsMax = 1 << slotBits

// Slab holds values of one type in numbered slots. Slots are reused, last freed first, so that a
// run is a function of its inputs; pages are never moved, so that a pointer stays good while its
// slot lives.
type Slab[T any] struct {
	pages []*[pageSlots]slot[T]
	free  []uint32
	next  uint32
	count int
}

type slot[T any] struct {
	value      T
	generation uint32
	live       bool
}

// Put takes a slot. Its value is what the last user left in it, so that buffers can be reused:
// the caller resets what matters.
func (s *Slab[T]) Put() (index uint32, value *T) {
	if n := len(s.free); n > 0 {
		index, s.free = s.free[n-1], s.free[:n-1]
	} else {
		index = s.next
		s.next++
		if index%pageSlots == 0 {
			s.pages = append(s.pages, new([pageSlots]slot[T]))
		}
	}
	sl := s.at(index)
	sl.live = true
	sl.generation++
	s.count++
	return index, &sl.value
}

// Drop frees a live slot.
func (s *Slab[T]) Drop(index uint32) {
	sl := s.at(index)
	if !sl.live {
		panic("slab: invariant: a freed slot is not freed again")
	}
	sl.live = false
	s.count--
	s.free = append(s.free, index)
}

// At returns the value of a live slot.
func (s *Slab[T]) At(index uint32) *T { return &s.at(index).value }

func (s *Slab[T]) at(index uint32) *slot[T] { return &s.pages[index/pageSlots][index%pageSlots] }

// Count returns the number of live slots.
func (s *Slab[T]) Count() int { return s.count }

// End is one past the highest index ever used: walk 0..End and ask Live, in slot order.
func (s *Slab[T]) End() uint32 { return s.next }

// Live reports whether a slot below End is in use.
func (s *Slab[T]) Live(index uint32) bool { return s.at(index).live }

// Handle names the present user of a slot: it is below 2^52, never 0, and not reused before the
// slot has been taken 2^32 times.
func (s *Slab[T]) Handle(index uint32) uint64 {
	return uint64(s.at(index).generation)<<slotBits | uint64(index)
}

// Status is what a handle means today.
type Status uint8

const (
	Unknown Status = iota // never handed out by this Slab
	Stale                 // its slot has been freed since
	Live
)

// Find resolves a handle.
func (s *Slab[T]) Find(handle uint64) (uint32, Status) {
	index, generation := uint32(handle&slotMask), handle>>slotBits
	if index >= s.next || generation == 0 {
		return 0, Unknown
	}
	sl := s.at(index)
	switch {
	case uint64(sl.generation) < generation:
		return 0, Unknown
	case uint64(sl.generation) == generation && sl.live:
		return index, Live
	}
	return 0, Stale
}
