//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// served is a "parley serve" that runs.
type served struct {
	serveDocument
	command *exec.Cmd
	stderr  *strings.Builder
}

// serve starts the program and returns once it listens.
func serve(t *testing.T, args ...string) *served {
	t.Helper()
	s := &served{stderr: &strings.Builder{}}
	s.command = exec.Command(binary, append([]string{"serve", "--json", "--listen", "127.0.0.1:0"}, args...)...)
	s.command.Stderr = s.stderr
	stdout, err := s.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &s.serveDocument)
	}
	if err != nil {
		_ = s.command.Wait() // says what stderr says
		t.Fatalf("%v: %s%s", err, line, s.stderr)
	}
	return s
}

// interrupt ends it, and demands the exit code of an interrupted command.
func (s *served) interrupt(t *testing.T) {
	t.Helper()
	if err := s.command.Process.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	_ = s.command.Wait() // only repeats the exit code
	if code := s.command.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d: %s", code, s.stderr)
	}
}

func (s *served) get(t *testing.T, path, token string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func TestServePrintsWhereThePageIs(t *testing.T) {
	root := t.TempDir()
	s := serve(t, "--root", root, "--server", "tools:mcp="+binary+" peer mcp", "--", binary, "peer", "lsp")
	defer s.interrupt(t)
	if !strings.HasPrefix(s.URL, "http://"+s.Address+"/?token=") || len(s.Token) < 26 || !strings.HasSuffix(s.URL, s.Token) {
		t.Errorf("printed %+v", s.serveDocument)
	}
	if len(s.Servers) != 2 || s.Servers[1].Profile != "mcp" || s.Servers[1].Socket != "ws://"+s.Address+"/ws/tools" {
		t.Errorf("servers %+v", s.Servers)
	}
	if status, text := s.get(t, "/config.json", s.Token); status != http.StatusOK || !strings.Contains(text, `"uri":"file://`+root+`"`) {
		t.Errorf("config: %d %s", status, text)
	}
	if status, _ := s.get(t, "/config.json", "wrong"); status != http.StatusUnauthorized {
		t.Errorf("wrong token: %d", status)
	}
}

func TestServeWithoutACommandHasTheBuiltInServer(t *testing.T) {
	for _, engine := range []string{"native", "wazero"} {
		s := serve(t, "--engine", engine)
		if len(s.Servers) != 1 || strings.Join(s.Servers[0].Command, " ") != binary+" peer lsp" {
			t.Errorf("servers %+v", s.Servers)
		}
		if status, text := s.get(t, "/healthz", ""); status != http.StatusOK || !strings.Contains(text, `"ok":true`) {
			t.Errorf("health: %d %s", status, text)
		}
		s.interrupt(t)
	}
}

// Goal: people read the name that they know a server by, also where its process is the sandbox. Method: what the
// page is told of a program, of a module, and of servers with names.
func TestServeTitles(t *testing.T) {
	module := inFile(t, "tables.wasm", "")
	for _, test := range []struct {
		title string
		args  []string
	}{
		{"json", nil},
		{filepath.Base(binary), []string{"--", binary, "peer", "lsp"}},
		{"tables", []string{"--wasi", module}},
		{"tools", []string{"--server", "tools=" + binary}},
	} {
		s := serve(t, test.args...)
		if _, text := s.get(t, "/config.json", s.Token); !strings.Contains(text, `"title":"`+test.title+`"`) {
			t.Errorf("%q: %s", test.args, text)
		}
		s.interrupt(t)
	}
}

func TestServeSaysWhichServersAreMissing(t *testing.T) {
	s := serve(t, "--server", "tools=no-such-program --stdio", "--", binary, "peer", "lsp")
	s.interrupt(t)
	if text := s.stderr.String(); !strings.HasPrefix(text, "sessions of tools cannot start: ") || strings.Contains(text, "default") {
		t.Errorf("stderr %q", text)
	}
}

func TestServeTokens(t *testing.T) {
	if status, _ := serveOnce(t, "--no-token"); status != http.StatusOK {
		t.Errorf("--no-token: %d", status)
	}
	t.Setenv("PARLEY_TOKEN", "from the environment")
	s := serve(t)
	if s.Token != "from the environment" || !strings.HasSuffix(s.URL, "?token=from+the+environment") {
		t.Errorf("printed %+v", s.serveDocument)
	}
	s.interrupt(t)
}

func serveOnce(t *testing.T, args ...string) (int, string) {
	t.Helper()
	s := serve(t, args...)
	defer s.interrupt(t)
	return s.get(t, "/config.json", s.Token)
}

// A program is looked for where parley was started, whatever the working directory of the servers is.
func TestServeFindsARelativeProgram(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(here, binary)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, "--root", t.TempDir(), "--", relative, "peer", "lsp")
	defer s.interrupt(t)
	if status, text := s.get(t, "/healthz", ""); status != http.StatusOK || s.Servers[0].Command[0] != binary {
		t.Errorf("health: %d %s; command %q", status, text, s.Servers[0].Command)
	}
}
