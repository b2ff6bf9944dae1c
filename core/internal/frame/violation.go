package frame

// Violation is why the byte stream cannot be trusted any more. The numbers are those of
// core.Violation, which also says what each one means; a test in package core compares them.
type Violation uint8

const (
	ViolationNone Violation = iota
	ViolationTruncated
	ViolationHeaderSize
	ViolationField
	ViolationNoise
	ViolationLength
	ViolationMissingLength
	ViolationDuplicateLength
	ViolationLineEnd
	ViolationLineSize
	ViolationParse   // judged by core, never here
	ViolationBacklog // judged by core, never here
)

// Hint is the likely cause of a violation, or of a frame that turns out to be no message. The
// numbers are those of core.Hint; a test in package core compares them.
type Hint uint8

const (
	HintNone Hint = iota
	HintTextMode
	HintBareJSON
	HintStdoutNoise
	HintHeader
	HintPretty // judged by core, never here
	HintTerminal
	HintText
	HintLittle
	HintDAP // judged by core, never here
	HintCharset
	HintOverLimit
)

// SampleBytesMax is the most that a step or a failure shows of the peer's bytes.
const SampleBytesMax = 64

// Failure says what broke the stream and where.
type Failure struct {
	Kind   Violation
	Offset uint64 // of the byte that decided; for truncated, of the first byte that never came
	Have   uint64 // truncated: bytes of the header block, length, body or line that arrived
	Need   uint64 // bytes declared (truncated) or allowed (every size); 0: unknown
	Hint   Hint
	Sample []byte // its own copy, at most SampleBytesMax, ends with the byte that decided
}

// fail breaks the stream for good over the last byte of seen, which starts at the front of the
// buffer. The sample reaches back to seen[from] at most.
func (d *Decoder) fail(failure Failure, seen []byte, from int) Step {
	failure.Offset = d.offset + uint64(len(seen)) - 1
	return d.broken(failure, seen[from:])
}

// truncated breaks the stream because input ended after the last byte of seen (FRAME-4).
func (d *Decoder) truncated(have, need int, seen []byte) Step {
	return d.broken(d.truncation(have, need, seen), seen)
}

func (d *Decoder) truncation(have, need int, seen []byte) Failure {
	return Failure{
		Kind:   ViolationTruncated,
		Offset: d.offset + uint64(len(seen)),
		Have:   uint64(have),
		Need:   uint64(need),
	}
}

func (d *Decoder) broken(failure Failure, shown []byte) Step {
	failure.Sample = sampleOf(shown)
	d.failure = &failure
	return Step{Status: Broken, Broken: d.failure}
}

func sampleOf(shown []byte) []byte {
	return append([]byte(nil), shown[max(0, len(shown)-SampleBytesMax):]...)
}
