package wasmhost

import (
	"bytes"
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

// Next fetches one event. Slices are valid until the next input: they point into linear memory,
// whose old bytes stay as they are where it moves meanwhile. Only Turn fetches events in advance.
// That there is none costs no crossing.
func (m *machine) Next(ev *core.Event) bool {
	if len(m.kept) > 0 {
		*ev = m.kept[0]
		m.kept = m.kept[1:]
		return true
	}
	if m.unread == 0 && m.ready.flags&abi.ReadyDrained != 0 {
		return false
	}
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	if m.unread > 0 {
		return m.nextRecord(ev) == nil
	}
	if found, err := m.commandInt(exportNext, m.handle); err != nil || found == 0 {
		return false
	}
	return m.decode(0, ev) == nil
}

// nextRecord fetches the first event that Turn has fetched in advance and is not read yet.
func (m *machine) nextRecord(ev *core.Event) error {
	i := m.ready.eventCount - m.unread
	m.unread--
	return m.decode(i, ev)
}

// keep copies the events that are not read before an input ends the life of their bytes: in core they
// would survive it.
func (m *machine) keep() error {
	for m.unread > 0 {
		var ev core.Event
		if err := m.nextRecord(&ev); err != nil {
			return err
		}
		for _, text := range [...]*[]byte{&ev.ID, &ev.Method, &ev.Body, &ev.Text, &ev.Frame} {
			*text = bytes.Clone(*text)
		}
		m.kept = append(m.kept, ev)
	}
	return nil
}

// decode reads the i-th record.
func (m *machine) decode(i int, ev *core.Event) error {
	b, err := m.in.read(m.ready.events+uint32(i)*m.ready.eventBytes, uint32(unsafe.Sizeof(abi.Event{})))
	if err != nil {
		return err
	}
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
