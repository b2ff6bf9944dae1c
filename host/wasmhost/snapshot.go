package wasmhost

import (
	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

func (m *machine) Snapshot(s *core.Snapshot) error {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	var r abi.Snapshot
	if err := m.inspect(exportSnapshot, &r); err != nil {
		return closedBy(err)
	}
	s.Truncated, s.Tracing = r.Truncated != 0, r.Tracing != 0
	s.Generation, s.TraceDropped = uint64(r.Generation), uint64(r.TraceDropped)
	items, err := readList(m.in, r.Items, s.Items, m.in.snapshotItem)
	if err != nil {
		return closedBy(err)
	}
	methods, err := readList(m.in, r.Methods, s.Methods, m.in.methodStats)
	if err != nil {
		return closedBy(err)
	}
	dropped, err := readList(m.in, r.Dropped, s.Dropped, m.in.methodCount)
	if err != nil {
		return closedBy(err)
	}
	trace, err := readList(m.in, r.Trace, s.Trace, m.in.traceRecord)
	if err != nil {
		return closedBy(err)
	}
	s.Items, s.Methods, s.Dropped, s.Trace = items, methods, dropped, trace
	return nil
}

// readList fills into, which is reused, with the records of a list.
func readList[R, T any](in *instance, list abi.List, into []T, convert func(*R) (T, error)) ([]T, error) {
	into = into[:0]
	for i := range list.Count {
		var record R
		if err := in.record(list.Address+i*list.Stride, &record); err != nil {
			return nil, err
		}
		converted, err := convert(&record)
		if err != nil {
			return nil, err
		}
		into = append(into, converted)
	}
	return into, nil
}

func (in *instance) snapshotItem(r *abi.SnapshotItem) (core.SnapshotItem, error) {
	method, err := in.text(r.Method)
	return core.SnapshotItem{
		Ordinal: uint64(r.Ordinal), Method: method, Mode: core.Mode(r.Mode),
		Running: r.Running != 0, Cancelled: r.Cancelled != 0, Generation: uint64(r.Generation),
		AcceptedAt: timeOf(r.AcceptedAt), StartedAt: timeOf(r.StartedAt),
	}, err
}

func (in *instance) methodStats(r *abi.MethodStats) (core.MethodStats, error) {
	name, err := in.text(r.Name)
	return core.MethodStats{
		Name: name, Count: uint64(r.Count), Failed: uint64(r.Failed),
		MeanNs: core.Time(r.MeanNs), MaxNs: core.Time(r.MaxNs),
		P50Ns: core.Time(r.P50Ns), P95Ns: core.Time(r.P95Ns), P99Ns: core.Time(r.P99Ns),
	}, err
}

func (in *instance) methodCount(r *abi.MethodCount) (core.MethodCount, error) {
	method, err := in.text(r.Method)
	return core.MethodCount{Method: method, Count: uint64(r.Count)}, err
}

func (in *instance) traceRecord(r *abi.TraceRecord) (core.TraceRecord, error) {
	method, err := in.text(r.Method)
	return core.TraceRecord{At: timeOf(r.At), Ordinal: uint64(r.Ordinal), Phase: core.Phase(r.Phase), Method: method}, err
}

// text copies a text out of linear memory.
func (in *instance) text(span abi.Span) (string, error) {
	view, err := in.read(span.Address, span.Bytes)
	return string(view), err
}
