package core

// receive is the receive buffer: buf[start:end] has arrived and is not consumed, buf[end:] is
// space. 0 <= start <= end <= len(buf).
type receive struct {
	buf        []byte
	start, end int
	handed     int  // bytes of space that the reader may be writing to at any time
	need       int  // bytes that complete the frame begun, where its size was declared
	idleFrames int  // frames in a row that did not need a large buffer
	full       bool // the last read filled the space
}

const (
	receiveBytesMin   = 4 * KiB
	receiveBytesSmall = 64 * KiB
	// A larger buffer is kept only while frames need it (FRAME-3). Small frames need this much where each
	// read of 64 KiB ends inside one.
	receiveBytesKept = 2 * receiveBytesSmall
	idleFramesMax    = 16
)

// arrived is what has arrived and is not consumed.
func (r *receive) arrived() []byte { return r.buf[r.start:r.end] }

// space is how much may be committed.
func (r *receive) space() int {
	return r.handed
}

// reserve makes room for n bytes. The buffer doubles as bytes arrive, never past a declared size:
// what a peer merely announces costs nothing (FRAME-2).
func (r *receive) reserve(n int) []byte {
	n = max(n, 1)
	if r.handed >= n {
		return r.buf[r.end : r.end+r.handed]
	}
	if r.start == r.end {
		r.start, r.end = 0, 0
		r.shrink()
	}
	size := r.end - r.start
	grow := r.full && len(r.buf) < receiveBytesSmall || size+n > len(r.buf)
	switch {
	case !grow && r.end+n <= len(r.buf):
	case !grow && r.start >= size: // the copy is paid for by the bytes consumed before it
		copy(r.buf, r.buf[r.start:r.end])
		r.start, r.end = 0, size
	default:
		r.replace(max(size+n, r.target(size)))
	}
	r.full = false
	// A frame under way may fill a large buffer; what is small comes in small reads, so that what
	// one read turns into is bounded.
	r.handed = min(len(r.buf)-r.end, max(n, r.need, receiveBytesSmall))
	return r.buf[r.end : r.end+r.handed]
}

func (r *receive) target(size int) int {
	double := max(receiveBytesMin, 2*len(r.buf))
	if r.need > 0 && len(r.buf) >= receiveBytesSmall {
		return min(double, size+r.need)
	}
	return double
}

func (r *receive) replace(capacity int) {
	buf := make([]byte, capacity)
	size := copy(buf, r.buf[r.start:r.end])
	r.buf, r.start, r.end = buf, 0, size
}

func (r *receive) shrink() {
	if len(r.buf) > receiveBytesKept && r.idleFrames >= idleFramesMax {
		r.buf = make([]byte, receiveBytesSmall)
	}
}

func (r *receive) commit(n int) {
	r.full = n > 0 && n == r.handed
	r.end += n
	r.handed = 0
}

// consume drops size bytes from the front: one step of the frame decoder.
func (r *receive) consume(size int) {
	r.start += size
	if size > receiveBytesSmall {
		r.idleFrames = 0
	} else {
		r.idleFrames++
	}
}

// drop forgets what arrived: the session has ended.
func (r *receive) drop() { r.start, r.end = 0, 0 }
