package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/parley-rpc/parley/internal/capture"
	"github.com/parley-rpc/parley/internal/transcript"
)

type catCmd struct {
	captureFiles
	capturePrint

	Records bool `help:"Print the records themselves, one a line: every read as it was, and its time."`
}

// Help is the part of the help below the flags' summary.
func (catCmd) Help() string {
	return `One line a message: when it passed, from whom (> client, < server), what it is, its id, its method, its size,
and for an answer the time since its request. What is no message is marked with !.

Examples:

  parley cat gopls.cap
  parley cat --body gopls.cap | less
  parley cat --json gopls.cap | jq 'select(.elapsedMs > 100)'
  parley cat --records gopls.cap > gopls.txt`
}

// Run prints.
func (c *catCmd) Run(e *env) error {
	if c.Records {
		return c.printRecords(e)
	}
	out := bufio.NewWriter(e.stdout)
	f := capture.NewFollower()
	err := c.follow(e, f, func(seen *capture.Seen) error {
		return c.print(out, capture.NewLine(seen, &f.Header))
	})
	return firstError(err, out.Flush())
}

func (c *catCmd) printRecords(e *env) error {
	writer := capture.NewWriter(e.stdout, capture.SpellText)
	for _, path := range c.Files {
		if err := eachRecord(e, path, func(r *transcript.Record) error { return writer.Write(r) }); err != nil {
			return firstError(err, writer.Close())
		}
	}
	return writer.Close()
}

// firstError is the first of two errors.
func firstError(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// capturePrint is how lines of captures are printed.
type capturePrint struct {
	JSON bool `help:"One JSON document a line: from, ms, kind, method, id, elapsedMs, message and so on."`
	Body bool `help:"With each message, its text."`
}

func (c capturePrint) print(to io.Writer, line *capture.Line) error {
	if c.JSON {
		return line.WriteJSON(to)
	}
	_, err := io.WriteString(to, c.format(line))
	return err
}

// format is a line for people. Text of a peer's is disarmed.
func (c capturePrint) format(l *capture.Line) string {
	arrow := map[string]string{"client": ">", "server": "<", "stderr": "!"}[l.From]
	if l.Kind == "noise" || l.Kind == "gap" || l.Kind == "invalid" {
		arrow += "!"
	}
	kind := l.Kind
	if kind == "" {
		kind = l.From
	}
	if l.InBatch {
		kind = "-" + kind
	}
	text := fmt.Sprintf("%12.3f ms  %-2s %-13s", l.Ms, arrow, kind)
	if len(l.ID) > 0 {
		text += "  " + oneLine(string(l.ID))
	}
	if l.Method != "" {
		text += "  " + oneLine(l.Method)
	}
	if l.Bytes > 0 {
		text += fmt.Sprintf("  %d B", l.Bytes)
	}
	if l.ElapsedMs != nil {
		text += fmt.Sprintf("  +%.3f ms", *l.ElapsedMs)
	}
	if l.Started != "" {
		text += "  " + l.Started
	}
	if len(l.Command) > 0 {
		text += "  " + oneLine(strings.Join(l.Command, " "))
	}
	if l.Code != nil {
		text += fmt.Sprintf("  code %d", *l.Code)
	}
	if l.Text != "" {
		text += "  " + oneLine(l.Text)
	}
	if c.Body && l.Message != nil {
		text += "\n    " + disarm(string(l.Message))
	}
	return strings.TrimRight(text, " ") + "\n"
}

// disarm makes a text of a peer's safe to show, and leaves its length alone.
func disarm(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
