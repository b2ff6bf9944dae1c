package sim

import (
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parley-rpc/parley/host"
)

var seedFlag = flag.String("seed", "", "run this seed alone, for example 0x2a; with PARLEY_SIM from this one on")

// Every run keeps every rule. The seeds are derived from the commit, so that each commit tries
// others; PARLEY_SOAK goes on for as long as PARLEY_SIM says, a time or a count of runs.
func TestSeeds(t *testing.T) {
	runs, until := budget(t)
	first, runs := seeds(t, runs)
	done, operations := uint64(0), 0
	for ; done < runs && (until.IsZero() || time.Now().Before(until)); done++ {
		count, err := Run(first+done, host.Native)
		if err != nil {
			t.Fatal(err)
		}
		operations += count
	}
	t.Logf("%d seeds, %d operations", done, operations)
}

// seeds are runs from the one of the commit, or the one that -seed names.
func seeds(t *testing.T, runs uint64) (first, count uint64) {
	if *seedFlag == "" {
		return seedOfCommit(t), runs
	}
	seed, err := strconv.ParseUint(*seedFlag, 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("PARLEY_SIM") == "" {
		runs = 1
	}
	return seed, runs
}

// budget is how many runs to make, and until when; the zero time is no end.
func budget(t *testing.T) (runs uint64, until time.Time) {
	text := os.Getenv("PARLEY_SIM")
	if os.Getenv("PARLEY_SOAK") != "" && text == "" {
		text = "10m"
	}
	if text == "" {
		return 2000, until
	}
	if count, err := strconv.ParseUint(text, 10, 64); err == nil {
		return count, until
	}
	span, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("PARLEY_SIM=%q: want a count of runs, or a time like 10m", text)
	}
	return 1 << 62, time.Now().Add(span)
}

// seedOfCommit hashes the name of the commit that is checked out; without one it is a constant.
func seedOfCommit(t *testing.T) uint64 {
	folder := filepath.Join("..", "..", ".git")
	name, err := os.ReadFile(filepath.Join(folder, "HEAD"))
	if err != nil {
		return 1
	}
	if ref, found := strings.CutPrefix(strings.TrimSpace(string(name)), "ref: "); found {
		if commit, err := os.ReadFile(filepath.Join(folder, ref)); err == nil {
			name = commit
		}
	}
	hash := fnv.New32a()
	fmt.Fprintf(hash, "%s", name)
	first := uint64(hash.Sum32()) << 20
	t.Logf("first seed %#x", first)
	return first
}
