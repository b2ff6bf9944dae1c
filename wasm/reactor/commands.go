//go:build wasip1

package main

import (
	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

//go:wasmexport parley_call
func call(handle float64, method, methodBytes, params, paramsBytes uint32,
	deadline, extend, deadlineMax float64,
	token, tokenBytes, id, idBytes, quiet uint32,
) float64 {
	c := enter(handle)
	if c == nil {
		return -float64(abi.ErrHandle)
	}
	item := abi.BatchItem{
		Deadline: deadline, Extend: extend, DeadlineMax: deadlineMax,
		Method: abi.Span{Address: method, Bytes: methodBytes}, Params: abi.Span{Address: params, Bytes: paramsBytes},
		Token: abi.Span{Address: token, Bytes: tokenBytes}, ID: abi.Span{Address: id, Bytes: idBytes},
	}
	if quiet != 0 {
		item.Flags = abi.ItemQuiet
	}
	decoded, err := itemOf(&item)
	if err != 0 {
		return -float64(err)
	}
	made, refused := c.conn.Call(decoded.Method, decoded.Params, decoded.Options)
	if code := c.leave(codeOf(refused)); code != 0 {
		return float64(code)
	}
	return float64(made)
}

//go:wasmexport parley_batch
func batch(handle float64, items, count uint32) int32 {
	c := enter(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	records, err := recordsAt[abi.BatchItem](items, count)
	if err != 0 {
		return -int32(err)
	}
	decoded := make([]core.BatchItem, len(records))
	for i := range records {
		if decoded[i], err = itemOf(&records[i]); err != 0 {
			return -int32(err)
		}
	}
	made := make([]core.CallID, len(records))
	code := c.leave(codeOf(c.conn.Batch(decoded, made)))
	if code == 0 {
		for i := range records {
			records[i].Call = float64(made[i])
		}
	}
	return code
}

// itemOf reads one call or notification.
func itemOf(r *abi.BatchItem) (core.BatchItem, abi.Error) {
	found, err := spansAt(r.Method, r.Params, r.Token, r.ID)
	if err != 0 {
		return core.BatchItem{}, err
	}
	deadline, whole := timeOf(r.Deadline)
	extend, alsoWhole := timeOf(r.Extend)
	deadlineMax, allWhole := timeOf(r.DeadlineMax)
	if !whole || !alsoWhole || !allWhole || r.Flags&^(abi.ItemNotification|abi.ItemQuiet) != 0 {
		return core.BatchItem{}, abi.ErrNumber
	}
	return core.BatchItem{
		Method:       textOf(found[0]),
		Params:       found[1],
		Notification: r.Flags&abi.ItemNotification != 0,
		Options: core.CallOptions{
			Deadline: deadline, Extend: extend, DeadlineMax: deadlineMax,
			ProgressToken: found[2], ID: found[3], Quiet: r.Flags&abi.ItemQuiet != 0,
		},
	}, 0
}

//go:wasmexport parley_notify
func notify(handle float64, method, methodBytes, params, paramsBytes uint32) int32 {
	c := enter(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	found, err := spansAt(abi.Span{Address: method, Bytes: methodBytes}, abi.Span{Address: params, Bytes: paramsBytes})
	if err != 0 {
		return -int32(err)
	}
	return c.leave(codeOf(c.conn.Notify(textOf(found[0]), found[1])))
}

//go:wasmexport parley_cancel
func cancel(handle, call float64) int32 {
	c := enter(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	id, ok := countOf(call)
	if !ok {
		return -int32(core.ErrUnknownCall)
	}
	return c.leave(codeOf(c.conn.Cancel(core.CallID(id))))
}

//go:wasmexport parley_reply
func reply(handle, req float64, result, resultBytes uint32) int32 {
	c := enter(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	id, ok := countOf(req)
	if !ok {
		return -int32(core.ErrUnknownRequest)
	}
	b, err := bytesAt(result, resultBytes)
	if err != 0 {
		return -int32(err)
	}
	return c.leave(codeOf(c.conn.Reply(core.ReqID(id), b)))
}

//go:wasmexport parley_fail
func fail(handle, req float64, code int32, message, messageBytes, data, dataBytes uint32) int32 {
	c := enter(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	id, ok := countOf(req)
	if !ok {
		return -int32(core.ErrUnknownRequest)
	}
	found, err := spansAt(abi.Span{Address: message, Bytes: messageBytes}, abi.Span{Address: data, Bytes: dataBytes})
	if err != 0 {
		return -int32(err)
	}
	return c.leave(codeOf(c.conn.Fail(core.ReqID(id), core.Code(code), textOf(found[0]), found[1])))
}

//go:wasmexport parley_done
func done(handle, req float64) int32 {
	c := enter(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	id, ok := countOf(req)
	if !ok {
		return -int32(core.ErrUnknownRequest)
	}
	return c.leave(codeOf(c.conn.Done(core.ReqID(id))))
}

//go:wasmexport parley_cancel_request
func cancelRequest(handle, ordinal float64) int32 {
	c := enter(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	n, ok := countOf(ordinal)
	if !ok {
		return -int32(core.ErrUnknownRequest)
	}
	return c.leave(codeOf(c.conn.CancelRequest(n)))
}

//go:wasmexport parley_finish_input
func finishInput(handle float64) int32 {
	c := enter(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	return c.leave(codeOf(c.conn.FinishInput()))
}

//go:wasmexport parley_shutdown
func shutdown(handle float64) int32 {
	c := enter(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	c.conn.Shutdown()
	return c.leave(0)
}

//go:wasmexport parley_abort
func abort(handle float64) int32 {
	c := enter(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	c.conn.Abort()
	return c.leave(0)
}

//go:wasmexport parley_trace_start
func traceStart(handle float64) int32 {
	c := enter(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	return c.leave(codeOf(c.conn.TraceStart()))
}

//go:wasmexport parley_trace_stop
func traceStop(handle float64) int32 {
	c := enter(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	return c.leave(codeOf(c.conn.TraceStop()))
}

//go:wasmexport parley_set_version
func setVersion(handle float64, version, versionBytes uint32) int32 {
	c := enter(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	b, err := bytesAt(version, versionBytes)
	if err != 0 {
		return -int32(err)
	}
	return c.leave(codeOf(c.conn.SetVersion(string(b))))
}

//go:wasmexport parley_forward
func forward(handle float64, frame, frameBytes, splices, count uint32) int32 {
	c := enter(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	b, err := bytesAt(frame, frameBytes)
	if err != 0 {
		return -int32(err)
	}
	records, err := recordsAt[abi.Splice](splices, count)
	if err != 0 {
		return -int32(err)
	}
	replacements := make([]core.Splice, len(records))
	for i, r := range records {
		value, err := bytesAt(r.Value.Address, r.Value.Bytes)
		if err != 0 {
			return -int32(err)
		}
		replacements[i] = core.Splice{Start: int(r.Start), End: int(r.End), Value: value}
	}
	return c.leave(codeOf(c.conn.Forward(b, replacements...)))
}
