//go:build unix

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/coder/websocket"

	"github.com/parley-rpc/parley/host/bridge"
)

// served is a "parley serve" that runs.
type served struct {
	Token   string
	Servers []struct{ Socket string }

	command *exec.Cmd
	stderr  strings.Builder
}

// serve starts the program on a folder and returns once it listens.
func serve(t *testing.T, env []string, root string, server ...string) *served {
	t.Helper()
	return serveWith(t, env, append([]string{"--root", root, "--"}, server...)...)
}

func serveWith(t *testing.T, env []string, args ...string) *served {
	t.Helper()
	s := new(served)
	s.command = exec.Command(parley(t), append([]string{"serve", "--json", "--listen", "127.0.0.1:0"}, args...)...)
	s.command.Env, s.command.Stderr = env, &s.stderr
	stdout, err := s.command.StdoutPipe()
	if err == nil {
		err = s.command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, s)
	}
	if err != nil {
		_ = s.command.Wait() // stderr says it
		t.Fatalf("%v: %s%s", err, line, s.stderr.String())
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
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
}

// page is a client of a bridge.
type page struct {
	conn *websocket.Conn
	next int
}

func (s *served) dial(t *testing.T) *page {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), s.Servers[0].Socket+"?token="+s.Token, nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() }) // closed already, mostly
	return &page{conn: conn}
}

func (p *page) send(t *testing.T, message map[string]any) {
	t.Helper()
	message["jsonrpc"] = "2.0"
	text, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.conn.Write(t.Context(), websocket.MessageText, text); err != nil {
		t.Fatal(err)
	}
}

// call returns the result; on the way it answers what the server asks with null.
func (p *page) call(t *testing.T, method string, params any) json.RawMessage {
	t.Helper()
	p.next++
	p.send(t, map[string]any{"id": p.next, "method": method, "params": params})
	ctx, cancel := context.WithTimeout(t.Context(), callMax)
	defer cancel()
	for {
		_, text, err := p.conn.Read(ctx)
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		m := decode[struct {
			ID            json.RawMessage
			Method        string
			Result, Error json.RawMessage
		}](t, text)
		switch {
		case m.Method != "" && m.ID != nil:
			p.send(t, map[string]any{"id": m.ID, "result": nil})
		case m.Method == "" && string(m.ID) == strconv.Itoa(p.next):
			if m.Error != nil {
				t.Fatalf("%s: %s", method, m.Error)
			}
			return m.Result
		}
	}
}

func (p *page) closed(t *testing.T) (code websocket.StatusCode, reason string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), callMax)
	defer cancel()
	for {
		_, _, err := p.conn.Read(ctx)
		var closed websocket.CloseError
		switch {
		case errors.As(err, &closed):
			return closed.Code, closed.Reason
		case err != nil:
			t.Fatal(err)
		}
	}
}

// A page's life with gopls, to the end of the bridge: gopls is asked, and gone afterwards.
func TestServeGopls(t *testing.T) {
	t.Parallel()
	gopls := installed(t, "../build/bin/gopls")
	path, text := sourceFile(t, openedFile)
	pidFile := filepath.Join(t.TempDir(), "pid")
	s := serve(t, goplsEnv(t), filepath.Dir(path), "sh", "-c", `echo $$ > "$0"; exec "$1"`, pidFile, gopls)
	p := s.dial(t)
	folder := fileURI(filepath.Dir(path))
	p.call(t, "initialize", map[string]any{"processId": 1, "rootUri": folder, "capabilities": map[string]any{}})
	p.send(t, map[string]any{"method": "initialized", "params": map[string]any{}})
	document := map[string]any{"uri": fileURI(path), "languageId": "go", "version": 1, "text": string(text)}
	p.send(t, map[string]any{"method": "textDocument/didOpen", "params": map[string]any{"textDocument": document}})
	before, _, found := strings.Cut(string(text), symbolUse)
	if !found {
		t.Fatalf("%s does not mention %s", openedFile, symbolUse)
	}
	definition := p.call(t, "textDocument/definition", map[string]any{
		"textDocument": map[string]any{"uri": fileURI(path)},
		"position":     map[string]any{"line": strings.Count(before, "\n"), "character": len(before) - strings.LastIndex(before, "\n") - 1 + len("core.")},
	})
	if home, _ := sourceFile(t, definedFile); !strings.Contains(string(definition), fileURI(home)) {
		t.Errorf("definition %s, want it in %s", definition, home)
	}
	pid := pidIn(t, pidFile)
	s.interrupt(t)
	if code, reason := p.closed(t); code != websocket.StatusGoingAway || reason != "bridge-stopped" {
		t.Errorf("closed with %d %s", code, reason)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("gopls is left: %v", err)
	}
}

func pidIn(t *testing.T, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestServeTellsThePageThatItsServerDied(t *testing.T) {
	s := serve(t, os.Environ(), t.TempDir(), "sh", "-c", "echo no licence >&2; exit 9")
	defer s.interrupt(t)
	if code, reason := s.dial(t).closed(t); code != bridge.CloseServerExited || reason != fmt.Sprintf("server-exited: exit status 9: %q", "no licence") {
		t.Errorf("closed with %d %s", code, reason)
	}
}
