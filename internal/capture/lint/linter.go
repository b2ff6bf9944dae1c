package lint

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/capture"
	"github.com/parley-rpc/parley/internal/transcript"
)

// rememberedMax bounds what is remembered of each side's requests; beyond it the oldest sessions of
// traffic are judged less sharply, not at all wrongly. Unit: requests.
const rememberedMax = 1 << 20

// Linter judges what a Follower shows, session by session.
type Linter struct {
	found func(Finding)
	s     *session
}

// session is what is known about one session.
type session struct {
	isGapped    bool // something is missing: what was not seen may have been sent
	requests    [2]map[string]*request
	order       [2][]string // ids in order of their requests
	initialize  phase
	initialized bool
	isMCP       bool
	shutdown    bool
	exited      bool
	documents   *documents
	progress    map[string]bool // tokens, as on the wire
	ended       [2]bool         // the side's stream
	noise       [2]bool         // reported for the bytes that are being passed over
}

// request is one that was seen.
type request struct {
	method   string
	at       core.Time
	id       string // as on the wire
	answers  int
	canceled bool
	tooLate  bool // the other side had ended
}

type phase uint8

const (
	phaseNone     phase = iota
	phaseAsked          // initialize was sent
	phaseAnswered       // and answered
)

// New returns a Linter that calls found for each finding, in the order of the capture.
func New(found func(Finding)) *Linter {
	l := &Linter{found: found}
	l.begin()
	return l
}

func (l *Linter) begin() {
	l.s = &session{documents: newDocuments(), progress: map[string]bool{}}
	l.s.requests = [2]map[string]*request{{}, {}}
}

// See judges one thing.
func (l *Linter) See(seen *capture.Seen) {
	switch {
	case seen.Found == nil:
		l.record(seen)
	case seen.Found.Message == nil:
		l.noise(seen)
	default:
		l.s.noise[seen.Side] = false
		l.message(seen)
	}
}

// report reports a finding about what was seen.
func (l *Linter) report(r *Rule, seen *capture.Seen, format string, args ...any) {
	f := Finding{
		Rule: r.ID, Severity: r.Severity, Ms: milliseconds(seen.At), From: sideName(seen.Side),
		Detail: fmt.Sprintf(format, args...),
	}
	if seen.Found != nil {
		f.Offset = seen.Found.Start
		if ev := seen.Found.Message; ev != nil {
			f.Method, f.ID = string(ev.Method), string(ev.ID)
		}
		if f.Method == "" {
			f.Method = string(seen.Pair.Method)
		}
	} else if seen.Record != nil && seen.Record.Op == transcript.OpExit {
		f.From = "tap"
	}
	l.found(f)
}

func milliseconds(t core.Time) float64 { return float64(t/1000) / 1000 }

func sideName(side core.Side) string {
	if side == core.SideClient {
		return "client"
	}
	return "server"
}

func (l *Linter) record(seen *capture.Seen) {
	switch r := seen.Record; r.Op {
	case transcript.OpCapture:
		l.End()
		l.begin()
		for _, setting := range r.Settings {
			if string(setting.Name) == "part" && string(setting.Value) != "1" {
				l.s.isGapped = true
				l.report(incomplete, seen, "part %s of a session", setting.Value)
			}
		}
	case transcript.OpClientGap, transcript.OpServerGap:
		l.s.isGapped = true
		l.report(incomplete, seen, "%d bytes are missing", r.Count)
	case transcript.OpClientEOF, transcript.OpServerEOF:
		l.s.ended[seen.Side] = true
	case transcript.OpExit:
		open := l.open(core.SideClient)
		if r.Code != 0 && open > 0 {
			l.report(serverFailed, seen, "exit code %d %s, %d requests open", r.Code, r.Text, open)
		}
	}
}

func (l *Linter) open(side core.Side) (open int) {
	for _, r := range l.s.requests[side] {
		if r.answers == 0 {
			open++
		}
	}
	return open
}

func (l *Linter) noise(seen *capture.Seen) {
	broken := seen.Found.Broken
	if broken == nil {
		if !l.s.noise[seen.Side] && !l.s.isGapped {
			l.s.noise[seen.Side] = true
			l.report(noiseOf(seen.Side), seen, "%s", seen.Found.Sample)
		}
		return
	}
	l.s.noise[seen.Side] = true
	switch broken.Kind {
	case core.ViolationNoise:
		l.report(noiseOf(seen.Side), seen, "%s%s", seen.Found.Sample, likely(broken.Hint))
	case core.ViolationTruncated:
		if !l.s.isGapped {
			l.report(truncated, seen, "%d of %d bytes", broken.Have, broken.Need)
		}
	default:
		l.report(badFraming, seen, "%s: %s%s", broken.Kind, seen.Found.Sample, likely(broken.Hint))
	}
}

// likely is the cause behind a sample, where there is a likely one.
func likely(hint core.Hint) string {
	if hint == core.HintNone {
		return ""
	}
	return " (" + hintTexts[hint] + ")"
}

