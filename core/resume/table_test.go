package resume

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
)

// TestTable plays the rows that every home plays.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("../../conformance/resume.table")
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(text), "\n== ")
	played := 0
	for row := range strings.SplitSeq(rows, "\n== ") {
		title, lines, _ := strings.Cut(row, "\n")
		t.Run(title, func(t *testing.T) {
			p := &player{t: t}
			for line := range strings.SplitSeq(lines, "\n") {
				if line != "" {
					p.line(line)
				}
			}
		})
		played++
	}
	if played < 30 {
		t.Errorf("%d rows: the table was not read", played)
	}
}

// player plays one row.
type player struct {
	t    *testing.T
	link *Link
	now  core.Time
}

var kindWords = [failureEnd]string{"none", "lost", "claim", "greeting", "expired", "count", "superseded"}

func (p *player) line(line string) {
	p.t.Helper()
	command, want, _ := strings.Cut(line, " -> ")
	if want == "" {
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
		return strconv.FormatUint(uint64(gen), 10)
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
func (p *player) ask(verb string) string {
	var failure *Failure
	failed := errors.As(p.link.Err(), &failure)
	switch {
	case verb == "deadline" && p.link.Deadline() == core.Never:
		return "never"
	case verb == "deadline":
		return strconv.FormatInt(int64(p.link.Deadline()/core.Second), 10)
	case verb == "greeting":
		return string(p.link.Greeting())
	case verb == "session":
		return brief(p.link.Session(), p.link.Session() != "")
	case verb == "counts":
		return fmt.Sprintf("sent %d received %d", p.link.Sent(), p.link.Received())
	case verb == "error" && failed:
		code, name := failure.Close()
		return fmt.Sprintf("%s %d %s", kindWords[failure.Kind], code, name)
	case verb == "text" && failed:
		return failure.Error()
	case verb == "error" || verb == "text":
		return "none"
	}
	p.t.Fatalf("no such command: %s", verb)
	return ""
}

func (p *player) open(fields string) string {
	var cfg Config
	for field := range strings.FieldsSeq(fields) {
		name, value, _ := strings.Cut(field, "=")
		switch name {
		case "session":
			cfg.Session = value
		case "bytes":
			cfg.BytesMax = int(p.number(value))
		case "age":
			cfg.AgeNs = core.Time(p.number(value)) * core.Second
		default:
			p.t.Fatalf("no such field: %s", field)
		}
	}
	var err error
	p.link, err = New(cfg)
	return word(err)
}

func (p *player) number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

func (p *player) generation(text string) Generation { return Generation(p.number(text)) }

func word(err error) string {
	var failure *Failure
	var config *core.ConfigError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &failure):
		return kindWords[failure.Kind]
	case errors.As(err, &config):
		return "refused " + config.Field
	case err == core.ErrOutputFull:
		return "full"
	case err == core.ErrUnsupported:
		return "unsupported"
	}
	return err.Error()
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
