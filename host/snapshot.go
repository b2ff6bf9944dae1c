package host

import (
	"context"
	"strconv"

	"github.com/parley-rpc/parley/core"
)

// Snapshot is a session and its work at one moment (SCHED-5). It owns its memory.
type Snapshot struct {
	core.Snapshot
	SessionID string // Config.SessionID, the first half of every correlation id
	Profile   core.Profile
	Role      core.Role

	State  core.State
	Stats  core.Stats
	Limits core.Limits
	Now    core.Time // on the session's clock, as all its times are
}

// Snapshot returns what the session works on, its limits and its counters. After its end it is
// ErrClosed; Stats and State remain.
func (p *Peer) Snapshot() (Snapshot, error) {
	s := Snapshot{SessionID: p.sessionID, Profile: p.profile, Role: p.role, Limits: p.limits}
	err := p.command("snapshot", func(m Machine) error {
		s.Now, s.State, s.Stats = p.clock.Now(), m.State(), m.Stats()
		return m.Snapshot(&s.Snapshot)
	})
	return s, err
}

// CorrelationID is the name of one of the peer's messages in logs and to the outside: the session's
// id, where Config.SessionID gives one, and the ordinal (SCHED-3).
func (p *Peer) CorrelationID(ordinal uint64) string {
	number := strconv.FormatUint(ordinal, 10)
	if p.sessionID == "" {
		return number
	}
	return p.sessionID + "-" + number
}

// TraceStart empties the trace and starts it: from now on a Snapshot shows the last
// core.TraceRecordsMax steps of the peer's messages. It is core.ErrTracing where one runs
// (SCHED-5).
func (p *Peer) TraceStart() error {
	return p.command("trace start", func(m Machine) error { return m.TraceStart() })
}

// TraceStop stops the trace; what it recorded stays in the Snapshot. It is core.ErrTracing where
// none runs (SCHED-5).
func (p *Peer) TraceStop() error {
	return p.command("trace stop", func(m Machine) error { return m.TraceStop() })
}

// command is one turn for a verb that neither sends nor waits.
func (p *Peer) command(op string, f func(m Machine) error) error {
	if err := p.update(f); err != nil {
		return p.failed(context.Background(), op, "", "", err)
	}
	return nil
}

// CancelRequest cancels one of the peer's messages, as the session's owner, by its ordinal. One
// that waits ends without running; the handler of one that runs, and Message.Context, are
// signalled, and CancelRequest waits until it has ended. It returns true only then, false where the
// message has ended before or never was (SCHED-4). A request is answered in every profile (REQ-7).
// When ctx ends first it is ErrTimeout or ErrCanceled, and the message stays cancelled.
func (p *Peer) CancelRequest(ctx context.Context, ordinal uint64) (bool, error) {
	var retired chan struct{} // nil: it did not run
	err := p.update(func(m Machine) error {
		if err := m.CancelRequest(ordinal); err != nil {
			return err
		}
		if r := p.running(ordinal); r != nil {
			if r.retired == nil {
				r.retired = make(chan struct{})
			}
			retired = r.retired
		}
		return nil
	})
	switch {
	case err == core.ErrUnknownRequest:
		return false, nil
	case err == nil && retired == nil:
		return true, nil
	case err == nil:
		select {
		case <-retired:
			return true, nil
		case <-p.done:
			err = ErrClosed
		case <-ctx.Done():
			err = endOf(ctx)
		}
	}
	return false, p.failed(ctx, "cancel request", "", "", err)
}

// running finds what a handler, or a reader of Messages, works on. Peer.mu is held.
func (p *Peer) running(ordinal uint64) *request {
	for _, r := range p.requests {
		if r.ordinal == ordinal {
			return r
		}
	}
	return nil
}
