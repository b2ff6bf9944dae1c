package slab

import (
	"math/rand"
	"slices"
	"testing"
)

// A handle is good for one stay in a slot: goal, that stale and invented handles are told apart.
func TestHandles(t *testing.T) {
	var s Slab[int]
	if _, st := s.Find(1 << slotBits); st != Unknown {
		t.Fatalf("invented handle, nothing in it: %v", st)
	}
	a, _ := s.Put()
	old := s.Handle(a)
	if _, st := s.Find(old); st != Live {
		t.Fatalf("fresh handle: %v", st)
	}
	s.Drop(a)
	if _, st := s.Find(old); st != Stale {
		t.Fatalf("dropped handle: %v", st)
	}
	b, _ := s.Put()
	if a != b {
		t.Fatalf("slot %d was not reused, got %d", a, b)
	}
	if _, st := s.Find(old); st != Stale {
		t.Fatalf("reused slot, old handle: %v", st)
	}
	for _, h := range []uint64{0, 7, s.Handle(b) + 1<<slotBits, 1 << 63} {
		if _, st := s.Find(h); st != Unknown {
			t.Errorf("invented handle %#x: %v", h, st)
		}
	}
}

func TestDropTwicePanics(t *testing.T) {
	var s Slab[int]
	a, _ := s.Put()
	s.Drop(a)
	defer func() {
		if recover() == nil {
			t.Fatal("no panic")
		}
	}()
	s.Drop(a)
}

// Method: random puts and deletes against a map, with hashes cut to few bits so that runs collide.
func TestTableAgainstMap(t *testing.T) {
	for _, bits := range []uint64{1, 7, 1<<64 - 1} {
		rng := rand.New(rand.NewSource(1))
		var tab Table
		keys := map[uint32]uint64{}
		for range 20_000 {
			k := uint32(rng.Intn(500))
			h := (uint64(k) * 0x9E3779B97F4A7C15) & bits
			_, found := tab.Find(h, func(i uint32) bool { return i == k })
			if _, want := keys[k]; found != want {
				t.Fatalf("find %d: %v, want %v", k, found, want)
			}
			if found {
				tab.Delete(h, k)
				delete(keys, k)
			} else {
				tab.Put(h, k)
				keys[k] = h
			}
			if tab.Count() != len(keys) {
				t.Fatalf("count %d, want %d", tab.Count(), len(keys))
			}
		}
		if len(tab.cells) > 4*growMax*500 {
			t.Errorf("%d cells for 500 keys", len(tab.cells))
		}
	}
}

// Goal: a peer that has learnt the seed makes the table grow, not the search. Method: hashes that agree in
// their low bits, as many as fit between two sizes.
func TestTableGrowsOutOfCollisions(t *testing.T) {
	var tab Table
	const count = 200
	for i := range uint32(count) {
		tab.Put(uint64(i)<<10, i)
	}
	mask := uint64(len(tab.cells) - 1)
	for at, c := range tab.cells {
		if probes := (uint64(at) - c.hash) & mask; c.used != 0 && probes > probesMax {
			t.Fatalf("%d probes to find one of %d among %d cells", probes, count, len(tab.cells))
		}
	}
	if tab.Count() != count || len(tab.cells) > 2*growMax*count {
		t.Errorf("%d entries in %d cells", tab.Count(), len(tab.cells))
	}
}

// Method: random pushes and removals against a sorted slice.
func TestHeapAgainstSort(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	var h Heap
	type e struct {
		time  int64
		order int
		index uint32
	}
	var all []e
	order := 0
	for range 20_000 {
		i := uint32(rng.Intn(300))
		at := slices.IndexFunc(all, func(x e) bool { return x.index == i })
		if at >= 0 {
			h.Remove(i)
			all = slices.Delete(all, at, at+1)
		} else {
			order++
			tm := int64(rng.Intn(40))
			h.Push(i, tm)
			all = append(all, e{tm, order, i})
		}
		if len(all) == 0 {
			continue
		}
		want := slices.MinFunc(all, func(a, b e) int {
			if a.time != b.time {
				return int(a.time - b.time)
			}
			return a.order - b.order
		})
		if got, tm, ok := h.Min(); !ok || got != want.index || tm != want.time {
			t.Fatalf("min %d at %d, want %+v", got, tm, want)
		}
	}
	h.Remove(299_999)
}

func TestRing(t *testing.T) {
	var r Ring[int]
	next, want := 0, 0
	rng := rand.New(rand.NewSource(3))
	for range 10_000 {
		if rng.Intn(2) == 0 {
			r.Push(next)
			next++
		} else if r.Count() > 0 {
			if got := *r.At(0); got != want {
				t.Fatalf("front %d, want %d", got, want)
			}
			r.Drop()
			want++
		}
		if r.Count() != next-want {
			t.Fatalf("count %d, want %d", r.Count(), next-want)
		}
	}
	r.Clear()
	if r.Count() != 0 {
		t.Fatal("not cleared")
	}
	for i := range r.items {
		if *r.Add() != 0 {
			t.Fatalf("what was dropped at %d is remembered", i)
		}
	}
	r.Clear()
	if allocations := testing.AllocsPerRun(100, func() { r.Push(1); r.Drop() }); allocations > 0 {
		t.Errorf("an empty ring allocates %v times for one more", allocations)
	}
	for _, row := range []struct{ count, kept int }{{keptMax, keptMax}, {keptMax + 1, 0}} {
		for range row.count {
			r.Push(1)
		}
		r.Clear()
		if len(r.items) != row.kept {
			t.Errorf("%d places are kept of what held %d", len(r.items), row.count)
		}
	}
}
