package main

import "slices"

// item is a piece, or a loop: its items, of which the first is the piece that it begins with.
type item struct {
	piece int
	loop  []item
}

// arrangement puts the pieces of a function into an order in which all ways lead forward, but for those back to the
// beginning of a loop.
type arrangement struct {
	ways    [][]int // from a piece to pieces; those back are taken away
	isEntry []bool  // the table leads there
	isAgain bool    // some ways back go through the table
}

// reachable returns the pieces that can be reached, as Go laid them out.
func (a *arrangement) reachable() (pieces []int) {
	seen := make([]bool, len(a.ways))
	var visit func(int)
	visit = func(p int) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, next := range a.ways[p] {
			visit(next)
		}
	}
	for p, isEntry := range a.isEntry {
		if isEntry {
			visit(p)
		}
	}
	for p := range seen {
		if seen[p] {
			pieces = append(pieces, p)
		}
	}
	return pieces
}

// arrange orders pieces. A loop that is also entered in the middle, which is where there is a call in it, is none for
// WebAssembly: the way back to its beginning goes through the table. False where that happens inside another loop.
func (a *arrangement) arrange(pieces []int, inLoop bool) (items []item, ok bool) {
	for _, knot := range a.knots(pieces) {
		if len(knot) == 1 && !slices.Contains(a.ways[knot[0]], knot[0]) {
			items = append(items, item{piece: knot[0]})
			continue
		}
		first, isLoop := a.beginning(knot)
		if inLoop && !isLoop {
			return nil, false
		}
		for _, p := range knot {
			a.ways[p] = slices.DeleteFunc(a.ways[p], func(to int) bool { return to == first })
		}
		inner, ok := a.arrange(knot, isLoop)
		switch {
		case !ok:
			return nil, false
		case isLoop:
			items = append(items, item{first, inner})
		default:
			a.isEntry[first], a.isAgain = true, true
			items = append(items, inner...)
		}
	}
	return items, true
}

// beginning returns where a knot is entered from outside, and whether it is there alone.
func (a *arrangement) beginning(knot []int) (first int, isOnly bool) {
	var entered, others []int
	for _, p := range knot {
		switch {
		case a.isReachedFromOutside(p, knot):
			entered = append(entered, p)
		case a.isEntry[p]:
			others = append(others, p)
		}
	}
	entries := append(entered, others...)
	return entries[0], len(entries) == 1
}

func (a *arrangement) isReachedFromOutside(p int, knot []int) bool {
	for from, ways := range a.ways {
		if slices.Contains(ways, p) && !slices.Contains(knot, from) {
			return true
		}
	}
	return false
}

// knots returns pieces in groups, within each of which every piece leads to every other one, and between which all
// ways lead forward; otherwise the order is that of Go.
func (a *arrangement) knots(pieces []int) (ordered [][]int) {
	knots, of := a.strong(pieces)
	ways := make([]int, len(knots)) // that lead into each
	for _, p := range pieces {
		for _, to := range a.ways[p] {
			if k, ok := of[to]; ok && k != of[p] {
				ways[k]++
			}
		}
	}
	for range knots {
		next := -1
		for k := range knots {
			if ways[k] == 0 && (next < 0 || knots[k][0] < knots[next][0]) {
				next = k
			}
		}
		ways[next] = -1
		ordered = append(ordered, knots[next])
		for _, p := range knots[next] {
			for _, to := range a.ways[p] {
				if k, ok := of[to]; ok && k != next {
					ways[k]--
				}
			}
		}
	}
	return ordered
}

// strong finds the strongly connected components of some pieces (Tarjan 1972), each sorted, and which one a piece is of.
func (a *arrangement) strong(pieces []int) (knots [][]int, of map[int]int) {
	of = map[int]int{}
	const unseen, done = 0, 1 << 30
	low := map[int]int{}
	for _, p := range pieces {
		low[p] = unseen
	}
	var stack []int
	seen := 0
	var visit func(p int)
	visit = func(p int) {
		seen++
		number := seen
		low[p] = number
		stack = append(stack, p)
		least := number
		for _, to := range a.ways[p] {
			reached, within := low[to]
			if !within {
				continue
			}
			if reached == unseen {
				visit(to)
			}
			least = min(least, low[to])
		}
		if low[p] = least; least < number {
			return
		}
		at := slices.Index(stack, p)
		knot := slices.Clone(stack[at:])
		stack = stack[:at]
		slices.Sort(knot)
		for _, member := range knot {
			low[member], of[member] = done, len(knots)
		}
		knots = append(knots, knot)
	}
	for _, p := range pieces {
		if low[p] == unseen {
			visit(p)
		}
	}
	return knots, of
}
