//go:build wasip1

package main

import "github.com/parley-rpc/parley/wasm/abi"

// table finds what is open by its handle: index + length × a count that starts at 1 and never repeats,
// so that the handle of what was freed finds nobody.
type table[P any] struct {
	slots  []slot[P]
	opened uint64
}

type slot[P any] struct {
	handle uint64 // 0: the index is free
	open   P
}

func newTable[P any](openMax int) table[P] { return table[P]{slots: make([]slot[P], openMax)} }

// add gives the first free index away and returns the handle, or the negative of an error.
func (t *table[P]) add(open P) float64 {
	for i := range t.slots {
		if s := &t.slots[i]; s.handle == 0 {
			t.opened++
			*s = slot[P]{t.opened*uint64(len(t.slots)) + uint64(i), open}
			return float64(s.handle)
		}
	}
	return -float64(abi.ErrConnections)
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
	if s := &t.slots[n%uint64(len(t.slots))]; s.handle == n {
		return s
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
