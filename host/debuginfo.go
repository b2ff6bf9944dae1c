package host

import (
	"context"
	"encoding/json"

	"github.com/parley-rpc/parley/core"
)

// DebugInfoMethod is what HandleDebugInfo serves.
const DebugInfoMethod = "$/parley/debugInfo"

// HandleDebugInfo serves DebugInfoMethod: what a server does, for people, tools and tests that wait
// for a state instead of some time. It is answered at any time: before initialize, while other work
// is blocked, and after shutdown (SCHED-9). describe tells what only the application knows; it may
// be nil, and must not wait.
func HandleDebugInfo(mux *Mux, describe func(ctx context.Context) Workspace) {
	Handle(mux, DebugInfoMethod, core.ModeBypass, func(ctx context.Context, _ json.RawMessage) (DebugInfo, error) {
		snapshot, err := PeerFrom(ctx).Snapshot()
		if err != nil {
			return DebugInfo{}, err
		}
		var workspace Workspace
		if describe != nil {
			workspace = describe(ctx)
		}
		return newDebugInfo(PeerFrom(ctx), &snapshot, workspace), nil
	})
}

// Workspace is the application's part of a DebugInfo.
type Workspace struct {
	Phase   WorkspacePhase // between initialize and shutdown; "" is PhaseReady
	Folders []Folder
}

// WorkspacePhase is how far a language server is.
type WorkspacePhase string

// The phases. The first and the last are the session's own; the application tells the others apart.
const (
	PhaseUninitialized WorkspacePhase = "uninitialized" // initialize has not been answered
	PhaseConfigured    WorkspacePhase = "configured"    // it has, and nothing is loaded
	PhaseLoading       WorkspacePhase = "loading"
	PhaseReady         WorkspacePhase = "ready"
	PhaseShuttingDown  WorkspacePhase = "shutting-down" // shutdown or exit came, or the peer is gone
)

// Folder is one folder of a workspace, with whatever counts the application gives.
type Folder struct {
	URI    string         `json:"uri"`
	Name   string         `json:"name,omitempty"`
	Counts map[string]int `json:"counts,omitempty"`
}

// DebugInfo is the answer to DebugInfoMethod. It leaves out the messages that ask for it.
type DebugInfo struct {
	Phase      WorkspacePhase `json:"phase"`
	Generation uint64         `json:"generation"` // raised by each write that succeeded (SCHED-3)
	Folders    []Folder       `json:"folders"`
	Queue      DebugQueue     `json:"queue"`
	Methods    []DebugMethod  `json:"methods"`
	Counters   Counters       `json:"counters"`
}

// DebugQueue is the work in progress and what bounds it (SCHED-2).
type DebugQueue struct {
	RunningMax     int `json:"runningMax"`
	BackgroundMax  int `json:"backgroundMax"`
	QueuedMax      int `json:"queuedMax"`
	QueuedBytesMax int `json:"queuedBytesMax"`

	Running   int         `json:"running"`
	Waiting   int         `json:"waiting"`
	Items     []DebugItem `json:"items"`     // the newest core.SnapshotItemsMax, oldest first
	Truncated bool        `json:"truncated"` // there are more
}

// DebugItem is one message that has not ended.
type DebugItem struct {
	Ordinal       uint64  `json:"ordinal"`
	CorrelationID string  `json:"correlationId"`
	Method        string  `json:"method"`
	Mode          string  `json:"mode"`
	Phase         string  `json:"phase"`      // queued or running
	Generation    uint64  `json:"generation"` // captured when it started
	AgeMs         float64 `json:"ageMs"`      // since it was accepted
	Cancelled     bool    `json:"cancelled"`
}

// DebugMethod is what became of one method's messages. Times are from start to end; percentiles are
// upper bounds, at most a quarter too high.
type DebugMethod struct {
	Method string  `json:"method"`
	Count  uint64  `json:"count"`
	Failed uint64  `json:"failed"`
	MeanMs float64 `json:"meanMs"`
	MaxMs  float64 `json:"maxMs"`
	P50Ms  float64 `json:"p50Ms"`
	P95Ms  float64 `json:"p95Ms"`
	P99Ms  float64 `json:"p99Ms"`
}

func newDebugInfo(p *Peer, s *Snapshot, workspace Workspace) DebugInfo {
	info := DebugInfo{
		Phase:      phaseOf(s.State, workspace.Phase),
		Generation: s.Generation,
		Folders:    append([]Folder{}, workspace.Folders...),
		Methods:    []DebugMethod{},
		Counters:   Counters(s.Stats),
		Queue: DebugQueue{
			RunningMax: s.Limits.RunningMax, BackgroundMax: s.Limits.BackgroundMax,
			QueuedMax: s.Limits.QueuedMax, QueuedBytesMax: s.Limits.QueuedBytesMax,
			Running: s.State.Running, Waiting: s.State.Waiting,
			Items: []DebugItem{}, Truncated: s.Truncated,
		},
	}
	for _, it := range s.Items {
		switch {
		case it.Method != DebugInfoMethod:
			info.Queue.Items = append(info.Queue.Items, newDebugItem(p, s.Now, it))
		case it.Running:
			info.Queue.Running--
		default:
			info.Queue.Waiting--
		}
	}
	for _, m := range s.Methods {
		if m.Name != DebugInfoMethod {
			info.Methods = append(info.Methods, newDebugMethod(m))
		}
	}
	return info
}

func phaseOf(state core.State, application WorkspacePhase) WorkspacePhase {
	switch {
	case state.Lifecycle >= core.LifecycleShutdown || state.Output != core.OutputOpen:
		return PhaseShuttingDown
	case state.Lifecycle == core.LifecycleUninitialized || state.Lifecycle == core.LifecycleInitializing:
		return PhaseUninitialized
	case application == "":
		return PhaseReady
	}
	return application
}

func newDebugItem(p *Peer, now core.Time, it core.SnapshotItem) DebugItem {
	phase := core.PhaseQueued
	if it.Running {
		phase = core.PhaseRunning
	}
	return DebugItem{
		Ordinal: it.Ordinal, CorrelationID: p.CorrelationID(it.Ordinal),
		Method: it.Method, Mode: it.Mode.String(), Phase: phase.String(),
		Generation: it.Generation, AgeMs: inMs(now - it.AcceptedAt), Cancelled: it.Cancelled,
	}
}

func newDebugMethod(m core.MethodStats) DebugMethod {
	return DebugMethod{
		Method: m.Name, Count: m.Count, Failed: m.Failed, MeanMs: inMs(m.MeanNs), MaxMs: inMs(m.MaxNs),
		P50Ms: inMs(m.P50Ns), P95Ms: inMs(m.P95Ns), P99Ms: inMs(m.P99Ns),
	}
}

func inMs(ns core.Time) float64 { return float64(ns) / float64(core.Millisecond) }