func noiseOf(side core.Side) *Rule {
	if side == core.SideClient {
		return noiseOnStdin
	}
	return noiseOnStdout
}

func (l *Linter) message(seen *capture.Seen) {
	ev := seen.Found.Message
	switch ev.Class {
	case core.ClassInvalid:
		l.invalid(seen)
	case core.ClassRequest:
		l.lifecycle(seen)
		l.request(seen)
		l.content(seen)
	case core.ClassNotification:
		l.lifecycle(seen)
		l.cancel(seen)
		l.content(seen)
	case core.ClassResult, core.ClassError:
		l.answer(seen)
	case core.ClassBatch: // its members follow
	}
}

func (l *Linter) invalid(seen *capture.Seen) {
	ev := seen.Found.Message
	frame := ev.Frame[:min(len(ev.Frame), 64)]
	switch ev.Invalid {
	case core.InvalidJSON, core.InvalidUTF8, core.InvalidDepth, core.InvalidEmpty, core.InvalidCharset:
		if ev.Hint == core.HintStdoutNoise || ev.Hint == core.HintTerminal {
			l.report(noiseOf(seen.Side), seen, "%s", frame)
			return
		}
		l.report(invalidJSON, seen, "%s: %s%s", ev.Invalid, frame, likely(ev.Hint))
	case core.InvalidVersion:
		l.report(wrongVersion, seen, "%s", frame)
	default:
		l.report(invalidMessage, seen, "%s: %s%s", ev.Invalid, frame, likely(ev.Hint))
	}
}

func (l *Linter) request(seen *capture.Seen) {
	ev := seen.Found.Message
	requests, id := l.s.requests[seen.Side], key(ev.ID)
	if before := requests[id]; before != nil {
		if before.answers == 0 {
			l.report(duplicateID, seen, "%s is open since %.3f ms", before.method, milliseconds(before.at))
		} else {
			l.report(reusedID, seen, "%s had it at %.3f ms", before.method, milliseconds(before.at))
		}
	} else {
		l.s.order[seen.Side] = append(l.s.order[seen.Side], id)
	}
	if len(requests) < rememberedMax || requests[id] != nil {
		requests[id] = &request{method: string(ev.Method), id: string(ev.ID), at: seen.At, tooLate: l.s.ended[1-seen.Side]}
	}
}

func (l *Linter) answer(seen *capture.Seen) {
	ev := seen.Found.Message
	if len(ev.ID) == 0 || string(ev.ID) == "null" {
		return // an error for nobody
	}
	r := l.s.requests[1-seen.Side][key(ev.ID)]
	if r == nil {
		// The pairing compares numbers by value: 1.0 answers 1.
		if seen.Pair.Pairing == core.PairingUnknown && !l.s.isGapped && len(l.s.requests[1-seen.Side]) < rememberedMax {
			l.report(unknownAnswer, seen, "id %s", ev.ID)
		}
		return
	}
	r.answers++
	switch {
	case r.answers > 1:
		l.report(doubleAnswer, seen, "%s of %.3f ms", r.method, milliseconds(r.at))
	case r.canceled && l.s.isMCP:
		l.report(answerAfterStop, seen, "%s of %.3f ms", r.method, milliseconds(r.at))
	}
	if r.method == "initialize" && seen.Side == core.SideServer {
		l.initializeAnswered(ev)
	}
}

func (l *Linter) cancel(seen *capture.Seen) {
	ev := seen.Found.Message
	field := cancelField(string(ev.Method))
	if field == "" {
		return
	}
	var params map[string]json.RawMessage
	// What is no object names nothing.
	_ = json.Unmarshal(ev.Body, &params)
	r := l.s.requests[seen.Side][key(params[field])]
	switch {
	case r == nil || r.answers > 0:
		if !l.s.isGapped {
			l.report(cancelUnknown, seen, "%s %s", field, params[field])
		}
	case r.method == "initialize":
		l.report(cancelInitialize, seen, "%s %s", field, params[field])
	default:
		r.canceled = true
	}
}

// End says that no record follows.
func (l *Linter) End() {
	for side := range l.s.requests {
		for _, id := range l.s.order[side] {
			r := l.s.requests[side][id]
			if r == nil || r.answers > 0 || r.tooLate || r.canceled && l.s.isMCP || l.s.isGapped {
				continue
			}
			l.found(Finding{
				Rule: missingAnswer.ID, Severity: missingAnswer.Severity, Ms: milliseconds(r.at),
				From: sideName(core.Side(side)), Method: r.method, ID: r.id, Detail: "at the end of the capture",
			})
		}
	}
	l.s.order = [2][]string{}
	l.s.requests = [2]map[string]*request{{}, {}}
}

// key is what the spellings of one id have in common: escapes in strings, zeros behind a point. Numbers
// with an exponent are compared as they are spelled.
func key(id []byte) string {
	text := string(id)
	if strings.HasPrefix(text, `"`) {
		var plain string
		// The id was found valid.
		_ = json.Unmarshal(id, &plain)
		return `"` + plain
	}
	if strings.Contains(text, ".") && !strings.ContainsAny(text, "eE") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
