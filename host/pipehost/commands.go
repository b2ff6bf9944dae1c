package pipehost

import (
	"math"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/transcript"
)

// do gives one input that makes no call.
func (m *machine) do(r transcript.Record) error { return closedBy(m.give(&r, answer{})) }

// present is a member as it crosses: empty and absent are the same there, so that an empty one, which
// core refuses, becomes a blank, which core refuses as well.
func present(member []byte) []byte {
	if member != nil && len(member) == 0 {
		return []byte(" ")
	}
	return member
}

func callRecord(op transcript.Op, method string, params []byte, opts *core.CallOptions) transcript.Record {
	return transcript.Record{
		Op: op, Method: []byte(method), Body: present(params),
		Deadline: transcript.SpelledTime(opts.Deadline), Extend: transcript.SpelledTime(opts.Extend),
		DeadlineMax: transcript.SpelledTime(opts.DeadlineMax),
		Token:       present(opts.ProgressToken), ID: present(opts.ID), Flag: opts.Quiet,
	}
}

func (m *machine) Call(method string, params []byte, opts core.CallOptions) (core.CallID, error) {
	r := callRecord(transcript.OpCall, method, params, &opts)
	if err := m.give(&r, answer{callsMax: 1}); err != nil {
		return 0, closedBy(err)
	}
	return m.answer.calls[0], nil
}

func (m *machine) Batch(items []core.BatchItem, ids []core.CallID) error {
	calls := 0
	for i := range items {
		item := &items[i]
		r := callRecord(transcript.OpAddCall, item.Method, item.Params, &item.Options)
		if item.Notification {
			r = transcript.Record{Op: transcript.OpAddNotify, Method: r.Method, Body: r.Body}
		} else {
			calls++
		}
		if err := m.do(r); err != nil {
			return err
		}
	}
	if err := m.give(&transcript.Record{Op: transcript.OpBatch}, answer{callsMax: calls}); err != nil {
		return closedBy(err)
	}
	accepted := m.answer.calls
	for i := range items {
		if !items[i].Notification {
			ids[i], accepted = accepted[0], accepted[1:]
		}
	}
	return nil
}

func (m *machine) Notify(method string, params []byte) error {
	return m.do(transcript.Record{Op: transcript.OpNotify, Method: []byte(method), Body: present(params)})
}

func (m *machine) Cancel(id core.CallID) error {
	return m.do(transcript.Record{Op: transcript.OpCancel, Call: handle(uint64(id))})
}

func (m *machine) Reply(req core.ReqID, result []byte) error {
	return m.do(transcript.Record{Op: transcript.OpReply, Req: handle(uint64(req)), Body: present(result)})
}

func (m *machine) Fail(req core.ReqID, code core.Code, message string, data []byte) error {
	return m.do(transcript.Record{
		Op: transcript.OpFail, Req: handle(uint64(req)), Code: code, Text: []byte(message), Body: present(data),
	})
}

func (m *machine) Done(req core.ReqID) error {
	return m.do(transcript.Record{Op: transcript.OpDone, Req: handle(uint64(req))})
}

func (m *machine) CancelRequest(ordinal uint64) error {
	return m.do(transcript.Record{Op: transcript.OpCancelRequest, Ordinal: handle(ordinal)})
}

// handle keeps what no machine gave out within what a record can say.
func handle(n uint64) uint64 { return min(n, math.MaxInt64) }

func (m *machine) FinishInput() error { return m.do(transcript.Record{Op: transcript.OpFinishInput}) }

func (m *machine) Shutdown() { m.must(m.do(transcript.Record{Op: transcript.OpShutdown})) }

func (m *machine) Abort() { m.must(m.do(transcript.Record{Op: transcript.OpAbort})) }

func (m *machine) TraceStart() error { return m.do(transcript.Record{Op: transcript.OpTraceStart}) }

func (m *machine) TraceStop() error { return m.do(transcript.Record{Op: transcript.OpTraceStop}) }

func (m *machine) SetVersion(version string) error {
	return m.do(transcript.Record{Op: transcript.OpSetVersion, Text: []byte(version)})
}

// Forward splices on this side: a record has no place for splices.
func (m *machine) Forward(frame []byte, splices ...core.Splice) error {
	text, from := frame, 0
	if len(splices) > 0 {
		text = nil
	}
	for _, s := range splices {
		if s.Start < from || s.End < s.Start || s.End > len(frame) {
			return core.ErrBadCount
		}
		text = append(append(text, frame[from:s.Start]...), s.Value...)
		from = s.End
	}
	if len(splices) > 0 {
		text = append(text, frame[from:]...)
	}
	return m.do(transcript.Record{Op: transcript.OpForward, Text: text})
}
