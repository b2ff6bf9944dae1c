package transcript

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/parley-rpc/parley/core"
	"github.com/tinylib/msgp/msgp"
)

// The binary spelling of a record is its length in four bytes, big-endian, and a MessagePack map of
// the members that its Op defines, by the names in Record's tags.

// RecordBytesMax bounds the MessagePack of one record: the largest default frame limit and 4 KiB for
// what stands around the frame. Unit: bytes.
const RecordBytesMax = 64*core.MiB + 4*core.KiB

// AppendBinary appends the record's binary spelling. A record over RecordBytesMax, or with more than
// 256 settings, is refused and nothing appended.
func (r *Record) AppendBinary(to []byte) ([]byte, error) {
	start := len(to)
	spelled, err := r.MarshalMsg(append(to, 0, 0, 0, 0))
	size := len(spelled) - start - 4
	if err == nil && size > RecordBytesMax {
		err = msgp.ErrLimitExceeded
	}
	if err != nil {
		return to, fmt.Errorf("transcript: %s of %d bytes: %w", spellings[r.Op].verb, size, err)
	}
	binary.BigEndian.PutUint32(spelled[start:], uint32(size))
	return spelled, nil
}

// DecodeBinary reads one record, without the length before it. The record shares memory with
// spelled. It accepts what the text spelling can say and nothing else; members whose names it does
// not know are skipped.
func (r *Record) DecodeBinary(spelled []byte) error {
	// Skip allocates nothing and finds every length that claims more than there is.
	rest, err := msgp.Skip(spelled)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return fmt.Errorf("%d bytes follow the record", len(rest))
	}
	r.Op = OpNone // the one member that clearomitted leaves alone, because it is never omitted
	if _, err := r.UnmarshalMsg(spelled); err != nil {
		return err
	}
	return r.check()
}

// check refuses what the text spelling could not say: an unknown Op, a member that its Op does not
// define, a value outside a member's range.
func (r *Record) check() error {
	if r.Op == OpNone || r.Op >= opEnd {
		return fmt.Errorf("op %d is unknown", r.Op)
	}
	row := &spellings[r.Op]
	for i := range row.fields {
		f := &row.fields[i]
		if f.check == nil {
			continue
		}
		if err := f.check(r); err != nil {
			return fmt.Errorf("%s: %s %w", row.verb, f.key, err)
		}
	}
	if r.Repeat != 0 && row.repeats() {
		if err := r.checkRepeat(); err != nil {
			return fmt.Errorf("%s: %w", row.verb, err)
		}
	}
	if stray := r.stray(); stray != "" {
		return fmt.Errorf("%s: %s does not belong to it", row.verb, stray)
	}
	return nil
}

// memberKeys are the binary names of a Record's members, in their order.
var memberKeys = func() (keys []string) {
	for member := range reflect.TypeFor[Record]().Fields() {
		key, _, _ := strings.Cut(member.Tag.Get("msg"), ",")
		keys = append(keys, key)
	}
	return keys
}()

// stray names a member that is set and that the record's Op does not define, or "".
func (r *Record) stray() string {
	row := &spellings[r.Op]
	members := reflect.ValueOf(r).Elem()
	for i, key := range memberKeys {
		member := members.Field(i)
		isSet := !member.IsZero()
		if member.Kind() == reflect.Slice {
			isSet = member.Len() > 0
		}
		if isSet && !row.defines(key) {
			return key
		}
	}
	return ""
}

func (row *spelling) defines(key string) bool {
	if key == "op" || key == "repeat" && row.repeats() {
		return true
	}
	for i := range row.fields {
		if row.fields[i].key == key {
			return true
		}
	}
	return false
}

// TornError is a record that ends before its length says: what wrote it was stopped in the middle.
type TornError struct {
	Offset uint64 // of the record's first byte of length
	Have   uint64 // bytes, its length included
	Need   uint64 // bytes, its length included
}

func (e *TornError) Error() string {
	return fmt.Sprintf("transcript: byte %d: the last record is torn: %d of %d bytes", e.Offset, e.Have, e.Need)
}

// CorruptError is a record that is no record. Nothing after it can be trusted.
type CorruptError struct {
	Offset uint64 // of the record's first byte of length
	Err    error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("transcript: byte %d: no record: %v", e.Offset, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// Reader reads records in the binary spelling from a stream. It holds one record at a time, in
// memory that grows with what has arrived and never with what a length claims.
type Reader struct {
	from   io.Reader
	offset uint64 // of the next record
	buffer []byte
}

// NewReader returns a Reader. offset is where from stands, for errors. Unit: bytes.
func NewReader(from io.Reader, offset uint64) *Reader {
	return &Reader{from: from, offset: offset}
}

// Next reads the next record into r, which shares the Reader's memory until the next call. The error
// is io.EOF at the end, a *TornError, a *CorruptError, or what the stream said.
func (d *Reader) Next(r *Record) error {
	var prefix [4]byte
	n, err := io.ReadFull(d.from, prefix[:])
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &TornError{Offset: d.offset, Have: uint64(n), Need: uint64(len(prefix))}
	case err != nil:
		return err
	}
	size := binary.BigEndian.Uint32(prefix[:])
	if size == 0 || size > RecordBytesMax {
		return &CorruptError{d.offset, fmt.Errorf("a length of %d bytes, want 1 to %d", size, RecordBytesMax)}
	}
	if err := d.fill(int(size)); err != nil {
		return err
	}
	if err := r.DecodeBinary(d.buffer); err != nil {
		return &CorruptError{d.offset, err}
	}
	d.offset += uint64(len(prefix)) + uint64(size)
	return nil
}

// firstBytes is what is allocated for a record before any of it has arrived.
const firstBytes = 4 * core.KiB

// fill reads size bytes into the buffer.
func (d *Reader) fill(size int) error {
	have := 0
	for have < size {
		if have == cap(d.buffer) {
			grown := make([]byte, max(firstBytes, 2*have))
			copy(grown, d.buffer)
			d.buffer = grown
		}
		d.buffer = d.buffer[:min(size, cap(d.buffer))]
		n, err := io.ReadFull(d.from, d.buffer[have:])
		have += n
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return &TornError{Offset: d.offset, Have: uint64(4 + have), Need: uint64(4 + size)}
		case err != nil:
			return err
		}
	}
	d.buffer = d.buffer[:size]
	return nil
}
