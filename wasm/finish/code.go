package main

// instruction is one instruction of a function.
type instruction struct {
	op     byte
	bytes  []byte // as it is spelled
	number int64  // its immediate, where it has one
	table  []uint64
}

// Opcodes (WebAssembly core specification 2.0, 5.4).
const (
	opUnreachable  = 0x00
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opEnd          = 0x0b
	opBr           = 0x0c
	opBrIf         = 0x0d
	opBrTable      = 0x0e
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opLocalGet     = 0x20
	opLocalSet     = 0x21
	opGlobalGet    = 0x23
	opTableSet     = 0x26
	opI32Load      = 0x28
	opI64Store32   = 0x3e
	opMemorySize   = 0x3f
	opMemoryGrow   = 0x40
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opPrefixed     = 0xfc

	conversionMax = 7 // behind opPrefixed
	memoryCopy    = 10
	memoryFill    = 11

	blockVoid = -64 // the type of a block that leaves nothing
)

// instructions takes the code of a function apart. It knows what Go writes.
func instructions(code []byte) (list []instruction, err error) {
	r := reader{rest: code}
	for len(r.rest) > 0 {
		in := instruction{bytes: r.rest}
		in.op = r.byte()
		in.operands(&r)
		if r.err != nil {
			return nil, r.err
		}
		in.bytes = in.bytes[:len(in.bytes)-len(r.rest)]
		list = append(list, in)
	}
	return list, nil
}

// operands reads what follows the opcode.
func (in *instruction) operands(r *reader) {
	switch op := in.op; {
	case op == opBlock || op == opLoop || op == opIf || op == opI32Const || op == opI64Const:
		in.number = r.int()
	case op == opBr || op == opBrIf || op == opCall || op >= opLocalGet && op <= opTableSet:
		in.number = int64(r.uint())
	case op == opBrTable:
		for range r.uint() + 1 {
			if in.table = append(in.table, r.uint()); r.err != nil {
				return
			}
		}
	case op == opCallIndirect || op >= opI32Load && op <= opI64Store32:
		r.uint()
		r.uint()
	case op == opMemorySize || op == opMemoryGrow:
		r.byte()
	case op == opF32Const:
		r.take(4)
	case op == opF64Const:
		r.take(8)
	case op == opPrefixed:
		switch kind := r.uint(); {
		case kind == memoryCopy:
			r.take(2)
		case kind == memoryFill:
			r.take(1)
		case kind > conversionMax:
			r.err = errTorn
		}
	case op > opPrefixed:
		r.err = errTorn
	}
}

// isLast reports whether nothing behind the instruction is reached.
func (in *instruction) isLast() bool {
	return in.op == opBr || in.op == opReturn || in.op == opUnreachable
}

// spelling joins instructions that stand one behind another.
func spelling(list []instruction) (code []byte) {
	for i := range list {
		code = append(code, list[i].bytes...)
	}
	return code
}
