package mcp_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/mcp"
)

const discover = `{"jsonrpc":"2.0","id":"discover-1","method":"server/discover","params":{"_meta":{` +
	`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}}}`

func TestERA1ProbesFirstAndDropsWhatElseArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options, _ := clientOptions()
		server := script(t, func(w *wire) {
			w.say(`{"jsonrpc":"2.0","id":6,"method":"roots/list"}`)
			w.expect(discover)
			w.say(`{"jsonrpc":"2.0","id":7,"method":"ping"}`)
			w.say(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
			synctest.Wait()
			w.say(`{"jsonrpc":"2.0","id":"discover-1","result":` + modernResult + `}`)
		})
		s := connect(t, server.Endpoint, options)
		wantEra(t, s, era.EraModern, "2026-07-28")
		s.Close()
		synctest.Wait()
		if heard := server.wires[0].all(); s.DroppedMessages() != 3 || len(heard) != 1 {
			t.Errorf("%d dropped, heard %q", s.DroppedMessages(), heard)
		}
	})
}

func TestERA1ConnectBudgetEndsInTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options, _ := clientOptions()
		server := script(t, func(w *wire) {
			w.hearCall("server/discover")
			w.hearCall("initialize")
		})
		e := connectFails(t, server.Endpoint, options)
		if !errors.Is(e, host.ErrTimeout) {
			t.Errorf("got %v", e)
		}
		synctest.Wait()
		if heard := server.wires[0].all(); len(heard) != 2 {
			t.Errorf("a cancel notice was sent: %q", heard)
		}
	})
}

// after answers a probe once d has passed on the bubble's clock.
func after(d time.Duration) func(w *wire) {
	return func(w *wire) {
		id := w.hearCall("server/discover")
		time.AfterFunc(d, func() { w.say(`{"jsonrpc":"2.0","id":` + id + `,"result":` + modernResult + `}`) })
	}
}

func TestERA1SpawnedServerHasTimeToStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options, _ := clientOptions()
		wantEra(t, connect(t, spawned(t, after(14*time.Second)).Endpoint, options), era.EraModern, "2026-07-28")
		options, _ = clientOptions()
		wantEra(t, connect(t, script(t, func(w *wire) {
			after(14 * time.Second)(w)
			w.shakeHands()
		}).Endpoint, options), era.EraLegacy, "2025-11-25")
	})
}

func TestConnectIsCancelledByItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options, _ := clientOptions()
		cause := errors.New("window closed")
		ctx, cancel := context.WithCancelCause(t.Context())
		server := script(t, func(w *wire) {
			w.hearCall("server/discover")
			cancel(cause)
		})
		_, err := mcp.Connect(ctx, server.Endpoint, options)
		if !errors.Is(err, host.ErrCanceled) || !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
	})
}

func TestERA2FallsBackOnThisConnection(t *testing.T) {
	for name, probe := range map[string]func(w *wire){
		"an error":             func(w *wire) { w.refuse("server/discover", 0, "") },
		"a malformed result":   func(w *wire) { w.answer("server/discover", `{"tools":[]}`) },
		"an invalid answer":    func(w *wire) { w.say(`{"jsonrpc":"2.0","id":` + w.hearCall("server/discover") + `,"error":"no"}`) },
		"silence":              func(w *wire) { w.hearCall("server/discover") },
		"a legacy list":        func(w *wire) { w.answer("server/discover", `{"supportedVersions":["2025-11-25"]}`) },
		"-32022, legacy list":  func(w *wire) { w.refuse("server/discover", -32022, `{"supported":["2025-11-25"]}`) },
		"a line that is noise": func(w *wire) { w.say("starting up"); w.refuse("server/discover", -32602, `""`) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				options, _ := clientOptions()
				server := script(t, func(w *wire) {
					probe(w)
					w.expect(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
					w.say(`{"jsonrpc":"2.0","id":1,"result":` + legacyResult + `}`)
					w.expect(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				})
				s := connect(t, server.Endpoint, options)
				wantEra(t, s, era.EraLegacy, "2025-11-25")
				if string(s.Server()) != legacyResult {
					t.Errorf("server: %s", s.Server())
				}
			})
		})
	}
}

