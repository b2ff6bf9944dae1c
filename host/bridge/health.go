package bridge

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/parley-rpc/parley/host/child"
)

// health is what a bridge knows about the processes of one server. Bridge.mu guards it.
type health struct {
	started int
	failure string // why the last one was of no use; "" when it was, or there was none
}

func (h *health) failed(why string) { h.failure = why }

// ended takes the end of a session for a failure of its server if that has never said a word.
func (h *health) ended(s *session) {
	h.failure = ""
	if c := s.cause(); s.relay.wasSilent() && (c.code == CloseServerExited || c.code == CloseServerBroke) {
		h.failure = "it ended before it said a word: " + s.status // no stderr: this needs no token
	}
}

// healthDocument is /healthz. Names are stable.
type healthDocument struct {
	OK          bool           `json:"ok"`
	Version     string         `json:"version"`
	Sessions    int            `json:"sessions"`
	SessionsMax int            `json:"sessionsMax"`
	Servers     []serverHealth `json:"servers"`
}

type serverHealth struct {
	Name     string `json:"name"`
	OK       bool   `json:"ok"`
	Error    string `json:"error,omitempty"`
	Sessions int    `json:"sessions"` // with a child that is there
	Started  int    `json:"started"`  // since the start
}

// serveHealth says whether a new session would get a server that works, as far as can be known without
// starting one: its program is found, and the last process of it was of use. 200 if that is so for all
// servers, else 503.
func (b *Bridge) serveHealth(w http.ResponseWriter, _ *http.Request) {
	b.mu.Lock()
	document := healthDocument{OK: !b.closing, Version: b.options.Version, Sessions: len(b.sessions), SessionsMax: b.options.SessionsMax}
	running := map[string]int{}
	for _, s := range b.sessions {
		running[s.server.Name]++
	}
	for _, s := range b.options.Servers {
		h := b.health[s.Name]
		document.Servers = append(document.Servers, serverHealth{Name: s.Name, Error: h.failure, Sessions: running[s.Name], Started: h.started})
	}
	b.mu.Unlock()
	for i := range document.Servers {
		s := &document.Servers[i]
		if err := b.findProgram(b.options.Servers[i].Command[0]); err != nil {
			s.Error = err.Error()
		}
		s.OK = s.Error == ""
		document.OK = document.OK && s.OK
	}
	status := http.StatusOK
	if !document.OK {
		status = http.StatusServiceUnavailable
	}
	writeJSON(w, status, document)
}

// findProgram looks for a program where starting it would.
func (b *Bridge) findProgram(program string) error {
	if b.options.Root != "" && strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) {
		program = filepath.Join(b.options.Root, program)
	}
	_, err := exec.LookPath(program)
	return err
}

// writeJSON answers with one document, which is never kept by anybody.
func writeJSON(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(document) // it fails where the client is gone
}

// configDocument is /config.json. Names are stable.
type configDocument struct {
	Servers []serverConfig `json:"servers"`
	Root    *rootConfig    `json:"root"`
	Version string         `json:"version"`
	Limits  limitsConfig   `json:"limits"`
}

type serverConfig struct {
	Name    string   `json:"name"`  // in the URL
	Title   string   `json:"title"` // for people
	Profile string   `json:"profile"`
	Command []string `json:"command"`
}

type rootConfig struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

type limitsConfig struct {
	MessageBytesMax int   `json:"messageBytesMax"`
	FileBytesMax    int64 `json:"fileBytesMax"`
	SessionsMax     int   `json:"sessionsMax"`
}

func (b *Bridge) serveConfig(w http.ResponseWriter, _ *http.Request) {
	o := &b.options
	document := configDocument{
		Root: o.rootConfig(), Version: o.Version,
		Limits: limitsConfig{o.MessageBytesMax, o.FileBytesMax, o.SessionsMax},
	}
	for _, s := range o.Servers {
		document.Servers = append(document.Servers, serverConfig{s.Name, s.title(), s.Profile.String(), s.Command})
	}
	writeJSON(w, http.StatusOK, document)
}

// serveStderr gives the end of what a session's child wrote to stderr, child.TailBytesMax at most, as
// plain text.
func (b *Bridge) serveStderr(w http.ResponseWriter, r *http.Request) {
	var tail *child.Tail
	if tail = b.stderrOf(r.PathValue("id")); tail == nil {
		http.Error(w, "there is no session of this name", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(strings.ToValidUTF8(string(tail.Bytes()), "\uFFFD"))) // it fails where the client is gone
}
