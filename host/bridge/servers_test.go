//go:build unix

package bridge

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// scripted is the server that the tests put behind a bridge: this test program, started again. It
// leaves a file named after its process in its working directory, with a line for each message it got.
type scripted struct {
	in  *bufio.Reader
	out io.Writer
	log *os.File

	isByLine bool            // a message is a line, without a header
	lingers  bool            // exit does not end it
	asking   json.RawMessage // id of the request that waits for our own request's answer
}

// wire is any message.
type wire struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

const logPrefix = "server-"

// serveAs is the main function of the process; the name says how it starts.
func serveAs(name string) int {
	switch name {
	case "mute": // it dies before it says a word
		fmt.Fprintln(os.Stderr, "no licence found")
		return 4
	}
	log, err := os.Create(filepath.Join(".", logPrefix+strconv.Itoa(os.Getpid())))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 70
	}
	s := &scripted{in: bufio.NewReader(os.Stdin), out: os.Stdout, log: log, isByLine: name == "by-line", lingers: name == "lingering"}
	for {
		m, err := s.read()
		if errors.Is(err, io.EOF) {
			return 1
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 70
		}
		fmt.Fprintln(log, m.Method)
		if code := s.serve(m); code >= 0 {
			return code
		}
	}
}

func (s *scripted) read() (wire, error) {
	var m wire
	if s.isByLine {
		line, err := s.in.ReadBytes('\n')
		if err != nil {
			return m, err
		}
		return m, json.Unmarshal(line, &m)
	}
	header, err := textproto.NewReader(s.in).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	size, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return m, err
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(s.in, body); err != nil {
		return m, err
	}
	return m, json.Unmarshal(body, &m)
}

// stay neither reads nor leaves.
func stay() { <-time.After(time.Hour) }

// pause answers, and then does nothing until SIGUSR1.
func (s *scripted) pause(id json.RawMessage) {
	goOn := make(chan os.Signal, 1)
	signal.Notify(goOn, syscall.SIGUSR1)
	defer signal.Stop(goOn)
	s.write(wire{ID: id, Result: json.RawMessage("null")})
	<-goOn
}

// write keeps every member as it is.
func (s *scripted) write(m wire) {
	body := `{"jsonrpc":"2.0"`
	for _, member := range []struct {
		name string
		text json.RawMessage
	}{{"id", m.ID}, {"method", quoted(m.Method)}, {"params", m.Params}, {"result", m.Result}} {
		if member.text != nil {
			body += `,"` + member.name + `":` + string(member.text)
		}
	}
	body += "}"
	if s.isByLine {
		fmt.Fprintln(s.out, body)
		return
	}
	fmt.Fprintf(s.out, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

func quoted(method string) json.RawMessage {
	if method == "" {
		return nil
	}
	return json.RawMessage(strconv.Quote(method))
}

// serve answers one message and returns the exit code, or -1 to go on.
func (s *scripted) serve(m wire) int {
	result := json.RawMessage("null")
	switch m.Method {
	case "initialize":
		result = m.Params
	case "echo":
		result = m.Params
	case "big":
		result = json.RawMessage(`"` + strings.Repeat("x", count(m.Params)) + `"`)
	case "shout":
		s.write(wire{Method: "noted", Params: json.RawMessage(`["` + strings.Repeat("x", count(m.Params)) + `"]`)})
	case "notes":
		for i := range count(m.Params) {
			s.write(wire{Method: "noted", Params: json.RawMessage(fmt.Sprintf("[%d]", i))})
		}
	case "flood": // as notes, of 4 KiB
		for i := range count(m.Params) {
			s.write(wire{Method: "noted", Params: json.RawMessage(fmt.Sprintf("[%d,%q]", i, pad))})
		}
	case "ask":
		s.asking = m.ID
		s.write(wire{ID: json.RawMessage(`"q"`), Method: "asked", Params: m.Params})
		return -1
	case "":
		answer := m.Result
		if m.Error != nil {
			answer = m.Error
		}
		s.write(wire{ID: s.asking, Result: answer})
		return -1
	case "print":
		fmt.Fprintln(s.out, "a line of log on stdout")
	case "break":
		fmt.Fprint(s.out, "Content-Length: x\r\n\r\n")
		stay()
	case "stop-reading":
		s.write(wire{ID: m.ID, Result: result})
		stay()
	case "pause":
		s.pause(m.ID)
		return -1
	case "die":
		fmt.Fprintln(os.Stderr, "because \x1b[31mof\x1b[0m reasons")
		return 3
	case "exit":
		if !s.lingers {
			return 0
		}
	}
	if m.ID != nil {
		s.write(wire{ID: m.ID, Result: result})
	}
	return -1
}

var pad = strings.Repeat("x", 4<<10)

func count(params json.RawMessage) int {
	var n []int
	if err := json.Unmarshal(params, &n); err != nil || len(n) != 1 {
		panic("want one number")
	}
	return n[0]
}
