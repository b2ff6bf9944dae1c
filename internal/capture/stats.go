package capture

import (
	"cmp"
	"slices"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/transcript"
)

// Stats is what a capture says about each method. Names in JSON are stable.
type Stats struct {
	DurationMs float64       `json:"durationMs"` // from the beginning to the last record
	Messages   int           `json:"messages"`   // a batch is one; its members count below
	Bytes      [2]uint64     `json:"bytes"`      // passed from the client, from the server; frames included
	NoiseBytes [2]uint64     `json:"noiseBytes"` // of these, outside of messages
	LostBytes  uint64        `json:"lostBytes"`  // passed and not recorded
	Invalid    int           `json:"invalid"`    // frames and members of batches that are no message
	Unknown    int           `json:"unknown"`    // answers to nothing that was open
	Methods    []MethodStats `json:"methods"`    // slowest in all first, then by name
}

// MethodStats is one method as one side used it: its requests, or its notifications.
type MethodStats struct {
	Method      string  `json:"method"`
	From        string  `json:"from"` // client or server
	Kind        string  `json:"kind"` // request or notification
	Count       int     `json:"count"`
	Errors      int     `json:"errors"`
	Unanswered  int     `json:"unanswered"`
	Bytes       uint64  `json:"bytes"`       // of the requests or notifications, without their frames
	AnswerBytes uint64  `json:"answerBytes"` // of the answers
	P50Ms       float64 `json:"p50Ms"`
	P95Ms       float64 `json:"p95Ms"`
	P99Ms       float64 `json:"p99Ms"`
	MaxMs       float64 `json:"maxMs"`

	Answers []Answer `json:"-"` // fastest first
}

// Answer is what one request came to.
type Answer struct {
	At      core.Time // when it came
	Elapsed core.Time // since its request
	IsError bool
}

// Counter makes Stats of what a Follower shows.
type Counter struct {
	stats   Stats
	last    core.Time
	methods map[methodKey]*MethodStats
}

type methodKey struct {
	method string
	from   core.Side
	class  core.Class
}

// NewCounter returns a Counter that has seen nothing.
func NewCounter() *Counter { return &Counter{methods: map[methodKey]*MethodStats{}} }

// See counts one thing.
func (c *Counter) See(seen *Seen) {
	c.last = max(c.last, seen.At)
	if seen.Found == nil {
		c.record(seen.Record)
		return
	}
	if seen.Found.Message == nil {
		c.stats.NoiseBytes[seen.Side] += seen.Found.End - seen.Found.Start
		return
	}
	if seen.IsMessage() {
		c.stats.Messages++
	}
	ev := seen.Found.Message
	switch ev.Class {
	case core.ClassRequest, core.ClassNotification:
		m := c.method(string(ev.Method), seen.Side, ev.Class)
		m.Count++
		m.Bytes += uint64(len(ev.Frame))
		if ev.Class == core.ClassRequest {
			m.Unanswered++
		}
	case core.ClassResult, core.ClassError:
		if seen.Pair.Pairing == core.PairingUnknown {
			c.stats.Unknown++
		}
		if seen.Pair.Pairing != core.PairingAnswer {
			return
		}
		m := c.method(string(seen.Pair.Method), 1-seen.Side, core.ClassRequest)
		m.Unanswered--
		m.AnswerBytes += uint64(len(ev.Frame))
		m.Answers = append(m.Answers, Answer{seen.At, seen.Pair.Elapsed, ev.Class == core.ClassError})
		if ev.Class == core.ClassError {
			m.Errors++
		}
	case core.ClassInvalid:
		c.stats.Invalid++
	}
}

func (c *Counter) record(r *transcript.Record) {
	switch r.Op {
	case transcript.OpClientGap, transcript.OpServerGap, transcript.OpStderrGap:
		c.stats.LostBytes += r.Count
	}
}

func (c *Counter) method(name string, from core.Side, class core.Class) *MethodStats {
	key := methodKey{name, from, class}
	m := c.methods[key]
	if m == nil {
		m = &MethodStats{Method: name, From: sideNames[from], Kind: classNames[class]}
		c.methods[key] = m
	}
	return m
}

// Stats is what was counted in what f has shown.
func (c *Counter) Stats(f *Follower) *Stats {
	s := c.stats
	s.Bytes = f.Bytes
	s.DurationMs = milliseconds(c.last)
	total := map[string]core.Time{}
	for _, m := range c.methods {
		m.Rank()
		for i := range m.Answers {
			total[m.Method] += m.Answers[i].Elapsed
		}
		s.Methods = append(s.Methods, *m)
	}
	slices.SortFunc(s.Methods, func(a, b MethodStats) int {
		return cmp.Or(cmp.Compare(total[b.Method], total[a.Method]), cmp.Compare(a.Method, b.Method), cmp.Compare(a.From, b.From), cmp.Compare(a.Kind, b.Kind))
	})
	return &s
}

// Rank sorts the answers and finds their percentiles.
func (m *MethodStats) Rank() {
	slices.SortFunc(m.Answers, func(a, b Answer) int { return cmp.Compare(a.Elapsed, b.Elapsed) })
	m.P50Ms, m.P95Ms, m.P99Ms, m.MaxMs = m.percentile(50), m.percentile(95), m.percentile(99), m.percentile(100)
}

// percentile is the smallest latency that percent of the answers did not exceed, in ms.
func (m *MethodStats) percentile(percent int) float64 {
	if len(m.Answers) == 0 {
		return 0
	}
	rank := (len(m.Answers)*percent + 99) / 100
	return milliseconds(m.Answers[max(rank, 1)-1].Elapsed)
}
