package wasmhost

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

// Next fetches one event. Slices are valid until the next input: they point into linear memory,
// whose old bytes stay as they are where it moves meanwhile. Events are not fetched in advance,
// although a turn could hand over 256: State and Snapshot would then count as delivered what is not,
// and a crossing costs less than decoding the record. That there is none costs no crossing.
func (m *machine) Next(ev *core.Event) bool {
	if m.ready.flags&abi.ReadyDrained != 0 {
		return false
	}
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	if found, err := m.commandInt(exportNext, m.handle); err != nil || found == 0 {
		return false
	}
	record, err := m.in.read(m.ready.events, uint32(unsafe.Sizeof(abi.Event{})))
	return err == nil && m.decode(record, ev) == nil
}

func (m *machine) decode(b []byte, ev *core.Event) error {
	var r abi.Event
	*ev = core.Event{
		Kind:    core.EventKind(b[unsafe.Offsetof(r.Kind)]),
		Class:   core.Class(b[unsafe.Offsetof(r.Class)]),
		Reason:  core.Reason(b[unsafe.Offsetof(r.Reason)]),
		Invalid: core.Invalid(b[unsafe.Offsetof(r.Invalid)]),
		Hint:    core.Hint(b[unsafe.Offsetof(r.Hint)]),
		Code:    core.Code(binary.LittleEndian.Uint32(b[unsafe.Offsetof(r.Code):])),
		Call:    core.CallID(floatAt(b[unsafe.Offsetof(r.Call):])),
		Req:     core.ReqID(floatAt(b[unsafe.Offsetof(r.Req):])),
		Ordinal: uint64(floatAt(b[unsafe.Offsetof(r.Ordinal):])),
		Offset:  uint64(floatAt(b[unsafe.Offsetof(r.Offset):])),
		Count:   uint64(floatAt(b[unsafe.Offsetof(r.Count):])),
	}
	for _, field := range [...]struct {
		to   *[]byte
		from abi.Span
	}{
		{&ev.ID, spanAt(b[unsafe.Offsetof(r.ID):])},
		{&ev.Method, spanAt(b[unsafe.Offsetof(r.Method):])},
		{&ev.Body, spanAt(b[unsafe.Offsetof(r.Body):])},
		{&ev.Text, spanAt(b[unsafe.Offsetof(r.Text):])},
		{&ev.Frame, spanAt(b[unsafe.Offsetof(r.Frame):])},
	} {
		if field.from == (abi.Span{}) {
			continue
		}
		view, err := m.in.read(field.from.Address, field.from.Bytes)
		if err != nil {
			return err
		}
		*field.to = view
	}
	return nil
}

func spanAt(b []byte) abi.Span {
	return abi.Span{Address: binary.LittleEndian.Uint32(b), Bytes: binary.LittleEndian.Uint32(b[4:])}
}

func floatAt(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
