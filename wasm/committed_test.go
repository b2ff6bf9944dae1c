package wasm

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/internal/testneeds"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

// The committed module is what the committed sources build to. This is the only test that looks
// at it: everything else runs on a module built from the sources at hand.
func TestCommittedModuleIsBuiltFromTheseSources(t *testing.T) {
	text, err := os.ReadFile("TOOLCHAIN")
	if err != nil {
		t.Fatal(err)
	}
	toolchain, digest, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if got := fmt.Sprintf("%x", sha256.Sum256(Reactor)); got != digest {
		t.Errorf("parley.wasm has SHA-256 %s, TOOLCHAIN says %s: run make wasm", got, digest)
	}
	if runtime.Version() != toolchain && !testneeds.InCI() {
		t.Skipf("parley.wasm was built with %s, this is %s", toolchain, runtime.Version())
	}
	if fresh := wasmtest.Reactor(t); !bytes.Equal(fresh, Reactor) {
		t.Errorf("the sources build to %d other bytes than the %d of parley.wasm: run make wasm", len(fresh), len(Reactor))
	}
}
