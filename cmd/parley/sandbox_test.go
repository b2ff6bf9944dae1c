//go:build unix

package main

import (
	varint "encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Programs for a sandbox, each built once: this one's servers, and one that does what it must not.
var (
	parleyModule  = sync.OnceValues(func() (string, error) { return buildModule("parley", ".") })
	hostileModule = sync.OnceValues(func() (string, error) {
		return buildModule("hostile", "../../host/wasichild/testdata/guest")
	})
)

// buildModule keeps the module under build/, because its code is kept there by its content.
func buildModule(name, source string) (string, error) {
	file, err := filepath.Abs(filepath.Join("..", "..", "build", "wasm", name+".wasm"))
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", file, source)
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	return file, build.Run()
}

// module returns the path of one, and has what is compiled of it kept beside it.
func module(t *testing.T, build func() (string, error)) string {
	t.Helper()
	file, err := build()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Dir(file))
	return file
}

func TestSandboxedServersAreCalled(t *testing.T) {
	server := module(t, parleyModule)
	for _, test := range []struct{ call, behind, want string }{
		{"call a [1] --profile plain", "peer echo", `[1]`},
		{"call textDocument/formatting {} --profile lsp", "peer lsp", "textDocument"},
		{`call tools/call {"name":"add","arguments":{"a":2,"b":3}} --profile mcp`, "peer mcp", `"text":"5"`},
	} {
		args := append(strings.Fields(test.call), "--timeout", "2m", "--wasi", server, "--")
		got := asProcess(t, append(args, strings.Fields(test.behind)...)...)
		if !strings.Contains(got.stdout+got.stderr, test.want) || got.code > exitAnswer {
			t.Errorf("%s: %+v, want %q", test.call, got, test.want)
		}
	}
}

// STOP-6: the process around a guest ends by a signal, whatever the guest is busy with.
func TestSandboxedServersEnd(t *testing.T) {
	server := module(t, hostileModule)
	for behaviour, code := range map[string]int{
		"loop": exitTimeout, "sleep": exitTimeout, "flood": exitTimeout, "recurse": exitPeerDied, "memory": exitPeerDied, "panic": exitPeerDied,
	} {
		args := []string{"call", "m", "--profile", "plain", "--timeout", "2m", "--memory", "16MiB", "--wasi", server, "--", behaviour}
		if code == exitTimeout {
			args[5] = "1s"
		}
		// The pipes of the sandbox lead to the call alone: when that is over, asProcess is too.
		if got := asProcess(t, args...); got.code != code || got.stdout != "" {
			t.Errorf("%s: %+v, want exit code %d", behaviour, got, code)
		}
	}
}

func TestSandboxExitCodes(t *testing.T) {
	server := module(t, hostileModule)
	trapping := filepath.Join(t.TempDir(), "trap.wasm")
	// (module (func (export "_start") unreachable))
	text := "\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x07\x0a\x01\x06_start\x00\x00\x0a\x05\x01\x03\x00\x00\x0b"
	if err := os.WriteFile(trapping, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{trapping}, exitPeerDied, "unreachable"},
		{[]string{server, "--time", "100ms", "--", "loop"}, exitTimeout, "time is up"},
		{[]string{server, "--memory", "4", "--", "loop"}, exitStart, "MemoryBytesMax"},
		{[]string{"nowhere.wasm"}, exitStart, "no such file"},
		{[]string{"sandbox_test.go"}, exitStart, "GOOS=wasip1"},
		{[]string{server, "--dir", "nowhere"}, exitUsage, "nowhere is not a directory"},
		{[]string{server, "--dir", ":/a"}, exitUsage, "DIR:PATH"},
		{[]string{server, "--dir", ".:/a", "--dir", "..:/a"}, exitStart, "two directories"},
		{[]string{server, "--memory", "much"}, exitUsage, "size"},
	} {
		asProcess(t, append([]string{"sandbox"}, test.args...)...).wantLine(t, test.code, test.want)
	}
	for argument, code := range map[string]int{"0": 0, "3": 3, "300": exitCodeMax} {
		if got := asProcess(t, "sandbox", server, "--", "exit", argument); got.code != code || got.stderr != "" {
			t.Errorf("exit %s: %+v, want code %d and nothing on stderr", argument, got, code)
		}
	}
}

