package sim

import (
	"fmt"
	"slices"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/internal/transcript"
)

// watched is a machine under observation: what goes in is recorded, and all that goes in and comes
// out is told to the model.
type watched struct {
	host.Machine
	cfg   core.Config
	tape  tape
	model model
	space []byte
}

func watch(machine host.Machine, cfg core.Config) *watched {
	w := &watched{Machine: machine, cfg: cfg}
	w.model = newModel(machine, &w.cfg)
	return w
}

func (w *watched) Reserve(n int) []byte {
	w.space = w.Machine.Reserve(n)
	return w.space
}

func (w *watched) Commit(n int) error {
	piece := slices.Clone(w.space[:n])
	w.tape.add(transcript.Record{Op: transcript.OpIn, Text: piece})
	before := w.State()
	if before.Input == core.InputOpen {
		if w.cfg.Framing == core.FramingWhole {
			w.model.blind, w.model.dirty = true, true
		}
		w.model.arrives(piece)
	}
	err := w.Machine.Commit(n)
	w.model.committed(before, err)
	return err
}

func (w *watched) CommitMessage(n int) error {
	piece := slices.Clone(w.space[:n])
	w.tape.add(transcript.Record{Op: transcript.OpFrame, Text: piece})
	before := w.State()
	if before.Input == core.InputOpen {
		w.model.arrivesWhole(piece)
	}
	err := w.Machine.CommitMessage(n)
	w.model.committed(before, err)
	return err
}

func (w *watched) CommitEOF() error {
	w.tape.add(transcript.Record{Op: transcript.OpEOF})
	before := w.State()
	if before.Input == core.InputOpen {
		w.model.ends()
	}
	err := w.Machine.CommitEOF()
	w.model.committed(before, err)
	return err
}

func (w *watched) Take(spare []byte) []byte {
	w.tape.add(transcript.Record{Op: transcript.OpTake})
	block := w.Machine.Take(spare)
	if block != nil {
		w.model.output.began(&w.model, block)
	}
	return block
}

func (w *watched) Wrote(n int) {
	w.tape.add(transcript.Record{Op: transcript.OpWrote, Count: uint64(n)})
	w.model.output.unwritten -= n
	w.Machine.Wrote(n)
	w.sinks()
}

func (w *watched) WriteFailed() {
	w.tape.add(transcript.Record{Op: transcript.OpWriteFailed})
	w.Machine.WriteFailed()
	w.sinks()
}

// sinks notes that the output has failed: nothing of it may follow, and which calls are lost with
// it depends on how far they were written (SEND-5).
func (w *watched) sinks() {
	if w.State().Output == core.OutputFailed && !w.model.output.failed {
		w.model.output = output{failed: true}
		for _, c := range w.model.calls.open {
			c.isDoubtful = true
		}
	}
}

func (w *watched) Advance(now core.Time) {
	w.tape.add(transcript.Record{Op: transcript.OpAt, Time: now})
	w.model.advanced(now)
	w.Machine.Advance(now)
	w.sinks()
}

func (w *watched) Next(ev *core.Event) bool {
	if !w.Machine.Next(ev) {
		w.model.rests()
		return false
	}
	w.tape.heard(ev)
	w.model.happened(ev)
	return true
}

// grant is Want for the credit that the opening of a transcript grants.
func (w *watched) grant(n int) {
	w.model.credit = min(w.model.credit+int64(n), creditMax)
	w.Machine.Want(n)
}

func (w *watched) Want(n int) {
	w.tape.add(transcript.Record{Op: transcript.OpWant, Count: uint64(n)})
	w.grant(n)
}

func (w *watched) Call(method string, params []byte, opts core.CallOptions) (core.CallID, error) {
	w.tape.add(callRecord(transcript.OpCall, method, params, &opts))
	before := w.State()
	id, err := w.Machine.Call(method, params, opts)
	w.refused(err, before, len(envelope)+len(methodBody(method, params))+len(`"id":,`)+max(len(opts.ID), 1))
	if err == nil {
		w.tape.accepted(id)
		c := w.model.calls.accepted(&w.model, before, method, params, opts, id)
		w.model.output.expects(&w.model, &outgoing{body: methodBody(method, params), call: c})
	}
	return id, err
}

