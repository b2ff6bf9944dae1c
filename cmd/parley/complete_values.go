//go:build !wasip1

package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/parley-rpc/parley/host/control"
	"github.com/parley-rpc/parley/internal/capture"
)

// completeMax bounds how long a press of the key waits for running processes.
const completeMax = time.Second

// lookedAtMax bounds the files of a folder that are opened to see whether they are captures.
const lookedAtMax = 1000

// values are what a flag or a positional takes. Its tag "complete" names what must be looked for.
func (at *place) values(ctx context.Context, e *env, of *kong.Value, partial string) (kind string, found []candidate) {
	switch of.Tag.Get("complete") {
	case "request":
		return "values", at.running(ctx, e, requestsIn)
	case "session":
		return "values", at.running(ctx, e, sessionsIn)
	case "capture":
		return captures(partial)
	}
	if of.Enum == "" {
		return "any", nil
	}
	for _, value := range of.EnumSlice() {
		found = append(found, candidate{value: value})
	}
	return "values", found
}

// running looks into the processes that run. What cannot be looked into offers nothing.
func (at *place) running(ctx context.Context, e *env, list func(view) []candidate) []candidate {
	ctx, cancel := context.WithTimeout(ctx, completeMax)
	defer cancel()
	flags := attachFlags{ControlDirectory: at.given["control-directory"]}
	// A view that the end of the time cut short still offers what answered.
	v, _ := flags.look(ctx, e, "")
	// Another process of this account may call its sessions what a shell would run.
	return slices.DeleteFunc(list(v), func(c candidate) bool {
		_, _, err := control.ParseCorrelationID(c.value)
		_, _, sessionErr := control.ParseCorrelationID(c.value + "-1")
		return err != nil && sessionErr != nil
	})
}

func requestsIn(v view) []candidate {
	var all []candidate
	for _, r := range oldest(v.requests) {
		all = append(all, candidate{r.CorrelationID, r.Method + ", " + r.Phase + " for " + duration(r.AgeMs)})
	}
	return all
}

func sessionsIn(v view) []candidate {
	var all []candidate
	for _, p := range v.Processes {
		for _, s := range p.Sessions {
			all = append(all, candidate{s.ID, p.Program + ", " + s.Name})
		}
	}
	return all
}

// captures are those in the folder that is being typed, and its folders. Where there are none, any file may do.
func captures(partial string) (kind string, found []candidate) {
	folder, start := filepath.Split(partial)
	entries, err := os.ReadDir(expandHome(folder))
	if err != nil {
		return "any", nil
	}
	seen, lookedAt := false, 0
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, start) || strings.HasPrefix(name, ".") && start == "" {
			continue
		}
		switch {
		case entry.IsDir():
			found = append(found, candidate{value: folder + name + "/"})
		case entry.Type().IsRegular() && lookedAt < lookedAtMax:
			lookedAt++
			if isCapture(filepath.Join(expandHome(folder), name)) {
				seen = true
				found = append(found, candidate{value: folder + name})
			}
		}
	}
	if !seen {
		return "any", nil
	}
	return "paths", found
}

// expandHome is the folder that the shell will see; "" is the working directory.
func expandHome(folder string) string {
	if rest, isHome := strings.CutPrefix(folder, "~/"); isHome {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if folder == "" {
		return "."
	}
	return folder
}

func isCapture(path string) bool {
	source, err := capture.Open(path, nil)
	if err != nil {
		return false
	}
	// It has only been read.
	_ = source.Close()
	return true
}

// serverNames are parts of the names that language servers and MCP servers have.
var serverNames = []string{"gopls", "clangd", "rust-analyzer", "lsp", "langserver", "language-server", "languageserver", "mcp"}

// servers are programs on the path: those that are called like servers, or all, where none is called so.
func servers(partial string) (kind string, found []candidate) {
	if strings.ContainsRune(partial, filepath.Separator) {
		return "any", nil
	}
	var named, others []candidate
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // PATH often names folders that are not there
		}
		for _, entry := range entries {
			name := entry.Name()
			if !strings.HasPrefix(name, partial) || !isProgram(filepath.Join(folder, name)) {
				continue
			}
			if slices.ContainsFunc(serverNames, func(part string) bool { return strings.Contains(name, part) }) {
				named = append(named, candidate{name, folder})
			} else if partial != "" {
				others = append(others, candidate{name, folder})
			}
		}
	}
	found = named
	if len(found) == 0 {
		found = others
	}
	if len(found) == 0 {
		return "any", nil
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return strings.Compare(a.value, b.value) })
	// The first folder of PATH wins.
	return "values", slices.CompactFunc(found, func(a, b candidate) bool { return a.value == b.value })
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