func TestERA2TriesACommonVersionOnceMoreAndSurfacesTheRest(t *testing.T) {
	const common = `{"supported":["2026-07-28"]}`
	synctest.Test(t, func(t *testing.T) {
		options, _ := clientOptions()
		server := script(t, func(w *wire) {
			w.refuse("server/discover", -32022, common)
			w.say(`{"jsonrpc":"2.0","id":` + w.hearCall("server/discover") + `,"result":` + modernResult + `}`)
		}, func(w *wire) {
			w.refuse("server/discover", -32022, common)
			w.refuse("server/discover", -32022, common)
		})
		wantEra(t, connect(t, server.Endpoint, options), era.EraModern, "2026-07-28")
		options, _ = clientOptions()
		e := connectFails(t, server.Endpoint, options)
		if e.Failure.Kind != era.FailureRefused || e.Failure.Code != era.CodeUnsupportedVersion || !slices.Equal(e.Failure.Theirs, []string{"2026-07-28"}) {
			t.Errorf("got %v", e)
		}
	})
}

func TestERA3OnlyDefinitiveRejectionTeaches(t *testing.T) {
	for name, test := range map[string]struct {
		probe func(w *wire)
		want  era.Era
	}{
		"-32601":          {func(w *wire) { w.refuse("server/discover", -32601, "") }, era.EraLegacy},
		"a legacy list":   {func(w *wire) { w.answer("server/discover", `{"supportedVersions":["2025-11-25"]}`) }, era.EraLegacy},
		"-32602, a list":  {func(w *wire) { w.refuse("server/discover", -32602, `{"supported":["2025-11-25"]}`) }, era.EraLegacy},
		"-32602":          {func(w *wire) { w.refuse("server/discover", -32602, "") }, era.EraUnknown},
		"silence":         {func(w *wire) { w.hearCall("server/discover") }, era.EraUnknown},
		"another error":   {func(w *wire) { w.refuse("server/discover", -32000, "") }, era.EraUnknown},
		"another result":  {func(w *wire) { w.answer("server/discover", `{}`) }, era.EraUnknown},
		"a modern server": {nil, era.EraModern},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				options, cache := clientOptions()
				server := script(t, func(w *wire) {
					if test.probe == nil {
						w.answer("server/discover", modernResult)
						return
					}
					test.probe(w)
					w.shakeHands()
				})
				connect(t, server.Endpoint, options)
				if got := cache.Lookup("server"); got != test.want {
					t.Errorf("the cache knows %v, want %v", got, test.want)
				}
			})
		})
	}
}

// handClock is a clock that a test sets; nothing is timed by it.
type handClock struct {
	host.Clock
	now atomic.Int64
}

func (c *handClock) Now() core.Time { return core.Time(c.now.Load()) }

func TestERA4CachedLegacyIsNotProbedForFiveMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := &handClock{}
		options := mcp.NewOptions("t", "1")
		options.Eras = mcp.NewEras(mcp.NewCache(clock, 0))
		rejects := func(w *wire) {
			w.refuse("server/discover", -32601, "")
			w.shakeHands()
		}
		server := script(t, rejects, (*wire).shakeHands, rejects)
		connect(t, server.Endpoint, options)
		clock.now.Store(int64(5*time.Minute) - 1)
		connect(t, server.Endpoint, options)
		clock.now.Store(int64(5 * time.Minute))
		connect(t, server.Endpoint, options)
	})
}

func TestERA4CachedModernFailsLoudlyAndIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options, cache := clientOptions()
		cache.Teach("server", era.EraModern)
		server := script(t, func(w *wire) { w.refuse("server/discover", -32601, "") })
		e := connectFails(t, server.Endpoint, options)
		if e.Failure.Kind != era.FailureRefused || cache.Lookup("server") != era.EraUnknown {
			t.Errorf("got %v, the cache knows %v", e, cache.Lookup("server"))
		}
	})
}

func TestERA4ConcurrentConnectsWaitForOneProbe(t *testing.T) {
	for name, test := range map[string]struct {
		code       int
		wantProbes int64
	}{
		"and share what it taught":             {-32601, 1},
		"if nothing, each probes for itself":   {-32000, 3},
		"also where it ended with the connect": {-32021, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				options, _ := clientOptions()
				var probes atomic.Int64
				serve := func(w *wire) {
					line := w.hear()
					if strings.Contains(line, "server/discover") {
						if probes.Add(1) == 1 {
							synctest.Wait() // until the others wait
						}
						w.say(`{"jsonrpc":"2.0","id":"discover-1","error":{"code":` + strconv.Itoa(test.code) + `,"message":"no"}}`)
						if test.code == -32021 {
							return
						}
						w.hearCall("initialize")
					}
					w.say(`{"jsonrpc":"2.0","id":1,"result":` + legacyResult + `}`)
				}
				server := script(t, serve, serve, serve)
				var all sync.WaitGroup
				for range 3 {
					all.Go(func() {
						s, err := mcp.Connect(t.Context(), server.Endpoint, options)
						if (err == nil) != (test.code != -32021) {
							t.Errorf("got %v", err)
						}
						if s != nil {
							s.Close()
						}
					})
				}
				all.Wait()
				if probes.Load() != test.wantProbes {
					t.Errorf("%d probes, want %d", probes.Load(), test.wantProbes)
				}
			})
		})
	}
}

