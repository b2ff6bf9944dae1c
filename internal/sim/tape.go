package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/transcript"
)

// tape records the inputs of one machine as a transcript would spell them. Its writer is always
// held, so that each block is taken and written by a record of its own.
type tape struct {
	records []transcript.Record
	calls   []core.CallID // calls[n-1] is call cn
	reqs    []core.ReqID  // reqs[n-1] is request rn
}

func (t *tape) add(r transcript.Record) { t.records = append(t.records, r) }

// accepted numbers a call.
func (t *tape) accepted(id core.CallID) { t.calls = append(t.calls, id) }

// heard numbers a message of theirs when an event first names it.
func (t *tape) heard(ev *core.Event) {
	names := ev.Kind == core.EventRequest || ev.Kind == core.EventNotification || ev.Kind == core.EventCancelRequest
	if names && ev.Req != 0 && !slices.Contains(t.reqs, ev.Req) {
		t.reqs = append(t.reqs, ev.Req)
	}
}

// callNumber is 0, which is no call, for a handle that was never given out.
func (t *tape) callNumber(id core.CallID) uint64 { return uint64(slices.Index(t.calls, id) + 1) }

func (t *tape) reqNumber(req core.ReqID) uint64 { return uint64(slices.Index(t.reqs, req) + 1) }

func callRecord(op transcript.Op, method string, params []byte, opts *core.CallOptions) transcript.Record {
	return transcript.Record{
		Op: op, Method: []byte(method), Body: slices.Clone(params), Deadline: opts.Deadline, Extend: opts.Extend,
		DeadlineMax: opts.DeadlineMax, Token: slices.Clone(opts.ProgressToken), ID: slices.Clone(opts.ID), Flag: opts.Quiet,
	}
}

// vector makes a transcript of the tape. It ends with a turn, as every vector does.
func (t *tape) vector(seed uint64, fault *Fault) transcript.Vector {
	v := transcript.Vector{Rules: []string{fault.Rule}, Title: fmt.Sprintf("Found by seed %#x: %s", seed, firstLine(fault.Detail))}
	if fault.Rule == panicked {
		v.Rules[0] = ruleOfPanics
	}
	v.Records = append(v.Records, t.records...)
	now := core.Time(0)
	for _, r := range t.records {
		now = max(now, r.Time)
	}
	v.Records = append(v.Records, transcript.Record{Op: transcript.OpAt, Time: now})
	return v
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line)
}
