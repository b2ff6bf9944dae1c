//go:build wasip1

package main

import (
	"slices"

	"github.com/parley-rpc/parley/wasm/abi"
)

// table finds what is open by its handle: index + openMax × a count that starts at 1 and never repeats,
// so that the handle of what was freed finds nobody. It grows with what is open at once: most instances
// have one connection, and memory that they do not take is not taken from the host.
type table[P any] struct {
	slots   []slot[P]
	openMax uint64
	opened  uint64
}

type slot[P any] struct {
	handle uint64 // 0: the index is free
	open   P
}

func newTable[P any](openMax uint64) table[P] { return table[P]{openMax: openMax} }

// add gives the first free index away and returns the handle, or the negative of an error.
func (t *table[P]) add(open P) float64 {
	index := slices.IndexFunc(t.slots, func(s slot[P]) bool { return s.handle == 0 })
	if index < 0 {
		if index = len(t.slots); uint64(index) == t.openMax {
			return -float64(abi.ErrConnections)
		}
		t.slots = append(t.slots, slot[P]{})
	}
	t.opened++
	t.slots[index] = slot[P]{t.opened*t.openMax + uint64(index), open}
	return float64(t.slots[index].handle)
}

// find returns what is open under a handle; nil when there is none, whatever the number is.
func (t *table[P]) find(handle float64) (open P) {
	if s := t.slotOf(handle); s != nil {
		return s.open
	}
	return open
}

func (t *table[P]) free(handle float64) int32 {
	s := t.slotOf(handle)
	if s == nil {
		return -int32(abi.ErrHandle)
	}
	*s = slot[P]{}
	return 0
}

func (t *table[P]) slotOf(handle float64) *slot[P] {
	n, ok := countOf(handle)
	if !ok || n == 0 {
		return nil
	}
	if index := n % t.openMax; index < uint64(len(t.slots)) && t.slots[index].handle == n {
		return &t.slots[index]
	}
	return nil
}

// all visits what is open.
func (t *table[P]) all(visit func(P) bool) {
	for _, s := range t.slots {
		if s.handle != 0 && !visit(s.open) {
			return
		}
	}
}
