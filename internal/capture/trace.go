package capture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/transcript"
)

// VS Code and the clients that follow it write a trace in two formats: JSON, one message a line, and
// text, in which the parts of a message have a heading. Neither has bytes: every message becomes one
// read in header framing, and its time is that of the trace.

// traceEntry begins an entry of either format: [Trace - 10:13:58 AM] or [LSP   - 10:13:58 AM].
var traceEntry = regexp.MustCompile(`^\[(?:Trace|LSP)\s*-\s*(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d{3}))?\s*([AaPp][Mm])?\]\s*(.*)$`)

// traceText is what an entry of the text format says.
var traceText = regexp.MustCompile(`^(Sending|Received) (request|notification|response) '([^']*?)(?: - \(([^)]*)\))?'`)

// traceFailed ends the heading of an answer that is an error.
var traceFailed = regexp.MustCompile(`Request failed: (.*) \((-?\d+)\)\.?$`)

func isTrace(start []byte) bool {
	for line := range bytes.Lines(start) {
		if traceEntry.Match(bytes.TrimSpace(line)) || bytes.Contains(line, []byte(`"isLSPMessage"`)) {
			return true
		}
	}
	return false
}

// tracer turns the lines of a trace into records.
type tracer struct {
	first time.Duration // of the day, of the first entry; -1: none yet
	days  time.Duration // midnights passed
	last  time.Duration

	stamped float64 // ms since 1970, of the first entry of the JSON format; 0: none yet

	heading []string // the entry of the text format that is being read: traceText's groups
	at      core.Time
	parts   map[string][]byte // Params, Result, Error: JSON so far
	part    string
	failed  map[string]any // the error that the heading names
}

func (s *Source) trace(yield func(*transcript.Record, error) bool) {
	header := Header{Framing: FramingHeader, Part: 1}
	r := header.record()
	if !yield(&r, nil) {
		return
	}
	t := tracer{first: -1}
	stopped := false
	emit := func(r *transcript.Record, err error, number int) bool {
		if err != nil {
			err = &FormatError{s.name, fmt.Errorf("line %d: %w", number, err)}
		}
		stopped = (r != nil || err != nil) && (!yield(r, err) || err != nil)
		return !stopped
	}
	number := 0
	for n, line := range s.lines(yield) {
		number = n
		line = bytes.TrimSpace(line)
		if m := traceEntry.FindSubmatch(line); m != nil {
			if r, err := t.flush(); !emit(r, err, n) {
				return
			}
			t.at = t.timeOf(m)
			line = m[6]
		}
		if r, err := t.line(line); !emit(r, err, n) {
			return
		}
	}
	r2, err := t.flush()
	emit(r2, err, number)
}

// timeOf reads an entry's time of day, and counts midnights.
func (t *tracer) timeOf(m [][]byte) core.Time {
	number := func(i int) time.Duration {
		// The expression took digits, at most three.
		n, _ := strconv.Atoi(string(m[i]))
		return time.Duration(n)
	}
	hour := number(1)
	if len(m[5]) > 0 {
		hour %= 12
		if m[5][0]|0x20 == 'p' {
			hour += 12
		}
	}
	day := hour*time.Hour + number(2)*time.Minute + number(3)*time.Second + number(4)*time.Millisecond
	if t.first < 0 {
		t.first, t.last = day, day
	}
	if day+t.days < t.last-12*time.Hour {
		t.days += 24 * time.Hour
	}
	t.last = max(t.last, day+t.days)
	return core.Time(t.last - t.first)
}

// line takes what follows the time in an entry's first line, or a line below it.
func (t *tracer) line(line []byte) (*transcript.Record, error) {
	if bytes.HasPrefix(line, []byte("{")) && bytes.Contains(line, []byte(`"isLSPMessage"`)) {
		return t.json(line)
	}
	if m := traceText.FindSubmatch(line); m != nil {
		t.heading, t.parts, t.part = nil, map[string][]byte{}, ""
		for _, group := range m[1:] {
			t.heading = append(t.heading, string(group))
		}
		t.failed = nil
		if f := traceFailed.FindSubmatch(line); f != nil {
			code, err := strconv.ParseInt(string(f[2]), 10, 32)
			if err != nil {
				return nil, err
			}
			t.failed = map[string]any{"code": code, "message": string(f[1])}
		}
		return nil, nil
	}
	if t.heading == nil {
		return nil, nil
	}
	for _, name := range []string{"Params", "Result", "Error data"} {
		if rest, found := bytes.CutPrefix(line, []byte(name+": ")); found {
			t.part, line = name, rest
		}
	}
	if string(line) == "No result returned." || string(line) == "No parameters provided." {
		t.part = ""
	}
	if t.part != "" {
		t.parts[t.part] = append(append(t.parts[t.part], line...), '\n')
	}
	return nil, nil
}

// json takes an entry of the JSON format.
func (t *tracer) json(line []byte) (*transcript.Record, error) {
	var entry struct {
		Type      string          `json:"type"`
		Message   json.RawMessage `json:"message"`
		Timestamp float64         `json:"timestamp"` // ms since 1970
	}
	if err := json.Unmarshal(line, &entry); err != nil {
		return nil, err
	}
	if t.stamped == 0 {
		t.stamped = entry.Timestamp
	}
	at := t.at
	if elapsed := entry.Timestamp - t.stamped; entry.Timestamp > 0 && elapsed >= 0 && elapsed < timeMsMax {
		at = core.Time(elapsed * 1e6)
	}
	return traced(strings.HasPrefix(entry.Type, "send"), at, entry.Message), nil
}

func traced(isSent bool, at core.Time, message []byte) *transcript.Record {
	op := transcript.OpServer
	if isSent {
		op = transcript.OpClient
	}
	return &transcript.Record{Op: op, Time: at, Text: FramingHeader.Append(nil, message)}
}

// flush makes a message of the entry of the text format that has been read.
func (t *tracer) flush() (*transcript.Record, error) {
	if t.heading == nil {
		return nil, nil
	}
	verb, kind, method, id := t.heading[0], t.heading[1], t.heading[2], t.heading[3]
	t.heading = nil
	message := map[string]any{"jsonrpc": "2.0"}
	if number, err := strconv.ParseInt(id, 10, 64); err == nil {
		message["id"] = number
	} else if id != "" {
		message["id"] = id
	}
	for name, text := range t.parts {
		if !json.Valid(text) {
			return nil, fmt.Errorf("%s of %s is not JSON: a trace at level verbose has it whole", name, method)
		}
		if name != "Error data" {
			message[strings.ToLower(name)] = json.RawMessage(text)
		} else if t.failed != nil {
			t.failed["data"] = json.RawMessage(text)
		}
	}
	if t.failed != nil {
		message["error"] = t.failed
	}
	switch {
	case kind != "response":
		message["method"] = method
	case message["result"] == nil && message["error"] == nil:
		message["result"] = nil
	}
	body, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	return traced(verb == "Sending", t.at, body), nil
}
