//go:build unix

package main

import (
	"bufio"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/internal/testneeds"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

// Each guide is run as it is printed, from its first block to its last, in a folder of its own:
//
//	go, js  a file; its first line says which
//	sh      commands, run by bash, which stops at one that fails
//	        A block that starts with a server of ours runs until the guide ends
//	text    what the commands before it print, in this order; … stands for what is left out, and a
//	        number with a fraction for any such number
func TestGuidesRunAsPrinted(t *testing.T) {
	for _, name := range []string{"embed.md", "sandbox.md", "traffic.md", "web-ide.md"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runGuide(t, name)
		})
	}
}

func runGuide(t *testing.T, name string) {
	folder := insideModule(t)
	ran := ""
	port := freePort(t)
	for _, block := range guideBlocks(t, name) {
		block.text = strings.ReplaceAll(block.text, "7878", port)
		switch block.language {
		case "go", "js":
			file := strings.TrimPrefix(strings.SplitN(block.text, "\n", 2)[0], "// ")
			if err := os.WriteFile(filepath.Join(folder, file), []byte(block.text), 0o600); err != nil {
				t.Fatal(err)
			}
		case "sh":
			if strings.Contains(block.text, "parley serve ") {
				ran = startBlock(t, folder, block.text)
				continue
			}
			if strings.HasPrefix(block.text, "node ") {
				installBindings(t, folder)
			}
			ran = runBlock(t, folder, block.text)
		case "text":
			wantPrinted(t, ran, block.text)
		default:
			t.Errorf("a block in %q is not run", block.language)
		}
	}
}

// insideModule is a folder in which "go run" finds this module.
func insideModule(t *testing.T) string {
	t.Helper()
	build := "../../build"
	if err := os.MkdirAll(build, 0o700); err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp(build, "_guide") // which ./... leaves out
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

type guideBlock struct{ language, text string }

func guideBlocks(t *testing.T, name string) []guideBlock {
	t.Helper()
	guide, err := os.ReadFile("../../docs/guides/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []guideBlock
	for i, part := range strings.Split("\n"+string(guide), "\n```") {
		if i%2 == 1 {
			language, text, _ := strings.Cut(part, "\n")
			blocks = append(blocks, guideBlock{language, text + "\n"})
		}
	}
	if !slices.ContainsFunc(blocks, func(b guideBlock) bool { return b.language == "sh" }) {
		t.Fatal("no commands")
	}
	return blocks
}

// freePort is one that nobody had a moment ago, so that guides can run beside each other.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// startBlock runs a server until the test ends, and returns the first line that it prints.
func startBlock(t *testing.T, folder, commands string) string {
	t.Helper()
	command := guideShell(t, folder, "export "+strings.Replace(commands, " parley serve ", "; exec parley serve ", 1))
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := command.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		_ = command.Wait() // its exit code says that it was interrupted
		if code := command.ProcessState.ExitCode(); code != 130 {
			t.Errorf("%sexit code %d", commands, code)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// installBindings builds @parley/core, on a module of the sources at hand, where Node.js finds it from the folder.
func installBindings(t *testing.T, folder string) {
	t.Helper()
	bindings := filepath.Join(wasmtest.Root(t), "bindings", "js")
	_, noNode := exec.LookPath("node")
	_, noCompiler := os.Stat(filepath.Join(bindings, "node_modules", "typescript"))
	if noNode != nil || noCompiler != nil {
		testneeds.Missing(t, "the guide's JavaScript needs Node.js 20 or newer and npm; then make deps")
	}
	core := filepath.Join(folder, "node_modules", "@parley", "core")
	if err := os.MkdirAll(core, 0o700); err != nil {
		t.Fatal(err)
	}
	description, err := os.ReadFile(filepath.Join(bindings, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(folder, "parley.wasm")
	for file, content := range map[string][]byte{filepath.Join(core, "package.json"): description, module: wasmtest.Reactor(t)} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("node", filepath.Join(bindings, "scripts", "build.mjs"), filepath.Join(core, "dist"))
	build.Env = append(os.Environ(), "PARLEY_WASM="+module)
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build.mjs: %v\n%s", err, said)
	}
}

func guideShell(t *testing.T, folder, commands string) *exec.Cmd {
	// Once the test's context has ended it is too late to interrupt: what hangs is ended by go test's own time.
	command := exec.Command("bash", "-e", "-o", "pipefail", "-c", commands)
	command.Dir = folder
	command.Env = append(os.Environ(), "PATH="+filepath.Dir(binary)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return command
}

func runBlock(t *testing.T, folder, commands string) string {
	t.Helper()
	output, err := guideShell(t, folder, commands).CombinedOutput()
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		t.Errorf("%s%s%v", commands, output, err)
	} else if err != nil {
		t.Fatal(err)
	}
	return string(output)
}

var aNumber = regexp.MustCompile(`\d+\\\.\d+(ms|s)?`)

// wantPrinted finds the lines of want in what was printed, in order, whatever their white space.
func wantPrinted(t *testing.T, printed, want string) {
	t.Helper()
	rest := strings.Split(printed, "\n")
	for line := range strings.Lines(want) {
		pattern := regexp.QuoteMeta(strings.Join(strings.Fields(line), " "))
		pattern = aNumber.ReplaceAllString(pattern, `\d+(\.\d+)?m?s?`)
		pattern = "^" + strings.ReplaceAll(pattern, "…", ".*") + "$"
		expression := regexp.MustCompile(pattern)
		at := slices.IndexFunc(rest, func(l string) bool { return expression.MatchString(strings.Join(strings.Fields(l), " ")) })
		if at < 0 {
			t.Errorf("no line %q, or not behind those before it, in\n%s", strings.TrimSpace(line), printed)
			return
		}
		rest = rest[at+1:]
		if strings.TrimSpace(line) == "…" {
			rest = append([]string{""}, rest...) // it may stand for no line at all
		}
	}
}

// Every guide is in the index, and the index leads nowhere else.
func TestGuidesAreInTheIndex(t *testing.T) {
	entries, err := os.ReadDir("../../docs/guides")
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile("../../docs/guides/README.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for _, entry := range entries {
		if entry.Name() == "README.md" {
			continue
		}
		if !strings.Contains(string(index), "]("+entry.Name()+")") {
			t.Errorf("%s is not in the index", entry.Name())
		}
		listed++
	}
	if links := strings.Count(string(index), ".md)"); links != listed {
		t.Errorf("%d links, %d guides", links, listed)
	}
}
