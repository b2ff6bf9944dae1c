package transcript

import (
	"errors"
	"fmt"
	"slices"

	"github.com/parley-rpc/parley/core"
)

// eventOps maps what a machine tells to what a transcript records.
var eventOps = [...]Op{
	core.EventRequest:       OpRequest,
	core.EventNotification:  OpNotification,
	core.EventMessage:       OpMessage,
	core.EventResult:        OpResult,
	core.EventError:         OpError,
	core.EventInvalidAnswer: OpInvalidAnswer,
	core.EventTimeout:       OpTimeout,
	core.EventCanceled:      OpCanceled,
	core.EventLost:          OpLost,
	core.EventProgress:      OpProgress,
	core.EventCancelRequest: OpCancelNotice,
	core.EventInvalid:       OpInvalid,
	core.EventNoise:         OpNoise,
	core.EventPeerError:     OpPeerError,
	core.EventResync:        OpResync,
	core.EventWritable:      OpWritable,
	core.EventStalled:       OpStalled,
	core.EventDropped:       OpDropped,
	core.EventEnding:        OpEnding,
	core.EventClosed:        OpClosed,
}

// drain records every event that is ready.
func (p *player) drain() error {
	var ev core.Event
	for p.machine.Next(&ev) {
		r, err := p.event(&ev)
		if err != nil {
			return err
		}
		p.events = append(p.events, r)
		if ev.Kind != core.EventEnding || ev.Reason != core.ReasonViolation {
			continue
		}
		broken := p.machine.State().Err
		if broken == nil {
			return errors.New("transcript: ended by a violation that State does not name")
		}
		violation := violationRecord(broken)
		violation.Text = shown(violation.Text)
		p.events = append(p.events, violation)
	}
	return nil
}

// event copies what an event says, for people: long values are shortened, and the id of a call is
// left to the call.
func (p *player) event(ev *core.Event) (r Record, err error) {
	if r, err = eventRecord(ev); err != nil {
		return r, err
	}
	r.ID, r.Method, r.Body, r.Text = shown(r.ID), shown(r.Method), shown(r.Body), shown(r.Text)
	switch row := &spellings[r.Op]; {
	case row.defines("call"):
		r.ID = nil
		r.Call, err = p.callNumber(core.CallID(r.Call))
	case row.defines("req"):
		r.Req = p.reqNumber(core.ReqID(r.Req))
	}
	return r, err
}

// eventRecord says what an event says and shares its memory; fields that its kind does not define are
// left out.
func eventRecord(ev *core.Event) (r Record, err error) {
	if int(ev.Kind) >= len(eventOps) || eventOps[ev.Kind] == OpNone {
		return r, fmt.Errorf("transcript: event kind %d is not recorded", ev.Kind)
	}
	r.Op = eventOps[ev.Kind]
	switch r.Op {
	case OpRequest, OpNotification:
		r.Req, r.Ordinal = uint64(ev.Req), ev.Ordinal
		r.Method, r.Body = ev.Method, ev.Body
		if r.Op == OpRequest {
			r.ID = ev.ID
		}
	case OpCancelNotice:
		r.Req, r.Ordinal = uint64(ev.Req), ev.Ordinal
	case OpMessage:
		r.Class, r.Invalid, r.Hint, r.Offset = ev.Class, ev.Invalid, ev.Hint, ev.Offset
		r.ID, r.Method, r.Body, r.Text = ev.ID, ev.Method, ev.Body, ev.Frame
	case OpResult, OpProgress:
		r.Call, r.Body = uint64(ev.Call), ev.Body
	case OpInvalidAnswer:
		r.Call, r.ID, r.Body = uint64(ev.Call), ev.ID, ev.Body
	case OpTimeout:
		r.Call, r.ID, r.Count, r.Text = uint64(ev.Call), ev.ID, ev.Count, ev.Text
	case OpCanceled:
		r.Call, r.ID = uint64(ev.Call), ev.ID
	case OpLost:
		r.Call, r.ID, r.Reason = uint64(ev.Call), ev.ID, ev.Reason
	case OpError:
		r.Call, r.Code, r.Text, r.Body = uint64(ev.Call), ev.Code, ev.Text, ev.Body
	case OpPeerError:
		r.Code, r.Text, r.Body = ev.Code, ev.Text, ev.Body
	case OpInvalid, OpNoise, OpResync:
		r.Invalid, r.Offset, r.Hint = ev.Invalid, ev.Offset, ev.Hint
		r.Count, r.Text = ev.Count, ev.Text
	case OpDropped:
		r.ID, r.Method = ev.ID, ev.Method
	case OpEnding:
		r.Reason = ev.Reason
	}
	return r, nil
}

// Event gives back the event that the record says, and whether it says one. It shares the record's
// memory.
func (r *Record) Event() (ev core.Event, isEvent bool) {
	kind := slices.Index(eventOps[:], r.Op)
	if r.Op == OpNone || kind < 0 {
		return ev, false
	}
	ev = core.Event{
		Kind: core.EventKind(kind), Class: r.Class, Reason: r.Reason, Invalid: r.Invalid, Hint: r.Hint, Code: r.Code,
		Call: core.CallID(r.Call), Req: core.ReqID(r.Req), Ordinal: r.Ordinal, Offset: r.Offset, Count: r.Count,
		ID: r.ID, Method: r.Method, Body: r.Body, Text: r.Text,
	}
	if r.Op == OpMessage {
		ev.Text, ev.Frame = nil, r.Text
	}
	return ev, true
}

// violationRecord shares broken's sample.
func violationRecord(broken *core.ProtocolError) Record {
	return Record{
		Op: OpViolation, Broken: broken.Kind, Invalid: broken.Invalid, Hint: broken.Hint,
		Offset: broken.Offset, Have: broken.Have, Need: broken.Need, Text: broken.Sample,
	}
}

// Violation gives back the violation of an OpViolation. It shares the record's memory.
func (r *Record) Violation() *core.ProtocolError {
	return &core.ProtocolError{
		Kind: r.Broken, Invalid: r.Invalid, Hint: r.Hint,
		Offset: r.Offset, Have: r.Have, Need: r.Need, Sample: r.Text,
	}
}
