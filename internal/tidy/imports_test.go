package tidy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// coreMayImport is what adds no WASI import to the module and no clock, reflection or I/O to core.
var coreMayImport = []string{
	"bytes", "encoding/binary", "errors", "iter", "math", "math/bits", "strconv", "unicode/utf8",
}

// dependencyHomes says which folders may import a dependency; every other folder may not.
var dependencyHomes = map[string][]string{
	"github.com/tetratelabs/wazero":  {"host/wasmhost", "host/wasichild", "host/internal/modulecache", "wasm/finish"},
	"github.com/tinylib/msgp":        {"internal/transcript"},
	"github.com/alecthomas/kong":     {"cmd"},
	"charm.land/bubbletea/v2":        {"cmd"},
	"gonum.org/v1/plot":              {"internal/capture/plot", "cmd"},
	"github.com/schollz/progressbar": {"cmd"},
	"github.com/charmbracelet/x":     {"cmd"},
	"github.com/coder/websocket":     {"host/bridge", "e2e"},
}

func TestImportsFollowTheDependencyRules(t *testing.T) {
	for _, s := range goSources(t) {
		report(t, forbiddenImports(s))
	}
}

func TestForbiddenImportsFindsEachBreach(t *testing.T) {
	const text = `package p

import (
	"bytes"
	"time"

	"github.com/alecthomas/kong"
	"github.com/parley-rpc/parley/core/internal/scan"
	"github.com/parley-rpc/parley/host"
	"github.com/tetratelabs/wazero/api"
)
`
	wantFindings(t, forbiddenImports(parseSample(t, "core/a.go", text)), "time", "kong", "parley/host", "wazero")
	wantFindings(t, forbiddenImports(parseSample(t, "host/a.go", text)), "kong", "wazero")
	wantFindings(t, forbiddenImports(parseSample(t, "host/wasmhost/a_test.go", text)), "kong")
	wantFindings(t, forbiddenImports(parseSample(t, "cmd/parley/a.go", text)), "wazero")
	wantFindings(t, forbiddenImports(parseSample(t, "internal/a/a.go", "package util\n")), "util")
}

// forbiddenImports lists the imports of one file that its folder may not have, and a package name
// that says nothing.
func forbiddenImports(s source) []string {
	var found []string
	if s.file.Name.Name == "util" {
		found = append(found, s.path+": a package named util says nothing about what it holds")
	}
	inCore := within(s.folder(), "core") && !s.isTest()
	for _, spec := range s.file.Imports {
		importPath, _ := strconv.Unquote(spec.Path.Value)
		allowed := true
		if inCore {
			allowed = slices.Contains(coreMayImport, importPath) || within(importPath, module+"/core")
		} else {
			for dependency, homes := range dependencyHomes {
				if within(importPath, dependency) {
					allowed = slices.ContainsFunc(homes, func(home string) bool { return within(s.folder(), home) })
				}
			}
		}
		if !allowed {
			found = append(found, fmt.Sprintf("%s: %s may not import %s", s.at(spec.Pos()), s.folder(), importPath))
		}
	}
	return found
}

// within reports whether a slash-separated path is folder or lies below it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}
