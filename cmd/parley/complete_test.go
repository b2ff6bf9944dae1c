//go:build linux || darwin

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/internal/testneeds"
)

// completed are the kind and the values of an answer, without the descriptions.
func completed(t *testing.T, shell string, words ...string) string {
	t.Helper()
	got := inProcess(t, "", append([]string{"complete", shell, "--"}, words...)...)
	if got.code != exitOK || got.stderr != "" {
		t.Errorf("%q: exit code %d, stderr %q", words, got.code, got.stderr)
	}
	var values []string
	for line := range strings.Lines(got.stdout) {
		value, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		values = append(values, value)
	}
	return strings.Join(values, " ")
}

func TestCompletionKnowsTheCommandLine(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	for name, mode := range map[string]os.FileMode{"my-lsp-server": 0o700, "my-tool": 0o700, "my-lsp-notes": 0o600} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		words []string
		want  string
	}{
		{[]string{"ca"}, "values call cat cancel"},
		{[]string{"trace", ""}, "values start stop"},
		{[]string{"peer", "--split", "3", "l"}, "values lsp"},
		{[]string{"peer", "ho"}, "values"}, // hidden
		{[]string{"peer", "lsp", "--del"}, "values --delay"},
		{[]string{"call", "--no"}, "values --no-handshake"},
		{[]string{"call", "x", "--profile", "m"}, "values mcp"},
		{[]string{"call", "x", "--profile=m"}, "values --profile=mcp"},
		{[]string{"call", "x", "--nonsense=m"}, "values"},
		{[]string{"version", "-"}, "values --help --json"},
		{[]string{"tap", "--record", ""}, "any"},
		{[]string{"tap", "--", ""}, "values my-lsp-server"},
		{[]string{"tap", "--", "my-"}, "values my-lsp-server"},
		{[]string{"tap", "--", "my-t"}, "values my-tool"},
		{[]string{"tap", "--", "./my"}, "any"},
		{[]string{"tap", "--", "my-tool", "--"}, "any"},
		{[]string{"completion", ""}, "values bash zsh fish"},
		{[]string{"nonsense", "x"}, "values"},
		{[]string{""}, "values " + strings.Join(names(t), " ")},
	} {
		if got := completed(t, "zsh", test.words...); got != test.want {
			t.Errorf("%q: %s, want %s", test.words, got, test.want)
		}
	}
	if got := completed(t, "zsh", "call", "x", "--"); !strings.HasSuffix(got, " --") || !strings.Contains(got, " --engine ") {
		t.Errorf("no way on to the server's command: %s", got)
	}
	// As bash splits them, and with what it replaces.
	if got := completed(t, "bash", "call", "x", "--profile", "=", "m"); got != "values mcp" {
		t.Error(got)
	}
	if got := completed(t, "bash", "serve", "--listen", "127.0.0.1", ":", "0", "--eng"); got != "values --engine" {
		t.Error(got)
	}
}

func names(t *testing.T) []string {
	var all []string
	for _, command := range helpParser(t, &commands{}).Model.Children {
		if !command.Hidden {
			all = append(all, command.Name)
		}
	}
	return all
}

