package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Every command of the testing guide is run as it is printed, in a copy of the sources that it may
// change, in which the guide's example of a vector is at the end of its file. A number behind # is the
// exit code. Of make, which would run for an hour, goal is that it knows what it is asked.
func TestGuideOfTesting(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../docs/guides/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	folder := copyOfSources(t)
	vectors := filepath.Join(folder, "conformance", "call.rpc")
	example := fenced(t, string(guide), "```\n# CALL-7")
	before := read(t, vectors)
	write(t, vectors, before+"\n"+example)

	bin := filepath.Dir(parley(t))
	ran := 0
	for _, block := range strings.Split(string(guide), "```sh\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		for line := range strings.Lines(block) {
			runPrinted(t, folder, bin, strings.TrimSpace(line))
			ran++
		}
	}
	if ran < 15 {
		t.Errorf("%d commands", ran)
	}
	if shown := read(t, vectors)[len(before):]; !strings.HasSuffix(shown, "\n< result c1 null\n") {
		t.Errorf("the runner wrote no result into the example:\n%s", shown)
	}
}

// runPrinted runs one line of the guide.
func runPrinted(t *testing.T, folder, bin, line string) {
	t.Helper()
	code := 0
	text, comment, hasCode := strings.Cut(line, " # ")
	if hasCode {
		var err error
		if code, err = strconv.Atoi(comment); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	if rest, isMake := strings.CutPrefix(text, "make "); isMake {
		text = "make --dry-run " + rest
	}
	command := exec.CommandContext(t.Context(), "bash", "-c", text)
	command.Dir = folder
	// The copy has no packages for Node, so that a home there is left out, which CI would not accept. What is
	// compiled does not name the copy's folder, so that the next copy need not be compiled.
	command.Env = append(os.Environ(), "CI=", "GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "PARLEY_NO_CONTROL=1")
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	err := command.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := command.ProcessState.ExitCode(); got != code {
		t.Errorf("%s\nexit code %d\n%s", line, got, output.Bytes())
	}
}

// copyOfSources copies what the guide's commands read.
func copyOfSources(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, name := range []string{"conformance", "core", "host", "internal", "wasm"} {
		if err := os.CopyFS(filepath.Join(folder, name), os.DirFS(filepath.Join("..", name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "Makefile"} {
		write(t, filepath.Join(folder, name), read(t, filepath.Join("..", name)))
	}
	return folder
}

// fenced returns the block of the guide that begins so, without its fences.
func fenced(t *testing.T, guide, begin string) string {
	t.Helper()
	at := strings.Index(guide, begin)
	if at < 0 {
		t.Fatalf("no block begins with %q", begin)
	}
	block, _, _ := strings.Cut(guide[at+len("```\n"):], "```")
	return block
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
