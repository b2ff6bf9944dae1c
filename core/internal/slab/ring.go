package slab

// Ring is a FIFO that reuses its storage.
type Ring[T any] struct {
	items []T // a power of two
	head  int
	count int
	blank T // copying it is one call in wazero, clearing a large item is one for each power of two in its size
}

// Add adds a zero value at the back and returns its place, good until the next one is added.
func (r *Ring[T]) Add() *T {
	if r.count == len(r.items) {
		r.grow()
	}
	r.count++
	return r.At(r.count - 1)
}

// Push adds a value at the back and returns its place, as Add does.
func (r *Ring[T]) Push(value T) *T {
	at := r.Add()
	*at = value
	return at
}

func (r *Ring[T]) grow() {
	items := make([]T, max(8, 2*len(r.items)))
	for i := range r.count {
		items[i] = *r.At(i)
	}
	r.items, r.head = items, 0
}

// At returns the i-th from the front, good until the next one is added.
func (r *Ring[T]) At(i int) *T { return &r.items[(r.head+i)&(len(r.items)-1)] }

// Drop removes the front and forgets what it held.
func (r *Ring[T]) Drop() {
	*r.At(0) = r.blank
	r.head = (r.head + 1) & (len(r.items) - 1)
	if r.count--; r.count == 0 && len(r.items) > keptMax {
		r.items, r.head = nil, 0
	}
}

// keptMax is the largest storage that an empty Ring keeps.
const keptMax = 4096

// Count returns the number of items.
func (r *Ring[T]) Count() int { return r.count }

// Clear removes everything.
func (r *Ring[T]) Clear() {
	for r.count > 0 {
		r.Drop()
	}
}
