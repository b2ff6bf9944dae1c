package transcript

import (
	"fmt"
	"slices"

	"github.com/parley-rpc/parley/core"
)

// neverIssued stands for a call or request whose number the machine has not given out.
const neverIssued = 1<<52 - 1

// command gives one command and returns what the machine says to it.
func (p *player) command(r *Record) error {
	m := p.machine
	switch r.Op {
	case OpCall:
		call, err := m.Call(string(r.Method), r.Body, r.callOptions())
		if err == nil {
			p.calls = append(p.calls, call)
		}
		return err
	case OpNotify:
		return m.Notify(string(r.Method), r.Body)
	case OpAddCall, OpAddNotify:
		p.batch = append(p.batch, core.BatchItem{
			Method:       string(r.Method),
			Params:       r.Body,
			Notification: r.Op == OpAddNotify,
			Options:      r.callOptions(),
		})
		return nil
	case OpBatch:
		return p.sendBatch()
	case OpCancel:
		return m.Cancel(p.callHandle(r.Call))
	case OpReply:
		return m.Reply(p.reqHandle(r.Req), r.Body)
	case OpFail:
		return m.Fail(p.reqHandle(r.Req), r.Code, string(r.Text), r.Body)
	case OpDone:
		return m.Done(p.reqHandle(r.Req))
	case OpCancelRequest:
		return m.CancelRequest(r.Ordinal)
	case OpWant:
		m.Want(int(min(r.Count, creditDefault)))
		return nil
	case OpForward:
		return m.Forward(r.Text)
	case OpFinishInput:
		return m.FinishInput()
	case OpShutdown:
		m.Shutdown()
		return nil
	case OpAbort:
		m.Abort()
		return nil
	case OpTraceStart:
		return m.TraceStart()
	case OpTraceStop:
		return m.TraceStop()
	case OpSetVersion:
		return m.SetVersion(string(r.Text))
	}
	return fmt.Errorf("transcript: %q cannot be played", spellings[r.Op].verb)
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
