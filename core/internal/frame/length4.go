package frame

import "encoding/binary"

const length4Bytes = 4

func (d *Decoder) nextLength4(buf []byte) Step {
	if len(buf) < length4Bytes {
		return Step{}
	}
	length := int32(binary.BigEndian.Uint32(buf))
	if length < 0 || !d.inRange(uint64(length)) {
		return d.refuseLength4(length, buf[:length4Bytes])
	}
	if have := len(buf) - length4Bytes; have < int(length) {
		return Step{Need: int(length) - have}
	}
	size := length4Bytes + int(length)
	return Step{Status: Frame, Size: size, Start: length4Bytes, End: size}
}

func (d *Decoder) plainLength4(buf []byte) (start, size int) {
	if len(buf) < length4Bytes {
		return 0, 0
	}
	length := binary.BigEndian.Uint32(buf)
	if !d.inRange(uint64(length)) || uint64(len(buf)-length4Bytes) < uint64(length) {
		return 0, 0
	}
	return length4Bytes, length4Bytes + int(length)
}

// refuseLength4 breaks the stream over its four length bytes (LEN4-1). What they look like says
// more than that they are out of range, so the range comes last.
func (d *Decoder) refuseLength4(length int32, field []byte) Step {
	failure := Failure{Kind: ViolationLength}
	if length >= 0 {
		failure = d.outOfRange(uint64(length))
	}
	switch {
	case equalFold(field, "cont"):
		failure.Hint = HintHeader
	case isText(field) && (field[0] == '{' || field[0] == '['):
		failure.Hint = HintBareJSON
	case isText(field):
		failure.Hint = HintText
	case d.inRange(uint64(binary.LittleEndian.Uint32(field))):
		failure.Hint = HintLittle
	}
	return d.fail(failure, field, 0)
}

func isText(field []byte) bool {
	for _, c := range field {
		if !isPrintable(c) && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

// finishLength4 judges what is left when input ends and nextLength4 wants more (FRAME-4).
func (d *Decoder) finishLength4(buf []byte) Step {
	switch {
	case len(buf) == 0:
		return Step{Status: End}
	case len(buf) < length4Bytes:
		return d.truncated(len(buf), length4Bytes, buf)
	}
	return d.truncated(len(buf)-length4Bytes, int(binary.BigEndian.Uint32(buf)), buf)
}