func (w *watched) Batch(items []core.BatchItem, ids []core.CallID) error {
	for i := range items {
		op := transcript.OpAddCall
		if items[i].Notification {
			op = transcript.OpAddNotify
		}
		w.tape.add(callRecord(op, items[i].Method, items[i].Params, &items[i].Options))
	}
	w.tape.add(transcript.Record{Op: transcript.OpBatch})
	before := w.State()
	err := w.Machine.Batch(items, ids)
	if err != nil {
		return err
	}
	frame := &outgoing{}
	for i := range items {
		it := &items[i]
		member := &outgoing{body: methodBody(it.Method, it.Params)}
		if it.Notification {
			member.body = slices.Concat([]byte(envelope), member.body)
		} else {
			w.tape.accepted(ids[i])
			member.call = w.model.calls.accepted(&w.model, before, it.Method, it.Params, it.Options, ids[i])
			before.Calls++
		}
		frame.batch = append(frame.batch, member)
	}
	w.model.output.expects(&w.model, frame)
	return nil
}

func (w *watched) Notify(method string, params []byte) error {
	w.tape.add(transcript.Record{Op: transcript.OpNotify, Method: []byte(method), Body: slices.Clone(params)})
	before := w.State()
	err := w.Machine.Notify(method, params)
	body := slices.Concat([]byte(envelope), methodBody(method, params))
	w.refused(err, before, len(body))
	if err == nil {
		w.model.output.expects(&w.model, &outgoing{body: body})
	}
	return err
}

// refused judges a command about a frame with a body of at least this size (FRAME-5, SEND-2).
func (w *watched) refused(err error, before core.State, bodySize int) {
	l, m := &w.cfg.Limits, &w.model
	switch err {
	case nil:
		after := w.State()
		m.must(bodySize <= l.FrameBytesMax, "FRAME-5", "a body of %d bytes was accepted", bodySize)
		m.must(before.QueuedBytes == 0 || after.QueuedBytes <= l.OutBytesMax, "SEND-2",
			"%d bytes are queued, of which %d were before", after.QueuedBytes, before.QueuedBytes)
	case core.ErrTooManyCalls:
		m.must(before.Calls >= l.CallsMax, "CALL-1", "a call was refused as one too many, and %d are open", before.Calls)
	case core.ErrTooLarge:
		isTooLarge := bodySize+idBytesMax > l.FrameBytesMax || w.cfg.OutFailFast
		m.must(isTooLarge, "FRAME-5", "a body of about %d bytes was refused as too large", bodySize)
	case core.ErrOutputFull:
		m.full = true
		isFull := before.QueuedBytes+framed(w.cfg.Framing, bodySize+idBytesMax) > l.OutBytesMax
		m.must(before.QueuedBytes > 0 && isFull, "SEND-2", "no room for %d bytes, and %d are queued", bodySize, before.QueuedBytes)
	}
}

// idBytesMax is the most that a numbered id adds to the least size of a call.
const idBytesMax = 21

func (w *watched) Cancel(id core.CallID) error {
	w.tape.add(transcript.Record{Op: transcript.OpCancel, Call: w.tape.callNumber(id)})
	err := w.Machine.Cancel(id)
	if err == nil {
		w.model.calls.canceled(id)
	}
	w.sinks()
	return err
}

func (w *watched) Reply(req core.ReqID, result []byte) error {
	w.tape.add(transcript.Record{Op: transcript.OpReply, Req: w.tape.reqNumber(req), Body: slices.Clone(result)})
	body := slices.Concat([]byte(`"result":`), result, []byte(`}`))
	return w.answer(req, body, func() error { return w.Machine.Reply(req, result) })
}