// Waiting for another's probe is part of the connect budget (ERA-1).
func TestERA4WaitingForAProbeIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options, _ := clientOptions()
		heard := make(chan struct{})
		probing := spawned(t, func(w *wire) {
			w.hearCall("server/discover")
			close(heard)
			w.shakeHands()
		})
		var first sync.WaitGroup
		first.Go(func() { connect(t, probing.Endpoint, options) })
		<-heard
		options.ConnectTimeout = 10 * time.Second
		if e := connectFails(t, script(t).Endpoint, options); !errors.Is(e, host.ErrTimeout) {
			t.Errorf("got %v", e)
		}
		first.Wait()
	})
}

func TestERA5ChildThatEndsOnTheProbeIsStartedOnceMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options, cache := clientOptions()
		server := spawned(t, func(w *wire) {
			w.hearCall("server/discover")
			hangUp(w)
		}, (*wire).shakeHands)
		wantEra(t, connect(t, server.Endpoint, options), era.EraLegacy, "2025-11-25")
		if got := cache.Lookup("server"); got != era.EraUnknown {
			t.Errorf("the cache knows %v", got)
		}
	})
}

func TestERA5ChildThatEndsBeforeTheFallbackIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options, cache := clientOptions()
		server := spawned(t, func(w *wire) {
			w.refuse("server/discover", -32601, "")
			hangUp(w)
		}, (*wire).shakeHands)
		wantEra(t, connect(t, server.Endpoint, options), era.EraLegacy, "2025-11-25")
		if got := cache.Lookup("server"); got != era.EraUnknown {
			t.Errorf("the cache knows %v", got)
		}
	})
}

func TestERA5ServerThatIsNotOursIsNotStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options, _ := clientOptions()
		e := connectFails(t, script(t, hangUp).Endpoint, options)
		if !errors.Is(e, host.ErrClosed) || len(e.Ends) != 1 {
			t.Errorf("got %v", e)
		}
	})
}

func TestERA5SecondDeathShowsBothStderrTails(t *testing.T) {
	options, _ := clientOptions()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), dyingChild+"=1")
	e := connectFails(t, mcp.Command(cmd), options)
	if len(e.Ends) != 2 || !e.Failure.Restarted || strings.Count(e.Error(), "expected initialize") != 2 || strings.Count(e.Error(), "exit status 3") != 2 {
		t.Errorf("got %v", e)
	}
}

func TestERA6LateResultTeachesModernAndDisturbsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options, cache := clientOptions()
		decided := make(chan struct{})
		server := script(t, func(w *wire) {
			id := w.hearCall("server/discover")
			w.shakeHands()
			<-decided
			w.say(`{"jsonrpc":"2.0","id":` + id + `,"result":` + modernResult + `}`)
			w.answer("tools/list", `{"tools":[]}`)
		})
		s := connect(t, server.Endpoint, options)
		if got := cache.Lookup("server"); got != era.EraUnknown {
			t.Errorf("silence taught %v", got)
		}
		close(decided)
		synctest.Wait()
		if got := cache.Lookup("server"); got != era.EraModern {
			t.Errorf("the late answer taught %v", got)
		}
		wantEra(t, s, era.EraLegacy, "2025-11-25")
		if _, err := s.CallRaw(t.Context(), "tools/list", nil); err != nil {
			t.Error(err)
		}
	})
}

func TestERA6ModernEvidenceAgainstTheFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options, cache := clientOptions()
		server := script(t, func(w *wire) {
			w.hearCall("server/discover")
			w.refuse("initialize", -32022, `{"supported":["2026-07-28"],"requested":"2025-11-25"}`)
			w.answer("server/discover", modernResult)
		})
		wantEra(t, connect(t, server.Endpoint, options), era.EraModern, "2026-07-28")
		if got := cache.Lookup("server"); got != era.EraModern {
			t.Errorf("the cache knows %v", got)
		}
	})
}

