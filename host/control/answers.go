package control

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// What keeps every answer below the frame limit of 4 MiB, whatever is registered.
const (
	sessionsMax = 256
	requestsMax = 4096
	methodsMax  = 1024
	nameRunes   = 256
)

// contract is the table of what is served (CTL-5).
func (s *Server) contract() *host.Mux {
	mux := host.NewMux()
	// These two are answered whatever else the connection waits for.
	host.Handle(mux, ConnectionGet.Name, core.ModeBypass, func(context.Context, None) (Connection, error) { return s.info, nil })
	host.Handle(mux, KeepAlive.Name, core.ModeBypass, func(context.Context, None) (Alive, error) { return Alive{s.closing.Err() == nil}, nil })
	serve(mux, SessionsList, func(context.Context, None) (Sessions, error) { return s.list(), nil })
	serve(mux, SessionsGet, s.get)
	serve(mux, RequestsList, s.requests)
	serve(mux, RequestsCancel, s.cancelRequest)
	serve(mux, TraceStart, s.traceStart)
	serve(mux, TraceStop, s.traceStop)
	serve(mux, StatsGet, s.stats)
	return mux
}

func serve[P, R any](mux *host.Mux, m Method[P, R], fn func(context.Context, P) (R, error)) {
	host.Handle(mux, m.Name, core.ModeRead, fn)
}

func (s *sessions) list() Sessions {
	list := Sessions{Sessions: []Session{}}
	all := s.all()
	if len(all) > sessionsMax {
		all, list.Truncated = all[len(all)-sessionsMax:], true
	}
	for _, r := range all {
		if snapshot, err := r.live.Snapshot(); err == nil { // else it has just ended
			list.Sessions = append(list.Sessions, r.describe(&snapshot, s.clock.Now()))
		}
	}
	return list
}

func (s *sessions) get(_ context.Context, params SessionParams) (SessionDetail, error) {
	r, snapshot, err := s.look(params.Session)
	if err != nil {
		return SessionDetail{}, err
	}
	l := snapshot.Limits
	return SessionDetail{
		Session:  r.describe(&snapshot, s.clock.Now()),
		Counters: Counters(snapshot.Stats),
		Limits: Limits{
			FrameBytesMax: l.FrameBytesMax, CallsMax: l.CallsMax, OutBytesMax: l.OutBytesMax,
			RunningMax: l.RunningMax, BackgroundMax: l.BackgroundMax,
			QueuedMax: l.QueuedMax, QueuedBytesMax: l.QueuedBytesMax,
			MessagesMax: l.MessagesMax, ParkedBytesMax: l.ParkedBytesMax,
		},
	}, nil
}

// look finds a session and takes its snapshot.
func (s *sessions) look(id string) (*session, host.Snapshot, error) {
	r, err := s.find(id)
	if err != nil {
		return nil, host.Snapshot{}, err
	}
	snapshot, err := r.snapshot()
	return r, snapshot, err
}

func (s *sessions) requests(_ context.Context, params FilterParams) (Requests, error) {
	looked := s.all()
	if params.Session != "" {
		r, err := s.find(params.Session)
		if err != nil {
			return Requests{}, err
		}
		looked = []*session{r}
	}
	list := Requests{Requests: []Request{}}
	for _, r := range slices.Backward(looked) { // the newest session first, in case not all fit
		snapshot, err := r.live.Snapshot()
		if err != nil {
			continue // it has just ended
		}
		list.Truncated = list.Truncated || snapshot.Truncated
		for _, item := range slices.Backward(snapshot.Items) {
			if len(list.Requests) == requestsMax {
				list.Truncated = true
				break
			}
			list.Requests = append(list.Requests, r.describeItem(item, snapshot.Now))
		}
	}
	slices.Reverse(list.Requests)
	return list, nil
}

// cancelRequest waits until the request has ended, or the asker gives up (SCHED-4).
func (s *sessions) cancelRequest(ctx context.Context, params CancelParams) (Cancelled, error) {
	answer := Cancelled{CorrelationID: params.CorrelationID}
	id, ordinal, err := ParseCorrelationID(params.CorrelationID)
	if err != nil {
		return answer, &host.RPCError{Code: host.InvalidParams, Message: err.Error()}
	}
	r, err := s.find(id)
	if err != nil {
		return answer, nil // with its session it has ended
	}
	answer.Cancelled, err = r.live.CancelRequest(ctx, ordinal)
	switch {
	case errors.Is(err, host.ErrUnsupported):
		return answer, &host.RPCError{Code: CodeUnsupported, Message: "this session's messages cannot be cancelled from here"}
	case errors.Is(err, host.ErrClosed):
		return answer, nil
	case ctx.Err() != nil:
		return answer, ctx.Err()
	}
	return answer, err
}

func (s *sessions) traceStart(_ context.Context, params SessionParams) (Tracing, error) {
	r, err := s.find(params.Session)
	if err != nil {
		return Tracing{}, err
	}
	return Tracing{Session: r.id, StepsMax: core.TraceRecordsMax}, r.traced(r.live.TraceStart(), "runs already")
}

