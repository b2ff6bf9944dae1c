package capture

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/transcript"
)

// Line is one line of the JSON spelling of a capture: one message, or what is none. Names are stable.
type Line struct {
	From   string  `json:"from"` // capture, client, server, stderr, tap
	Ms     float64 `json:"ms"`   // since the session began
	Kind   string  `json:"kind,omitempty"`
	Method string  `json:"method,omitempty"` // of an answer: of its request
	Bytes  int     `json:"bytes,omitempty"`  // of the message, without its frame; of a gap
	// InBatch: a member of the batch in the line before its first member, which has its text too.
	InBatch bool `json:"inBatch,omitempty"`
	// ElapsedMs is the time from the request to this answer.
	ElapsedMs *float64        `json:"elapsedMs,omitempty"`
	ID        json.RawMessage `json:"id,omitempty"`
	Message   json.RawMessage `json:"message,omitempty"`
	Text      string          `json:"text,omitempty"` // what is no JSON; a signal
	Code      *core.Code      `json:"code,omitempty"` // the exit code

	Framing string   `json:"framing,omitempty"` // from capture, as the two below
	Started string   `json:"started,omitempty"`
	Command []string `json:"command,omitempty"`
}

var classNames = [...]string{"invalid", "request", "notification", "result", "error", "batch"}

var sideNames = [...]string{"client", "server"}

func milliseconds(t core.Time) float64 { return float64(t/1000) / 1000 }

// NewLine spells what a Follower saw; framing is what its header said or what was found.
func NewLine(seen *Seen, h *Header) *Line {
	line := &Line{From: sideNames[seen.Side], Ms: milliseconds(seen.At)}
	switch {
	case seen.Found == nil:
		line.record(seen.Record, h)
	case seen.Found.Message == nil:
		line.Kind = "noise"
		line.Bytes = int(seen.Found.End - seen.Found.Start)
		line.Text = string(seen.Found.Sample)
	default:
		ev := seen.Found.Message
		line.Kind = classNames[ev.Class]
		line.ID, line.Method, line.Bytes, line.InBatch = ev.ID, string(ev.Method), len(ev.Frame), seen.InBatch
		if seen.Pair.Pairing == core.PairingAnswer {
			elapsed := milliseconds(seen.Pair.Elapsed)
			line.Method, line.ElapsedMs = string(seen.Pair.Method), &elapsed
		}
		if isJSON(ev.Invalid) {
			line.Message = ev.Frame
		} else {
			line.Text = string(ev.Frame)
		}
	}
	return line
}

func (l *Line) record(r *transcript.Record, h *Header) {
	switch r.Op {
	case transcript.OpCapture:
		l.From, l.Framing, l.Command = "capture", h.Framing.String(), h.Command
		if !h.Started.IsZero() {
			l.Started = h.Started.Format(time.RFC3339Nano)
		}
	case transcript.OpStderr:
		l.From, l.Text = "stderr", string(r.Text)
	case transcript.OpStderrGap:
		l.From, l.Kind, l.Bytes = "stderr", "gap", int(r.Count)
	case transcript.OpClientGap, transcript.OpServerGap:
		l.Kind, l.Bytes = "gap", int(r.Count)
	case transcript.OpClientEOF, transcript.OpServerEOF:
		l.Kind = "eof"
	case transcript.OpSignal:
		l.From, l.Kind, l.Text = "tap", "signal", string(r.Text)
	case transcript.OpExit:
		code := r.Code
		l.From, l.Kind, l.Text, l.Code = "tap", "exit", string(r.Text), &code
	default:
		l.From, l.Kind = "tap", strings.TrimSpace(string(r.Append(nil)))
	}
}

// WriteJSON writes one line.
func (l *Line) WriteJSON(to io.Writer) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(l)
}

// jsonLines reads what WriteJSON wrote. Every message becomes one read of its own.
func (s *Source) jsonLines(yield func(*transcript.Record, error) bool) {
	framing := FramingHeader
	for number, text := range s.lines(yield) {
		if len(text) == 0 {
			continue
		}
		var line Line
		err := json.Unmarshal(text, &line)
		if err == nil && line.InBatch {
			continue // it passed with its batch
		}
		var r *transcript.Record
		if err == nil {
			r, err = line.toRecord(&framing)
		}
		if err != nil {
			yield(nil, &FormatError{s.name, fmt.Errorf("line %d: %w", number, err)})
			return
		}
		if !yield(r, nil) {
			return
		}
	}
}

// timeMsMax is where times end: 2^53 ns.
const timeMsMax = 1 << 53 / 1e6

// toRecord is the inverse of NewLine, as far as a line tells.
func (l *Line) toRecord(framing *Framing) (*transcript.Record, error) {
	if l.Ms < 0 || l.Ms >= timeMsMax {
		return nil, fmt.Errorf("%v ms: want a time from 0 to 104 days", l.Ms)
	}
	if l.Bytes < 0 {
		return nil, fmt.Errorf("%d bytes", l.Bytes)
	}
	r := &transcript.Record{Time: core.Time(l.Ms * 1e6)}
	switch {
	case l.From == "capture":
		return l.toHeader(framing)
	case l.Kind == "exit" && l.Code != nil:
		r.Op, r.Code, r.Text = transcript.OpExit, *l.Code, []byte(l.Text)
	case l.Kind == "signal":
		r.Op, r.Text = transcript.OpSignal, []byte(l.Text)
	case l.From == "stderr" && l.Kind == "gap":
		r.Op, r.Count = transcript.OpStderrGap, uint64(l.Bytes)
	case l.From == "stderr":
		r.Op, r.Text = transcript.OpStderr, []byte(l.Text)
	case l.From != "client" && l.From != "server":
		return nil, fmt.Errorf("from %q: want capture, client, server, stderr or tap with a kind that is known", l.From)
	case l.Kind == "gap":
		r.Op, r.Count = pick(l.From, transcript.OpClientGap, transcript.OpServerGap), uint64(l.Bytes)
	case l.Kind == "eof":
		r.Op = pick(l.From, transcript.OpClientEOF, transcript.OpServerEOF)
	default:
		r.Op = pick(l.From, transcript.OpClient, transcript.OpServer)
		r.Text = []byte(l.Text)
		if l.Message != nil || l.Kind != "noise" {
			body := l.Message
			if body == nil {
				body = r.Text
			}
			r.Text = framing.Append(nil, body)
		}
	}
	return r, nil
}

func (l *Line) toHeader(framing *Framing) (*transcript.Record, error) {
	h := Header{Part: 1, Command: l.Command}
	var err error
	if l.Started != "" {
		h.Started, err = time.Parse(time.RFC3339Nano, l.Started)
	}
	if l.Framing != "" && err == nil {
		h.Framing, err = ParseFraming(l.Framing)
	}
	if h.Framing == FramingGuess {
		h.Framing = FramingHeader
	}
	*framing = h.Framing
	r := h.record()
	return &r, err
}

func pick(from string, client, server transcript.Op) transcript.Op {
	if from == "client" {
		return client
	}
	return server
}
