package transcript

import (
	"fmt"
	"slices"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// neverIssued stands for a call or request whose number the machine has not given out.
const neverIssued = 1<<52 - 1

// command gives one command and returns what the machine says to it.
func (p *player) command(r *Record) error {
	switch r.Op {
	case OpAddCall, OpAddNotify:
		p.batch = append(p.batch, r.batchItem())
		return nil
	case OpBatch:
		return p.sendBatch()
	}
	given := *r
	given.Call, given.Req = uint64(p.callHandle(r.Call)), uint64(p.reqHandle(r.Req))
	call, err := given.command(p.machine)
	if err == nil && r.Op == OpCall {
		p.calls = append(p.calls, call)
	}
	return err
}

// command gives the command to m; Call and Req are handles of m. The result is the handle of a call.
func (r *Record) command(m host.Machine) (core.CallID, error) {
	switch r.Op {
	case OpCall:
		return m.Call(string(r.Method), r.Body, r.callOptions())
	case OpNotify:
		return 0, m.Notify(string(r.Method), r.Body)
	case OpCancel:
		return 0, m.Cancel(core.CallID(r.Call))
	case OpReply:
		return 0, m.Reply(core.ReqID(r.Req), r.Body)
	case OpFail:
		return 0, m.Fail(core.ReqID(r.Req), r.Code, string(r.Text), r.Body)
	case OpDone:
		return 0, m.Done(core.ReqID(r.Req))
	case OpCancelRequest:
		return 0, m.CancelRequest(r.Ordinal)
	case OpWant:
		m.Want(int(min(r.Count, creditDefault)))
	case OpForward:
		return 0, m.Forward(r.Text)
	case OpFinishInput:
		return 0, m.FinishInput()
	case OpShutdown:
		m.Shutdown()
	case OpAbort:
		m.Abort()
	case OpReadFailed:
		m.ReadFailed()
	case OpTraceStart:
		return 0, m.TraceStart()
	case OpTraceStop:
		return 0, m.TraceStop()
	case OpSetVersion:
		return 0, m.SetVersion(string(r.Text))
	default:
		return 0, fmt.Errorf("transcript: %q is no command", spellings[r.Op].verb)
	}
	return 0, nil
}

func (r *Record) batchItem() core.BatchItem {
	return core.BatchItem{
		Method:       string(r.Method),
		Params:       r.Body,
		Notification: r.Op == OpAddNotify,
		Options:      r.callOptions(),
	}
}

func (r *Record) callOptions() core.CallOptions {
	return core.CallOptions{
		Deadline:      r.Deadline,
		Extend:        r.Extend,
		DeadlineMax:   r.DeadlineMax,
		ProgressToken: r.Token,
		ID:            r.ID,
		Quiet:         r.Flag,
	}
}

// sendBatch sends the members added since the last batch.
func (p *player) sendBatch() error {
	items := p.batch
	p.batch = nil
	ids := make([]core.CallID, len(items))
	if err := p.machine.Batch(items, ids); err != nil {
		return err
	}
	for i := range items {
		if !items[i].Notification {
			p.calls = append(p.calls, ids[i])
		}
	}
	return nil
}

func (p *player) callHandle(number uint64) core.CallID {
	if number-1 < uint64(len(p.calls)) {
		return p.calls[number-1]
	}
	return neverIssued
}

func (p *player) reqHandle(number uint64) core.ReqID {
	if number-1 < uint64(len(p.reqs)) {
		return p.reqs[number-1]
	}
	return neverIssued
}

func (p *player) callNumber(handle core.CallID) (uint64, error) {
	i := slices.Index(p.calls, handle)
	if i < 0 {
		return 0, fmt.Errorf("transcript: an event names call %d, which was never accepted", handle)
	}
	return uint64(i + 1), nil
}

// reqNumber numbers requests in the order in which they are first heard of.
func (p *player) reqNumber(handle core.ReqID) uint64 {
	if handle == 0 {
		return 0
	}
	i := slices.Index(p.reqs, handle)
	if i < 0 {
		i = len(p.reqs)
		p.reqs = append(p.reqs, handle)
	}
	return uint64(i + 1)
}
