package wasichild

// cursor reads the binary format of WebAssembly. It stops for good at the first byte that cannot be
// what it should be, and gives zeros from then on.
type cursor struct {
	text   []byte
	at     int
	end    int
	broken bool
}

func (c *cursor) more() bool { return c.at < c.end && !c.broken }

// take moves over n bytes.
func (c *cursor) take(n uint32) []byte {
	if c.broken || uint64(n) > uint64(c.end-c.at) {
		c.broken = true
		return nil
	}
	c.at += int(n)
	return c.text[c.at-int(n) : c.at]
}

func (c *cursor) byte() byte {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

// number reads an unsigned number of at most 32 bits, which has at most 5 bytes.
func (c *cursor) number() uint32 {
	var n uint64
	for shift := 0; shift < 35; shift += 7 {
		b := c.byte()
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			c.broken = c.broken || n>>32 != 0
			return uint32(n)
		}
	}
	c.broken = true
	return 0
}

// count reads how many entries follow. As many as need more bytes than there are is a lie.
func (c *cursor) count(entryBytesMin int) uint32 {
	n := c.number()
	if uint64(n)*uint64(entryBytesMin) > uint64(c.end-c.at) {
		c.broken = true
	}
	if c.broken {
		return 0
	}
	return n
}

// each calls f once an entry.
func (c *cursor) each(entryBytesMin int, f func()) {
	for n := c.count(entryBytesMin); n > 0 && !c.broken; n-- {
		f()
	}
}

// sized is what follows its own size.
func (c *cursor) sized() cursor {
	size := c.number()
	start := c.at
	c.take(size)
	return cursor{c.text, start, c.at, c.broken}
}

// expression moves over a constant one: an opcode, what it takes, and the end.
func (c *cursor) expression() {
	switch c.byte() {
	case 0x41, 0x42, 0x23, 0xd2: // i32.const, i64.const, global.get, ref.func
		for c.byte() >= 0x80 {
		}
	case 0x43: // f32.const
		c.take(4)
	case 0x44: // f64.const
		c.take(8)
	case 0xd0: // ref.null
		c.take(1)
	case 0xfd: // v128.const, of two bytes
		c.take(1 + 16)
	default:
		c.broken = true
	}
	const end = 0x0b
	c.broken = c.byte() != end || c.broken
}
