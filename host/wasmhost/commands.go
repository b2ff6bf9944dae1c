package wasmhost

import (
	"math"
	"unsafe"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

func (m *machine) Call(method string, params []byte, opts core.CallOptions) (core.CallID, error) {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	a, err := m.in.arguments(len(method) + len(params) + len(opts.ProgressToken) + len(opts.ID))
	if err != nil {
		return 0, closedBy(err)
	}
	name, body := a.putText(method), a.put(params)
	token, id := a.put(opts.ProgressToken), a.put(opts.ID)
	quiet := uint64(0)
	if opts.Quiet {
		quiet = 1
	}
	raw, err := m.command(exportCall, m.handle,
		uint64(name.Address), uint64(name.Bytes), uint64(body.Address), uint64(body.Bytes),
		timeBits(opts.Deadline), timeBits(opts.Extend), timeBits(opts.DeadlineMax),
		uint64(token.Address), uint64(token.Bytes), uint64(id.Address), uint64(id.Bytes), quiet)
	if err != nil {
		return 0, closedBy(err)
	}
	made := math.Float64frombits(raw)
	if made < 0 {
		return 0, closedBy(errorOf(int32(-made)))
	}
	return core.CallID(made), nil
}

func (m *machine) Batch(items []core.BatchItem, ids []core.CallID) error {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	stride := int(unsafe.Sizeof(abi.BatchItem{}))
	size := stride * len(items)
	for i := range items {
		it := &items[i]
		size += len(it.Method) + len(it.Params) + len(it.Options.ProgressToken) + len(it.Options.ID)
	}
	a, err := m.in.arguments(size)
	if err != nil {
		return closedBy(err)
	}
	address, records := a.skip(stride * len(items))
	for i := range items {
		it := &items[i]
		record := abi.BatchItem{
			Deadline:    floatOf(it.Options.Deadline),
			Extend:      floatOf(it.Options.Extend),
			DeadlineMax: floatOf(it.Options.DeadlineMax),
			Method:      a.putText(it.Method),
			Params:      a.put(it.Params),
			Token:       a.put(it.Options.ProgressToken),
			ID:          a.put(it.Options.ID),
		}
		if it.Notification {
			record.Flags |= abi.ItemNotification
		}
		if it.Options.Quiet {
			record.Flags |= abi.ItemQuiet
		}
		putRecord(records[i*stride:], &record)
	}
	if _, err := m.commandInt(exportBatch, m.handle, uint64(address), uint64(len(items))); err != nil {
		return closedBy(err)
	}
	var record abi.BatchItem
	for i := range min(len(items), len(ids)) {
		if err := m.in.record(address+uint32(i*stride), &record); err != nil {
			return closedBy(err)
		}
		ids[i] = core.CallID(record.Call)
	}
	return nil
}

func (m *machine) Notify(method string, params []byte) error {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	a, err := m.in.arguments(len(method) + len(params))
	if err != nil {
		return closedBy(err)
	}
	name, body := a.putText(method), a.put(params)
	_, err = m.commandInt(exportNotify, m.handle,
		uint64(name.Address), uint64(name.Bytes), uint64(body.Address), uint64(body.Bytes))
	return closedBy(err)
}

func (m *machine) Reply(req core.ReqID, result []byte) error {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	a, err := m.in.arguments(len(result))
	if err != nil {
		return closedBy(err)
	}
	body := a.put(result)
	_, err = m.commandInt(exportReply, m.handle, numberBits(uint64(req)), uint64(body.Address), uint64(body.Bytes))
	return closedBy(err)
}

func (m *machine) Fail(req core.ReqID, code core.Code, message string, data []byte) error {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	a, err := m.in.arguments(len(message) + len(data))
	if err != nil {
		return closedBy(err)
	}
	text, body := a.putText(message), a.put(data)
	_, err = m.commandInt(exportFail, m.handle, numberBits(uint64(req)), uint64(uint32(code)),
		uint64(text.Address), uint64(text.Bytes), uint64(body.Address), uint64(body.Bytes))
	return closedBy(err)
}

func (m *machine) Forward(frame []byte, splices ...core.Splice) error {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	stride := int(unsafe.Sizeof(abi.Splice{}))
	size := stride*len(splices) + len(frame)
	for i := range splices {
		size += len(splices[i].Value)
	}
	a, err := m.in.arguments(size)
	if err != nil {
		return closedBy(err)
	}
	address, records := a.skip(stride * len(splices))
	for i := range splices {
		s := &splices[i]
		putRecord(records[i*stride:], &abi.Splice{
			Start: offsetOf(s.Start), End: offsetOf(s.End), Value: a.put(s.Value),
		})
	}
	body := a.put(frame)
	_, err = m.commandInt(exportForward, m.handle, uint64(body.Address), uint64(body.Bytes),
		uint64(address), uint64(len(splices)))
	return closedBy(err)
}

// offsetOf keeps an offset that lies outside any frame outside.
func offsetOf(n int) uint32 {
	if n < 0 || n > math.MaxInt32 {
		return math.MaxInt32
	}
	return uint32(n)
}

func (m *machine) SetVersion(version string) error {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	a, err := m.in.arguments(len(version))
	if err != nil {
		return closedBy(err)
	}
	text := a.putText(version)
	_, err = m.commandInt(exportSetVersion, m.handle, uint64(text.Address), uint64(text.Bytes))
	return closedBy(err)
}

// simple runs a command that has at most one number.
func (m *machine) simple(x export, params ...uint64) error {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	_, err := m.commandInt(x, params...)
	return closedBy(err)
}

func (m *machine) Cancel(id core.CallID) error {
	return m.simple(exportCancel, m.handle, numberBits(uint64(id)))
}

func (m *machine) Done(req core.ReqID) error {
	return m.simple(exportDone, m.handle, numberBits(uint64(req)))
}

func (m *machine) CancelRequest(ordinal uint64) error {
	return m.simple(exportCancelRequest, m.handle, numberBits(ordinal))
}

func (m *machine) FinishInput() error { return m.simple(exportFinishInput, m.handle) }

func (m *machine) TraceStart() error { return m.simple(exportTraceStart, m.handle) }

func (m *machine) TraceStop() error { return m.simple(exportTraceStop, m.handle) }

func (m *machine) Shutdown() { m.finish(exportShutdown) }

func (m *machine) Abort() { m.finish(exportAbort) }

func (m *machine) finish(x export) {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	_, err := m.commandInt(x, m.handle)
	m.must(err)
}