func TestERA10Modes(t *testing.T) {
	legacy := func(o *mcp.Options) { o.Mode = era.ModeLegacy }
	pinned := func(version string) func(*mcp.Options) {
		return func(o *mcp.Options) { o.Mode, o.Version = era.ModePinned, version }
	}
	for name, test := range map[string]struct {
		change func(*mcp.Options)
		play   func(w *wire)
		want   string // the version, or a part of the error
	}{
		"legacy: no probe":            {legacy, (*wire).shakeHands, "2025-11-25"},
		"another version we know":     {legacy, func(w *wire) { w.answer("initialize", `{"protocolVersion":"2024-11-05"}`) }, "2024-11-05"},
		"an unknown one: naming both": {legacy, func(w *wire) { w.answer("initialize", `{"protocolVersion":"1999-01-01"}`) }, `speaks "1999-01-01", this client "2025-11-25"`},
		"pinned: that version":        {pinned("2026-07-28"), func(w *wire) { w.answer("server/discover", modernResult) }, "2026-07-28"},
		"pinned: no fallback":         {pinned("2026-07-28"), func(w *wire) { w.refuse("server/discover", -32601, "") }, "error -32601"},
		"pinned to a handshake":       {pinned("2025-06-18"), func(w *wire) { w.answer("initialize", legacyResult) }, `speaks "2025-11-25", this client "2025-06-18"`},
		"pinned to nothing known":     {pinned("1999-01-01"), nil, "Version"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				options, _ := clientOptions()
				test.change(&options)
				s, err := mcp.Connect(t.Context(), script(t, test.play).Endpoint, options)
				if err != nil {
					if !strings.Contains(err.Error(), test.want) {
						t.Errorf("got %v", err)
					}
					return
				}
				defer s.Close()
				if s.Version() != test.want {
					t.Errorf("got %s", s.Version())
				}
			})
		})
	}
}

func TestConnectRefusesAMux(t *testing.T) {
	options, _ := clientOptions()
	options.Host.Mux = host.NewMux()
	if _, err := mcp.Connect(t.Context(), script(t).Endpoint, options); !errors.Is(err, host.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
}

func TestConnectRefusesAnotherProfile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer near.Close()
		defer far.Close()
		options, _ := clientOptions()
		options.Host = host.LSP
		if _, err := mcp.Connect(t.Context(), mcp.Over(host.Duplex(near), ""), options); !errors.Is(err, host.ErrUnsupported) {
			t.Errorf("got %v", err)
		}
	})
}

func TestOverATransportThatIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		transport := host.Duplex(near)
		peer, err := host.New(transport, host.MCP)
		if err != nil {
			t.Fatal(err)
		}
		defer peer.Close()
		options, _ := clientOptions()
		if _, err := mcp.Connect(t.Context(), mcp.Over(transport, "server"), options); !errors.Is(err, host.ErrUnsupported) {
			t.Errorf("got %v", err)
		}
	})
}

func TestCommandThatCannotStart(t *testing.T) {
	options, _ := clientOptions()
	if _, err := mcp.Connect(t.Context(), mcp.Command(exec.Command("./no-such-server")), options); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Stdin = strings.NewReader("")
	if _, err := mcp.Connect(t.Context(), mcp.Command(cmd), options); !errors.Is(err, host.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
}

// ERA-4: the key is program, arguments, environment and directory.
func TestCommandKeys(t *testing.T) {
	key := func(change func(cmd *exec.Cmd)) string {
		cmd := &exec.Cmd{Path: "/bin/server", Args: []string{"server", "a"}, Env: []string{"A=1"}, Dir: "/"}
		change(cmd)
		return mcp.Command(cmd).Key
	}
	same := key(func(*exec.Cmd) {})
	if same != key(func(*exec.Cmd) {}) {
		t.Error("equal commands have different keys")
	}
	for name, change := range map[string]func(cmd *exec.Cmd){
		"program":     func(cmd *exec.Cmd) { cmd.Path = "/bin/server2" },
		"arguments":   func(cmd *exec.Cmd) { cmd.Args = []string{"servera"} },
		"environment": func(cmd *exec.Cmd) { cmd.Env = []string{"A=2"} },
		"directory":   func(cmd *exec.Cmd) { cmd.Dir = "/tmp" },
	} {
		if key(change) == same {
			t.Errorf("another %s has the same key", name)
		}
	}
}