// Goal: a module that is made to be hard to compile takes its budget and no more, and one line says so. Method:
// one function of 26 KB, loops within loops and as many variables, which would take 2.8 GB.
func TestSandboxCompilesWithinItsBudget(t *testing.T) {
	const loops, variables = 1638, 1638
	var code strings.Builder
	code.WriteString(strings.Repeat("\x03\x40", loops)) // loop
	for i := range variables {
		variable := string(varint.AppendUvarint(nil, uint64(i)))
		code.WriteString("\x20" + variable + "\x41\x01\x6a\x21" + variable) // add 1 to it
	}
	code.WriteString(strings.Repeat("\x20\x00\x0d\x00\x0b", loops) + "\x0b") // br_if to the loop; end
	function := "\x01" + string(varint.AppendUvarint(nil, variables)) + "\x7f" + code.String()
	hard := filepath.Join(t.TempDir(), "hard.wasm")
	module := "\x00asm\x01\x00\x00\x00" + wasmSection(1, "\x01\x60\x00\x00") + wasmSection(3, "\x01\x00") +
		wasmSection(7, "\x01\x06_start\x00\x00") + wasmSection(10, "\x01"+wasmSized(function))
	if err := os.WriteFile(hard, []byte(module), 0o600); err != nil {
		t.Fatal(err)
	}
	want := "may have 67108864: raise CompileBytesMax (--compile-memory)"
	asProcess(t, "sandbox", hard, "--compile-memory", "64MiB").wantLine(t, exitStart, want)
	got := asProcess(t, "call", "m", "--profile", "plain", "--timeout", "2m", "--compile-memory", "64MiB", "--wasi", hard)
	got.wantLine(t, exitPeerDied, want)
}

func wasmSection(id byte, body string) string { return string(id) + wasmSized(body) }

func wasmSized(body string) string {
	return string(varint.AppendUvarint(nil, uint64(len(body)))) + body
}

func TestWASIFlags(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"call", "m", "--wasi", "nowhere.wasm"}, exitStart, "nowhere.wasm"},
		{[]string{"serve", "--wasi", "nowhere.wasm"}, exitStart, "nowhere.wasm"},
		{[]string{"call", "m", "--memory", "1MiB", "--", "true"}, exitUsage, "--wasi"},
		{[]string{"serve", "--dir", ".", "--", "true"}, exitUsage, "--wasi"},
		{[]string{"tap", "--env", "A", "--", "true"}, exitUsage, "--wasi"},
	} {
		inProcess(t, "", test.args...).wantLine(t, test.code, test.want)
	}
	directory := t.TempDir()
	flags := wasiFlags{
		WASI:       "sandbox_test.go",
		guestFlags: guestFlags{Env: []string{"A=1", "B"}, Memory: 1 << 20, Time: 1e9},
	}
	for _, text := range []string{directory, directory + ":ro", directory + ":/src", directory + ":/src/:ro"} {
		var dir grantFlag
		if err := dir.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		flags.Dir = append(flags.Dir, dir)
	}
	command, err := flags.command(testEnv(nil, nil, nil), serverCommand{"--stdio"})
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs("sandbox_test.go")
	if err != nil {
		t.Fatal(err)
	}
	own := directory + ":" + directory
	want := []string{
		binary, "sandbox", here, "--dir=" + own, "--dir=" + own + ":ro", "--dir=" + directory + ":/src",
		"--dir=" + directory + ":/src:ro", "--env=A=1", "--env=B", "--memory=1048576", "--time=1s", "--", "--stdio",
	}
	if got := strings.Join(command, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("command\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// What is granted reaches the guest, through both processes.
func TestSandboxedServerUnderATap(t *testing.T) {
	server := module(t, hostileModule)
	directory := t.TempDir()
	if err := os.WriteFile(filepath.Join(directory, "file"), []byte("granted"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PARLEY_SANDBOX_TEST", "passed on")
	record := filepath.Join(t.TempDir(), "guest.cap")
	got := asProcess(t, "tap", "--no-control", "--record", record, "--wasi", server, "--dir", directory+":/data:ro",
		"--", "files", "read:/data/file", "write:/data/file")
	if got.code != exitOK || !strings.Contains(got.stdout, "ok granted") || !strings.Contains(got.stdout, "Read-only") {
		t.Errorf("%+v", got)
	}
	if recorded := inProcess(t, "", "cat", record); !strings.Contains(recorded.stdout, "files") {
		t.Errorf("recorded: %+v", recorded)
	}
	got = asProcess(t, "tap", "--no-control", "--wasi", server, "--env", "PARLEY_SANDBOX_TEST", "--env", "PARLEY_NOT_SET", "--env", "B=2", "--", "environment")
	if !strings.Contains(got.stdout, `"PARLEY_SANDBOX_TEST=passed on","B=2"]`) {
		t.Errorf("%+v", got)
	}
}
