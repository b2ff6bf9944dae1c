package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// target is a ratio that parley is to keep within one run.
type target struct {
	name    string
	contest string
	of, to  string // the ratio is of's time to to's; to bestPeer: the fastest library there
	limit   float64
	atLeast bool // the ratio is to be at least the limit; else at most
}

// bestPeer stands for whichever other Go library was fastest.
const bestPeer = "best peer"

var targets = []target{
	{"decode 179 B: x/exp / parley", "decode-179B", xexpName, nativeName, 12, true},
	{"decode 179 B: jrpc2's framing alone / parley", "decode-179B", jrpc2Name + framingSuffix, nativeName, 1.4, true},
	{"decode 179 B: parley / bare scan", "decode-179B", nativeName, bareScanName, 1.35, false},
	{"decode 1 MiB completion items: x/exp / parley", "decode-completion-1MiB", xexpName, nativeName, 8, true},
	{"decode 1 MiB completion items: parley / bare scan", "decode-completion-1MiB", nativeName, bareScanName, 1.35, false},
	{"decode 1 MiB semantic tokens: x/exp / parley", "decode-tokens-1MiB", xexpName, nativeName, 3, true},
	{"decode 1 MiB semantic tokens: parley / bare scan", "decode-tokens-1MiB", nativeName, bareScanName, 1.35, false},
	{"decode 1 MiB long string: x/exp / parley", "decode-string-1MiB", xexpName, nativeName, 20, true},
	{"decode 1 MiB long string: parley / bare scan", "decode-string-1MiB", nativeName, bareScanName, 1.35, false},
	{"decode 179 B: wazero / native", "decode-179B", wazeroName, nativeName, 10, false},
	{"decode 1 MiB completion items: wazero / native", "decode-completion-1MiB", wazeroName, nativeName, 6, false},
	{"decode 1 MiB semantic tokens: wazero / native", "decode-tokens-1MiB", wazeroName, nativeName, 10, false},
	{"decode 1 MiB long string: wazero / native", "decode-string-1MiB", wazeroName, nativeName, 3, false},
	{"echo, 1 caller: parley / bare ping-pong", "echo-1", nativeName, barePipesName, 2, false},
	{"echo, 1 caller: parley / skeleton", "echo-1", nativeName, skeletonName, 1.2, false},
	{"echo, 64 callers: parley / best peer", "echo-64", nativeName, bestPeer, 0.35, false},
	{"echo, 64 callers: parley / skeleton", "echo-64", nativeName, skeletonName, 1.8, false},
	{"9 MB in 8 KiB chunks / in one chunk", "chunks-9MB", nativeName, oneChunkName, 1.3, false},
	{"1,000 calls waiting / 1", "growth-pending", pendingName(1000), pendingName(1), 1.4, false},
	{"100,000 calls waiting / 1", "growth-pending", pendingName(100_000), pendingName(1), 3, false},
	{"Node, 179 B, 64 a chunk: vscode-jsonrpc 10 / parley, raw", "node-179B", vscode10Name, nodeRawName, 40, true},
	{"Node, 179 B, 64 a chunk: split and parse / parley, raw", "node-179B", splitName, nodeRawName, 2, true},
	{"Node, 179 B, 64 a chunk: vscode-jsonrpc 10 / parley, parsed", "node-179B", vscode10Name, nodeParsedName, 15, true},
	{"Node, 179 B, 64 a chunk: parley, parsed / split and parse", "node-179B", nodeParsedName, splitName, 1.1, false},
	{"Node, 179 B, 64 KiB chunks: vscode-jsonrpc 10 / parley, raw", "node-burst", vscode10Name, nodeRawName, 40, true},
	{"Node, 179 B, 64 KiB chunks: split and parse / parley, raw", "node-burst", splitName, nodeRawName, 2, true},
	{"Node, 179 B, 64 KiB chunks: vscode-jsonrpc 10 / parley, parsed", "node-burst", vscode10Name, nodeParsedName, 15, true},
	{"Node, 179 B, 64 KiB chunks: parley, parsed / split and parse", "node-burst", nodeParsedName, splitName, 1.1, false},
	{"Node, completion items: parley, parsed / split and parse", "node-completion-1MiB", nodeParsedName, splitName, 1.25, false},
	{"Node, semantic tokens: parley, parsed / split and parse", "node-tokens-1MiB", nodeParsedName, splitName, 1.5, false},
	{"Node, 9 MB in 8 KiB chunks: MCP SDK 1 / parley, raw", "node-9MB", mcp1Name, nodeRawName, 300, true},
}

func isNeeded(contest string) bool {
	return contest == "instance" || slices.ContainsFunc(targets, func(t target) bool { return t.contest == contest })
}

// needed are those of a contest that a target names, or all where it asks for the best peer.
func needed(c contest) []contender {
	return slices.DeleteFunc(slices.Clone(c.contenders), func(who contender) bool {
		return c.id != "instance" && !slices.ContainsFunc(targets, func(t target) bool {
			return t.contest == c.id && (t.of == who.name || t.to == who.name || t.to == bestPeer)
		})
	})
}

// printTargets writes one line a target that was measured: name, ratio, target, ok or short.
func printTargets(w io.Writer, standings []standing) {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range standings {
		fmt.Fprintf(columns, "%s\t%.2f\t%s\t%s\n", line.name, line.ratio, line.limit, line.verdict)
	}
	columns.Flush()
}

// standing is how one target was met.
type standing struct {
	name    string
	ratio   float64
	limit   string
	verdict string
}

// The targets that are no ratios.
const (
	idleKiBMax    = 32 // a peer that waits, its buffers included
	instanceMsMax = 10 // an instance of a compiled module
	spareMsMax    = 0.2
	sandboxMBMax  = 4 // of this process's heap for one instance, its linear memory included
)

func atMost(name string, value, limit float64) standing {
	s := standing{name, value, fmt.Sprintf("≤ %g", limit), "short"}
	if value <= limit {
		s.verdict = "ok"
	}
	return s
}

func reached(results []result, fleets []fleet) []standing {
	var lines []standing
	for _, t := range targets {
		i := slices.IndexFunc(results, func(r result) bool { return r.id == t.contest })
		if i < 0 {
			continue
		}
		to := t.to
		if to == bestPeer {
			to = fastestLibrary(results[i])
		}
		ratio := results[i].ratio(t.of, to)
		s := standing{t.name, ratio, fmt.Sprintf("≤ %g", t.limit), "short"}
		isMet := ratio <= t.limit
		if t.atLeast {
			s.limit, isMet = fmt.Sprintf("≥ %g", t.limit), ratio >= t.limit
		}
		if isMet && ratio > 0 {
			s.verdict = "ok"
		}
		lines = append(lines, s)
	}
	for _, r := range results {
		if r.id == "instance" {
			lines = append(lines, atMost("a sandboxed machine, ms", median(r.outcome(wazeroName).opNs)/1e6, instanceMsMax))
		}
	}
	for _, f := range fleets {
		if f.Peers == idlePeers {
			lines = append(lines, atMost("10,000 idle peers, KiB each", f.RSSEachKiB, idleKiBMax))
		}
	}
	return lines
}

func fastestLibrary(r result) string {
	name, best := "", 0.0
	for _, l := range libraries() {
		if o := r.outcome(l.name); o != nil && (name == "" || median(o.opNs) < best) {
			name, best = l.name, median(o.opNs)
		}
	}
	return name
}
