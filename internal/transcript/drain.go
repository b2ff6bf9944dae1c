package transcript

import (
	"errors"
	"fmt"

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
		p.events = append(p.events, Record{
			Op:      OpViolation,
			Broken:  broken.Kind,
			Invalid: broken.Invalid,
			Offset:  broken.Offset,
			Have:    broken.Have,
			Need:    broken.Need,
			Hint:    broken.Hint,
			Text:    shown(broken.Sample),
		})
	}
	return nil
}

// event copies what an event of this kind says; fields that the kind does not define are left out.
func (p *player) event(ev *core.Event) (r Record, err error) {
	if int(ev.Kind) >= len(eventOps) || eventOps[ev.Kind] == OpNone {
		return r, fmt.Errorf("transcript: event kind %d is not recorded", ev.Kind)
	}
	r.Op = eventOps[ev.Kind]
	switch r.Op {
	case OpRequest, OpNotification, OpCancelNotice:
		r.Req = p.reqNumber(ev.Req)
		r.Ordinal = ev.Ordinal
		r.ID = shown(ev.ID)
		r.Method = shown(ev.Method)
		r.Body = shown(ev.Body)
	case OpMessage:
		r.Class = ev.Class
		r.Invalid = ev.Invalid
		r.Offset = ev.Offset
		r.Hint = ev.Hint
		r.ID = shown(ev.ID)
		r.Method = shown(ev.Method)
		r.Body = shown(ev.Body)
		r.Text = shown(ev.Frame)
	case OpResult, OpInvalidAnswer, OpCanceled, OpLost, OpProgress:
		r.Reason = ev.Reason
		r.Body = shown(ev.Body)
		r.Call, err = p.callNumber(ev.Call)
	case OpTimeout:
		r.Count = ev.Count
		r.Text = shown(ev.Text)
		r.Call, err = p.callNumber(ev.Call)
	case OpDropped:
		r.ID = shown(ev.ID)
		r.Method = shown(ev.Method)
	case OpError:
		r.Code = ev.Code
		r.Text = shown(ev.Text)
		r.Body = shown(ev.Body)
		r.Call, err = p.callNumber(ev.Call)
	case OpPeerError:
		r.Code = ev.Code
		r.Text = shown(ev.Text)
		r.Body = shown(ev.Body)
	case OpInvalid, OpNoise, OpResync:
		r.Invalid = ev.Invalid
		r.Offset = ev.Offset
		r.Hint = ev.Hint
		r.Count = ev.Count
		r.Text = shown(ev.Text)
	case OpEnding:
		r.Reason = ev.Reason
	}
	return r, err
}
