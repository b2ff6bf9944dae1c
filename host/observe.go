package host

import (
	"context"
	"log/slog"

	"github.com/parley-rpc/parley/core"
)

// observationsMax is how many observations wait for a slow observer; more are lost and counted.
const observationsMax = 256

// startObserving starts the goroutine that hands observations out, where anybody wants them.
func (p *Peer) startObserving(observe func(Observation)) {
	if observe == nil && !p.log.Enabled(context.Background(), slog.LevelError) {
		return
	}
	p.observations = make(chan Observation, observationsMax)
	go func() {
		for o := range p.observations {
			p.logObservation(o)
			if observe != nil {
				observe(o)
			}
		}
		if lost := p.observeLost; lost > 0 {
			p.log.Warn("observations lost: the observer was too slow", "count", lost)
		}
	}()
}

// observe passes a fact on that is nobody's outcome. Peer.mu is held.
func (p *Peer) observe(ev *core.Event) {
	if p.observations == nil || p.end.over {
		return
	}
	o := Observation{
		Kind: ev.Kind, Reason: ev.Reason, Invalid: ev.Invalid, Hint: ev.Hint, Code: ev.Code,
		Method: string(ev.Method), Offset: ev.Offset, Count: ev.Count, Text: string(ev.Text),
	}
	select {
	case p.observations <- o:
	default:
		p.observeLost++
	}
}

// stopObserving follows the last observation: nothing is observed once the session is over.
func (p *Peer) stopObserving() {
	if p.observations != nil {
		close(p.observations)
	}
}

func (p *Peer) logObservation(o Observation) {
	sample := slog.String("text", oneLine(o.Text))
	switch o.Kind {
	case core.EventInvalid:
		p.log.Warn("peer: a frame is no message", "reason", o.Invalid.String(), "offset", o.Offset, "hint", o.Hint.String(), sample)
	case core.EventNoise:
		p.log.Warn("peer: a line is no JSON", "offset", o.Offset, "hint", o.Hint.String(), sample)
	case core.EventPeerError:
		p.log.Warn("peer: an error response for nobody", "code", int(o.Code), sample)
	case core.EventResync:
		p.log.Warn("peer: bytes skipped to the next header", "offset", o.Offset, "bytes", o.Count, sample)
	case core.EventDropped:
		p.log.Warn("peer: a message that the era does not allow was dropped unanswered", "method", oneLine(o.Method))
	case core.EventStalled:
		p.log.Warn("peer: it does not read")
	case core.EventEnding:
		p.log.Info("session ending", "reason", o.Reason.String())
	case core.EventClosed:
		p.log.Info("session closed", "reason", o.Reason.String())
	}
}
