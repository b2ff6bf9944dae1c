package main

import (
	"encoding/binary"
	"errors"
	"slices"
)

// writer spells a function whose pieces are arranged.
type writer struct {
	function    *function
	arrangement *arrangement
	to          []byte
	open        []label // outermost first
	order       []int   // pieces
	place       []int   // of each piece in order
	isTarget    []bool  // a block ends where the piece begins
}

// label is what a branch can name.
type label struct {
	kind  labelKind
	piece int
}

type labelKind int

const (
	labelBlock  labelKind = iota // ends where the piece begins
	labelLoop                    // begins where the piece does
	labelTable                   // the loop around the table
	labelNever                   // ends where nothing comes to
	labelUnwind                  // the stack is unwound
)

var errWay = errors.New("there is no way between two pieces")

func (w *writer) write(items []item) ([]byte, error) {
	w.place = make([]int, len(w.function.pieces))
	w.isTarget = make([]bool, len(w.function.pieces))
	w.flatten(items)
	hasTable := w.findTargets()
	w.to = append(w.to, w.function.head...)
	if w.function.unwinds {
		w.begin(opBlock, label{kind: labelUnwind})
	}
	if w.arrangement.isAgain {
		w.begin(opLoop, label{kind: labelTable})
	}
	if hasTable {
		w.begin(opBlock, label{kind: labelNever})
	}
	if !w.items(items, hasTable) {
		return nil, errWay
	}
	for len(w.open) > 0 && w.open[len(w.open)-1].kind != labelUnwind {
		w.end()
	}
	w.to = append(w.to, w.function.rest...)
	return w.to, nil
}

func (w *writer) flatten(items []item) {
	for _, it := range items {
		if it.loop != nil {
			w.flatten(it.loop)
			continue
		}
		w.place[it.piece] = len(w.order)
		w.order = append(w.order, it.piece)
	}
}

// findTargets marks the pieces to which a branch leads forward. It reports whether the function needs a table.
func (w *writer) findTargets() (hasTable bool) {
	for i, p := range w.order {
		for _, s := range w.function.pieces[p].steps {
			if s.leaves == exitJump && w.place[s.target] > i {
				w.isTarget[s.target] = true
			}
		}
		if next := w.function.pieces[p].next; next >= 0 && w.place[next] > i+1 {
			w.isTarget[next] = true
		}
		hasTable = hasTable || w.arrangement.isEntry[p] && i > 0
	}
	for _, p := range w.order {
		w.isTarget[p] = w.isTarget[p] || hasTable && w.arrangement.isEntry[p]
	}
	return hasTable
}

// items writes what stands one behind another. Blocks that end before each of them begin here.
func (w *writer) items(items []item, hasTable bool) bool {
	outermost := len(w.open) == 0 || w.open[len(w.open)-1].kind != labelLoop
	for i, it := range slices.Backward(items) {
		if w.isTarget[it.piece] && (i > 0 || outermost) {
			w.begin(opBlock, label{labelBlock, it.piece})
		}
	}
	if hasTable {
		w.table()
	}
	for i, it := range items {
		if w.isTarget[it.piece] && (i > 0 || outermost) {
			w.end()
		}
		ok := false
		if it.loop == nil {
			ok = w.piece(it.piece)
		} else {
			w.begin(opLoop, label{labelLoop, it.piece})
			ok = w.items(it.loop, false)
			w.end()
		}
		if !ok {
			return false
		}
	}
	return true
}

// table writes the entries of a function.
func (w *writer) table() {
	w.to = append(w.to, opLocalGet, 0, opBrTable)
	w.to = binary.AppendUvarint(w.to, uint64(len(w.function.table)-1))
	for _, p := range w.function.table {
		to := label{kind: labelNever}
		if w.arrangement.isEntry[p] {
			to = label{labelBlock, p}
		}
		depth, _ := w.depthOf(to)
		w.to = binary.AppendUvarint(w.to, uint64(depth))
	}
}

func (w *writer) piece(p int) bool {
	for _, s := range w.function.pieces[p].steps {
		w.to = append(w.to, s.code...)
		switch s.leaves {
		case exitUnwind:
			depth, _ := w.depthOf(label{kind: labelUnwind})
			w.branch(opBrIf, s.depth+depth)
		case exitJump:
			if !w.jump(s.target, s.depth) {
				return false
			}
		}
	}
	behind := w.place[p] + 1
	switch next := w.function.pieces[p].next; {
	case next == nextTrap:
		w.to = append(w.to, opUnreachable)
	case next >= 0 && (behind == len(w.order) || w.order[behind] != next):
		return w.jump(next, 0)
	}
	return true
}

// jump leads to a piece from inside depth blocks of another one.
func (w *writer) jump(target, depth int) bool {
	for _, kind := range []labelKind{labelBlock, labelLoop} {
		if open, ok := w.depthOf(label{kind, target}); ok {
			w.branch(opBr, depth+open)
			return true
		}
	}
	open, ok := w.depthOf(label{kind: labelTable})
	number := slices.Index(w.function.table, target)
	if !ok || number < 0 {
		return false
	}
	w.to = append(appendInt(append(w.to, opI32Const), int64(number)), opLocalSet, 0)
	w.branch(opBr, depth+open)
	return true
}

func (w *writer) branch(op byte, depth int) {
	w.to = binary.AppendUvarint(append(w.to, op), uint64(depth))
}

func (w *writer) depthOf(l label) (depth int, ok bool) {
	for i, open := range slices.Backward(w.open) {
		if open == l {
			return len(w.open) - 1 - i, true
		}
	}
	return 0, false
}

func (w *writer) begin(op byte, l label) {
	w.to = append(w.to, op, blockVoid&0x7f)
	w.open = append(w.open, l)
}

func (w *writer) end() {
	w.to = append(w.to, opEnd)
	w.open = w.open[:len(w.open)-1]
}
