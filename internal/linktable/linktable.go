// Package linktable plays conformance/resume.table on a link of any home that Go can reach.
package linktable

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/resume"
)

// Link is resume.Link, there or behind a boundary.
type Link interface {
	Attach(now core.Time) (resume.Generation, error)
	Resume(gen resume.Generation, received uint64, now core.Time) error
	Greet(gen resume.Generation, text []byte, now core.Time) error
	Send(text []byte, now core.Time) error
	Next(gen resume.Generation) ([]byte, bool)
	Receive(gen resume.Generation) bool
	Detach(gen resume.Generation, now core.Time)
	Advance(now core.Time)
	Deadline() core.Time
	Greeting() []byte
	State() State
}

// State is where a link stands.
type State struct {
	Session        string
	Sent, Received uint64
	Failure        resume.FailureKind
	Code           int    // to close the socket with
	Name           string // the reason to close it with
	Text           string // of the failure
}

// Play plays every row on a link that open makes.
func Play(t *testing.T, file string, open func(t *testing.T, cfg resume.Config) (Link, error)) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rows, found := strings.Cut(string(text), "\n== ")
	if !found {
		t.Fatalf("%s holds no row", file)
	}
	for row := range strings.SplitSeq(rows, "\n== ") {
		title, lines, _ := strings.Cut(row, "\n")
		t.Run(title, func(t *testing.T) {
			p := &player{t: t, newLink: open}
			for line := range strings.SplitSeq(lines, "\n") {
				if line != "" {
					p.line(line)
				}
			}
		})
	}
}

// player plays one row.
type player struct {
	t       *testing.T
	newLink func(t *testing.T, cfg resume.Config) (Link, error)
	link    Link
	now     core.Time
}

func (p *player) line(line string) {
	p.t.Helper()
	command, want, says := strings.Cut(line, " -> ")
	if !says {
		want = "ok"
	}
	verb, rest, _ := strings.Cut(command, " ")
	if got := p.do(verb, rest); got != want {
		p.t.Errorf("%s\n got %s", line, got)
	}
}

func (p *player) do(verb, rest string) string {
	first, second, _ := strings.Cut(rest, " ")
	switch verb {
	case "link":
		return p.open(rest)
	case "at":
		p.now = core.Time(p.number(rest)) * core.Second
	case "attach":
		gen, err := p.link.Attach(p.now)
		if err != nil {
			return word(err)
		}
		return fmt.Sprint(gen)
	case "resume":
		return word(p.link.Resume(p.generation(first), uint64(p.number(second)), p.now))
	case "greet":
		return word(p.link.Greet(p.generation(first), []byte(second), p.now))
	case "send":
		return word(p.link.Send([]byte(expand(rest)), p.now))
	case "next":
		text, ok := p.link.Next(p.generation(rest))
		return brief(string(text), ok)
	case "receive":
		if p.link.Receive(p.generation(rest)) {
			return "new"
		}
		return "ignored"
	case "detach":
		p.link.Detach(p.generation(rest), p.now)
	case "advance":
		p.link.Advance(p.now)
	default:
		return p.ask(verb)
	}
	return "ok"
}

// ask is what changes nothing.
func (p *player) ask(what string) string {
	state := p.link.State()
	switch what {
	case "deadline":
		return seconds(p.link.Deadline())
	case "greeting":
		return string(p.link.Greeting())
	case "session":
		return brief(state.Session, state.Session != "")
	case "counts":
		return fmt.Sprintf("sent %d received %d", state.Sent, state.Received)
	case "error":
		if state.Failure == resume.FailureNone {
			return "none"
		}
		return fmt.Sprintf("%s %d %s", kinds[state.Failure], state.Code, state.Name)
	case "text":
		return state.Text
	}
	p.t.Fatalf("no such command: %s", what)
	return ""
}

func (p *player) open(fields string) string {
	cfg := resume.Defaults("")
	for field := range strings.FieldsSeq(fields) {
		name, value, _ := strings.Cut(field, "=")
		switch name {
		case "session":
			cfg.Session = value
		case "bytes":
			cfg.BytesMax = int(p.number(value))
		case "text":
			cfg.TextBytesMax = int(p.number(value))
		case "age":
			cfg.AgeNs = core.Time(p.number(value)) * core.Second
		default:
			p.t.Fatalf("no such field: %s", field)
		}
	}
	var err error
	p.link, err = p.newLink(p.t, cfg)
	return word(err)
}

func (p *player) number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

func (p *player) generation(text string) resume.Generation { return resume.Generation(p.number(text)) }

var kinds = map[resume.FailureKind]string{
	resume.FailureLost: "lost", resume.FailureClaim: "claim", resume.FailureGreeting: "greeting",
	resume.FailureExpired: "expired", resume.FailureCount: "count", resume.FailureSuperseded: "superseded",
}

func word(err error) string {
	var failure *resume.Failure
	var refused *core.ConfigError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &failure):
		return kinds[failure.Kind]
	case errors.As(err, &refused):
		return "refused " + refused.Field
	case errors.Is(err, core.ErrOutputFull):
		return "full"
	case errors.Is(err, core.ErrTooLarge):
		return "too-large"
	case errors.Is(err, core.ErrUnsupported):
		return "unsupported"
	}
	return err.Error()
}

func seconds(t core.Time) string {
	if t == core.Never {
		return "never"
	}
	return strconv.FormatInt(int64(t/core.Second), 10)
}

// expand writes x*3 out as xxx.
func expand(text string) string {
	letter, count, ok := strings.Cut(text, "*")
	if n, err := strconv.Atoi(count); ok && err == nil {
		return strings.Repeat(letter, n)
	}
	return text
}

// brief is the reverse of expand, for a text of one letter.
func brief(text string, ok bool) string {
	switch {
	case !ok:
		return "none"
	case len(text) > 2 && strings.Trim(text, text[:1]) == "":
		return text[:1] + "*" + strconv.Itoa(len(text))
	}
	return text
}
