// Package python_test runs the example that drives the core from Python.
package python_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/docs/example/lsp"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/internal/testneeds"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

// serveVariable makes the test's own program the language server.
const serveVariable = "PYTHON_EXAMPLE_SERVES"

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) == "" {
		os.Exit(m.Run())
	}
	if err := lsp.Serve(context.Background(), host.Pipes(os.Stdin, os.Stdout)); err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
}

// The example as its first lines say, with the core built natively and as WASI in Node.
func TestExample(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		testneeds.Missing(t, "no python3: install it to run the example")
	}
	native := filepath.Join(t.TempDir(), "command")
	if text, err := exec.Command("go", "build", "-o", native, "github.com/parley-rpc/parley/wasm/command").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	cores := map[string][]string{"native": {native}}
	if runner, missing := wasmtest.Runner(t); missing == "" {
		cores["node"] = []string{"node", runner, wasmtest.Command(t)}
	} else {
		t.Log("left out: ", missing)
	}
	for name, core := range cores {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), python, slices.Concat([]string{"drive.py"}, core, []string{"--", os.Args[0]})...)
			cmd.Env = append(os.Environ(), serveVariable+"=1", "PYTHONDONTWRITEBYTECODE=1")
			var stderr strings.Builder
			cmd.Stderr = &stderr
			shown, err := cmd.Output()
			if err != nil || stderr.Len() > 0 {
				t.Fatalf("%v\n%s", err, stderr.String())
			}
			got := strings.Split(strings.TrimSpace(string(shown)), "\n")
			slices.Sort(got)
			want := []string{
				`capabilities {"hoverProvider": true, "textDocumentSync": {"openClose": true}}`,
				`hover {'contents': '6 words'}`,
				`notification window/logMessage {"type":3,"message":"opened file:///a.txt"}`,
			}
			if !slices.Equal(got, want) {
				t.Errorf("it shows\n%s", shown)
			}
		})
	}
}

// The numbers of the example are those of the table.
func TestNumbers(t *testing.T) {
	table, err := os.ReadFile("../../capture.md")
	if err != nil {
		t.Fatal(err)
	}
	records, err := os.ReadFile("records.py")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, line := range regexp.MustCompile(`(?m)^([A-Z_, ]+) = ([0-9, ]+)$`).FindAllSubmatch(records, -1) {
		names, numbers := strings.Split(string(line[1]), ", "), strings.Split(string(line[2]), ", ")
		if len(names) != len(numbers) {
			t.Fatalf("%s", line[0])
		}
		for i, name := range names {
			verb := strings.ToLower(strings.ReplaceAll(name, "_", "-"))
			row := regexp.MustCompile("(?m)^\\| " + numbers[i] + " \\| `([<>] )?" + verb + "` ")
			if !row.Match(table) {
				t.Errorf("%s is not %s", name, numbers[i])
			}
			seen++
		}
	}
	if seen < 15 {
		t.Errorf("only %d numbers were found", seen)
	}
}
