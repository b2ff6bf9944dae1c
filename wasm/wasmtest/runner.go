package wasmtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/parley-rpc/parley/internal/testneeds"
)

// Runner bundles what runs a command in Node (bindings/js/src/command-main.ts). Where Node or the
// packages of the bindings are not there, it says what is missing; with CI=true that fails.
func Runner(tb testing.TB) (file, missing string) {
	tb.Helper()
	js := filepath.Join(Root(tb), "bindings", "js")
	esbuild := filepath.Join(js, "node_modules", ".bin", "esbuild")
	_, noNode := exec.LookPath("node")
	_, noESBuild := os.Stat(esbuild)
	if noNode != nil || noESBuild != nil {
		missing = "the command in Node needs Node.js 20 or newer and npm; then make deps"
		if testneeds.InCI() {
			tb.Fatal(missing)
		}
		return "", missing
	}
	file = filepath.Join(tb.TempDir(), "command.mjs")
	bundle := exec.Command(esbuild, "src/command-main.ts", "--bundle", "--platform=node", "--format=esm", "--log-level=error", "--outfile="+file)
	bundle.Dir = js
	if text, err := bundle.CombinedOutput(); err != nil {
		tb.Fatalf("esbuild: %v\n%s", err, text)
	}
	return file, ""
}
