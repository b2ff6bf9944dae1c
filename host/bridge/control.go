package bridge

import (
	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/control"
)

// show has the control connection show a session, where there is one. A session works without. The id it
// is shown by is not the session's own: who knows that one takes the session over.
func (s *session) show(server *control.Server) {
	if server == nil {
		return
	}
	id, profile := server.NewSessionID(), s.server.Profile
	r := s.relay
	passage := control.NewPassage(r.clock, func() host.Snapshot {
		shown := r.pressure()
		shown.SessionID, shown.Profile = id, profile
		return shown
	})
	r.update(func() { r.passage = passage })
	if err := server.Register(passage, s.server.title()); err != nil {
		s.log.Warn("the session is not shown", "error", err.Error())
	}
}

// pressure is what waits between both sides: bytes are the page's, and output is whichever has more.
func (r *relay) pressure() host.Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	var s host.Snapshot
	if r.closed {
		return s
	}
	page, server := r.page.machine.State(), r.server.machine.State()
	s.State, s.Stats, s.Limits = server, r.page.machine.Stats(), r.server.machine.Limits()
	s.State.Waiting = page.Waiting + server.Waiting
	s.State.QueuedBytes = max(page.QueuedBytes, server.QueuedBytes)
	s.State.Paused = page.Paused || server.Paused
	s.State.Lifecycle = core.LifecycleNone
	return s
}
