package tidy

import (
	"os"
	"os/exec"
	"testing"

	"github.com/parley-rpc/parley/internal/testneeds"
)

// trackedBytesMax is the largest file that Git is to keep, the module aside: what is built stays in every clone for ever.
const trackedBytesMax = 1 << 20

func TestNothingLargeIsTracked(t *testing.T) {
	if _, err := os.Stat(root + "/.git"); err != nil {
		testneeds.Missing(t, "this is no checkout: what Git tracks is not known")
	}
	for _, name := range treeFiles(t) {
		info, err := os.Stat(root + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() <= trackedBytesMax || name == "wasm/parley.wasm" {
			continue
		}
		tracked, err := exec.Command("git", "-C", root, "ls-files", "--", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		if len(tracked) > 0 {
			t.Errorf("%s has %d bytes, and Git tracks it: at most %d are to be", name, info.Size(), trackedBytesMax)
		}
	}
}
