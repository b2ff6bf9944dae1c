package sim

import (
	"strconv"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/transcript"
)

// plan is what a seed decides before its run: who talks to whom, under which configuration, and
// how often each thing happens. Most runs leave most things out (swarm testing), because a run in
// which everything happens never stays in one corner long enough.
type plan struct {
	shape   shape
	ends    []setup
	weights [actionEnd]int
	steps   int
	isRude  bool // pipes deliver although reading is paused
	laxness int  // one in so many actions is followed by a turn
}

// shape is who talks to whom.
type shape uint8

const (
	pair    shape = iota // a client and a server, or two peers
	lone                 // one machine and an adversary
	relayed              // a client, two relays back to back, a server
)

// setup is the opening of one machine, as a transcript spells it.
type setup struct {
	settings []transcript.Setting
	methods  []transcript.Record
}

var (
	profileNames = []string{"lsp", "mcp", "control", "plain"}
	roleNames    = []string{"client", "server", "peer", "relay"}
	framings     = [...][]string{
		core.ProfileLSP:     {"header", "header", "whole"},
		core.ProfileMCP:     {"line", "line", "whole"},
		core.ProfileControl: {"length4"},
		core.ProfilePlain:   {"header", "line", "length4", "whole"},
	}
)

func newPlan(d draw) plan {
	p := plan{shape: pick(d, pair, pair, lone, lone, lone, relayed), steps: 50 + d.wild(350), isRude: d.oneIn(6), laxness: pick(d, 1, 2, 10)}
	for a := range actionEnd {
		if p.weights[a] = 1 << d.IntN(7); d.oneIn(3) {
			p.weights[a] = 0
		}
		if limit := rare[a]; limit > 0 {
			p.weights[a] = min(p.weights[a], limit) * d.IntN(2) * d.IntN(2)
		}
	}
	for _, a := range []action{doDeliver, doTake, doWriteAll, doAnswer} { // or hardly anything would come of the rest
		p.weights[a] = max(p.weights[a], pick(d, 2, 16, 64))
	}
	profile := core.Profile(d.IntN(len(profileNames)))
	framing := pick(d, framings[profile]...)
	isSmall := !d.oneIn(3)
	roles := []core.Role{core.RoleClient, core.RoleServer}
	switch {
	case p.shape == relayed:
		roles = []core.Role{core.RoleClient, core.RoleRelay, core.RoleRelay, core.RoleServer}
	case p.shape == lone:
		roles = []core.Role{core.Role(d.IntN(len(roleNames)))}
	case d.oneIn(3):
		roles = []core.Role{core.RolePeer, core.RolePeer}
	}
	for _, role := range roles {
		p.ends = append(p.ends, newSetup(d, profile, framing, role, isSmall))
	}
	return p
}

func newSetup(d draw, profile core.Profile, framing string, role core.Role, isSmall bool) setup {
	var s setup
	set := func(name, value string) {
		s.settings = append(s.settings, transcript.Setting{Name: []byte(name), Value: []byte(value)})
	}
	sometimes := func(n int, name, value string) {
		if d.oneIn(n) {
			set(name, value)
		}
	}
	set("profile", profileNames[profile])
	set("role", roleNames[role])
	set("framing", framing)
	sometimes(2, "inbound", "messages")
	sometimes(4, "send-policy", "end")
	sometimes(4, "pause-on", "any")
	sometimes(4, "out-fail-fast", "")
	sometimes(6, "park-fail", "")
	sometimes(6, "loose-ids", "")
	sometimes(6, "resync", "")
	sometimes(6, "first-id", pick(d, "7", "9007199254740990"))
	sometimes(4, "stall-max", pick(d, "1s", "6s"))
	sometimes(4, "grace", pick(d, "1ms", "30s"))
	sometimes(4, "shutdown", pick(d, "1ms", "30s"))
	sometimes(2, "credit", strconv.Itoa(d.IntN(4)))
	if isSmall {
		smallLimits(d, set)
	}
	if role != core.RoleRelay && d.oneIn(2) {
		s.methods = methodTable(d)
	}
	return s
}

// smallLimits makes some limits so small that a run meets them.
func smallLimits(d draw, set func(name, value string)) {
	for _, limit := range []struct {
		name   string
		oneIn  int
		values []int
	}{
		{"frame-bytes-max", 4, []int{150, 200, 400, 2000}},
		{"out-bytes-max", 2, []int{1, 100, 200, 500, 3000}},
		{"calls-max", 3, []int{1, 2, 5}},
		{"abandoned-max", 3, []int{1, 3}},
		{"running-max", 3, []int{1, 2, 3}},
		{"background-max", 3, []int{1, 2}},
		{"queued-max", 3, []int{1, 2, 4}},
		{"queued-bytes-max", 3, []int{1, 300, 1000}},
		{"messages-max", 3, []int{1, 2, 4}},
		{"parked-bytes-max", 3, []int{1, 300, 1000, 4000}},
		{"parked-max", 3, []int{1, 2, 8}},
		{"malformed-max", 3, []int{1, 2, 5}},
		{"batch-max", 3, []int{1, 2, 3}},
		{"id-bytes-max", 3, []int{32}},
		{"depth-max", 3, []int{4, 8}},
	} {
		if d.oneIn(limit.oneIn) {
			set(limit.name, strconv.Itoa(pick(d, limit.values...)))
		}
	}
}

// methodTable draws a table in which each mode has a method.
func methodTable(d draw) []transcript.Record {
	table := []transcript.Record{
		{Op: transcript.OpMethod, Method: []byte("read"), Mode: core.ModeRead},
		{Op: transcript.OpMethod, Method: []byte("write"), Mode: core.ModeWrite},
		{Op: transcript.OpMethod, Method: []byte("order"), Mode: core.ModeOrder},
		{Op: transcript.OpMethod, Method: []byte("back"), Mode: core.ModeBackground},
		{Op: transcript.OpMethod, Method: []byte("pass"), Mode: core.ModeBypass},
		{Op: transcript.OpMethod, Method: []byte("key"), Mode: core.ModeRead, Text: []byte("k")},
		{Op: transcript.OpMethod, Method: []byte("note"), Mode: core.ModeDefault, Flag: true},
		{Op: transcript.OpMethod, Method: []byte("noteback"), Mode: core.ModeBackground, Flag: true},
	}
	if d.oneIn(2) {
		table = append(table,
			transcript.Record{Op: transcript.OpMethod, Method: []byte("initialize"), Mode: core.ModeDefault},
			transcript.Record{Op: transcript.OpMethod, Method: []byte("shutdown"), Mode: core.ModeBypass})
	}
	return table
}

var (
	requestMethods      = []string{"read", "read", "write", "order", "back", "pass", "key", "key", "initialize", "shutdown", "unknown"}
	notificationMethods = []string{"note", "note", "noteback", "exit", "unheard"}
)