func (w *watched) Fail(req core.ReqID, code core.Code, message string, data []byte) error {
	w.tape.add(transcript.Record{
		Op: transcript.OpFail, Req: w.tape.reqNumber(req), Code: code, Text: []byte(message), Body: slices.Clone(data),
	})
	body := fmt.Appendf(nil, `"error":{"code":%d,"message":%q`, code, message)
	if len(data) > 0 {
		body = slices.Concat(body, []byte(`,"data":`), data)
	}
	return w.answer(req, append(body, `}}`...), func() error { return w.Machine.Fail(req, code, message, data) })
}

// answer judges an answer. Who reads messages ends a request by answering it, and one that is too
// large or cancelled is answered too.
func (w *watched) answer(req core.ReqID, body []byte, give func() error) error {
	before := w.State()
	err := give()
	switch err {
	case nil:
		w.model.inbox.answered(&w.model, req, body)
	case core.ErrOutputFull:
		w.model.full = true
	case core.ErrAnswered:
		r := w.model.inbox.find(req)
		w.model.must(r == nil || r.answered || r.isDoubtful, "REQ-2", "an answer was refused as the second, and is the first")
	case core.ErrTooLarge, core.ErrCanceled:
		if r := w.model.inbox.find(req); r != nil {
			r.answered = r.answered || err == core.ErrCanceled || !w.cfg.OutFailFast
			r.isDoubtful = true
		}
	}
	after := w.State()
	isEnded := err == nil || after.Running < before.Running || after.Waiting < before.Waiting
	if w.cfg.Inbound == core.InboundMessages && isEnded {
		w.model.inbox.ended(req)
	}
	return err
}

func (w *watched) Done(req core.ReqID) error {
	w.tape.add(transcript.Record{Op: transcript.OpDone, Req: w.tape.reqNumber(req)})
	err := w.Machine.Done(req)
	if err == nil {
		w.model.inbox.ended(req)
	}
	return err
}

func (w *watched) CancelRequest(ordinal uint64) error {
	w.tape.add(transcript.Record{Op: transcript.OpCancelRequest, Ordinal: ordinal})
	err := w.Machine.CancelRequest(ordinal)
	if err == nil {
		w.model.inbox.byOwner[ordinal] = true
	}
	return err
}

func (w *watched) Forward(text []byte, splices ...core.Splice) error {
	w.tape.add(transcript.Record{Op: transcript.OpForward, Text: slices.Clone(text)})
	before := w.State()
	err := w.Machine.Forward(text, splices...)
	w.refused(err, before, len(text))
	if err == nil {
		w.model.output.expects(&w.model, &outgoing{body: slices.Clone(text)})
	}
	return err
}

func (w *watched) TraceStart() error {
	w.tape.add(transcript.Record{Op: transcript.OpTraceStart})
	return w.Machine.TraceStart()
}

func (w *watched) TraceStop() error {
	w.tape.add(transcript.Record{Op: transcript.OpTraceStop})
	return w.Machine.TraceStop()
}

func (w *watched) FinishInput() error {
	w.tape.add(transcript.Record{Op: transcript.OpFinishInput})
	return w.Machine.FinishInput()
}

func (w *watched) Shutdown() {
	w.tape.add(transcript.Record{Op: transcript.OpShutdown})
	w.model.isStopping = true
	w.Machine.Shutdown()
}

func (w *watched) Abort() {
	w.tape.add(transcript.Record{Op: transcript.OpAbort})
	w.model.aborted = true
	w.Machine.Abort()
	w.sinks()
}

func (w *watched) SetVersion(version string) error {
	w.tape.add(transcript.Record{Op: transcript.OpSetVersion, Text: []byte(version)})
	err := w.Machine.SetVersion(version)
	if err == nil {
		w.model.version, w.model.isEra = version, true
		w.model.arrays = version == "2025-03-26"
	}
	return err
}
