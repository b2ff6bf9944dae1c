package resume

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/parley-rpc/parley/core"
)

// ledger is what RESUME says of one side, kept without thrift: every text that was ever sent, and two
// places in that list. What a Link may do is what its ledger does.
type ledger struct {
	cfg      Config
	texts    []entry
	first    int // the oldest kept
	next     int // the next to be written
	received uint64
	session  string

	newest     Generation
	isAttached bool // the newest socket is not lost
	isLive     bool // and its peer has said what it has
	now        core.Time
	lostAt     core.Time // core.Never: no socket was live yet
	over       FailureKind
}

type entry struct {
	text    []byte
	written core.Time // last
}

func newLedger(cfg Config) *ledger {
	return &ledger{cfg: cfg, session: cfg.Session, now: math.MinInt64, lostAt: core.Never}
}

// chargedBytes is what the texts from one on cost (RESUME-5).
func (m *ledger) chargedBytes(from int) (sum int) {
	for _, e := range m.texts[from:] {
		sum += len(e.text) + ChargeBytes
	}
	return sum
}

// advance is RESUME-6 and RESUME-7.
func (m *ledger) advance(now core.Time) {
	m.now = max(m.now, now)
	for m.isLive && m.first < m.next && m.now-m.texts[m.first].written >= m.cfg.AgeNs {
		m.first++
	}
	if !m.isAttached && m.lostAt != core.Never && m.now-m.lostAt >= m.cfg.AgeNs {
		m.end(FailureExpired)
	}
}

func (m *ledger) deadline() core.Time {
	switch {
	case m.over != FailureNone:
	case m.isLive && m.first < m.next:
		return m.texts[m.first].written + m.cfg.AgeNs
	case !m.isAttached && m.lostAt != core.Never:
		return m.lostAt + m.cfg.AgeNs
	}
	return core.Never
}

func (m *ledger) end(kind FailureKind) FailureKind {
	if m.over == FailureNone {
		m.over, m.isAttached, m.isLive = kind, false, false
		m.first, m.next = len(m.texts), len(m.texts) // nothing is kept
	}
	return m.over
}

func (m *ledger) send(text []byte, now core.Time) error {
	m.advance(now)
	waiting, size := m.chargedBytes(m.next), len(text)+ChargeBytes
	switch {
	case m.over != FailureNone:
		return &Failure{Kind: m.over}
	case len(text) > m.cfg.TextBytesMax:
		return core.ErrTooLarge
	case waiting > 0 && waiting+size > m.cfg.BytesMax:
		return core.ErrOutputFull
	}
	m.texts = append(m.texts, entry{text: bytes.Clone(text)})
	for m.first < m.next && m.chargedBytes(m.first) > m.cfg.BytesMax {
		m.first++
	}
	return nil
}

func (m *ledger) attach(now core.Time) FailureKind {
	m.advance(now)
	if m.over == FailureNone {
		m.lose()
		m.isAttached = true
		m.newest++
	}
	return m.over
}

// lose is the end of a socket: what was written on it may have to be written again (RESUME-2).
func (m *ledger) lose() {
	if m.isLive {
		m.lostAt, m.next = m.now, m.first
	}
	m.isAttached, m.isLive = false, false
}

// resume is RESUME-1 and RESUME-4: the peer names the session, and says how many texts it has.
func (m *ledger) resume(gen Generation, name string, received uint64, isGreeting bool, now core.Time) error {
	m.advance(now)
	kind := FailureNone
	switch {
	case m.over != FailureNone:
		kind = m.over
	case gen != m.newest || !m.isAttached:
		kind = FailureSuperseded
	case m.isLive:
		return core.ErrUnsupported
	case !isGreeting || name != m.session && m.session != "":
		kind = m.end(FailureGreeting)
	default:
		m.session = name
		return m.goOn(received)
	}
	return &Failure{Kind: kind}
}

// goOn is RESUME-3.
func (m *ledger) goOn(received uint64) error {
	switch {
	case received > uint64(len(m.texts)):
		return &Failure{Kind: m.end(FailureClaim)}
	case received < uint64(m.first):
		return &Failure{Kind: m.end(FailureLost)}
	}
	m.first, m.next, m.isLive = int(received), int(received), true
	return nil
}

func (m *ledger) take(gen Generation) (text []byte, isText bool) {
	if !m.isLive || gen != m.newest || m.next == len(m.texts) {
		return nil, false
	}
	m.texts[m.next].written = m.now
	m.next++
	return m.texts[m.next-1].text, true
}

func (m *ledger) receive(gen Generation) bool {
	if !m.isLive || gen != m.newest {
		return false
	}
	m.received++
	return true
}

func (m *ledger) detach(gen Generation, now core.Time) {
	if gen != m.newest || !m.isAttached {
		return
	}
	m.now = max(m.now, now)
	m.lose()
	m.advance(now)
}

// judgeGreeting reads a greeting by the letter of RESUME-1 and RESUME-9, with another parser.
func judgeGreeting(text []byte) (session string, received uint64, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tokens []json.Token
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", 0, false
		}
		tokens = append(tokens, token)
	}
	if len(tokens) != 9 || len(text) > greetingBytesMax || !json.Valid(text) {
		return "", 0, false
	}
	if tokens[3] == "received" { // either order will do
		tokens = slices.Concat(tokens[:3], tokens[5:7], tokens[3:5], tokens[7:])
	}
	session, _ = tokens[4].(string)
	count, _ := tokens[6].(json.Number)
	want := []json.Token{json.Delim('{'), "parley", json.Delim('{'), "session", session, "received", count, json.Delim('}'), json.Delim('}')}
	received, err := strconv.ParseUint(string(count), 10, 53)
	isCanonical := err == nil && string(count) == strconv.FormatUint(received, 10)
	return session, received, slices.Equal(tokens, want) && isCanonical && sessions.MatchString(session)
}

var sessions = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
