package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/parley-rpc/parley/wasm"
)

// versionCmd is "parley version".
type versionCmd struct {
	JSON bool `name:"json" help:"Print one document."`
}

// build is what is known of this binary. Commit is empty where it was built outside a repository.
type build struct {
	Version    string `json:"version"`
	Commit     string `json:"commit"`
	Modified   bool   `json:"modified"` // built from a tree that differs from Commit
	Go         string `json:"go"`
	WasmSHA256 string `json:"wasmSha256"`
}

// Help is the part of the help below the flags' summary.
func (versionCmd) Help() string {
	return `The hash is of the WebAssembly module inside this program. wasm/TOOLCHAIN in the source has the same one.

Examples:

  parley version
  parley version --json | jq -r .wasmSha256`
}

// Run prints the build.
func (c versionCmd) Run(e *env) error {
	b := buildInfo()
	digest := sha256.Sum256(wasm.Reactor)
	b.WasmSHA256 = hex.EncodeToString(digest[:])
	if c.JSON {
		return writeJSON(e.stdout, b)
	}
	commit := b.Commit
	if commit == "" {
		commit = "unknown"
	}
	if b.Modified {
		commit += " (modified)"
	}
	_, err := fmt.Fprintf(e.stdout, "parley %s\ncommit %s\n%s\nwasm sha256 %s\n", b.Version, commit, b.Go, b.WasmSHA256)
	return err
}

// buildInfo returns the build without the module's hash, which costs a pass over megabytes.
func buildInfo() build {
	b := build{Version: "(devel)", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	return b
}
