//go:build linux && amd64 && !race

package scan

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/internal/testneeds"
)

var update = flag.Bool("update", false, "rewrite testdata/instructions.txt with what is counted")

// Goal: the scanner does not get slower unnoticed on a machine that jitters. Method: this test runs
// itself under callgrind, which counts the instructions between the entry and the return of Message:
// the same number in every run. A change that means to move it runs with -update and says why.

const (
	figures          = "testdata/instructions.txt"
	countedScans     = 10
	countingVariable = "PARLEY_COUNT_INSTRUCTIONS"
)

// countedBodies are small: callgrind is fifty times slower than the machine.
func countedBodies() []body { return bodies(4<<10, "4KiB") }

func TestInstructions(t *testing.T) {
	valgrind, err := exec.LookPath("valgrind")
	if err != nil {
		testneeds.Missing(t, "valgrind not found: apt-get install valgrind, or make deps as root on Debian")
	}
	if testing.CoverMode() != "" {
		t.Skip("coverage adds instructions")
	}
	binary := filepath.Join(t.TempDir(), "scan.test") // of its own: go test links without names
	if said, err := exec.Command("go", "test", "-c", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("go test -c: %v\n%s", err, said)
	}
	counted := countInstructions(t, valgrind, binary)
	if *update {
		if err := os.WriteFile(figures, []byte(counted), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	recorded, err := os.ReadFile(figures)
	if err != nil {
		t.Fatal(err)
	}
	compareFigures(t, strings.Split(string(recorded), "\n"), strings.Split(counted, "\n"))
}

// compareFigures allows 2 % between two lists of figures made by the same compiler. CI has that one: the figures are
// of the Go that built wasm/parley.wasm.
func compareFigures(t *testing.T, recorded, counted []string) {
	if recorded[0] != counted[0] {
		testneeds.Missing(t, fmt.Sprintf("the figures are of %s, not of %s: count again with -update", recorded[0], counted[0]))
	}
	if len(recorded) != len(counted) {
		t.Fatalf("%d figures are recorded, %d counted: run with -update", len(recorded), len(counted))
	}
	for i := 1; i < len(counted)-1; i++ {
		name, want := figureOf(t, recorded[i])
		counting, got := figureOf(t, counted[i])
		if name != counting || 50*max(want-got, got-want) > want {
			t.Errorf("%s: %d instructions, recorded are %d for %s", counting, got, want, name)
		}
	}
}

func figureOf(t *testing.T, line string) (name string, count int) {
	name, digits, _ := strings.Cut(line, " ")
	count, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return name, count
}

var collected = regexp.MustCompile(`(?m)^(?:totals|summary): (\d+)`)

// countInstructions runs TestScansForCallgrind in a process of its own, which leaves a file for each
// body in turn.
func countInstructions(t *testing.T, valgrind, binary string) string {
	out := filepath.Join(t.TempDir(), "callgrind.out")
	cmd := exec.Command(valgrind, "--tool=callgrind", "--callgrind-out-file="+out,
		"--toggle-collect=*scan.(?Scanner).Message", "--dump-after=*scan.scanForCallgrind",
		binary, "-test.run=^TestScansForCallgrind$")
	cmd.Env = append(os.Environ(), countingVariable+"=1", "GODEBUG=asyncpreemptoff=1", "GOGC=off", "GOMAXPROCS=1")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, said)
	}
	list := runtime.Version() + " " + runtime.GOARCH + ", instructions of one Message\n"
	for i, b := range countedBodies() {
		profile, err := os.ReadFile(fmt.Sprintf("%s.%d", out, i+1))
		if err != nil {
			t.Fatal(err)
		}
		m := collected.FindSubmatch(profile)
		if m == nil || string(m[1]) == "0" {
			t.Fatalf("%s: callgrind counted nothing:\n%.500s", b.name, profile)
		}
		total, err := strconv.Atoi(string(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		list += fmt.Sprintln(b.name, total/countedScans)
	}
	return list
}

// TestScansForCallgrind is the process that TestInstructions counts.
func TestScansForCallgrind(t *testing.T) {
	if os.Getenv(countingVariable) == "" {
		t.Skip("TestInstructions runs this under callgrind")
	}
	for _, b := range countedBodies() {
		scanForCallgrind(t, []byte(b.text))
	}
}

//go:noinline
func scanForCallgrind(t *testing.T, text []byte) {
	s := Scanner{DepthMax: depthMax}
	var m Message
	for range countedScans {
		if fault, at := s.Message(text, &m); fault != FaultNone {
			t.Fatalf("fault %d at %d", fault, at)
		}
	}
}
