package slab

// Heap orders slot numbers by time, and equal times by who came first. It is 4-ary: deadlines are
// mostly pushed in order and removed early, so sift-up is what runs, and it is half as deep.
type Heap struct {
	nodes []node
	where []int32 // by slot number: position in nodes + 1; 0 is absent
	order uint64
}

type node struct {
	time  int64
	order uint64
	index uint32
}

func (a node) before(b node) bool {
	return a.time < b.time || a.time == b.time && a.order < b.order
}

// Push adds a slot number that is not in the heap.
func (h *Heap) Push(index uint32, time int64) {
	for int(index) >= len(h.where) {
		h.where = append(h.where, 0)
	}
	if h.where[index] != 0 {
		panic("slab: invariant: a slot is in the heap once")
	}
	h.order++
	h.nodes = append(h.nodes, node{time, h.order, index})
	h.up(len(h.nodes) - 1)
}

// Remove takes a slot number out; it is a no-op for one that is not in.
func (h *Heap) Remove(index uint32) {
	if int(index) >= len(h.where) || h.where[index] == 0 {
		return
	}
	at := int(h.where[index]) - 1
	last := len(h.nodes) - 1
	h.where[index] = 0
	moved := h.nodes[last]
	h.nodes = h.nodes[:last]
	if at == last {
		return
	}
	h.nodes[at] = moved
	h.down(h.up(at))
}

// Min returns the earliest entry.
func (h *Heap) Min() (index uint32, time int64, ok bool) {
	if len(h.nodes) == 0 {
		return 0, 0, false
	}
	return h.nodes[0].index, h.nodes[0].time, true
}

// Count returns the number of entries.
func (h *Heap) Count() int { return len(h.nodes) }

func (h *Heap) up(at int) int {
	n := h.nodes[at]
	for at > 0 {
		parent := (at - 1) / 4
		if !n.before(h.nodes[parent]) {
			break
		}
		h.set(at, h.nodes[parent])
		at = parent
	}
	h.set(at, n)
	return at
}

func (h *Heap) down(at int) {
	n := h.nodes[at]
	for {
		least := at
		for child := 4*at + 1; child <= 4*at+4 && child < len(h.nodes); child++ {
			best := n
			if least != at {
				best = h.nodes[least]
			}
			if h.nodes[child].before(best) {
				least = child
			}
		}
		if least == at {
			break
		}
		h.set(at, h.nodes[least])
		at = least
	}
	h.set(at, n)
}

func (h *Heap) set(at int, n node) {
	h.nodes[at] = n
	h.where[n.index] = int32(at) + 1
}
