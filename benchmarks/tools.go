package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/wasmhost"
)

// tools is what contests are built with, in a folder that close removes.
type tools struct {
	dir       string
	scanTest  string // the compiled benchmark of the bare scan
	engine    *wasmhost.Engine
	sandboxed host.Engine
	hasNode   bool
	files     int // written so far
}

func newTools(ctx context.Context) (*tools, error) {
	dir, err := os.MkdirTemp("", "parley-benchmarks-")
	if err != nil {
		return nil, err
	}
	t := &tools{dir: dir}
	if t.scanTest, err = buildScanTest(dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if t.hasNode, err = buildNode(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if t.engine, err = wasmhost.New(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	t.sandboxed = t.engine.Machine
	return t, nil
}

func (t *tools) close(ctx context.Context) error {
	return errors.Join(t.engine.Close(context.WithoutCancel(ctx)), os.RemoveAll(t.dir))
}

// file writes an input that another process is to read.
func (t *tools) file(content []byte) (path string, err error) {
	t.files++
	path = filepath.Join(t.dir, fmt.Sprintf("input-%d", t.files))
	return path, os.WriteFile(path, content, 0o600)
}

// thisMachine notes what figures were made on and with.
func thisMachine() string {
	parts := []string{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, fmt.Sprintf("%d cores", runtime.NumCPU())}
	if model := cpuModel(); model != "" {
		parts = append(parts, model)
	}
	if node, err := exec.Command("node", "--version").Output(); err == nil {
		parts = append(parts, "Node "+strings.TrimSpace(string(node)))
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		parts = append(parts, "load "+strings.Join(strings.Fields(string(load))[:3], " ")) // above the cores: others work too
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if strings.Contains(module.Path, "jsonrpc2") || strings.HasSuffix(module.Path, "jrpc2") || strings.HasSuffix(module.Path, "go-sdk") {
				parts = append(parts, module.Path+" "+module.Version)
			}
		}
	}
	return strings.Join(parts, ", ")
}

// cpuModel is empty where the system does not tell it in Linux's way.
func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
