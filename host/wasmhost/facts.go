package wasmhost

import (
	"bytes"
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

// facts are the event records of the last drain that Next has not returned yet. Their slices are
// views of linear memory: nothing is copied unless an input comes before they are fetched.
type facts struct {
	records []byte // a view, next is an offset in it
	next    int
	kept    []core.Event // copies that survived an input, returned first
	more    bool         // another drain may find records: nothing else happened since
}

// Next decodes the next event. Slices are valid until the next input: they point into linear
// memory, whose old bytes stay as they are where it moves meanwhile.
func (m *machine) Next(ev *core.Event) bool {
	f := &m.facts
	if len(f.kept) > 0 {
		*ev, f.kept[0] = f.kept[0], core.Event{}
		f.kept = f.kept[1:]
		return true
	}
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	if f.next == len(f.records) && !m.drain() {
		return false
	}
	return m.decodeNext(ev) == nil
}

// drain fetches up to abi.RecordsMax records.
func (m *machine) drain() bool {
	f := &m.facts
	f.records, f.next = nil, 0
	if !f.more {
		return false
	}
	if m.turn(0, abi.TurnDrain, noNumber, 0) != nil {
		return false
	}
	f.more = m.ready.flags&abi.ReadyMore != 0
	view, err := m.in.read(m.ready.events, m.ready.eventCount*m.stride)
	if err != nil {
		return false
	}
	f.records = view
	return len(view) > 0
}

// keepFacts is called before every input: records that were fetched and not returned move out of
// linear memory, which hosts that drain before they go on never need.
func (m *machine) keepFacts() {
	f := &m.facts
	for f.next < len(f.records) {
		var ev core.Event
		if m.decodeNext(&ev) != nil {
			return
		}
		for _, b := range []*[]byte{&ev.ID, &ev.Method, &ev.Body, &ev.Text, &ev.Frame} {
			*b = bytes.Clone(*b)
		}
		f.kept = append(f.kept, ev)
	}
	f.records, f.next = nil, 0
	f.more = true
}

// decodeNext takes one record.
func (m *machine) decodeNext(ev *core.Event) error {
	b := m.facts.records[m.facts.next:]
	m.facts.next += int(m.stride)
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