func TestCompletionFindsWhatRunsAndWhatIsACapture(t *testing.T) {
	s := startShown(t, controlFolder(t), "--work", "1h")
	s.say(`{"jsonrpc":"2.0","id":"a","method":"slow\u001b[31m\nred"}`)
	s.sync()
	if got := completed(t, "fish", "cancel", "--control-directory", s.directory, ""); got != "values "+s.id+"-2" {
		t.Error(got)
	}
	for _, command := range []string{"requests", "stats", "top", "trace stop"} {
		words := append(strings.Fields(command), "--control-directory="+s.directory, "--session", s.id[:1])
		want := "values " + s.id
		if command == "top" { // takes none
			want = "values"
		}
		if got := completed(t, "fish", words...); got != want {
			t.Errorf("%s: %s", command, got)
		}
	}
	if got := completed(t, "fish", "cancel", "--control-directory", "/nowhere", ""); got != "values" {
		t.Error(got)
	}
	got := inProcess(t, "", "complete", "fish", "--", "cancel", "--control-directory", s.directory, "")
	if strings.Contains(got.stdout, "\x1b") || strings.Count(got.stdout, "\n") != 2 {
		t.Errorf("the peer's text reaches the terminal: %q", got.stdout)
	}

	file := inFile(t, "talk.txt", talk)
	folder := filepath.Dir(file)
	for _, name := range []string{"notes.txt", "talk.txt\nx"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(talk[:4]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "more"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{{"cat"}, {"stats", "--json", "a.cap"}, {"diff", "a.cap"}} {
		if got := completed(t, "bash", append(words, folder+"/")...); got != "paths "+folder+"/more/ "+file {
			t.Error(got)
		}
	}
	if got := completed(t, "bash", "cat", folder+"/no"); got != "any" {
		t.Error(got) // there is no capture: any file may be meant
	}
}

// inShell runs a shell on its standard input, with this parley in its path.
func inShell(t *testing.T, shell []string, directory, input string) string {
	t.Helper()
	path, err := exec.LookPath(shell[0])
	if err != nil {
		testneeds.Missing(t, "no "+shell[0]+": install it to test its completion; make deps does it as root on Debian")
	}
	command := exec.CommandContext(t.Context(), path, shell[1:]...)
	command.Dir = directory
	command.Env = []string{
		"PATH=" + filepath.Dir(binary) + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"HOME=" + t.TempDir(), "TERM=dumb", "INPUTRC=/dev/null", "PARLEY_NO_CONTROL=1",
	}
	command.Stdin = strings.NewReader(input)
	output, err := command.CombinedOutput()
	t.Logf("%s", output)
	if err != nil {
		t.Error(err)
	}
	return string(output)
}

// somethingToComplete is a session with a request in work, and a folder with one capture and another file.
func somethingToComplete(t *testing.T) (session *shown, folder string) {
	session = startShown(t, controlFolder(t), "--work", "1h")
	session.say(`{"jsonrpc":"2.0","id":"a","method":"slow"}`)
	session.sync()
	folder = filepath.Dir(inFile(t, "a talk.cap", talk))
	if err := os.WriteFile(filepath.Join(folder, "a note.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return session, folder
}

// A partial line is completed by the tab and then run, so that its effect shows what it became.
func TestBashCompletes(t *testing.T) {
	s, folder := somethingToComplete(t)
	output := inShell(t, []string{"bash", "--norc", "-i"}, folder, "source <(parley completion bash)\n"+
		"parley canc\t --control-dir\t "+s.directory+" "+s.id[:2]+"\t\n"+
		"parley stats a\t\n"+
		"parley completion --he\t | head -n 1\n"+
		"exit 0\n")
	for _, want := range []string{"cancelled " + s.id + "-2\n", "a/never", "Usage: parley completion <shell>"} {
		if !strings.Contains(output, want) {
			t.Errorf("no %q", want)
		}
	}
}

// zsh completes on a terminal only: a second zsh has one, which the first makes and types on.
func TestZshCompletes(t *testing.T) {
	s, folder := somethingToComplete(t)
	output := inShell(t, []string{"zsh", "-f"}, folder, `
zmodload zsh/zpty && zpty shell zsh -f -i || exit
enter() {
	local said
	zpty -w shell $1 && zpty -r -m shell said '*ready> ' || exit
	print -r -- "${said//$'\r'}"
}
enter "PS1='rea''dy> '; autoload -Uz compinit; compinit -uD; source <(parley completion zsh)"
enter $'parley canc\t --control-dir\t `+s.directory+" "+s.id[:2]+`\t'
enter $'parley stats a\t'
enter $'parley completion --he\t | head -n 1'
zpty -d shell
`)
	for _, want := range []string{"cancelled " + s.id + "-2\n", "a/never", "Usage: parley completion <shell>"} {
		if !strings.Contains(output, want) {
			t.Errorf("no %q", want)
		}
	}
}

// fish says what it would complete a line with.
func TestFishCompletes(t *testing.T) {
	s, folder := somethingToComplete(t)
	output := inShell(t, []string{"fish", "--no-config"}, folder, "parley completion fish | source\n"+
		"complete -C 'parley cancel --control-directory "+s.directory+" "+s.id[:2]+"'\n"+
		"complete -C 'parley stats a'\n"+
		"complete -C 'parley vers'\n"+
		"complete -C 'parley call x --profile=m'\n")
	for _, want := range []string{s.id + "-2\t", "\na talk.cap\n", "version\tPrint version", "--profile=mcp\n"} {
		if !strings.Contains(output, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(output, "note.txt") {
		t.Error("a file that is no capture")
	}
}
