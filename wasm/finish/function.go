package main

// WebAssembly has no jumps, and Go's compiler makes them of a loop and a table (cmd/internal/obj/wasm): the code of
// a function is in pieces, and to go to one is to set local 0 to its number and to begin the loop again.
//
//	global.get 0  local.set 1
//	[block]                                  left by a call that unwinds the stack
//	  loop
//	    block × n  local.get 0  br_table  end
//	    piece 0  end  piece 1  end  …  piece n-1
//	  end
//	rest
//
// A caller begins at piece 0. A stack that was unwound is built again behind its calls.

// function is the code of one function, taken apart.
type function struct {
	head    []byte // before the first block
	unwinds bool   // there is the outer block
	table   []int  // the piece that a number in local 0 leads to; the last one for all larger numbers
	pieces  []piece
	rest    []byte // behind the loop
}

// piece is code that is entered at its beginning only.
type piece struct {
	steps  []step
	isCall bool // it begins with a call
	next   int  // the piece that its end leads to, or one of those below
}

const (
	nextNone = -1 // its end is not reached
	nextTrap = -2 // the end of the function is, and that is not reached
)

// step is code that stays as it is, and how it is left.
type step struct {
	code   []byte
	leaves exit
	depth  int // blocks of the piece that are open where it is left
	target int // the piece that a jump leads to
}

type exit int

const (
	exitNone   exit = iota // into what follows
	exitJump               // to the beginning of a piece
	exitUnwind             // out of the function where a call has unwound the stack, else into what follows
)

// functionOf takes code apart; false where it is laid out in another way.
func functionOf(list []instruction) (*function, bool) {
	at := 0
	next := func(op byte, number int64) bool {
		found := at < len(list) && list[at].op == op && list[at].number == number
		if found {
			at++
		}
		return found
	}
	if !next(opGlobalGet, 0) || !next(opLocalSet, 1) {
		return nil, false
	}
	f := &function{head: spelling(list[:at]), unwinds: next(opBlock, blockVoid)}
	if !next(opLoop, blockVoid) {
		return nil, false
	}
	for next(opBlock, blockVoid) {
		f.pieces = append(f.pieces, piece{})
	}
	if len(f.pieces) == 0 || !next(opLocalGet, 0) || at == len(list) || !f.setTable(list[at].table) {
		return nil, false
	}
	at++
	if !next(opEnd, 0) {
		return nil, false
	}
	for i := range f.pieces {
		count, ok := f.fill(i, list[at:])
		if !ok {
			return nil, false
		}
		at += count
	}
	f.rest = spelling(list[at:])
	return f, true
}

// setTable takes the depths of a br_table, which are numbers of pieces: the block of the first one is the innermost.
func (f *function) setTable(depths []uint64) bool {
	for _, depth := range depths {
		if depth >= uint64(len(f.pieces)) {
			return false
		}
		f.table = append(f.table, int(depth))
	}
	return len(f.table) > 0
}

// fill makes piece i of what list begins with, up to an end, and returns how many instructions that is.
func (f *function) fill(i int, list []instruction) (count int, ok bool) {
	p := &f.pieces[i]
	blocks := len(f.pieces) - 1 - i // of pieces, open around this one
	depth, done, closed := 0, 0, false
	for at := range list {
		switch in := &list[at]; {
		case in.op == opBlock || in.op == opLoop || in.op == opIf:
			depth++
		case in.op == opEnd && depth == 0:
			p.steps = append(p.steps, step{code: spelling(list[done:at])})
			p.next = f.nextOf(i, closed)
			return at + 1, true
		case in.op == opEnd:
			depth--
		case in.op == opCall || in.op == opCallIndirect:
			p.isCall = p.isCall || at <= callAt
		case in.op == opBrTable:
			return 0, false
		case (in.op == opBr || in.op == opBrIf) && in.number >= int64(depth):
			s, ok := f.leaving(list[done:at], in, int(in.number)-depth-blocks)
			if !ok {
				return 0, false
			}
			s.depth = depth
			p.steps = append(p.steps, s)
			done = at + 1
		}
		closed = depth == 0 && list[at].isLast()
	}
	return 0, false
}

// nextOf returns what piece i leads to. A jump at its end is none any more.
func (f *function) nextOf(i int, closed bool) int {
	p := &f.pieces[i]
	switch last := len(p.steps) - 2; {
	case closed && last >= 0 && p.steps[last].leaves == exitJump && len(p.steps[last+1].code) == 0:
		p.steps[last].leaves = exitNone
		return p.steps[last].target
	case closed:
		return nextNone
	case i+1 == len(f.pieces):
		return nextTrap
	}
	return i + 1
}

// callAt is how many instructions stand before a call without arguments: they put the address on the stack to which
// it returns.
const callAt = 9

// leaving is the step that a branch ends. beyond is how far it leads: 0 to the loop, 1 out of the block around it.
func (f *function) leaving(list []instruction, branch *instruction, beyond int) (step, bool) {
	if branch.op == opBrIf {
		return step{code: spelling(list), leaves: exitUnwind}, f.unwinds && beyond == 1
	}
	before := len(list) - 2
	if beyond != 0 || before < 0 {
		return step{}, false
	}
	number, set := list[before], list[before+1]
	if number.op != opI32Const || number.number < 0 || set.op != opLocalSet || set.number != 0 {
		return step{}, false
	}
	target := f.table[min(number.number, int64(len(f.table)-1))]
	return step{code: spelling(list[:before]), leaves: exitJump, target: target}, true
}

// calls reports whether the piece ends with a call, behind which a stack may be built again.
func (p *piece) calls() bool {
	for _, s := range p.steps {
		if s.leaves == exitUnwind && s.depth == 0 {
			return true
		}
	}
	return false
}

// entries tells which pieces are entered from without: the first one, those behind calls, and, as where a function
// goes on after a panic, those that begin with a call.
func (f *function) entries() []bool {
	isEntry := make([]bool, len(f.pieces))
	for i := range f.pieces {
		isEntry[i] = i == 0 || f.pieces[i-1].calls() || f.pieces[i].isCall
	}
	return isEntry
}

// ways returns the pieces that each one leads to.
func (f *function) ways() [][]int {
	ways := make([][]int, len(f.pieces))
	for i, p := range f.pieces {
		for _, s := range p.steps {
			if s.leaves == exitJump {
				ways[i] = append(ways[i], s.target)
			}
		}
		if p.next >= 0 {
			ways[i] = append(ways[i], p.next)
		}
	}
	return ways
}
