package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// nodeContender is one contender of js/contenders.mjs, by its name there.
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
			return t.startNode(c.key, input, w.frames, min(chunkBytes, len(input)))
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

func (t *tools) startNode(key string, input []byte, frames, chunkBytes int) (worker, error) {
	file, err := t.file(input)
	if err != nil {
		return worker{}, err
	}
	cmd := exec.Command("node", "js/worker.mjs", key, file, strconv.Itoa(frames), strconv.Itoa(chunkBytes))
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