func (s *sessions) traceStop(_ context.Context, params SessionParams) (Trace, error) {
	r, err := s.find(params.Session)
	if err != nil {
		return Trace{}, err
	}
	if err := r.traced(r.live.TraceStop(), "does not run"); err != nil {
		return Trace{}, err
	}
	snapshot, err := r.snapshot()
	if err != nil {
		return Trace{}, err
	}
	trace := Trace{Session: r.id, Steps: []Step{}, Dropped: snapshot.TraceDropped}
	for _, record := range snapshot.Trace {
		trace.Steps = append(trace.Steps, Step{
			CorrelationID: r.correlationID(record.Ordinal), Method: record.Method,
			Phase: record.Phase.String(), AgoMs: inMs(snapshot.Now - record.At),
		})
	}
	return trace, nil
}

// traced is the answer to a trace command that a session refused.
func (r *session) traced(err error, why string) error {
	switch {
	case errors.Is(err, core.ErrTracing):
		return &host.RPCError{Code: CodeTracing, Message: "the trace of session " + r.id + " " + why}
	case errors.Is(err, host.ErrClosed):
		return noSession(r.id)
	case errors.Is(err, host.ErrUnsupported):
		return &host.RPCError{Code: CodeUnsupported, Message: "session " + r.id + " cannot be traced"}
	}
	return err
}

func (s *sessions) stats(_ context.Context, params SessionParams) (Stats, error) {
	r, snapshot, err := s.look(params.Session)
	if err != nil {
		return Stats{}, err
	}
	stats := Stats{
		Session: r.id, Generation: snapshot.Generation, Counters: Counters(snapshot.Stats),
		Methods: []MethodStats{}, Dropped: []MethodCount{},
	}
	for _, m := range snapshot.Methods {
		if m.Count > 0 {
			stats.Methods = append(stats.Methods, MethodStats{
				Method: shorten(m.Name), Count: m.Count, Failed: m.Failed, MeanMs: inMs(m.MeanNs),
				P50Ms: inMs(m.P50Ns), P95Ms: inMs(m.P95Ns), P99Ms: inMs(m.P99Ns), MaxMs: inMs(m.MaxNs),
			})
		}
	}
	slices.SortFunc(stats.Methods, func(a, b MethodStats) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Method, b.Method))
	})
	stats.Methods = stats.Methods[:min(len(stats.Methods), methodsMax)]
	for _, d := range snapshot.Dropped {
		stats.Dropped = append(stats.Dropped, MethodCount(d))
	}
	return stats, nil
}

var roleNames = map[core.Role]string{
	core.RoleClient: "client", core.RoleServer: "server", core.RolePeer: "peer", core.RoleRelay: "relay",
}

// describe is a session in a line.
func (r *session) describe(s *host.Snapshot, now core.Time) Session {
	return Session{
		ID: r.id, Name: shorten(r.name), Profile: s.Profile.String(), Role: roleNames[s.Role],
		Phase: phaseOf(s.State), AgeMs: inMs(now - r.since),

		Calls: s.State.Calls, Running: s.State.Running, RunningMax: s.Limits.RunningMax,
		Waiting: s.State.Waiting, QueuedMax: s.Limits.QueuedMax, Generation: s.Generation,

		OutBytes: s.State.QueuedBytes, OutBytesMax: s.Limits.OutBytesMax,
		Paused: s.State.Paused, PausedMs: inMs(core.Time(s.Stats.PausedNs)),

		Requests: s.Stats.Requests, Notifications: s.Stats.Notifications,
		BytesIn: s.Stats.BytesIn, BytesOut: s.Stats.BytesOut, Tracing: s.Tracing,
	}
}

func phaseOf(state core.State) string {
	switch {
	case state.Lifecycle >= core.LifecycleShutdown || state.Output != core.OutputOpen:
		return "shutting-down"
	case state.Lifecycle == core.LifecycleUninitialized || state.Lifecycle == core.LifecycleInitializing:
		return "uninitialized"
	}
	return "ready"
}

func (r *session) describeItem(item core.SnapshotItem, now core.Time) Request {
	described := Request{
		CorrelationID: r.correlationID(item.Ordinal), Session: r.id, Ordinal: item.Ordinal,
		Method: shorten(item.Method), Mode: item.Mode.String(), Phase: core.PhaseQueued.String(),
		AgeMs: inMs(now - item.AcceptedAt), Cancelled: item.Cancelled,
	}
	if item.Running {
		described.Phase = core.PhaseRunning.String()
		described.Generation, described.RunningMs = &item.Generation, inMs(now-item.StartedAt)
	}
	return described
}

// shorten cuts a name that a program chose.
func shorten(name string) string {
	if runes := []rune(name); len(runes) > nameRunes {
		return string(runes[:nameRunes]) + "…"
	}
	return name
}

func inMs(ns core.Time) float64 { return float64(ns) / float64(core.Millisecond) }
