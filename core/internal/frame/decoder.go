// Package frame cuts a byte stream into frames: Content-Length headers, lines, four-byte lengths,
// or whole transport messages.
//
// A Decoder does no I/O and owns no buffer. Its caller keeps the bytes that have arrived and are
// not consumed, and shows all of them at every call; the decoder remembers how far it has looked,
// counted from the front, so that no byte is searched twice and the bytes may move between calls
// (FRAME-3). What it reports depends on the byte sequence only, never on how reads cut it (FRAME-1).
package frame

// Framing is how one message is told from the next. The numbers are those of core.Framing.
type Framing uint8

const (
	Header  Framing = iota // Content-Length header block, then the body (HEAD)
	Line                   // one JSON text a line (LINE)
	Length4                // four-byte big-endian length, then the body (LEN4)
	Whole                  // one transport message is one JSON text (FRAME-9)
)

// Config is fixed for the life of a Decoder. Limits are inclusive. The caller has validated it:
// every limit is at least 1, BodyBytesMin excepted.
type Config struct {
	Framing        Framing
	HeaderBytesMax int  // header block with its final CRLF (HEAD-1)
	BodyBytesMax   int  // body of one frame; a line without its LF and the CR before it
	BodyBytesMin   int  // declared length, Header and Length4 (LEN4-1)
	BlankBytesMax  int  // blank lines in a row before a header block (HEAD-7)
	Resync         bool // Header: search for the next header after noise (HEAD-8)
	Discard        bool // Line, Whole: report an over-long message once and go on after it (LINE-4)
}

// Status says what a Step found.
type Status uint8

const (
	// Partial asks for more bytes. Nothing is consumed.
	Partial Status = iota
	// Frame is one frame; its body is buf[Start:End].
	Frame
	// Blank is one blank line (HEAD-7, LINE-2).
	Blank
	// ByteOrderMark is the mark before the first header and nothing else (MSG-9). It comes at most
	// once in a stream.
	ByteOrderMark
	// Overlong is the report of a message over BodyBytesMax under Discard. What is left of the
	// message follows as Skipped steps.
	Overlong
	// Skipped is, in Header, a region that resynchronisation gave up (HEAD-8); elsewhere more of
	// the message that Overlong reported, to be dropped without another report.
	Skipped
	// Broken is the end of the stream by its own fault. Every later call returns the same.
	Broken
	// End is the end of input between two frames.
	End
)

// Step is one finding at the front of the buffer.
type Step struct {
	Status Status
	// Hint is what a Frame of Line or Whole is likely to be if it is no message, HintCharset, or
	// what kind of noise a Header's Skipped was.
	Hint Hint
	// Size is how many bytes at the front of buf are consumed: the caller drops them and calls
	// again. It is 0 for Partial, Broken and End.
	Size int
	// Start and End bound, in buf, the body of a Frame, or the sample of an Overlong and of a
	// Header's Skipped, at most SampleBytesMax.
	Start, End int
	// CharsetStart and CharsetEnd bound, in buf, the name of the charset of a Frame whose header
	// names another one than UTF-8: it is Invalid (HEAD-5). Both are 0 otherwise.
	CharsetStart, CharsetEnd int
	// Need is, for Partial, how many more bytes complete the frame; 0 while that is not declared.
	Need int
	// Broken is the failure of a Broken step, the same one at every later call; or that of a Frame,
	// a last line without LF, for the case that it is no complete JSON text (LINE-5).
	Broken *Failure
}

// Decoder is the state of one inbound stream. Init makes it ready.
type Decoder struct {
	cfg        Config
	offset     uint64   // stream offset of the front of the buffer
	searched   int      // bytes at the front of the buffer that need no second look
	discarding bool     // inside a message that Overlong reported
	failure    *Failure // sticky
	bomDone    bool     // a byte order mark may not come any more
	blankBytes int      // of the blank lines since the last frame
	resyncs    int      // regions given up so far
	block      block
}

// Init starts a stream.
func (d *Decoder) Init(cfg Config) { *d = Decoder{cfg: cfg} }

// Offset is the stream offset, in bytes, of the front of the buffer at the next call.
func (d *Decoder) Offset() uint64 { return d.offset }

// Plain consumes the frame at the front of buf and returns where its body lies, and the size of the
// frame; size 0 where Next has to look. It takes the complete frames of which there is nothing else to
// say, as nearly every peer sends them. A Step has nine words, and in the sandbox each copy is a call.
func (d *Decoder) Plain(buf []byte) (start, end, size int) {
	if d.searched > 0 || d.failure != nil {
		return 0, 0, 0
	}
	switch d.cfg.Framing {
	case Header:
		start, size = d.plainHeader(buf)
		end = size
	case Line:
		end, size = d.plainLine(buf)
	case Length4:
		start, size = d.plainLength4(buf)
		end = size
	}
	d.offset += uint64(size)
	return start, end, size
}

// Next examines buf: all bytes of the stream from Offset on that have arrived. It keeps nothing of
// buf. In Whole, buf is what has arrived of an unfinished message; NextWhole finishes it.
func (d *Decoder) Next(buf []byte) Step {
	if d.failure != nil {
		return Step{Status: Broken, Broken: d.failure}
	}
	var step Step
	switch d.cfg.Framing {
	case Header:
		step = d.nextHeader(buf)
	case Line:
		step = d.nextLine(buf)
	case Length4:
		step = d.nextLength4(buf)
	case Whole:
		step = d.partOfWhole(buf)
	}
	d.offset += uint64(step.Size)
	return step
}

// Finish is Next once no byte will follow. It never returns Partial; the caller goes on until End
// or Broken.
func (d *Decoder) Finish(buf []byte) Step {
	step := d.Next(buf)
	if step.Status != Partial {
		return step
	}
	switch d.cfg.Framing {
	case Header:
		step = d.finishHeader(buf)
	case Line:
		step = d.finishLine(buf)
	case Length4:
		step = d.finishLength4(buf)
	case Whole:
		step = d.finishWhole(buf)
	}
	d.offset += uint64(step.Size)
	return step
}
