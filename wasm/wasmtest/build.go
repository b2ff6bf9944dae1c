// Package wasmtest gives tests modules built from the sources at hand, so that none of them depends
// on the committed one being up to date.
package wasmtest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// Reactor returns the module that is published.
func Reactor(tb testing.TB) []byte {
	return read(tb, build(tb, "reactor", reactorSources, func(out string) []string { return []string{out} }))
}

// Probe returns the reactor with exports that fail on purpose (build tag probe).
func Probe(tb testing.TB) []byte {
	return read(tb, build(tb, "probe", reactorSources, func(out string) []string { return []string{out, "-tags", "probe"} }))
}

// Command returns the file of the core as a WASI command.
func Command(tb testing.TB) (file string) {
	return build(tb, "command", commandSources, func(out string) []string { return []string{"--command", out} })
}

// What the modules are made from.
var (
	reactorSources = []string{"core", "wasm/abi", "wasm/reactor", "wasm/finish", "wasm/build.sh"}
	commandSources = []string{"core", "host", "internal/transcript", "wasm/command", "wasm/finish", "wasm/build.sh", "go.sum"}
)

func read(tb testing.TB, file string) []byte {
	tb.Helper()
	module, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	return module
}

var built struct {
	sync.Mutex
	files map[string]string
}

// build makes each variant once a process, and once for all processes while its sources stay as
// they are: the file under build/ is named by their digest. args are those of wasm/build.sh.
func build(tb testing.TB, variant string, sources []string, args func(out string) []string) (file string) {
	tb.Helper()
	built.Lock()
	defer built.Unlock()
	if file, ok := built.files[variant]; ok {
		return file
	}
	root := Root(tb)
	file = filepath.Join(root, "build", "wasm", variant+"-"+digest(tb, root, sources)+".wasm")
	if _, err := os.Stat(file); err != nil {
		compile(tb, root, file, args)
	}
	if built.files == nil {
		built.files = map[string]string{}
	}
	built.files[variant] = file
	return file
}

// compile builds beside the file and renames, because another process may be doing the same.
func compile(tb testing.TB, root, file string, args func(out string) []string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		tb.Fatal(err)
	}
	partial, err := os.MkdirTemp(filepath.Dir(file), "partial-")
	if err != nil {
		tb.Fatal(err)
	}
	defer os.RemoveAll(partial)
	out := filepath.Join(partial, "module.wasm")
	cmd := exec.Command(filepath.Join(root, "wasm", "build.sh"), args(out)...)
	if text, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("wasm/build.sh: %v\n%s", err, text)
	}
	if err := os.Rename(out, file); err != nil {
		tb.Fatal(err)
	}
}

// digest covers everything that the module is made from.
func digest(tb testing.TB, root string, sources []string) string {
	tb.Helper()
	hash := sha256.New()
	fmt.Fprintln(hash, runtime.Version())
	for _, dir := range sources {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") {
				return err
			}
			text, err := os.ReadFile(path)
			fmt.Fprintf(hash, "%s %d\n", entry.Name(), len(text))
			hash.Write(text)
			return err
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:8])
}

// Root is the top folder of the repository: the nearest one above the test with a go.mod.
func Root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			tb.Fatal("no go.mod above the test's folder")
		}
		dir = filepath.Dir(dir)
	}
}
