package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// nodeContender is one contender of js/contenders.mjs or js/echo.mjs, by its name there.
type nodeContender struct {
	key, name string
	isLined   bool
}

// The names that targets use.
const (
	nodeRawName    = "parley, raw bodies"
	nodeParsedName = "parley, parsed params"
	splitName      = "decode, split, JSON.parse"
	vscode10Name   = "vscode-jsonrpc 10.0.0"
	mcp1Name       = "MCP SDK 1.32.2"
)

// nodeWarmUp is what V8 needs until it has compiled what runs often, scripts and modules alike.
const nodeWarmUp = time.Second

var nodeContenders = []nodeContender{
	{"raw", nodeRawName, false},
	{"parsed", nodeParsedName, false},
	{"split", splitName, false},
	{"vscode-8", "vscode-jsonrpc 8.2.1", false},
	{"vscode-10", vscode10Name, false},
	{"mcp-1", mcp1Name, true},
	{"mcp-2", "MCP SDK 2.4.0", true},
}

// burstFrames is how many notifications nodeBurst sends: a server that has fallen behind, or one that logs.
const burstFrames = 50_000

// nodeBurst is a stream as a pipe brings it: reads of 64 KiB, most of which end inside a message.
func nodeBurst(t *tools) contest {
	const readBytes = 64 << 10
	w := work{bytes.Repeat(framed(notification), burstFrames), bytes.Repeat(lined(notification), burstFrames), burstFrames, false}
	title := fmt.Sprintf("%d notifications of 179 B in chunks of 64 KiB (ns/op is for all)", burstFrames)
	return nodeDecode(t, "node-burst", title, w, readBytes)
}

var nodeEchoers = []nodeContender{
	{"echo-parley", nativeName, false},
	{"echo-vscode-8", "vscode-jsonrpc 8.2.1", false},
	{"echo-vscode-10", vscode10Name, false},
	{"echo-mcp-2", "MCP SDK 2.4.0", true},
}

// nodeEcho is a round trip between two ends in one process.
func nodeEcho(t *tools) contest {
	contest := contest{id: "node-echo", title: "Node: echo over streams in memory, one at a time (ns/op is a round trip)"}
	if !t.hasNode {
		return contest
	}
	for _, c := range nodeEchoers {
		contest.contenders = append(contest.contenders, contender{c.name, 0, func() (worker, error) { return startNode(c.key) }})
	}
	return contest
}

// nodeDecode is a decode contest in Node, where every contender is a process of its own.
func nodeDecode(t *tools, id, title string, w work, chunkBytes int) contest {
	contest := contest{id: id, title: "Node: " + title}
	if !t.hasNode {
		return contest // without contenders it is left out
	}
	for _, c := range nodeContenders {
		input := w.input
		if c.isLined {
			input = w.lines
		}
		contest.contenders = append(contest.contenders, contender{c.name, len(input), func() (worker, error) {
			return t.startNodeDecoder(c.key, input, w.frames, min(chunkBytes, len(input)))
		}})
	}
	return contest
}

// buildNode bundles the bindings for the contenders. hasNode is false where there is no Node or where
// its packages are not installed.
func buildNode() (hasNode bool, err error) {
	if _, err := exec.LookPath("node"); err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks: no node: its contests are left out")
		return false, nil
	}
	if _, err := os.Stat("../bindings/js/node_modules/esbuild"); errors.Is(err, os.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "benchmarks: the contests in Node are left out; make deps installs what they need")
		return false, nil
	}
	if out, err := exec.Command("node", "js/build.mjs").CombinedOutput(); err != nil {
		return false, fmt.Errorf("node js/build.mjs: %w\n%s", err, out)
	}
	return true, nil
}

func (t *tools) startNodeDecoder(key string, input []byte, frames, chunkBytes int) (worker, error) {
	file, err := t.file(input)
	if err != nil {
		return worker{}, err
	}
	return startNode(key, file, strconv.Itoa(frames), strconv.Itoa(chunkBytes))
}

func startNode(key string, input ...string) (worker, error) {
	cmd := exec.Command("node", append([]string{"js/worker.mjs", key}, input...)...)
	cmd.Stderr = os.Stderr
	pipes, err := startPiped(cmd)
	if err != nil {
		return worker{}, err
	}
	lines := bufio.NewReader(pipes)
	run := func(n int) (time.Duration, error) {
		if _, err := fmt.Fprintln(pipes, n); err != nil {
			return 0, err
		}
		line, err := lines.ReadString('\n')
		if err != nil {
			return 0, fmt.Errorf("worker.mjs %s has ended: %w", key, err)
		}
		ns, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		return time.Duration(ns), err
	}
	stop := func() error { return errors.Join(pipes.w.Close(), cmd.Wait()) }
	return worker{run: run, stop: stop, warmUp: nodeWarmUp}, nil
}
