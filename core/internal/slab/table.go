package slab

// Table maps hashed keys to slot numbers by linear probing. It stores no keys: the caller compares
// them, and only where all 64 bits of the hash agree. Hashes must be seeded (a peer chooses the
// keys); a run longer than probesMax makes the table grow, up to growMax times its contents, so
// that even a leaked seed costs memory within a bound and never a scan of the whole table.
type Table struct {
	cells []cell
	count int
}

type cell struct {
	hash uint64
	used uint32 // slot number + 1; 0 is free
}

const (
	cellsMin  = 16
	probesMax = 32
	growMax   = 32
)

// Count returns the number of entries.
func (t *Table) Count() int { return t.count }

// Find returns the first entry under hash for which same answers true.
func (t *Table) Find(hash uint64, same func(index uint32) bool) (uint32, bool) {
	if t.count == 0 {
		return 0, false
	}
	mask := uint64(len(t.cells) - 1)
	for i := hash & mask; t.cells[i].used != 0; i = (i + 1) & mask {
		if c := t.cells[i]; c.hash == hash && same(c.used-1) {
			return c.used - 1, true
		}
	}
	return 0, false
}

// Put adds an entry. The caller has made sure that no equal key is in the table.
func (t *Table) Put(hash uint64, index uint32) {
	if 4*(t.count+1) > 3*len(t.cells) {
		t.grow()
	}
	for t.place(cell{hash, index + 1}) > probesMax && len(t.cells) < growMax*t.count {
		t.Delete(hash, index)
		t.grow()
	}
}

func (t *Table) place(c cell) (probes int) {
	mask := uint64(len(t.cells) - 1)
	i := c.hash & mask
	for t.cells[i].used != 0 {
		i = (i + 1) & mask
		probes++
	}
	t.cells[i] = c
	t.count++
	return probes
}

func (t *Table) grow() {
	old := t.cells
	t.cells = make([]cell, max(cellsMin, 2*len(old)))
	t.count = 0
	for _, c := range old {
		if c.used != 0 {
			t.place(c)
		}
	}
}

// Delete removes the entry that Put added with these two values. It closes the gap it makes, so that
// no tombstone ever lengthens a probe.
func (t *Table) Delete(hash uint64, index uint32) {
	mask := uint64(len(t.cells) - 1)
	gap := hash & mask
	for t.cells[gap].used != index+1 || t.cells[gap].hash != hash {
		if t.cells[gap].used == 0 {
			panic("slab: invariant: a deleted entry is in the table")
		}
		gap = (gap + 1) & mask
	}
	for i := (gap + 1) & mask; t.cells[i].used != 0; i = (i + 1) & mask {
		if home := t.cells[i].hash & mask; (i-home)&mask >= (i-gap)&mask {
			t.cells[gap] = t.cells[i]
			gap = i
		}
	}
	t.cells[gap] = cell{}
	t.count--
}
