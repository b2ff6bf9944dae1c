package host_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// SCHED-9: it is answered before initialize, while a write blocks everything, and after shutdown;
// it shows what the application says, and never itself.
func TestDebugInfoIsAlwaysAnswered(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		release := make(chan struct{})
		options := host.LSPServer
		options.Config.SessionID = "s"
		options.Mux = blocking(release)
		options.Mux.HandleRaw("initialize", core.ModeRead, nothing)
		options.Mux.HandleRaw("shutdown", core.ModeBypass, nothing)
		phase := host.PhaseLoading
		host.HandleDebugInfo(options.Mux, func(context.Context) host.Workspace {
			return host.Workspace{Phase: phase, Folders: []host.Folder{{URI: "file:///w", Counts: map[string]int{"projects": 3}}}}
		})
		client, _ := connected(t, engine, options)
		ask := func() host.DebugInfo {
			t.Helper()
			info, err := host.Call[host.DebugInfo](t.Context(), client, host.DebugInfoMethod, nil)
			if err != nil {
				t.Fatal(err)
			}
			return info
		}
		expectPhase := func(want host.WorkspacePhase) {
			t.Helper()
			if info := ask(); info.Phase != want || info.Folders[0].Counts["projects"] != 3 {
				t.Errorf("got %s with %+v, want %s", info.Phase, info.Folders, want)
			}
		}
		expectPhase(host.PhaseUninitialized)
		initialize(t, client, `{}`)
		expectPhase(host.PhaseLoading)
		phase = ""
		expectPhase(host.PhaseReady)

		for range 2 {
			go client.CallRaw(t.Context(), "wait", nil)
		}
		synctest.Wait()
		info := ask()
		if q := info.Queue; q.Running != 1 || q.Waiting != 1 || len(q.Items) != 2 || q.RunningMax != 256 || q.Truncated {
			t.Fatalf("queue %+v", q)
		}
		if it := info.Queue.Items[0]; it.Method != "wait" || it.Mode != "write" || it.Phase != "running" || it.CorrelationID != "s-5" {
			t.Errorf("running: %+v", it)
		}
		if it := info.Queue.Items[1]; it.Phase != "queued" || it.Ordinal != 6 {
			t.Errorf("waiting: %+v", it)
		}
		if _, err := client.CallRaw(t.Context(), "shutdown", nil); err != nil {
			t.Fatal(err)
		}
		expectPhase(host.PhaseShuttingDown)
		close(release)
		synctest.Wait()
		info = ask()
		if info.Generation != 2 || info.Counters.Requests != 10 || len(info.Queue.Items) != 0 {
			t.Errorf("at last: %+v", info)
		}
		for _, m := range info.Methods {
			if m.Method == host.DebugInfoMethod || m.Method == "wait" && m.Count != 2 {
				t.Errorf("method %+v", m)
			}
		}
	})
}
