//go:build wasip1

package main

import (
	"unsafe"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

// snapshotBlock holds one snapshot until the next. held is what the spans point into.
type snapshotBlock struct {
	held    core.Snapshot
	block   abi.Snapshot
	items   []abi.SnapshotItem
	methods []abi.MethodStats
	dropped []abi.MethodCount
	trace   []abi.TraceRecord
}

// snapshotBytesMax bounds what one snapshot takes, its method statistics included.
const snapshotBytesMax = 1 << 20

func (c *connection) encodeSnapshot() int32 {
	s := &c.snapshot
	if code := codeOf(c.conn.Snapshot(&s.held)); code != 0 {
		return code
	}
	s.encodeItems()
	s.encodeMethods()
	s.encodeTrace()
	s.block = abi.Snapshot{
		Items:        listOf(s.items),
		Methods:      listOf(s.methods),
		Dropped:      listOf(s.dropped),
		Trace:        listOf(s.trace),
		Generation:   float64(s.held.Generation),
		TraceDropped: float64(s.held.TraceDropped),
		Truncated:    flagByte(s.held.Truncated),
		Tracing:      flagByte(s.held.Tracing),
	}
	return pointerTo(&s.block)
}

func (s *snapshotBlock) encodeItems() {
	s.items = s.items[:0]
	for i := range s.held.Items {
		item := &s.held.Items[i]
		s.items = append(s.items, abi.SnapshotItem{
			Ordinal:    float64(item.Ordinal),
			Generation: float64(item.Generation),
			AcceptedAt: floatOf(item.AcceptedAt),
			StartedAt:  floatOf(item.StartedAt),
			Method:     textSpan(item.Method),
			Mode:       uint8(item.Mode),
			Running:    flagByte(item.Running),
			Cancelled:  flagByte(item.Cancelled),
		})
	}
}

func (s *snapshotBlock) encodeMethods() {
	s.methods = s.methods[:0]
	for i := range s.held.Methods {
		m := &s.held.Methods[i]
		s.methods = append(s.methods, abi.MethodStats{
			Name:   textSpan(m.Name),
			Count:  float64(m.Count),
			Failed: float64(m.Failed),
			MeanNs: float64(m.MeanNs),
			MaxNs:  float64(m.MaxNs),
			P50Ns:  float64(m.P50Ns),
			P95Ns:  float64(m.P95Ns),
			P99Ns:  float64(m.P99Ns),
		})
	}
	s.dropped = s.dropped[:0]
	for _, d := range s.held.Dropped {
		s.dropped = append(s.dropped, abi.MethodCount{Method: textSpan(d.Method), Count: float64(d.Count)})
	}
}

func (s *snapshotBlock) encodeTrace() {
	s.trace = s.trace[:0]
	for i := range s.held.Trace {
		r := &s.held.Trace[i]
		s.trace = append(s.trace, abi.TraceRecord{
			At: floatOf(r.At), Ordinal: float64(r.Ordinal), Method: textSpan(r.Method), Phase: uint8(r.Phase),
		})
	}
}

func listOf[T any](records []T) abi.List {
	var record T
	return abi.List{
		Address: uint32(uintptr(unsafe.Pointer(unsafe.SliceData(records)))),
		Count:   uint32(len(records)),
		Stride:  uint32(unsafe.Sizeof(record)),
	}
}
